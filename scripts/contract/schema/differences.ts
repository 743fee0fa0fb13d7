import type { Node } from '../../document/node.ts'
import { assertionsOf } from './assertions.ts'
import { placeOf, type Subject, subjectOf, textOf } from './describe.ts'
import type { Direction, Schema } from './schema.ts'
import type { SchemaFinding } from './schema-rules.ts'

interface Difference extends SchemaFinding {
  /** What was said differently; undefined for properties that came or went. */
  subject: Subject | undefined
}

/** All that two schemas say differently, as a reader of a changelog would list it; whether it does harm is not asked here. */
export const differences = (
  before: Schema,
  after: Schema,
  direction: Direction,
  /** Of a schema of before; where it is held against one of after, only if that has a name too. */
  nameOf: (schema: Schema, partner?: Schema) => string | undefined
): Difference[] => {
  const found = new Map<string, Difference>()
  const seen = new Set<string>()
  const add = (place: string, finding: Omit<Difference, 'place' | 'level'>) => {
    const key = [finding.rule, place, finding.was, finding.is].join('\n')
    if (!found.has(key)) found.set(key, { level: 'compatible', ...finding, place })
  }

  const visit = (one: Schema, other: Schema, path: string) => {
    if (one.id === other.id || seen.has(`${one.id} ${other.id}`)) return
    seen.add(`${one.id} ${other.id}`)
    const place = nameOf(one, other) ?? path
    visitProperties(one, other, place)
    for (const [left, right] of partners(items(one), items(other))) visit(left, right, `${place}[]`)
    for (const [left, right] of partners(rest(one), rest(other))) visit(left, right, `${place}{}`)
    const [lefts, rights] = [variants(one), variants(other)]
    const paired = pairs(lefts, rights)
    for (const [left, right] of paired) visit(left, right, place)
    for (const { subject, key } of subjectsOf(one, other)) {
      const [was, is] = [textOf(subject, [one], key), textOf(subject, [other], key)]
      const isAboutVariants = subject === 'anyOf' || subject === 'oneOf'
      if (was === is || was === 'not declared' || is === 'not declared') continue
      if (isAboutVariants && lefts.length === rights.length && paired.length === lefts.length) continue
      const owner = ownerOf(one, other, subject, key) ?? place
      add(key === undefined ? owner : `${owner}.${key}`, {
        rule: `${direction}-schema-changed`,
        subject,
        was,
        is,
        message: `${was} became ${is}.`,
        ...at(placeOf(subject, [one], key), placeOf(subject, [other], key))
      })
    }
  }

  /** The named schema that says it for others too, on both sides. */
  const ownerOf = (one: Schema, other: Schema, subject: Subject, key: string | undefined) => {
    const [said, partner] = [one, other].map(schema =>
      assertionsOf(schema).find(each => subjectOf(each) === subject && (key === undefined || each.key === key))
    )
    return said && partner && nameOf(said.schema, partner.schema)
  }

  const visitProperties = (one: Schema, other: Schema, place: string) => {
    const [olds, news] = [properties(one), properties(other)]
    for (const [name, { schema, owner }] of olds) {
      const now = news.get(name)?.schema
      const path = `${nameOf(owner) ?? place}.${name}`
      if (now !== undefined) visit(schema, now, path)
      else
        add(path, {
          rule: `${direction}-property-removed`,
          subject: undefined,
          was: 'declared',
          is: 'not declared',
          message: 'The property is not declared any more.',
          ...at(schema.origin, other.origin)
        })
    }
    for (const [name, { schema }] of news) {
      if (olds.has(name)) continue
      add(`${place}.${name}`, {
        rule: `${direction}-property-added`,
        subject: undefined,
        was: 'not declared',
        is: 'declared',
        message: 'The property is new.',
        ...at(one.origin, schema.origin)
      })
    }
  }

  visit(before, after, '')
  return [...found.values()]
}

const at = (before: Node | undefined, after: Node | undefined) => ({
  ...(before && { before }),
  ...(after && { after })
})

/** The properties, each with the schema that declares it; one that says something before one that only names them. */
const properties = (of: Schema): Map<string, { schema: Schema; owner: Schema }> => {
  const found = new Map<string, { schema: Schema; owner: Schema }>()
  for (const { keyword, keywords, schema: owner } of assertionsOf(of)) {
    if (keyword !== 'properties') continue
    for (const [name, schema] of keywords.properties ?? [])
      if (found.get(name)?.schema.origin === undefined) found.set(name, { schema, owner })
  }
  return found
}

const first = (schema: Schema, keyword: 'items' | 'additionalProperties') =>
  assertionsOf(schema).find(each => each.keyword === keyword)?.keywords[keyword]
const items = (schema: Schema) => first(schema, 'items')
const rest = (schema: Schema) => {
  const said = first(schema, 'additionalProperties')
  return said?.keywords.types?.length === 0 ? undefined : said
}

const partners = (one: Schema | undefined, other: Schema | undefined): [Schema, Schema][] =>
  one === undefined || other === undefined ? [] : [[one, other]]

const variants = (schema: Schema): readonly Schema[] =>
  assertionsOf(schema).flatMap(({ keywords }) => [...(keywords.anyOf ?? []), ...(keywords.oneOf ?? [])])

/** Alternatives of the same name, or of the same number if none has one. */
const pairs = (lefts: readonly Schema[], rights: readonly Schema[]): [Schema, Schema][] =>
  lefts.flatMap((left, index): [Schema, Schema][] => {
    const same = rights.find(({ id }) => id === left.id)
    const named = rights.find(({ origin }) => origin !== undefined && origin.pointer === left.origin?.pointer)
    const partner = same ?? named ?? (lefts.length === rights.length ? rights[index] : undefined)
    return partner === undefined ? [] : [[left, partner]]
  })

// What is compared part by part has been told there.
const apart = new Set<Subject>(['properties', 'items'])

/** Names that are required are told one by one. */
const subjectsOf = (one: Schema, other: Schema) => {
  const said = [...assertionsOf(one), ...assertionsOf(other)].map(each => {
    const subject = subjectOf(each)
    return { subject, ...(subject === 'required' && { key: each.key as string }) }
  })
  const distinct = new Map(said.map(each => [`${each.subject} ${each.key}`, each]))
  return [...distinct.values()].filter(({ subject }) => !apart.has(subject))
}
