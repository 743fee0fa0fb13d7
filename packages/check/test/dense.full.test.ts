import t from 'tap'
import { readDocument } from '../../document/src/document.ts'
import type { Json, JsonObject } from '../../document/src/json.ts'
import { compareDocuments } from '../src/changes/compare.ts'

// Contracts like those of payment providers, where most schemas lead to most others. The comparison must end, and must say
// where it cannot decide; tap's time limit catches one that does not end.

const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })

const findingsBetween = (before: JsonObject, after: JsonObject, isSentOnly = false, media = 'application/json') => {
  const [one, other] = [before, after].map(schemas => {
    const content = { [media]: { schema: ref('S0') } }
    const post = {
      ...(!isSentOnly && { requestBody: { content } }),
      responses: { 200: { description: 'Fine', content } }
    }
    const info = { title: 'Dense', version: '1.0.0' }
    return readDocument(
      JSON.stringify({ openapi: '3.1.0', info, paths: { '/': { post } }, components: { schemas } }),
      'dense.json'
    )
  })
  if (one === undefined || other === undefined) throw new Error('no documents')
  return compareDocuments(one, other, { strict: false, today: '2026-11-20', graceDays: 90 })
}

const told = (findings: ReturnType<typeof findingsBetween>) =>
  findings.filter(({ level }) => level !== 'compatible').map(({ level, rule, place }) => `${level} ${rule}: ${place}`)

/** Each of `count` schemas refers to eight others, by an id or as a whole; the last one has this kind. */
const web = (count: number, kind: Json): JsonObject => {
  const linked = (from: number) =>
    Array.from({ length: 8 }, (_, index) => [
      `link${index}`,
      { anyOf: [{ type: 'string', maxLength: 5000 }, ref(`S${(from * 7 + index * 5 + 1) % count}`)] }
    ])
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `S${index}`,
      {
        type: 'object',
        required: ['kind'],
        properties: {
          kind: index === count - 1 ? kind : { enum: [`S${index}`] },
          ...Object.fromEntries(linked(index)),
          list: { type: 'array', items: ref(`S${(index + 1) % count}`) }
        }
      }
    ])
  )
}

for (const count of [40, 60]) {
  t.test(`a change deep inside a web of ${count} schemas is one finding`, async t => {
    const found = findingsBetween(web(count, { enum: ['a', 'b'] }), web(count, { enum: ['a'] }))
    t.strictSame(told(found), [`breaking request-enum-narrowed: S${count - 1}.kind`])
  })
}

t.test('a compatible change deep inside a web of schemas is seen to be compatible', t => {
  // Such as payment sources: a union of unions, which lead to each other.
  const unions = (kind: Json) => ({
    ...web(8, kind),
    S7: { anyOf: [{ type: 'string', maxLength: 5000 }, ref('Union')] },
    Union: { anyOf: [ref('S1'), ref('S2'), ref('Last')] },
    Last: (web(8, kind) as { S7: Json }).S7
  })
  const found = findingsBetween(unions({ type: 'string', maxLength: 5000 }), unions({ enum: ['a', 'b'] }), true)
  t.match(told(found), [])
  t.match(found, [{ level: 'compatible' }])
  t.equal(found.length, 1)
  t.end()
})

t.test('a property removed deep inside is compatible beside unions within unions that overlap', async t => {
  const id = { type: 'string', maxLength: 5000 }
  const object = (properties: JsonObject) => ({ type: 'object', properties })
  const link = (name: string, ...targets: string[]) => object({ [name]: { anyOf: [id, ...targets.map(ref)] } })
  const listOf = (name: string) => object({ data: { type: 'array', items: ref(name) } })
  const fees = Array.from({ length: 12 }, (_, index) => `Fee${index}`)
  const sources = (note: JsonObject): JsonObject => ({
    ...Object.fromEntries(fees.map(name => [name, { ...object({ [name]: id }), required: [name] }])),
    S0: { anyOf: [ref('Source'), ref('Deleted')] },
    Source: { anyOf: [ref('Account'), ref('Card')] },
    Account: object({ id, name: id }),
    Deleted: { anyOf: [object({ deleted: id, bank: id }), object({ deleted: id, card: id })] },
    Card: link('customer', 'Customer', 'Deleted'),
    Customer: object({ subscriptions: listOf('Subscription') }),
    Subscription: link('schedule', 'Schedule'),
    Schedule: object({ customer: { anyOf: [id, ref('Customer'), ref('Deleted')] }, settings: ref('Settings') }),
    Settings: link('method', 'Method'),
    Method: object({ debit: ref('Debit') }),
    Debit: object({ origin: { anyOf: [ref('Origin')] } }),
    Origin: link('charge', 'Charge'),
    Charge: object({ details: { anyOf: [ref('Details')] }, transfer: { anyOf: [id, ref('Transfer')] } }),
    Details: object({ card: ref('Receipt') }),
    Receipt: object({ ...note, receipt: { anyOf: [ref('Deleted')] } }),
    Transfer: { ...object({ reversals: listOf('Reversal') }), required: ['reversals'] },
    Reversal: link('balance', 'Balance'),
    Balance: link('source', 'Charge', 'Transfer', 'Reversal', 'Payout', 'Return', ...fees),
    Payout: link('destination', 'Card', 'Deleted', 'Account'),
    Return: link('reversal', 'Reversal')
  })
  const found = findingsBetween(sources({ note: id }), sources({}), true)
  t.match(found, [{ level: 'compatible', place: 'Receipt.note' }])
})

for (const [media, levels] of [
  ['application/x-www-form-urlencoded', 4],
  ['application/x-www-form-urlencoded', 24],
  ['text/plain', 24]
] as const)
  t.test(`${media}, in unions that share their alternatives, ${levels} levels deep: the comparison ends`, async t => {
    const object = (name: string, type: string) => ({ type: 'object', properties: { [name]: { type } } })
    const shared = (type: string): JsonObject =>
      Object.fromEntries(
        Array.from({ length: levels }, (_, index) => [
          ...['S', 'T'].map(name => [
            `${name}${index}`,
            { anyOf: [ref(`S${index + 1}`), ref(`T${index + 1}`), object(`${name}${index}`, 'integer')] }
          ]),
          ...(index === levels - 1
            ? [
                [`S${levels}`, object('x', type)],
                [`T${levels}`, object('y', 'integer')]
              ]
            : [])
        ]).flat()
      )
    const found = findingsBetween(shared('integer'), shared('string'), false, media)
    t.ok(found.length > 0)
    if (levels === 4) t.strictSame(told(found), [])
  })

/** Forty payment methods, most of which overlap; the first has `more` properties. */
const payments = (more: JsonObject, isTagged: boolean): JsonObject => {
  const payment = (index: number): JsonObject => ({
    type: 'object',
    additionalProperties: false,
    properties: {
      ...{ kind: { enum: [`S${index}`] }, id: { type: 'string' } },
      ...{ [`p${index % 7}`]: { type: 'string' }, [`q${index}`]: { type: 'string' } },
      ...(index === 1 && more)
    },
    ...(index === 1 && isTagged && { required: ['kind'] })
  })
  const all = Array.from({ length: 40 }, (_, index) => [`S${index + 1}`, payment(index + 1)])
  return { S0: { oneOf: all.map(([name]) => ref(String(name))) }, ...Object.fromEntries(all) }
}

t.test('a property that is new in one of many overlapping alternatives is compatible if it is told apart', async t => {
  const found = findingsBetween(payments({}, true), payments({ app: { type: 'string' } }, true))
  t.match(found, [{ level: 'compatible', place: 'S1.app' }])
})

t.test('a change in all of many alternatives, told apart by a property of a property, is compatible', async t => {
  const named = (count: number, of: (name: string) => JsonObject) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => `S${count}-${index}`).map(each => [each, of(each)]))
  const object = (key: string, properties: JsonObject) => ({ type: 'object', required: [key], properties })
  const oneOf = (all: JsonObject) => ({ oneOf: Object.keys(all).map(ref) })
  const cells = (values: string[]): JsonObject => {
    const queries = named(5, name => object('source', { source: { enum: [name] }, kind: ref('Kind') }))
    const cells = named(30, name => {
      const definition = object('type', { type: { enum: [name] }, requests: { type: 'array', items: ref('Request') } })
      return object('definition', { definition, split: ref('Request') })
    })
    const list = { type: 'array', items: oneOf(queries) }
    const request = { type: 'object', properties: { queries: list, others: list } }
    return { S0: oneOf(cells), ...cells, ...queries, Request: request, Kind: { enum: values } }
  }
  t.strictSame(told(findingsBetween(cells(['a']), cells(['a', 'b']))), ['breaking response-enum-widened: Kind'])
})

t.test(
  'a property that is new in one of many overlapping alternatives breaks if a value becomes valid for two',
  async t => {
    const found = findingsBetween(payments({}, false), payments({ q2: { type: 'string' } }, false))
    t.match(told(found), ['breaking request-variant-narrowed: S0'])
  }
)

t.test(
  'a property that is new in all of many alternatives, told apart by what they require, is compatible',
  async t => {
    const location = (index: number, more: JsonObject): JsonObject => ({
      type: 'object',
      properties: { [`url${index}`]: { type: 'string', format: 'uri' }, line: { type: 'integer' }, ...more },
      required: [`url${index}`]
    })
    const locations = (more: JsonObject) => {
      const all = Array.from({ length: 12 }, (_, index) => [`S${index + 1}`, location(index, more)])
      return { S0: { oneOf: all.map(([name]) => ref(String(name))) }, ...Object.fromEntries(all) }
    }
    const found = findingsBetween(locations({}), locations({ page: { type: 'string', format: 'uri' } }))
    t.match(told(found), [])
    t.match(found, Array(24).fill({ level: 'compatible' }))
  }
)

t.test('where a response may now have anything, that is one finding', async t => {
  const closed = { type: 'object', properties: { event: { type: 'object', properties: { id: { type: 'string' } } } } }
  const found = findingsBetween({ S0: closed }, { S0: { type: 'object', properties: { event: {} } } })
  t.match(told(found), ['breaking response-type-widened: S0.event'])
})

t.test('a long list of lost values is cut', async t => {
  const values = Array.from({ length: 12 }, (_, index) => `v${index}`)
  const [finding] = findingsBetween({ S0: { enum: values } }, { S0: { enum: ['v0'] } })
  t.match(finding?.message, /^enum lost "v1", .*, "v10" and 1 more: /)
})

t.test('a lost value among 50,000 is found', async t => {
  const values = Array.from({ length: 50_000 }, (_, index) => `v${index}`)
  const found = findingsBetween({ S0: { enum: values } }, { S0: { enum: values.slice(1) } })
  t.strictSame(told(found), ['breaking request-enum-narrowed: S0'])
})

for (const keyword of ['anyOf', 'oneOf']) {
  t.test(`${keyword} nested 96 deep: what is certain is reported`, async t => {
    const nested = (innermost: Json) =>
      Array.from({ length: 96 }).reduce<Json>(
        (inside, _, index) => ({ [keyword]: [inside, { type: 'object', required: [`r${index}`] }] }),
        innermost
      )
    const [before, after] = [nested({ enum: ['a', 'b'] }), nested({ enum: ['a'] })]
    const found = findingsBetween({ S0: before }, { S0: after })
    const breaking = found.filter(({ level }) => level === 'breaking')
    t.match(breaking, [{ place: 'S0', witness: 'b' }])
  })
}

const leaf = (index: number, kind: Json): JsonObject => ({
  type: 'object',
  required: ['kind'],
  properties: { kind: index === 7 ? kind : { enum: [`S${index}`] } }
})

/** `count` schemas, each with some of the others as alternatives. */
const unions = (count: number, of: (index: number, others: JsonObject[]) => JsonObject): JsonObject =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const others = Array.from({ length: count }, (_, at) => ref(`S${at}`)).filter((_, at) => at !== index)
      return [`S${index}`, of(index, others)]
    })
  )

/** The last schema is narrowed: it no longer lists one of its values. */
const narrowing = (of: (kind: Json) => JsonObject) => findingsBetween(of({ enum: ['a', 'b'] }), of({ enum: ['a'] }))

for (const [title, of] of Object.entries<(kind: Json) => JsonObject>({
  'anyOf of each other': kind => unions(8, (index, anyOf) => ({ anyOf: [leaf(index, kind), ...anyOf] })),
  'anyOf of each other, and of values': kind =>
    unions(8, (index, anyOf) => (index === 7 ? (kind as JsonObject) : { anyOf })),
  'oneOf of each other': kind => unions(8, (index, oneOf) => ({ oneOf: [leaf(index, kind), ...oneOf] })),
  'anyOf beside properties': kind =>
    unions(8, (index, anyOf) => ({ properties: { [`p${index}`]: index === 7 ? kind : { type: 'string' } }, anyOf })),
  'alternatives and properties': kind =>
    unions(8, (index, others) => {
      const { properties, ...rest } = leaf(index, kind) as { properties: JsonObject }
      const own = { ...rest, properties: { ...properties, next: ref(`S${(index + 1) % 8}`) } }
      return { anyOf: [own, ...others] }
    }),
  'alternatives of those after': kind =>
    unions(8, (index, others) => ({ anyOf: [leaf(index, kind), ...others.slice(index)] }))
})) {
  t.test(`8 schemas, ${title}: the comparison ends, and the change is found or undecided`, async t => {
    t.match(told(narrowing(of))[0], /request-/)
  })
}

const chain = (link: (to: JsonObject) => JsonObject, kind: Json, other: Json) => ({
  ...Object.fromEntries(Array.from({ length: 1200 }, (_, index) => [`C${index}`, link(ref(`C${index + 1}`))])),
  C1200: kind,
  S0: { type: 'object', properties: { chain: ref('C0'), other } }
})

for (const [title, link, deep] of [
  ['references', to => to, /^breaking request-enum-narrowed: C1200$/],
  ['allOf', to => ({ allOf: [to] }), /^breaking request-enum-narrowed: C1200$/],
  ['properties', next => ({ type: 'object', properties: { next, own: { type: 'string' } } }), /^undecided request-/],
  ['items', items => ({ type: 'array', items }), /^undecided request-/]
] satisfies [string, (to: JsonObject) => JsonObject, RegExp][]) {
  t.test(`a chain of 1,200 ${title} does not keep the rest from being compared`, async t => {
    const [before, after] = [
      chain(link, { enum: ['a', 'b'] }, { enum: ['c', 'd'] }),
      chain(link, { enum: ['a'] }, { enum: ['c'] })
    ]
    const found = told(findingsBetween(before, after))
    t.ok(found.includes('breaking request-enum-narrowed: S0.other'), found.join('\n'))
    t.ok(
      found.some(each => deep.test(each)),
      found.join('\n')
    )
  })
}

t.test('each of 16 levels consists of the two schemas below: a change in the last is found', async t => {
  const below = (level: number) => ({ allOf: [ref(`A${level - 1}`), ref(`B${level - 1}`)] })
  const levels = (kind: Json) => ({
    ...Object.fromEntries(['A', 'B'].flatMap(side => Array.from({ length: 16 }, (_, at) => [side + at, below(at)]))),
    ...{ S0: below(16), 'A-1': kind, 'B-1': {} }
  })
  t.match(told(narrowing(levels)), ['breaking request-enum-narrowed: A-1'])
})

t.test(
  'a chain of 250 schemas, each of which consists of the next and a property: a change in the last is found',
  t => {
    const link = (index: number) => ({
      allOf: [ref(`S${index + 1}`), { required: [`p${index}`], properties: { [`p${index}`]: { type: 'string' } } }]
    })
    const links = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`S${index}`, link(index)]))
    const found = narrowing(last => ({ ...links, S250: { properties: { last } } }))
    t.match(told(found), ['breaking request-enum-narrowed: S250.last'])
    t.end()
  }
)

t.test('alternatives that are nested 1,200 deep are undecided', async t => {
  const link = (to: JsonObject) => ({ anyOf: [to, { type: 'null' }] })
  const [before, after] = [chain(link, { enum: ['a', 'b'] }, {}), chain(link, { enum: ['a'] }, {})]
  const [finding] = findingsBetween(before, after)
  t.match(finding, { level: 'undecided', message: /it is undecided whether .*, because / })
})

/** 20 schemas that lead to each other through alternatives; the last has `more` properties. */
const sources = (kindOf: (index: number) => JsonObject, more: JsonObject) =>
  Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => {
      const others = (at: number) => [(index * 7 + at * 5 + 1) % 20, (index * 3 + at * 7 + 2) % 20]
      const source = (at: number) => ({ anyOf: [{ type: 'string' }, ...others(at).map(each => ref(`S${each}`))] })
      const sources = { one: source(1), two: source(2), three: source(3), four: source(4) }
      const properties = { kind: kindOf(index), ...sources, ...(index === 19 && more) }
      return [`S${index}`, { type: 'object', required: ['kind'], properties }]
    })
  )

for (const [title, kindOf, breaks] of [
  ['exclude each other', (index: number) => ({ enum: [`S${index}`] }), ['breaking response-enum-widened: S19.status']],
  [
    'overlap',
    () => ({ type: 'string' }),
    ['undecided response-enum-widened: S19.status', 'undecided response-schema-widened: POST / response 200']
  ]
] satisfies [string, (index: number) => JsonObject, string[]][]) {
  t.test(`20 schemas with alternatives that ${title}: a compatible change deep inside is seen to be compatible`, t => {
    const found = findingsBetween(sources(kindOf, {}), sources(kindOf, { more: { type: 'string' } }), true)
    t.match(found, [{ level: 'compatible', rule: 'response-property-added', place: 'S19.more' }])
    t.end()
  })

  t.test(`20 schemas with alternatives that ${title}: a change that is decided or not is said where it is`, async t => {
    const [before, after] = [['a'], ['a', 'b']].map(values => sources(kindOf, { status: { enum: values } }))
    t.strictSame(told(findingsBetween(before as JsonObject, after as JsonObject, true)), breaks)
  })
}

t.test('each of 500 properties that change alike is proven by a value', async t => {
  const wide = (property: JsonObject): JsonObject => ({
    S0: {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, property]))
    }
  })
  const found = findingsBetween(wide({ type: 'string' }), wide({ type: 'string', maxLength: 5 }))
  const levels = Map.groupBy(found, ({ level }) => level)
  t.equal(levels.get('breaking')?.length, 500)
  t.notOk(levels.has('undecided'))
})
