import { getOrMake, listed, type Node, type OpenApiDocument, walk } from '@contract-first/document'
import { entriesAt, textAt } from '../attributes.ts'
import { harms } from '../schema/comparer.ts'
import { mappedTo, namesOf } from '../schema/discriminator.ts'
import { canonical, type Direction } from '../schema/schema.ts'
import { ruleOf, type SchemaFinding } from '../schema/schema-rules.ts'

/**
 * A base schema with a discriminator, and its subtypes by discriminator value: the components that extend it with `allOf`
 * (OpenAPI 3.1.1, 4.8.25.1), and those that its mapping names. A value must also be valid for the subtype that it names.
 */
type Family = { name: string; base: Node; discriminator: Node; subtypes: Map<string, Node> }

/** By the name of the base. */
type Families = ReadonlyMap<string, Family>

export type Kin = [before: Family, after: Family]

export const kinFinder = (before: OpenApiDocument, after: OpenApiDocument) => {
  const [earlier, later] = [familiesIn(before), familiesIn(after)]
  const [usedBefore, usedAfter] = [baseFinder(before, earlier), baseFinder(after, later)]
  return (left: Node, right: Node): Kin[] => {
    if (earlier.size === 0 || later.size === 0) return []
    const [olds, news] = [usedBefore(left), usedAfter(right)]
    const added = [...news].filter(([name]) => !olds.has(name)).map(([, family]) => family)
    return [...olds].flatMap(([name, was]): Kin[] => {
      const renamed = added.find(({ subtypes }) => [...subtypes.keys()].some(value => was.subtypes.has(value)))
      const is = news.get(name) ?? renamed
      return is === undefined ? [] : [[was, is]]
    })
  }
}

/** The subtypes that the same discriminator value names on both sides. */
export const subtypePairs = ([before, after]: Kin): [before: Node, after: Node][] =>
  [...before.subtypes].flatMap(([value, subtype]): [Node, Node][] => {
    const now = after.subtypes.get(value)
    return now === undefined ? [] : [[subtype, now]]
  })

/** Reports discriminator values that a request lost or a response got; an `enum` of them is compared as a schema instead. */
export const changeOfTags = ([before, after]: Kin, direction: Direction): SchemaFinding | undefined => {
  const isRequest = direction === 'request'
  const [sent, known] = isRequest ? [before, after] : [after, before]
  const values = [...sent.subtypes.keys()].filter(value => !known.subtypes.has(value))
  const property = textAt(sent.discriminator, 'propertyName') ?? ''
  const listsThem = ({ base }: Family) =>
    ['enum', 'const'].some(keyword => base.get('properties')?.get(property)?.get(keyword) !== undefined)
  if (values.length === 0 || [before, after].some(listsThem)) return
  const [was, is] = [before, after].map(({ subtypes }) => `discriminator ${quoted([...subtypes.keys()])}`)
  return {
    rule: ruleOf(direction, 'values'),
    level: 'breaking',
    place: `${before.name}.${property}`,
    before: before.discriminator,
    after: after.discriminator,
    was,
    is,
    witness: { [property]: values[0] as string },
    [isRequest ? 'lost' : 'gained']: quoted(values),
    message: `discriminator ${isRequest ? 'lost' : 'gained'} ${quoted(values)}: ${harms[direction]}.`
  }
}

const quoted = (values: readonly string[]) => listed(values.map(canonical), 10)

const familiesIn = (document: OpenApiDocument): Families => {
  const families = new Map<string, Family>()
  const schemas = entriesAt(document.root.get('components'), 'schemas')
  const parts = new Map<Node, Node[]>()
  const partsOf = (schema: Node) =>
    getOrMake(parts, schema, () => (schema.get('allOf')?.items() ?? []).map(part => document.resolve(part)))
  const basesOf = (schema: Node): Node[] => {
    const all = new Set([schema])
    for (const each of all) for (const part of partsOf(each)) all.add(part)
    return [...all].slice(1)
  }
  const discriminators = new Map<Node, Node[]>()
  const discriminatorsOf = (base: Node) =>
    getOrMake(discriminators, base, () => [base, ...basesOf(base)].flatMap(each => discriminatorOf(each) ?? []))
  const familyOf = (base: Node): Family | undefined => {
    const [discriminator] = discriminatorsOf(base)
    const name = document.nameOf(base)
    if (discriminator === undefined || name === undefined) return undefined
    return getOrMake(families, name, () => ({ name, base, discriminator, subtypes: new Map() }))
  }
  const mappingOf = ({ discriminator }: Family) => discriminator.get('mapping')?.value
  for (const [name, schema] of schemas) {
    for (const family of basesOf(schema).flatMap(base => familyOf(base) ?? []))
      for (const value of namesOf(pointerTo(name), mappingOf(family))) family.subtypes.set(value, schema)
    // A mapping may also name components that do not extend the base.
    const own = discriminatorOf(schema) && familyOf(schema)
    for (const [other, subtype] of own ? schemas : [])
      for (const value of own ? mappedTo(pointerTo(other), mappingOf(own)) : []) own?.subtypes.set(value, subtype)
  }
  return families
}

const pointerTo = (name: string) => `#/components/schemas/${name}`

/** The discriminator of a base; one beside `oneOf` or `anyOf` tells these alternatives apart instead. */
const discriminatorOf = (schema: Node) =>
  ['oneOf', 'anyOf'].some(keyword => schema.get(keyword) !== undefined) ? undefined : schema.get('discriminator')

/** The bases that a schema refers to, directly or not, except where a component only extends its own base. */
const baseFinder = (document: OpenApiDocument, families: Families) => {
  const components = new Set([...families.values()].flatMap(({ subtypes }) => [...subtypes.values()]))
  const basesOf = new WeakMap<Node, Families>()
  return (schema: Node): Families =>
    getOrMake(basesOf, schema, () => {
      const bases = new Map<string, Family>()
      const passed = new Set<Node>()
      const pending = new Set([schema])
      const visit = (node: Node) => {
        if (passed.has(node)) return false
        passed.add(node)
        const target = document.follow(node)
        if (target === undefined) return true
        pending.add(target)
        const holder = node.parent?.key === 'allOf' ? node.parent.parent : undefined
        const name = holder !== undefined && components.has(holder) ? undefined : document.nameOf(target)
        const family = name === undefined ? undefined : families.get(name)
        for (const subtype of family?.subtypes.values() ?? []) pending.add(subtype)
        if (name !== undefined && family !== undefined) bases.set(name, family)
        return true
      }
      for (const node of pending) walk(node, visit)
      return bases
    })
}
