import { isObject, type Json, type JsonObject, type Node } from '@contract-first/document'
import { type Schema, typeOf } from './schema.ts'
import { type Alternative, inPlace, type Lowering, listedIn } from './survey.ts'

/**
 * A variant under a discriminator: the property must also name the variant (OpenAPI 3.1.1, section 4.8.25), with a name from
 * the mapping, or else its component name, or that of a variant within it. If the variant lists values for the property, these
 * are its names instead, except those that name other variants. A variant without a name is not for values that name another.
 */
export const tagged = (
  lowering: Lowering,
  keyword: 'anyOf' | 'oneOf',
  { holder, node: variant, index }: Alternative,
  schema: Schema
): Schema => {
  const tags = tagsOf(lowering, holder, keyword)
  if (tags === undefined) return schema
  const { property, names: all } = tags
  const own = all[index] ?? []
  const others = all.flatMap((each, at) => (at === index ? [] : each)).filter(each => !own.includes(each))
  const { solver } = lowering
  const having = (values: readonly Json[]) => new Map([[property, solver.make({ values })]])
  const origin = holder.get(keyword)?.get(index)
  const both = (tag: Schema): Schema => ({ id: 0, keywords: { allOf: [schema, tag] }, ...(origin && { origin }) })
  if (own.length === 0) {
    if (others.length === 0 || !mayBeObject(lowering, variant)) return schema
    const another = { types: ['object'] as const, required: [property], properties: having(others.flatMap(valuesOf)) }
    return both(solver.make({ not: solver.make(another) }))
  }
  const listed = valuesListed(lowering, variant, property)
  const names = listed === undefined ? own.flatMap(valuesOf) : listed.filter(each => !others.includes(String(each)))
  if (names.length === listed?.length) return schema
  // Without the property, the variants of an `anyOf` decide as they are written; those of a `oneOf` could not be told apart.
  const required = keyword === 'oneOf' ? [property] : []
  return both(solver.make({ types: ['object'], properties: having(names), required }))
}

/** The property that tells variants apart, and the names of each. */
interface Tags {
  property: string
  names: readonly (readonly string[])[]
}

const knownTags = new WeakMap<Node, Tags | undefined>()

const tagsOf = (lowering: Lowering, holder: Node, keyword: 'anyOf' | 'oneOf'): Tags | undefined => {
  const list = holder.get(keyword)
  if (list === undefined) return undefined
  // A preliminary result, which also serves a variant that extends what lists it.
  if (!knownTags.has(list)) {
    knownTags.set(list, undefined)
    knownTags.set(list, tagsIn(lowering, holder, list.items()))
  }
  return knownTags.get(list)
}

const tagsIn = (lowering: Lowering, holder: Node, variants: readonly Node[]): Tags | undefined => {
  const value = holder.value as JsonObject
  const discriminator = value.discriminator ?? inherited(lowering, variants)
  if (!isObject(discriminator) || typeof discriminator.propertyName !== 'string') return undefined
  const { propertyName: property, mapping } = discriminator
  const named = variants.map(each => {
    const inner = [...inPlace(lowering, each)].flatMap(node =>
      (['anyOf', 'oneOf'] as const).map(key => tagsOf(lowering, node, key))
    )
    return [
      ...namesFor(each, mapping),
      ...inner.flatMap(each => (each?.property === property ? each.names.flat() : []))
    ]
  })
  return named.every(each => each.length === 0) ? undefined : { property, names: named }
}

/** The discriminator of a base that all variants extend, if its mapping names them. */
const inherited = (lowering: Lowering, variants: readonly Node[]): Json | undefined => {
  const [base, ...others] = new Set(variants.map(each => [...inPlace(lowering, each)].find(isBase)))
  const discriminator = others.length === 0 && base?.get('discriminator')?.value
  if (!isObject(discriminator)) return undefined
  const isMapped = ({ value }: Node) =>
    isObject(value) && typeof value.$ref === 'string' && mappedTo(value.$ref, discriminator.mapping).length > 0
  return variants.every(isMapped) ? discriminator : undefined
}

/** Whether it is a base, whose discriminator tells apart schemas that extend it with properties of their own. */
export const isBase = ({ value }: Node): boolean =>
  isObject(value) && value.discriminator !== undefined && value.oneOf === undefined && value.anyOf === undefined

const mayBeObject = (lowering: Lowering, variant: Node): boolean =>
  [...inPlace(lowering, variant)].every(node => {
    const { type } = node.value as JsonObject
    const types = type === undefined ? listedIn(node)?.map(typeOf) : [type].flat()
    return types?.includes('object') !== false
  })

/** The discriminator values that name a variant, if it is a component. */
const namesFor = ({ value }: Node, mapping: Json | undefined): string[] =>
  isObject(value) && typeof value.$ref === 'string' ? namesOf(value.$ref, mapping) : []

/** A name is a text, but the property that holds it may be a boolean or a number. */
export const valuesOf = (name: string): Json[] =>
  /^(?:true|false|-?(?:0|[1-9]\d{0,14}))$/.test(name) ? [name, JSON.parse(name) as Json] : [name]

export const namesOf = (reference: string, mapping: Json | undefined): string[] => {
  const named = mappedTo(reference, mapping)
  return named.length > 0 ? named : [lastName(reference)]
}

/** The values that a mapping gives a schema. */
export const mappedTo = (reference: string, mapping: Json | undefined): string[] => {
  const isMeant = (to: Json) =>
    to === reference || (typeof to === 'string' && !/[#/.]/.test(to) && to === lastName(reference))
  return Object.entries(isObject(mapping) ? mapping : {}).flatMap(([name, to]) => (isMeant(to) ? [name] : []))
}

const lastName = (reference: string) =>
  decodeURIComponent(reference.split(/[#/]/).at(-1) ?? '').replace(/\.(ya?ml|json)$/, '')

const valuesListed = (lowering: Lowering, variant: Node, name: string): readonly Json[] | undefined => {
  const lists = [...inPlace(lowering, variant, 'any')]
    .flatMap(each => each.get('properties')?.get(name) ?? [])
    .flatMap(property => [...inPlace(lowering, property, 'any')])
    .flatMap(each => [listedIn(each) ?? []])
    .filter(each => each.length > 0)
  return lists.length === 0 ? undefined : [...new Set(lists.flat())]
}
