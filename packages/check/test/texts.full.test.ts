import fc from 'fast-check'
import t from 'tap'
import { extent } from '../../../test/extent.ts'
import { readDocument } from '../../document/src/document.ts'
import { isObject, type Json, type JsonObject, jsonText } from '../../document/src/json.ts'
import { compareDocuments } from '../src/changes/compare.ts'
import type { Finding } from '../src/changes/finding.ts'
import type { Impact } from '../src/changes/impact.ts'
import { documentWith } from './inclusion.ts'
import { receivedBy, sentBy } from './policy.ts'
import { ValueSampler } from './value-sampler.ts'

// Values of parameters and form fields are written as texts: is every value that is sent read as a valid one? Ajv judges all
// readings of drawn values.

const seed = Number(process.env.SEED ?? 20_261_123)
const pairsPerPlace = Number(process.env.PAIRS ?? extent(100, 1_500))
const drawsPerPair = 150

const words = ['a', 'b', 'cat', '1', '2', '10', '-1', '1.5', 'true', 'false', '']
const numbers = [-1, 0, 1, 2, 10, 1.5]
const some = <T>(values: readonly T[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 4 })
const maybe = (keyword: string, value: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> =>
  fc.option(value).map(each => (each === null ? {} : { [keyword]: each }))
const merged = (...parts: fc.Arbitrary<JsonObject>[]): fc.Arbitrary<JsonObject> =>
  fc.tuple(...parts).map(each => Object.assign({}, ...each) as JsonObject)
const between = (min: number, max: number) => fc.integer({ min, max })

const patterns = ['^[a-z]+$', '^-?\\d+$', '^\\d{1,3}$', '^(true|false)$', '^[0-9.]+$']
const strings = fc.oneof(
  merged(
    fc.constant({ type: 'string' }),
    fc.oneof(
      maybe('pattern', fc.constantFrom(...patterns)),
      maybe('minLength', between(0, 3)),
      maybe('maxLength', between(1, 12))
    )
  ),
  some(words).map((values): JsonObject => ({ type: 'string', enum: values }))
)
const numeric = fc.oneof(
  merged(
    fc.constantFrom({ type: 'integer' }, { type: 'number' }, { type: 'integer', format: 'int32' }),
    maybe('minimum', between(-1, 2)),
    maybe('maximum', fc.constantFrom(2, 10, 100))
  ),
  some(numbers).map((values): JsonObject => ({ enum: values }))
)
const scalars: fc.Arbitrary<JsonObject> = fc.oneof(
  { arbitrary: strings, weight: 4 },
  { arbitrary: numeric, weight: 4 },
  fc.constant({ type: 'boolean' }),
  fc
    .tuple(fc.constantFrom('oneOf', 'anyOf'), strings, numeric)
    .map(([keyword, one, other]) => ({ [keyword]: [one, other] }))
)
const lists = merged(
  scalars.map(items => ({ type: 'array', items })),
  maybe('minItems', between(0, 2)),
  maybe('maxItems', between(1, 3))
)
const objects = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom('a', 'b'), { minLength: 1 }),
    fc.array(fc.oneof(scalars, lists), { minLength: 2 })
  )
  .map(([required, [a = true, b = true]]): JsonObject => ({ type: 'object', required, properties: { a, b } }))

type Schemas = [before: JsonObject, after: JsonObject]

/** A pair of schemas: one, and the same with a part of it, or all of it, replaced by that of another. */
const edited = (arbitrary: fc.Arbitrary<JsonObject>): fc.Arbitrary<Schemas> =>
  fc.tuple(arbitrary, arbitrary, fc.nat(4)).map(([before, other, kind]): Schemas => {
    const { items, properties } = other
    if (kind === 0 || (items ?? properties) === undefined) return [before, other]
    if (items !== undefined) return [before, { ...before, items }]
    return [
      before,
      { ...before, properties: { ...(before.properties as JsonObject), a: (properties as JsonObject).a as Json } }
    ]
  })

const parameter = (schema: Json, rest: JsonObject): JsonObject => ({
  parameters: [{ name: 'q', schema, ...rest } as JsonObject]
})
const form = (media: string, schema: Json): JsonObject => ({ requestBody: { content: { [media]: { schema } } } })

const places: [title: string, pairs: fc.Arbitrary<Schemas>, operation: (schema: Json) => JsonObject][] = [
  ['a query parameter', edited(scalars), schema => parameter(schema, { in: 'query' })],
  ['a header', edited(scalars), schema => parameter(schema, { in: 'header' })],
  ['a cookie', edited(scalars), schema => parameter(schema, { in: 'cookie' })],
  ['a list in a query', edited(lists), schema => parameter(schema, { in: 'query' })],
  ['a list with commas', edited(lists), schema => parameter(schema, { in: 'query', explode: false })],
  ['an object in a query', edited(objects), schema => parameter(schema, { in: 'query', style: 'deepObject' })],
  ['a form', edited(objects), schema => form('application/x-www-form-urlencoded', schema)],
  ['a form of several parts', edited(objects), schema => form('multipart/form-data', schema)]
]

/** All values with the same text. With lists, a text may also be the only item of a list, and the other way round. */
const readings = (value: Json, hasLists: boolean): Json[] => {
  if (Array.isArray(value) || isObject(value)) {
    const copies = Object.entries(value).reduce<[string, Json][][]>(
      (all, [key, each]) =>
        all.flatMap(found =>
          readings(each, hasLists && isObject(value)).map((other): [string, Json][] => [...found, [key, other]])
        ),
      [[]]
    )
    const whole = copies.map(each => (Array.isArray(value) ? each.map(([, part]) => part) : Object.fromEntries(each)))
    const [only, ...more] = Array.isArray(value) ? value : []
    return hasLists && only !== undefined && more.length === 0 ? [...whole, ...readings(only, false)] : whole
  }
  const text = String(value)
  const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)
  const all = [
    value,
    text,
    ...(isNumber ? [Number(text)] : []),
    ...(/^(true|false)$/.test(text) ? [text === 'true'] : []),
    ...(text === 'null' ? [null] : [])
  ]
  return hasLists ? [...all, ...all.map(each => [each])] : all
}

for (const [title, pairs, operation] of places)
  t.test(`${title}: ${pairsPerPlace} random pairs, SEED=${seed}`, async t => {
    const counts = { breaking: 0, compatible: 0, undecided: 0 }
    for (const [index, [before, after]] of fc.sample(pairs, { numRuns: pairsPerPlace, seed }).entries()) {
      const [one, other] = [before, after].map(schema => {
        const { root } = documentWith(schema)
        const post = { ...operation(schema), responses: { 200: { description: 'Fine' } } }
        return readDocument(jsonText({ ...(root.value as JsonObject), paths: { '/': { post } } }), 'texts.json')
      }) as [never, never]
      const impacts = new Map<Finding, Impact[]>()
      const findings = compareDocuments(one, other, { strict: false, today: '2026-11-20', graceDays: 90, impacts })
      const [isSent, isValid] = [
        sentBy({ body: before, schemas: {} }, false),
        receivedBy({ body: after, schemas: {} }, 'request', false)
      ]
      const hasLists = title !== 'a list with commas' && /list|object|form/.test(title)
      const isEmptyList = (value: Json) => Array.isArray(value) && value.length === 0
      // An empty list is not sent.
      const isUnread = (value: Json) => !isEmptyList(value) && isSent(value) && !readings(value, hasLists).some(isValid)
      const isWhole = (value: Json) => !isObject(value) || !Object.values(value).some(isEmptyList)
      const breaking = findings.filter(({ level }) => level === 'breaking')
      const isUndecided = findings.some(({ level }) => level === 'undecided')
      const verdict = breaking.length > 0 ? 'breaking' : isUndecided ? 'undecided' : 'compatible'
      counts[verdict]++
      const idle = breaking.filter(({ witness = null }) => !/\d{16}/.test(jsonText(witness)) && !isUnread(witness))
      const sampler = new ValueSampler({ body: before, schemas: {} }, { body: after, schemas: {} }, index)
      const drawn = Array.from({ length: drawsPerPair }, (_, draw) => sampler.draw((draw & 1) as 0 | 1))
      const unread = verdict === 'compatible' ? drawn.find(each => isWhole(each) && isUnread(each)) : undefined
      const rejections = findings.flatMap(each => (each.level === 'compatible' ? [] : (impacts.get(each) ?? [])))
      const verdictsOn = (value: Json) => rejections.map(({ rejects }) => rejects?.(value))
      const misjudged = drawn.find(each => {
        if (!isWhole(each) || isEmptyList(each) || !isSent(each)) return false
        return isUnread(each) ? verdictsOn(each).every(one => one === false) : verdictsOn(each).includes(true)
      })
      if (idle.length > 0 || unread !== undefined || misjudged !== undefined)
        t.fail(`pair ${index}`, { before: jsonText(before), after: jsonText(after), idle, unread, misjudged })
    }
    t.comment(counts)
    t.ok(counts.undecided <= 0.05 * pairsPerPlace, 'few are undecided')
    t.ok(counts.breaking > 0 && counts.compatible > 0, 'both results occur')
  })
