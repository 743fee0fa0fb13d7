import { getOrMake } from '@contract-first/document'
import { assertionsOf, holdersOf, inPlace, listedIn, typesOf, unionOf } from './assertions.ts'
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
import { finalText } from './intern.ts'
import { mostLike, pairs } from './likeness.ts'
import { type Direction, isNothing, nameInPlace, type Schema } from './schema.ts'
import type { SchemaFinding } from './schema-rules.ts'

export interface Difference extends SchemaFinding {
  /** What differs; undefined if a property was added or removed. */
  subject: Subject | undefined
  /** The kinds of values changed only in a breaking way: a request accepts fewer, or a response may contain more. */
  isLoss?: boolean
}

type NameOf = (schema: Schema, partner: Schema) => string | undefined

interface Questions {
  direction: Direction
  nameOf: NameOf
  /** Whether all values of one schema are valid for another. */
  isIn: (one: Schema, other: Schema) => boolean
  /** Whether a schema allows null, and the other would do so by what it says if that meant anything. */
  isMeantNullable: (wide: Schema, narrow: Schema) => boolean
}

/** What all steps of a comparison share. */
interface Comparison extends Questions {
  /** By rule, place and texts. */
  differences: Map<string, Difference>
}

interface Pair {
  one: Schema
  other: Schema
  place: string
  lefts: readonly Schema[]
  rights: readonly Schema[]
  paired: readonly (readonly [Schema, Schema])[]
  /** Whether only one of the two is a union. */
  isSingle: boolean
  /** Whether they have no type in common, or only one of the two lists its values or allows any. */
  isReplaced: boolean
}

type Part = [one: Schema, other: Schema, place: string]

/** All differences between two schemas, as for a changelog, whether or not they break a client. */
export const differences = (before: Schema, after: Schema, questions: Questions): Difference[] => {
  const { nameOf } = questions
  const comparison: Comparison = { ...questions, differences: new Map() }
  // Not by id: equal changes in two places are reported for both.
  const seen = new Map<Schema, Set<Schema>>()
  // Not recursive: the call stack would limit how deeply schemas may be nested.
  const stack: Part[] = [[before, after, '']]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [one, other, path] = next
    const partners = getOrMake(seen, one, () => new Set<Schema>())
    if (one.id === other.id || partners.has(other)) continue
    partners.add(other)
    const pair = pairOf(one, other, nameOf(one, other) ?? path)
    // What was inside is gone with it.
    if (!pair.isReplaced) compareNames(pair, comparison)
    compareSubjects(pair, comparison)
    if (!pair.isReplaced) stack.push(...partsOf(pair, nameOf).reverse())
  }
  return [...comparison.differences.values()]
}

/** A single schema that became one of several alternatives is compared with that one. */
const pairOf = (one: Schema, other: Schema, place: string): Pair => {
  const isSingle = isUnion(one) !== isUnion(other)
  const [lefts = [], rights = []] = [one, other].map(each => (isSingle && !isUnion(each) ? [each] : variants(each)))
  return {
    one,
    other,
    place,
    lefts,
    rights,
    paired: pairs(lefts, rights),
    isSingle,
    isReplaced: isReplaced(one, other)
  }
}

const isReplaced = (...both: [Schema, Schema]): boolean => {
  const [olds, news] = both.map(each => typesOf([each])?.filter(type => type !== 'null'))
  if (olds && news && !olds.some(each => news.includes(each))) return true
  const differs = (test: (schema: Schema) => boolean) => test(both[0]) !== test(both[1])
  const isOfAny = (each: Schema) => assertionsOf(each).length === 0
  return differs(each => listedIn([each]) !== undefined) || (Boolean(olds ?? news) && differs(isOfAny))
}

/** The parts of two schemas that correspond. */
const partsOf = ({ one, other, place, lefts, rights, paired, isSingle }: Pair, nameOf: NameOf): Part[] => {
  const [olds, news] = [properties(one), properties(other)]
  const shared = [...olds].flatMap(([name, { schema, owner }]) => {
    const now = news.get(name)
    const holder = now && ownerOf(one, other, owner, now.owner, nameOf)
    return [[schema, now?.schema, `${holder?.name ?? place}.${nameInPlace(name)}`] as const]
  })
  const starts = tuple(other)
  // Unless the single schema was split into several alternatives.
  const isSplit =
    isSingle && [...lefts, ...rights].filter(each => mostLike([isUnion(one) ? other : one], [each])).length > 2
  return [
    ...shared,
    [first(one, 'items'), first(other, 'items'), `${place}[]`] as const,
    ...[...tuple(one)].map(([index, start]) => [start, starts.get(index), `${place}[${index}]`] as const),
    [rest(one), rest(other), `${place}{}`] as const,
    ...(isSplit ? [] : paired).map(([left, right]) => [left, right, place] as const)
  ].filter((part): part is Part => part[0] !== undefined && part[1] !== undefined)
}

/** Reports properties that were removed or added, unless an alternative of the other side has them. */
const compareNames = ({ one, other, place, lefts, rights }: Pair, { direction, nameOf, differences }: Comparison) => {
  const [olds, news] = [properties(one), properties(other)]
  const isIn = (name: string, schemas: readonly Schema[]) => schemas.some(each => properties(each).has(name))
  for (const [name, { schema, owner }] of olds) {
    if (news.has(name) || isIn(name, rights)) continue
    const message = hiddenIn([other], name, 'It is now ') ?? 'It was removed'
    const holder = ownerOf(one, other, owner, undefined, nameOf)
    const places = { before: schema.origin, after: (holder?.partner ?? other).origin }
    const at = `${holder?.name ?? place}.${nameInPlace(name)}`
    add(differences, at, {
      rule: `${direction}-property-removed`,
      subject: undefined,
      message: `${message}.`,
      ...places
    })
  }
  for (const [name, { schema, owner }] of news) {
    if (olds.has(name) || isIn(name, lefts)) continue
    const message = hiddenIn([one], name, 'It is no longer ') ?? 'It is new'
    const holder = ownerOf(one, other, undefined, owner, nameOf)
    const places = { before: (holder?.partner ?? one).origin, after: schema.origin }
    const at = `${holder?.name ?? place}.${nameInPlace(name)}`
    add(differences, at, { rule: `${direction}-property-added`, subject: undefined, message: `${message}.`, ...places })
  }
}

const add = (differences: Map<string, Difference>, place: string, finding: Omit<Difference, 'place' | 'level'>) => {
  const key = [finding.rule, place, finding.was, finding.is].join('\n')
  if (!differences.has(key)) differences.set(key, { level: 'compatible', ...finding, place })
}

/** Reports what else differs, subject by subject. */
const compareSubjects = (pair: Pair, { direction, nameOf, isIn, isMeantNullable, differences }: Comparison) => {
  const { one, other, place, isSingle, isReplaced, paired } = pair
  const [sent, received] = direction === 'request' ? [one, other] : [other, one]
  const gain = direction === 'request' ? 'gained' : 'lost'
  let [isNarrower, isWider]: (boolean | undefined)[] = []
  for (const { subject, key } of subjectsOf(one, other)) {
    if (isSingle && paired.length > 0 && !unions.has(subject)) continue
    if (isReplaced && !kinds.has(subject)) continue
    if (statedIn(one, subject, key) === statedIn(other, subject, key)) continue
    const [was = '', is = ''] = [one, other].map(each => textOf(subject, [each], key, place))
    if (was === is && (!wholes.has(subject) || subject === 'additionalProperties')) continue
    if (isToldByParts(pair, subject, key)) continue
    // Equal sets of values are only written differently; still, a changed format is worth reporting.
    isNarrower ??= isIn(received, sent)
    isWider ??= isNarrower && isIn(sent, received)
    if (subject !== 'format' && isWider) continue
    const isReplacement = kinds.has(subject) && isMeantNullable(one, other)
    if (isReplacement || (kinds.has(subject) && isMeantNullable(other, one))) {
      const sides = { before: placeOf(subject, [one]), after: placeOf(subject, [other]) }
      const { place, ...told } = meantNullable(isReplacement)
      add(differences, place, { rule: `${direction}-schema-changed`, subject: 'types', ...sides, ...told })
      continue
    }
    const change = changeOf(subject, [one], [other])
    const isLoss = () => isNarrower || (change !== undefined && !changeOf(subject, [one], [other], gain))
    const owner = ownerOfSubject(pair, subject, key, nameOf)
    add(differences, key === undefined ? owner : `${owner}.${nameInPlace(String(key))}`, {
      rule: `${direction}-schema-changed`,
      subject,
      isLoss: kinds.has(subject) && isLoss(),
      ...{ was, is, lost: change?.lost, gained: change?.gained },
      message: `${change?.text ?? becameOf(was, is)}.`,
      before: placeOf(subject, [one], key),
      after: placeOf(subject, [other], key)
    })
  }
}

/** Told once for the whole contract: whoever corrects one place corrects all. */
export const meantNullable = (isReplacement: boolean, harm?: string) => {
  const [was, is] = isReplacement ? ['null', 'nullable'] : ['nullable', 'null']
  const message = `\`nullable\` means nothing in OpenAPI 3.1, and ${isReplacement ? 'replaces null' : 'was corrected to null'}${harm ? `: ${harm}` : ''}.`
  return { place: 'contract', was, is, message }
}

/** Whether the comparison of parts reports the difference. */
const isToldByParts = ({ one, other, lefts, rights, paired }: Pair, subject: Subject, key: string | undefined) => {
  if (subject === 'required') return [one, other].some(each => !declares([each], key as string))
  if (subject === 'prefixItems') return tuple(one).size === tuple(other).size
  if (subject === 'additionalProperties') return rest(one) !== undefined && rest(other) !== undefined
  return unions.has(subject) && lefts.length === rights.length && paired.length === lefts.length
}

const ownerOfSubject = ({ one, other, place }: Pair, subject: Subject, key: string | undefined, nameOf: NameOf) => {
  const [left, right] = [one, other].map(schema => assertionsOf(schema).find(isAbout(subject, key)))
  const isBesideNull = left && right && !left.orNullIn !== !right.orNullIn
  return (!isBesideNull && ownerOf(one, other, left?.schema, right?.schema, nameOf)?.name) || place
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
const statedIn = (schema: Schema, subject: Subject, key: string | undefined) =>
  assertionsOf(schema)
    .filter(isAbout(subject, key))
    .map(({ keywords }) => finalText(keywords))
    .sort()
    .join()

type Properties = Map<string, { schema: Schema; owner: Schema }>

const propertiesOf = new WeakMap<Schema, Properties>()

const properties = (of: Schema): Properties =>
  getOrMake(propertiesOf, of, () => {
    const all: Properties = new Map()
    for (const { keyword, keywords, schema: owner } of assertionsOf(of)) {
      if (keyword !== 'properties') continue
      for (const [name, schema] of keywords.properties ?? [])
        if (isNeverSent(schema)) continue
        else if (all.get(name)?.schema.origin === undefined) all.set(name, { schema, owner })
    }
    return all
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
  const others = first(schema, 'additionalProperties')
  return others && isNothing(others) ? undefined : others
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
  const [olds, news] = [subjectsIn(one), subjectsIn(other)]
  const isSame = (name: string) => olds.get(name)?.key !== undefined && news.has(name)
  return [...new Map([...olds, ...news])].flatMap(([name, each]) => (isSame(name) ? [] : each))
}

const subjectsIn = (schema: Schema) => {
  const subjects = new Map<string, { subject: Subject; key?: string }>()
  for (const assertion of assertionsOf(schema)) {
    const subject = subjectOf(assertion)
    // What a discriminator excludes of an alternative is told by the other alternatives.
    if (subject === 'not' && assertion.schema.origin === undefined) continue
    const key = subject === 'required' ? { key: assertion.key as string } : {}
    if (!apart.has(subject)) subjects.set(`${subject} ${key.key}`, { subject, ...key })
  }
  return subjects
}
