import t from 'tap'
import { cpuTimeOf } from '../../../../test/cpu-time.ts'
import type { Json, JsonObject } from '../../../document/src/json.ts'
import { violation } from '../../../generator/src/package/mock-check.ts'
import type { CompiledOperation } from '../../src/contract/compiled.ts'
import { type Fault, inWords } from '../../src/contract/violations.ts'
import { compile } from '../compiled.ts'

const root = { up: undefined, at: 'body' }

/** The violations in a request's and a response's body by a schema, and by the mock of the package. */
const judged = (schema: JsonObject, components: Readonly<Record<string, Json>> = {}) => {
  const entry = { operationId: 'try', parts: { body: schema }, responses: { 200: schema } }
  const { body, responses } = compile([entry], (_, name) => components[name] as JsonObject).try as CompiledOperation
  const inRequest = (value: unknown) => {
    const faults: Fault[] = []
    body?.(value, { value }, 'value', root, faults)
    return inWords('body', [], faults).named.map(({ text }) => text)
  }
  const inResponse = (value: unknown) => {
    try {
      return responses[200]?.(value, root)
    } catch (error) {
      return (error as Error).message.replace("the handler's body breaks the contract: ", '')
    }
  }
  return { inRequest, inResponse, inMock: (value: unknown) => violation(schema, value, 'body') }
}

t.test('where a particular object or list is expected, the message shows it', async t => {
  const long = 'b'.repeat(70)
  const object = { type: 'object', const: { a: { b: 1 } } } as const
  const values = { enum: [{ a: 1 }, [1, null], null, 'b'] }
  for (const [schema, value, message] of [
    [object, { a: { b: 2 } }, 'body must be {"a":{"b":1}}, not {"a":{"b":2}}'],
    [object, {}, 'body must be {"a":{"b":1}}, not {}'],
    [object, { a: { b: 2n ** 60n } }, 'body must be {"a":{"b":1}}, not {"a":{"b":1152921504606846976}}'],
    [object, { a: { b: Number.POSITIVE_INFINITY } }, 'body must be {"a":{"b":1}}, not another object'],
    [object, { a: long }, 'body must be {"a":{"b":1}}, not another object'],
    [object, { [long]: 1 }, 'body must be {"a":{"b":1}}, not another object'],
    [object, { a: Array(1000).fill(1) }, 'body must be {"a":{"b":1}}, not another object'],
    [{ const: [[1]] }, [1], 'body must be [[1]], not [1]'],
    [{ const: [[1]] }, Array(1000).fill(1), 'body must be [[1]], not another array'],
    [{ const: [[1]] }, { a: long }, 'body must be [[1]], not an object'],
    [{ const: [[1]] }, 5, 'body must be [[1]], not 5'],
    [{ const: { a: long } }, {}, `body must be {"a":"${'b'.repeat(54)}…, not {}`],
    [{ const: 5 }, { a: 1 }, 'body must be 5, not an object'],
    [{ const: null }, [], 'body must be null, not an array'],
    [values, { a: 2 }, 'body must be one of {"a":1}, [1,null], null, b, not {"a":2}'],
    [values, [long], 'body must be one of {"a":1}, [1,null], null, b, not another array'],
    [{ enum: [{ a: long }, 1] }, { a: '' }, `body must be one of {"a":"${'b'.repeat(54)}…, 1, not {"a":""}`]
  ] as const) {
    const { inRequest, inResponse } = judged(schema as unknown as JsonObject)
    t.strictSame(inRequest(value), [message])
    if (schema === object) t.equal(inResponse(value), 'body must be {"a":{"b":1}}')
  }
})

t.test('messages name the first of many allowed values', async t => {
  const values = Array.from({ length: 500 }, (_, index) => ({ a: index, b: 'x'.repeat(40) }))
  for (const mixed of [values, [...values, null, 5, 'a']] as Json[][]) {
    const { inRequest, inResponse } = judged({ enum: mixed })
    for (const value of [{ b: 'x'.repeat(40), a: 499 }, { a: 499n, b: 'x'.repeat(40) }, mixed.at(-1)])
      t.strictSame(inRequest(value), [])
    const [text = '', ...more] = inRequest({ a: 500, b: 'x'.repeat(40) })
    t.strictSame(more, [])
    t.match(text, /^body must be one of {"a":0,"b":"x+"}, .* and 4\d\d more, not {"a":500,"b":"x+"}$/)
    t.match(inResponse('b'), /^body must/)
  }
  const texts = Array.from({ length: 249 }, (_, index) => `A${index}`)
  t.strictSame(judged({ enum: texts }).inRequest('B'), [`body must be one of ${texts.join(', ')}, not "B"`])
})

t.test('items are equal if their JSON values are', async t => {
  const { inRequest, inResponse, inMock } = judged({ type: 'array', uniqueItems: true })
  for (const items of [
    [1, 1n],
    [2 ** 60, 2n ** 60n],
    [0, -0],
    [[1], [1n]],
    [null, 1, null],
    ['a', 'b', 'a'],
    [
      { a: 1, b: [{ c: 2, d: 3 }] },
      { b: [{ d: 3n, c: 2 }], a: 1 }
    ],
    [JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": 1}')]
  ]) {
    t.strictSame(inRequest(items), ['body must not have the same item twice'])
    t.equal(inResponse(items), 'body must not have the same item twice')
    t.match(inMock(items), /equal items/)
  }
  for (const items of [
    [1, '1', true, 'true', null, 'null', [], {}, '[]', '{}', [[]], [null], ['1'], [1], { a: 1 }, { 1: 1 }, '{"a":1}'],
    [{ a: 1, b: 2 }, { a: 2, b: 1 }, { 'a":1,"b': 2 }, { a: '1', b: 2 }, { a: [1, 2] }, { a: ['1,2'] }],
    [2n ** 53n, 2n ** 53n + 1n, 2n ** 53n + 2n, 1.5, 1],
    [JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": 2}'), {}]
  ]) {
    t.strictSame(inRequest(items), [])
    t.match(inResponse(items), /^\[/)
    t.equal(inMock(items), undefined)
  }
})

t.test('the same holds for constants and lists of them', async t => {
  const { inRequest, inResponse } = judged({ enum: [{ a: [1] }, { a: [2] }] })
  t.strictSame(inRequest({ a: [1n] }), [])
  t.equal(inResponse({ a: [2n] }), '{"a":[2]}')
  t.equal(inRequest({ a: [3n] }).length, 1)
})

t.test('the time to compare items is linear in their number', async t => {
  const { inRequest, inMock } = judged({ type: 'array', uniqueItems: true, items: { type: 'object' } })
  const list = Array.from({ length: 6_010 }, (_, index) => ({ i: index }))
  for (const judge of [inRequest, inMock]) {
    const time = cpuTimeOf(() => judge(list))
    // Comparing every pair took seconds.
    t.ok(time < 100_000, `${Math.round(time / 1000)} ms`)
  }
})

t.test('what is too large is judged no further', async t => {
  const letters = 'a'.repeat(20)
  const list = Array.from({ length: 20 }, () => 'a')
  const object = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`a${index}`, 'a']))
  const number = { type: 'integer' }
  const text: JsonObject = { type: 'string', maxLength: 10, minLength: 30, pattern: '^b', format: 'date' }
  const items: JsonObject = {
    type: 'array',
    maxItems: 10,
    minItems: 30,
    items: number,
    uniqueItems: true,
    contains: number
  }
  const properties: JsonObject = {
    type: 'object',
    maxProperties: 10,
    minProperties: 30,
    required: ['b'],
    additionalProperties: number,
    propertyNames: { pattern: '^b' }
  }
  const parts = (limit: JsonObject, { maxLength, maxItems, maxProperties, ...rest }: JsonObject): JsonObject[] => [
    { ...limit, anyOf: [rest, { not: {} }] },
    { anyOf: [rest, { not: {} }], oneOf: [rest], allOf: [rest, { allOf: [limit] }], not: {} },
    { allOf: [rest, { $ref: '#/components/schemas/Limit' }] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    { if: {}, then: rest, ...limit }
  ]
  for (const [value, schema, limit, message] of [
    [letters, text, { maxLength: 10 }, 'body must have at most 10 characters'],
    ['\u{1f600}'.repeat(11), text, { maxLength: 10 }, 'body must have at most 10 characters'],
    [list, items, { maxItems: 10 }, 'body must have at most 10 items'],
    [object, properties, { maxProperties: 10 }, 'body must have at most 10 properties']
  ] as [unknown, JsonObject, JsonObject, string][]) {
    for (const each of [schema, ...parts(limit, schema)]) {
      const { inRequest, inResponse } = judged(each, { Limit: limit })
      t.strictSame(inRequest(value), [message], JSON.stringify(each))
      t.match(inResponse(value), each === schema ? message : /^body must/)
    }
    t.match(judged(schema).inMock(value), /at most 10/)
  }
  const { inRequest } = judged({ type: 'object', properties: { text, items } })
  t.strictSame(inRequest({ text: letters, items: list }), [
    'body.text must have at most 10 characters',
    'body.items must have at most 10 items'
  ])
  t.strictSame(judged({ maxItems: 2, maxLength: 2, enum: [1] }).inRequest(['a', 'b']), [
    'body must be one of 1, not an array'
  ])
})

t.test('the items of a list that is too long are not checked', async t => {
  let reads = 0
  const list = new Proxy(
    Array.from({ length: 1_000 }, (_, index) => index),
    {
      get: (target, name, receiver) => {
        if (name !== 'length') reads++
        return Reflect.get(target, name, receiver)
      }
    }
  )
  const items: JsonObject = { items: { type: 'string' }, contains: {}, uniqueItems: true }
  for (const schema of [
    { type: 'array', ...items, maxItems: 10 },
    { anyOf: [items, {}], maxItems: 10 },
    { allOf: [items, { maxItems: 10 }] }
  ] as JsonObject[]) {
    const { inRequest } = judged(schema)
    t.equal(inRequest(list).length, 1)
    t.equal(reads, 0)
  }
})
