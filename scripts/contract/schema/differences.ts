import type { Json } from '../../document/json.ts'
import type { Node } from '../../document/node.ts'
import { assertionsOf, holdersOf, inPlace, unionOf, valuesOf } from './assertions.ts'
import { isAbout, placeOf, type Subject, subjectOf, textOf } from './describe.ts'
import { kept } from './memo.ts'
import { canonical, type Direction, isNothing, type Schema } from './schema.ts'
import { type SchemaFinding, sides } from './schema-rules.ts'

interface Difference extends SchemaFinding {
  /** What differs; undefined if a property was added or removed. */
  subject: Subject | undefined
}

/** All differences between two schemas, as for a changelog, whether or not they break a client. */
export const differences = (
  before: Schema,
  after: Schema,
  direction: Direction,
  nameOf: NameOf,
  areSame: (one: Schema, other: Schema) => boolean
): Difference[] => {
  const visitor = new Visitor(direction, nameOf, areSame)
  visitor.visit(before, after, '')
  for (let next = visitor.deep.shift(); next !== undefined; next = visitor.deep.shift()) next()
  return [...visitor.found.values()]
}

/** Names a schema of `before`; if compared with one of `after`, only if that has a name too. */
type NameOf = (schema: Schema, partner?: Schema) => string | undefined

const maxDepth = 200

class Visitor {
  readonly found = new Map<string, Difference>()
  readonly #direction: Direction
  readonly #nameOf: NameOf
  readonly #areSame: (one: Schema, other: Schema) => boolean
  /** What a schema was compared with. Not by id: what changes alike at two places is reported at both. */
  readonly #seen = new Map<Schema, Set<Schema>>()
  #depth = 0
  /** What is nested too deeply for the call stack, to be visited afterwards. */
  readonly deep: (() => void)[] = []

  constructor(direction: Direction, nameOf: NameOf, areSame: (one: Schema, other: Schema) => boolean) {
    this.#direction = direction
    this.#nameOf = nameOf
    this.#areSame = areSame
  }

  #add(place: string, finding: Omit<Difference, 'place' | 'level'>) {
    const key = [finding.rule, place, finding.was, finding.is].join('\n')
    if (!this.found.has(key)) this.found.set(key, { level: 'compatible', ...finding, place })
  }

  visit(one: Schema, other: Schema, path: string) {
    const seen = this.#seen.get(one) ?? new Set()
    if (one.id === other.id || seen.has(other)) return
    if (this.#depth === maxDepth) {
      this.deep.push(() => this.visit(one, other, path))
      return
    }
    this.#seen.set(one, seen.add(other))
    this.#depth++
    this.#compare(one, other, this.#nameOf(one, other) ?? path)
    this.#depth--
  }

  #compare(one: Schema, other: Schema, place: string) {
    this.#visitProperties(one, other, place)
    const visit = (left: Schema | undefined, right: Schema | undefined, step: string) =>
      left && right && this.visit(left, right, `${place}${step}`)
    visit(first(one, 'items'), first(other, 'items'), '[]')
    const [starts, others] = [tuple(one), tuple(other)]
    for (const [index, start] of starts) visit(start, others.get(index), '[]')
    visit(rest(one), rest(other), '{}')
    const [lefts, rights] = [variants(one), variants(other)]
    const paired = pairs(lefts, rights)
    for (const [left, right] of paired) this.visit(left, right, place)
    for (const { subject, key } of subjectsOf(one, other)) {
      const [was, is] = [textOf(subject, [one], key), textOf(subject, [other], key)]
      const isAboutVariants = subject === 'anyOf' || subject === 'oneOf'
      if (was === is || was === 'not declared' || is === 'not declared') continue
      if (subject === 'prefixItems' && starts.size === others.size) continue
      if (subject === 'additionalProperties' && rest(one) !== undefined && rest(other) !== undefined) continue
      if (isAboutVariants && lefts.length === rights.length && paired.length === lefts.length) continue
      const [said, partner] = [one, other].map(schema => assertionsOf(schema).find(isAbout(subject, key)))
      const isBesideNull = said && partner && !said.orNullIn !== !partner.orNullIn
      // What allows the same is only written otherwise; a format may say something nevertheless.
      if (subject !== 'format' && this.#areSame(one, other)) continue
      const owner = (isBesideNull ? undefined : this.#ownerOf(one, other, said?.schema, partner?.schema)) ?? place
      this.#add(key === undefined ? owner : `${owner}.${key}`, {
        rule: `${this.#direction}-schema-changed`,
        subject,
        was,
        is,
        message: `${was} became ${is}.`,
        ...sides(placeOf(subject, [one], key), placeOf(subject, [other], key))
      })
    }
  }

  /** The named schema that is part of both sides, and states it for others as well on one of them, or on both. */
  #ownerOf(one: Schema, other: Schema, before: Schema | undefined, after: Schema | undefined): string | undefined {
    const name = before && after && this.#nameOf(before, after)
    if (name !== undefined) return name
    const [part, whole, opposite] = before ? [before, one, other] : [after, other, one]
    for (const holder of part ? holdersOf(part, whole) : []) {
      const partner = inPlace([opposite]).find(({ origin }) => origin && origin.pointer === holder.origin?.pointer)
      const shared = partner && (before ? this.#nameOf(holder, partner) : this.#nameOf(partner, holder))
      if (shared !== undefined) return shared
    }
    return undefined
  }

  #visitProperties(one: Schema, other: Schema, place: string) {
    const [olds, news] = [properties(one), properties(other)]
    const [lefts, rights] = [variants(one), variants(other)]
    const mark = this.#direction === 'request' ? 'readOnly' : 'writeOnly'
    for (const [name, { schema, owner }] of olds) {
      const now = news.get(name)
      const path = `${this.#ownerOf(one, other, owner, now?.owner) ?? place}.${name}`
      if (now !== undefined) this.visit(schema, now.schema, path)
      else if (!rights.some(each => properties(each).has(name))) {
        const isHidden = other.origin?.get('properties')?.get(name)?.get(mark)?.value === true
        const message = `The property is ${isHidden ? `now ${mark}` : 'no longer declared'}.`
        this.#tell(path, 'removed', message, schema.origin, other.origin)
      }
    }
    for (const [name, { schema, owner }] of news) {
      if (olds.has(name) || lefts.some(each => properties(each).has(name))) continue
      const path = `${this.#ownerOf(one, other, undefined, owner) ?? place}.${name}`
      this.#tell(path, 'added', 'The property is new.', one.origin, schema.origin)
    }
  }

  #tell(place: string, what: 'added' | 'removed', message: string, before: Node | undefined, after: Node | undefined) {
    const [was = '', is = ''] = what === 'added' ? ['not declared', 'declared'] : ['declared', 'not declared']
    const rule = `${this.#direction}-property-${what}` as const
    this.#add(place, { rule, subject: undefined, was, is, message, ...sides(before, after) })
  }
}

type Properties = Map<string, { schema: Schema; owner: Schema }>

const known = new WeakMap<Schema, Properties>()

/** The properties with the schemas that declare them, preferring one that describes the property. */
const properties = (of: Schema): Properties =>
  kept(known, of, () => {
    const found: Properties = new Map()
    for (const { keyword, keywords, schema: owner } of assertionsOf(of)) {
      if (keyword !== 'properties') continue
      for (const [name, schema] of keywords.properties ?? [])
        if (found.get(name)?.schema.origin === undefined) found.set(name, { schema, owner })
    }
    return found
  })

const first = (schema: Schema, keyword: 'items' | 'additionalProperties') =>
  assertionsOf(schema).find(each => each.keyword === keyword)?.keywords[keyword]
const tuple = (schema: Schema) =>
  new Map(
    assertionsOf(schema)
      .filter(({ keyword }) => keyword === 'prefixItems')
      .map(({ key, keywords }) => [key, keywords.prefixItems?.[Number(key)]])
  )
const rest = (schema: Schema) => {
  const said = first(schema, 'additionalProperties')
  return said && isNothing(said) ? undefined : said
}

const variants = (schema: Schema): readonly Schema[] => assertionsOf(schema).flatMap(each => unionOf(each) ?? [])

/** What tells an alternative from the others: its types, and the properties that have one value. */
const kindOf = (schema: Schema): string => {
  const said = assertionsOf(schema).flatMap(({ keyword, key, keywords }): string[] => {
    if (keyword === 'types') return [...(keywords.types ?? [])]
    const values = keyword === 'properties' ? valuesOf(keywords.properties?.get(String(key))) : undefined
    return values?.length === 1 ? [`${key}: ${canonical(values[0] as Json)}`] : []
  })
  return said.sort().join()
}

/** Pairs alternatives by name or, where only one on each side is of a kind, by that; otherwise by index. */
const pairs = (lefts: readonly Schema[], rights: readonly Schema[]): [Schema, Schema][] => {
  const [olds, news] = [Map.groupBy(lefts, kindOf), Map.groupBy(rights, kindOf)]
  return lefts.flatMap((left, index): [Schema, Schema][] => {
    const same = rights.find(({ id }) => id === left.id)
    const placed = rights.find(({ origin }) => origin !== undefined && origin.pointer === left.origin?.pointer)
    const named = placed?.origin?.parent?.key === 'schemas' ? placed : undefined
    const kind = kindOf(left)
    const alike = olds.get(kind)?.length === 1 && news.get(kind)?.length === 1 ? news.get(kind)?.[0] : undefined
    const partner = same ?? named ?? alike ?? placed ?? (lefts.length === rights.length ? rights[index] : undefined)
    return partner === undefined ? [] : [[left, partner]]
  })
}

// These are compared part by part.
const apart = new Set<Subject>(['properties', 'items'])

/** Required names are reported one by one, and not at all if both sides require them. */
const subjectsOf = (one: Schema, other: Schema) => {
  const [olds, news] = [said(one), said(other)]
  const isSame = (name: string) => olds.get(name)?.key !== undefined && news.has(name)
  return [...new Map([...olds, ...news])].flatMap(([name, each]) => (isSame(name) ? [] : each))
}

const said = (schema: Schema) => {
  const found = new Map<string, { subject: Subject; key?: string }>()
  for (const assertion of assertionsOf(schema)) {
    const subject = subjectOf(assertion)
    const key = subject === 'required' ? { key: assertion.key as string } : {}
    if (!apart.has(subject)) found.set(`${subject} ${key.key}`, { subject, ...key })
  }
  return found
}
