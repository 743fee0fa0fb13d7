import { assertionsOf, holdersOf, inPlace, unionOf } from './assertions.ts'
import {
  becameOf,
  changeOf,
  declares,
  hiddenIn,
  isAbout,
  kinds,
  placeOf,
  type Subject,
  subjectOf,
  textOf,
  unions,
  wholes
} from './describe.ts'
import { digestOfKeywords } from './intern.ts'
import { mostLike, pairs } from './likeness.ts'
import { kept } from './memo.ts'
import { type Direction, isNothing, nameInPlace, type Schema } from './schema.ts'
import { type SchemaFinding, sides } from './schema-rules.ts'

export interface Difference extends SchemaFinding {
  /** What differs; undefined if a property was added or removed. */
  subject: Subject | undefined
  /** The kinds of values changed only in a breaking way: a request accepts fewer, or a response may contain more. */
  isLoss?: boolean
}

/** Names a schema of `before` that is compared with one of `after`, if both are the same named schema. */
type NameOf = (schema: Schema, partner: Schema) => string | undefined

/** All differences between two schemas, as for a changelog, whether or not they break a client. */
export const differences = (
  before: Schema,
  after: Schema,
  direction: Direction,
  nameOf: NameOf,
  isIn: (one: Schema, other: Schema) => boolean
): Difference[] => {
  const gain = direction === 'request' ? 'got' : 'lost'
  const result = new Map<string, Difference>()
  const add = (place: string, finding: Omit<Difference, 'place' | 'level'>) => {
    const key = [finding.rule, place, finding.was, finding.is].join('\n')
    if (!result.has(key)) result.set(key, { level: 'compatible', ...finding, place })
  }
  // Not by id: equal changes in two places are reported for both.
  const seen = new Map<Schema, Set<Schema>>()
  // Not recursive: the call stack would limit how deeply schemas may be nested.
  const stack: [one: Schema, other: Schema, path: string][] = [[before, after, '']]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [one, other, path] = next
    const partners = kept(seen, one, () => new Set<Schema>())
    if (one.id === other.id || partners.has(other)) continue
    partners.add(other)
    const place = nameOf(one, other) ?? path
    const inner: typeof stack = []
    const visit = (left: Schema | undefined, right: Schema | undefined, at: string) =>
      left && right && inner.push([left, right, at])
    // A single schema that became one of several alternatives is compared with that one, unless it was split into several.
    const isSingle = isUnion(one) !== isUnion(other)
    const [lefts, rights] = [one, other].map(each => (isSingle && !isUnion(each) ? [each] : variants(each))) as [
      Schema[],
      Schema[]
    ]
    const paired = pairs(lefts, rights)

    const [olds, news] = [properties(one), properties(other)]
    for (const [name, { schema, owner }] of olds) {
      const now = news.get(name)
      const holder = ownerOf(one, other, owner, now?.owner, nameOf)
      const at = `${holder?.name ?? place}.${nameInPlace(name)}`
      visit(schema, now?.schema, at)
      if (now !== undefined || rights.some(each => properties(each).has(name))) continue
      const message = `The property is ${hiddenIn([other], name, 'now ') ?? 'no longer declared'}.`
      const places = sides(schema.origin, (holder?.partner ?? other).origin)
      add(at, { rule: `${direction}-property-removed`, subject: undefined, message, ...places })
    }
    for (const [name, { schema, owner }] of news) {
      if (olds.has(name) || lefts.some(each => properties(each).has(name))) continue
      const message = `The property is ${hiddenIn([one], name, 'no longer ') ?? 'new'}.`
      const holder = ownerOf(one, other, undefined, owner, nameOf)
      const places = sides((holder?.partner ?? one).origin, schema.origin)
      const at = `${holder?.name ?? place}.${nameInPlace(name)}`
      add(at, { rule: `${direction}-property-added`, subject: undefined, message, ...places })
    }

    visit(first(one, 'items'), first(other, 'items'), `${place}[]`)
    const [starts, others] = [tuple(one), tuple(other)]
    for (const [index, start] of starts) visit(start, others.get(index), `${place}[${index}]`)
    visit(rest(one), rest(other), `${place}{}`)
    const isSplit =
      isSingle && [...lefts, ...rights].filter(each => mostLike([isUnion(one) ? other : one], [each])).length > 2
    for (const [left, right] of isSplit ? [] : paired) visit(left, right, place)

    const [sent, received] = direction === 'request' ? [one, other] : [other, one]
    let [isNarrower, isWider]: (boolean | undefined)[] = []
    for (const { subject, key } of subjectsOf(one, other)) {
      if (digestOf(one, subject, key) === digestOf(other, subject, key)) continue
      if (isSingle && paired.length > 0 && !unions.has(subject)) continue
      const [was = '', is = ''] = [one, other].map(each => textOf(subject, [each], key, place))
      if (was === is && (!wholes.has(subject) || subject === 'additionalProperties')) continue
      if (subject === 'required' && [one, other].some(each => !declares([each], key as string))) continue
      if (subject === 'prefixItems' && starts.size === others.size) continue
      if (subject === 'additionalProperties' && rest(one) !== undefined && rest(other) !== undefined) continue
      if (unions.has(subject) && lefts.length === rights.length && paired.length === lefts.length) continue
      // Equal sets of values are only written differently; still, a changed format is worth reporting.
      isNarrower ??= isIn(received, sent)
      isWider ??= isNarrower && isIn(sent, received)
      if (subject !== 'format' && isWider) continue
      const change = changeOf(subject, [one], [other])
      const [said, partner] = [one, other].map(schema => assertionsOf(schema).find(isAbout(subject, key)))
      const isBesideNull = said && partner && !said.orNullIn !== !partner.orNullIn
      const owner = (!isBesideNull && ownerOf(one, other, said?.schema, partner?.schema, nameOf)?.name) || place
      add(key === undefined ? owner : `${owner}.${nameInPlace(String(key))}`, {
        rule: `${direction}-schema-changed`,
        subject,
        isLoss:
          kinds.has(subject) && (isNarrower || (change !== undefined && !changeOf(subject, [one], [other], gain))),
        was,
        is,
        message: `${change ?? becameOf(was, is)}.`,
        ...sides(placeOf(subject, [one], key), placeOf(subject, [other], key))
      })
    }
    stack.push(...inner.reverse())
  }
  return [...result.values()]
}

/** The named schema that both sides contain and that makes the assertion on at least one of them, with its other version. */
const ownerOf = (
  one: Schema,
  other: Schema,
  before: Schema | undefined,
  after: Schema | undefined,
  nameOf: NameOf
): { name: string; partner?: Schema | undefined } | undefined => {
  const name = before && after && nameOf(before, after)
  if (name !== undefined) return { name }
  const [part, whole, opposite] = before ? [before, one, other] : [after, other, one]
  for (const holder of part ? holdersOf(part, whole) : []) {
    const partner = inPlace([opposite]).find(({ origin }) => origin && origin.pointer === holder.origin?.pointer)
    const shared = partner && (before ? nameOf(holder, partner) : nameOf(partner, holder))
    if (shared !== undefined) return { name: shared, partner }
  }
  return undefined
}

/** The same for equal assertions, however they are written. */
const digestOf = (schema: Schema, subject: Subject, key: string | undefined) =>
  assertionsOf(schema)
    .filter(isAbout(subject, key))
    .map(({ keywords }) => digestOfKeywords(keywords))
    .sort()
    .join()

type Properties = Map<string, { schema: Schema; owner: Schema }>

const known = new WeakMap<Schema, Properties>()

/** The properties with the schemas that declare them, preferring one that describes the property. */
const properties = (of: Schema): Properties =>
  kept(known, of, () => {
    const byName: Properties = new Map()
    for (const { keyword, keywords, schema: owner } of assertionsOf(of)) {
      if (keyword !== 'properties') continue
      for (const [name, schema] of keywords.properties ?? [])
        if (isNeverSent(schema)) continue
        else if (byName.get(name)?.schema.origin === undefined) byName.set(name, { schema, owner })
    }
    return byName
  })

/** A property that is hidden in this direction counts as undeclared. */
const isNeverSent = ({ keywords, origin }: Schema) =>
  keywords.types?.length === 0 && (origin === undefined || origin.get('readOnly')?.value === true)

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

/** Whether it has alternatives, and nothing else. */
const isUnion = (schema: Schema) => {
  const [first, ...others] = assertionsOf(schema)
  return first !== undefined && others.length === 0 && unionOf(first) !== undefined
}

const variants = (schema: Schema): readonly Schema[] => assertionsOf(schema).flatMap(each => unionOf(each) ?? [])

// These are compared part by part.
const apart = new Set<Subject>(['properties', 'items'])

/** Required names are reported one by one, and not at all if both sides require them. */
const subjectsOf = (one: Schema, other: Schema) => {
  const [olds, news] = [said(one), said(other)]
  const isSame = (name: string) => olds.get(name)?.key !== undefined && news.has(name)
  return [...new Map([...olds, ...news])].flatMap(([name, each]) => (isSame(name) ? [] : each))
}

const said = (schema: Schema) => {
  const subjects = new Map<string, { subject: Subject; key?: string }>()
  for (const assertion of assertionsOf(schema)) {
    const subject = subjectOf(assertion)
    const key = subject === 'required' ? { key: assertion.key as string } : {}
    if (!apart.has(subject)) subjects.set(`${subject} ${key.key}`, { subject, ...key })
  }
  return subjects
}
