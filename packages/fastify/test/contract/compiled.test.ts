import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { extent } from '../../../../test/extent.ts'
import { type JsonObject, jsonText } from '../../../document/src/json.ts'
import { componentsOf, entriesOf } from '../../../generator/src/emit-compiled.ts'
import { readContract } from '../../../generator/src/generate.ts'
import { Report } from '../../../generator/src/problems.ts'
import { type Check, type CompiledOperation, tools, type Write } from '../../src/contract/compiled.ts'
import { compiledSchemas } from '../../src/contract/compiled-schemas.ts'
import { type Fault, inWords, type Part, sentence } from '../../src/contract/violations.ts'
import { parseJson } from '../../src/node/json.ts'
import { sameCheck, sameText, withoutReferences } from '../ajv-judge.ts'
import { compile } from '../compiled.ts'
import { contract } from '../fixture-app.ts'
import { near } from '../near-values.ts'

// Compares what the generator compiles with Ajv, which interprets the same schemas: the same values are valid, the faults of
// the others are the same, in the same order, and what is written is the value. A failure names its seed and path.

const runs = extent(40, 2_000)

const root = join(import.meta.dirname, '../../../..')
const supported = join(root, 'packages/generator/test/fixtures/supported')
const contracts = new Map([
  ['the Animal Store', join(root, 'openapi/petstore.yaml')],
  ['the fixture', join(root, 'packages/fastify/test/fixture/openapi.yaml')],
  ['the todo list', join(root, 'test/todo/openapi.yaml')],
  ...readdirSync(supported).map(name => {
    const path = join(supported, name)
    return [name, statSync(path).isDirectory() ? join(path, 'main.yaml') : path] as const
  })
])

const all = { tried: 0, valid: 0 }

/** Compares both on random values. */
const compare = (t: Test, about: string, schema: JsonObject, isValid: (value: unknown) => boolean) => {
  let valid = 0
  const property = fc.property(near(schema), value => {
    if (isValid(value)) valid++
  })
  fc.assert(property, {
    numRuns: runs,
    includeErrorInReport: true,
    ...(process.env.SEED && { seed: Number(process.env.SEED) })
  })
  t.pass(`${about}: ${valid} of ${runs} values valid`)
  all.tried += runs
  all.valid += valid
}

for (const [name, path] of contracts) {
  const isBeyond = name === 'patterns-of-other-dialects.yaml' && process.versions.node < '24'
  const skip = isBeyond && 'Node.js 22 has no flags for a part of a pattern'
  t.test(`compiled and interpreted schemas judge alike: ${name}`, { skip }, async t => {
    const read = readContract(path, new Report())
    const entries = entriesOf(read)
    const component = componentsOf(read)
    const operations = compile(entries, component)
    for (const { operationId, parts, responses } of entries) {
      const own = operations[operationId]
      for (const [part, schema] of Object.entries(parts)) {
        if (schema === undefined) continue
        const whole = withoutReferences(schema, name => component('request', name)) as JsonObject
        compare(t, `${operationId} ${part}`, whole, sameCheck(whole, part as Part, own?.[part as Part] as Check))
      }
      for (const [status, schema] of Object.entries(responses)) {
        const whole = withoutReferences(schema, name => component('response', name)) as JsonObject
        compare(t, `${operationId} ${status}`, whole, sameText(whole, own?.responses[status] as Write))
      }
    }
  })
}

t.test('variants are tried as often for thousands of undeclared fields as for one', async t => {
  const anyOf = ['a', 'b'].map(name => ({
    type: 'object',
    properties: { [name]: { type: 'string' } },
    required: ['a']
  }))
  const schema: JsonObject = { type: 'object', anyOf, unevaluatedProperties: false }
  const noComponent = () => ({})
  const { body } = compile([{ operationId: 'try', parts: { body: schema }, responses: {} }], noComponent).try ?? {}
  const readsWith = (count: number) => {
    let reads = 0
    const value = Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]))
    const a = () => {
      reads++
      return 'x'
    }
    Object.defineProperty(value, 'a', { get: a, enumerable: true })
    const faults: Fault[] = []
    body?.(value, { value }, 'value', { up: undefined, at: 'body' }, faults)
    t.equal(faults.length, count)
    return reads
  }
  t.equal(readsWith(5_000), readsWith(1))
})

t.test('beyond 2^53, too, integers are what schemas other than int64 make of them', async t => {
  const large = 2n ** 60n
  const int64 = { type: 'integer', format: 'int64' }
  for (const [schema, valid, invalid] of [
    [{ ...int64, not: { maximum: 5 } }, [6n, large], [5n, -large]],
    [{ ...int64, not: { type: 'integer', minimum: 5 } }, [4n, -large], [5n, large]],
    [{ ...int64, not: { multipleOf: 4 } }, [5n, large + 1n], [8n, large]],
    [{ ...int64, anyOf: [{ minimum: 2 ** 53 }, { const: 5 }] }, [5n, large], [4n, -large]],
    [{ ...int64, oneOf: [{ minimum: 5 }, { multipleOf: 2 }] }, [4n, 5n, large + 1n], [3n, 6n, large]],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    [{ ...int64, if: { minimum: 5 }, then: { multipleOf: 3 } }, [4n, 6n, 3n * large], [5n, large]],
    [{ ...int64, maximum: large }, [large], [large + 1n]],
    [{ ...int64, exclusiveMinimum: -large }, [1n - large], [-large, -large - 1n]],
    [{ maximum: large }, [large, -large, 5, 'a'], [large + 1n, 2 ** 61]]
  ] as [JsonObject, unknown[], unknown[]][]) {
    const name = jsonText(schema)
    const entry = { operationId: 'try', parts: { body: schema }, responses: { 200: schema } }
    const { body, responses } = compile([entry], () => ({})).try as CompiledOperation
    const isValid = (written: unknown) => {
      // Reads it as the engine reads a body.
      const value = parseJson(Buffer.from(jsonText(written)))
      const faults: Fault[] = []
      body?.(value, { value }, 'value', { up: undefined, at: 'body' }, faults)
      return faults.length === 0
    }
    const write = (value: unknown) => responses[200]?.(value, { up: undefined, at: 'body' })
    for (const value of valid) {
      t.ok(isValid(value), `${name} accepts ${value}`)
      t.equal(write(value), jsonText(value), `${name} writes ${value}`)
    }
    for (const value of invalid) {
      t.notOk(isValid(value), `${name} refuses ${value}`)
      t.throws(() => write(value), /breaks the contract/, `${name} does not write ${value}`)
    }
  }
})

t.test('multiples are decided by the digits as written', async t => {
  for (const [multipleOf, valid, invalid] of [
    [0.01, [0, 0.07, 1.1, -19.99, 4.35, 1e21, 123456789.12, 2n ** 60n], [0.015, 1e-3, 0.30000000000000004, 1e-300]],
    [1e-9, [1e-7, 0.000000123, 5], [1.5e-10]],
    [2.5, [5, -7.5, 1e300, 10n ** 18n], [3, 2.4999999999999996]],
    [7, [0, 21, 7e15, 7n * 2n ** 60n], [20, 6.5, 2n ** 60n]]
  ] as const) {
    const schema = { type: 'number', multipleOf }
    const { body, responses } =
      compile([{ operationId: 'try', parts: { body: schema }, responses: { 200: schema } }], () => ({})).try ?? {}
    for (const [values, count] of [
      [valid, 0],
      [invalid, 1]
    ] as const) {
      for (const value of values) {
        const faults: Fault[] = []
        body?.(value, { body: value }, 'body', { up: undefined, at: 'body' }, faults)
        t.equal(faults.length, count, `${value} of ${multipleOf}`)
        if (typeof value === 'bigint') continue
        const write = () => responses?.[200]?.(value, { up: undefined, at: 'body' })
        if (count === 0) t.equal(Number(write()), value)
        else t.throws(write, /multiple of/)
      }
    }
  }
})

t.test('messages say what a value must be, with its range or all allowed values', async t => {
  const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n]
  for (const [schema, invalid, message] of [
    [{}, 1.5, `must be an integer from ${least} to ${most}, not 1.5`],
    [{ minimum: 0, exclusiveMinimum: 4.5 }, 4, `must be an integer from 5 to ${most}, not 4`],
    [
      { exclusiveMaximum: 2 ** 60, maximum: 2 ** 62 },
      2n ** 60n,
      `must be an integer from ${least} to ${2n ** 60n - 1n}, not ${2n ** 60n}`
    ],
    [{ multipleOf: 5, minimum: 0, maximum: 50 }, 7, 'must be an integer from 0 to 50 that is a multiple of 5, not 7'],
    [{ enum: [1, 2] }, 3, 'must be one of 1, 2, not 3'],
    [{ const: 1 }, 3, 'must be 1, not 3'],
    [
      { format: undefined, type: 'string', enum: ['x', null, { a: 1n }] },
      'y',
      'must be one of x, null, {"a":1}, not "y"'
    ],
    [
      { format: undefined },
      2n ** 60n,
      `must be an integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}, not ${2n ** 60n}`
    ],
    [
      { format: undefined, type: 'number' },
      Infinity,
      `must be a number from ${-Number.MAX_VALUE} to ${Number.MAX_VALUE}, not Infinity`
    ]
  ] as const) {
    const own = { type: 'integer', format: 'int64', ...schema } as unknown as JsonObject
    const { body } = compile([{ operationId: 'try', parts: { body: own }, responses: {} }], () => ({})).try ?? {}
    const faults: Fault[] = []
    body?.(invalid, { body: invalid }, 'body', { up: undefined, at: 'body' }, faults)
    t.equal(sentence(inWords('body', [], faults)), `body ${message}.`)
  }
})

t.test('a variant that does not match changes nothing for the others', async t => {
  const large = 2n ** 60n + 1n
  const variant = (k: string, n: JsonObject) => ({ properties: { n, k: { const: k } }, required: ['k'] })
  const object = [
    variant('a', { type: 'integer', format: 'int64' }),
    variant('b', { type: 'integer' }),
    variant('c', { type: 'number' })
  ]
  const scalar = [{ type: 'integer', format: 'int64', multipleOf: 2 }, { type: 'number', minimum: 2e18 }, { const: 9 }]
  for (const [anyOf, given, read] of [
    [object, { k: 'a', n: large }, { k: 'a', n: large }],
    [object, { k: 'a', n: 5 }, { k: 'a', n: 5n }],
    [object, { k: 'b', n: 5 }, { k: 'b', n: 5 }],
    [object, { k: 'c', n: large }, { k: 'c', n: Number(large) }],
    [object, { k: 'c' }, { k: 'c' }],
    [scalar, large - 1n, large - 1n],
    [scalar, 9, 9]
  ] as [JsonObject[], unknown, unknown][]) {
    for (const schema of [{ anyOf }, { oneOf: anyOf }]) {
      const { body } = compile([{ operationId: 'try', parts: { body: schema }, responses: {} }], () => ({})).try ?? {}
      const root = { body: parseJson(Buffer.from(jsonText(given))) }
      const faults: Fault[] = []
      body?.(root.body, root, 'body', { up: undefined, at: 'body' }, faults)
      t.strictSame([faults, root.body], [[], read])
    }
  }
})

t.test(
  'what is wrong is said of the variant that a discriminator names, and of the keyword that is violated',
  async t => {
    const animal = (kind: string | boolean | string[], rest: JsonObject): JsonObject => ({
      type: 'object',
      required: ['kind'],
      properties: { kind: Array.isArray(kind) ? { enum: kind } : { const: kind }, ...rest }
    })
    const discriminator = { propertyName: 'kind', mapping: {} }
    const animals = {
      oneOf: [animal('dog', { size: { type: 'integer' } }), animal('cat', { name: { type: 'string' } })],
      discriminator
    }
    const owned = {
      oneOf: [animal(true, { size: { type: 'integer' } }), animal(false, { name: { type: 'string' } })],
      discriminator: { propertyName: 'kind', mapping: { true: 0, false: 1 } }
    }
    const flagged = (size: JsonObject): JsonObject => animal('', { kind: { type: 'boolean' }, size })
    const either = { ...owned, oneOf: [flagged({ minimum: 1 }), flagged({ minimum: 5 })] }
    const named = (index: number, minimum: number) => ({ type: 'object', properties: { size: { minimum } }, index })
    const shared = {
      oneOf: [
        animal(['dog', 'cat'], { size: { type: 'integer' } }),
        animal(['cat', 'cow'], { size: { type: 'string' } })
      ],
      discriminator
    }
    // As the generator narrows them: the last one judges what names no other.
    const rest: JsonObject = {
      type: 'object',
      properties: { size: { type: 'null' } },
      not: { type: 'object', required: ['kind'], properties: { kind: { enum: ['dog', 'cat'] } } }
    }
    const told = {
      oneOf: [...animals.oneOf, { type: 'null' }, rest],
      discriminator: { propertyName: 'kind', isTold: true, otherwise: 3 }
    }
    const union = { ...told, oneOf: [...told.oneOf.slice(0, 3), { ...rest, anyOf: [{ minProperties: 9 }] }] }
    const sized = { allOf: [animal('cow', { size: { type: 'integer' } })] }
    const nested = { oneOf: [animals, sized], discriminator: { propertyName: 'kind', mapping: { Pet: 0, Cow: 1 } } }
    const unnamed = { oneOf: [named(0, 1), named(1, 5)], discriminator }
    const open = { oneOf: [named(0, 1), named(1, 5)], discriminator: { propertyName: 'kind', mapping: { a: 0, b: 1 } } }
    for (const [schema, value, inRequest, inResponse] of [
      [animals, { kind: 'cow' }, 'body.kind must be one of dog, cat, not "cow"', 'body.kind must be one of dog, cat'],
      [animals, {}, 'body.kind is required, one of dog, cat', 'body.kind must be one of dog, cat'],
      [animals, { kind: 'dog', size: 'a' }, 'body.size must be an integer, not "a"', 'body.size must be an integer'],
      [nested, { kind: 'dog', size: 'a' }, 'body.size must be an integer, not "a"', undefined],
      [nested, { kind: 'cow', size: 'a' }, 'body.size must be an integer, not "a"', undefined],
      [nested, { kind: 'ape' }, 'body.kind must be one of dog, cat, cow, not "ape"', undefined],
      [owned, { kind: true, size: 'a' }, 'body.size must be an integer, not "a"', 'body.size must be an integer'],
      [owned, { kind: 'a' }, 'body.kind must be one of true, false, not "a"', 'body.kind must be one of true, false'],
      [either, { kind: false, size: 0 }, 'body.size must be at least 5, not 0', undefined],
      [shared, { kind: 'ape' }, 'body.kind must be one of dog, cat, cow, not "ape"', undefined],
      [shared, { kind: 'cat' }, 'body matches more than one schema in oneOf', undefined],
      [told, { kind: 'dog', size: 'a' }, 'body.size must be an integer, not "a"', 'body.size must be an integer'],
      [told, { kind: 'cow', size: 'a' }, 'body.size must be null, not "a"', 'body.size must be null'],
      [either, {}, 'body.kind is required, one of true, false', undefined],
      [union, { kind: 'cow', size: 'a' }, 'body.kind must be one of dog, cat, not "cow"', undefined],
      [
        told,
        5 as never,
        'body must be null, not 5; body must be an object, not 5; body must match exactly one schema in oneOf',
        undefined
      ],
      [unnamed, { kind: 'a', size: 7 }, 'body matches more than one schema in oneOf', undefined],
      [open, { kind: 'a', size: 7 }, 'body matches more than one schema in oneOf', undefined],
      [
        { oneOf: [{ type: 'string' }, { type: 'integer' }, { type: 'number' }] },
        5 as never,
        'body matches more than one schema in oneOf',
        undefined
      ],
      [
        {
          unevaluatedProperties: false,
          oneOf: [
            { properties: { a: {} }, required: ['a'] },
            { properties: { b: {} }, required: ['b'] }
          ]
        },
        { a: 1, c: 1 },
        'body.c is unknown; known: a, b',
        undefined
      ],
      [open, { kind: 'b', size: 0 }, 'body.size must be at least 5, not 0', undefined],
      [{ propertyNames: { pattern: '^a' } }, { b: 1 }, 'the name "b" in body must match ^a', undefined],
      [
        { dependentRequired: { a: ['b'] } },
        { a: 1 },
        'body.b is required if a is present',
        'body.b is required if a is present'
      ],
      [{ contains: { type: 'null' } }, [1], 'body must have at least 1 item that matches contains', undefined]
    ] as [JsonObject, object, string, string | undefined][]) {
      const entry = { operationId: 'try', parts: { body: schema }, responses: { 200: schema } }
      const { body, responses } = compile([entry], () => ({})).try as CompiledOperation
      const faults: Fault[] = []
      body?.(value, { value }, 'value', { up: undefined, at: 'body' }, faults)
      t.equal(sentence(inWords('body', [], faults)), `${inRequest}.`)
      const message = `the handler's body breaks the contract: ${inResponse ?? ''}`
      t.throws(
        () => responses[200]?.(value, { up: undefined, at: 'body' }),
        inResponse === undefined ? /breaks the contract/ : { message }
      )
    }
  }
)

t.test('a recursive schema is tried once for each level of a value, whatever its variants', async t => {
  const variant = (kind: string, type: string): JsonObject => ({
    type: 'object',
    required: ['kind'],
    properties: { left: { $ref: '#/components/schemas/Node' }, kind: { const: kind }, value: { type } }
  })
  const untold = (type: string): JsonObject => ({
    type: 'object',
    properties: { left: { $ref: '#/components/schemas/Node' }, value: { type } }
  })
  const node = { $ref: '#/components/schemas/Node' }
  const nested = (levels: number, kind: unknown, value: unknown): object =>
    levels === 0 ? { kind, value } : { left: nested(levels - 1, kind, value), kind: levels % 2 === 0 ? 'a' : 'b' }
  for (const [Node, invalid] of [
    [
      { oneOf: [variant('a', 'string'), variant('b', 'integer')] },
      'body.left.left.left.value must be an integer, not true'
    ],
    [{ anyOf: [untold('string'), untold('integer')] }, 'body must match a schema in anyOf']
  ] as const) {
    const entry = { operationId: 'try', parts: { body: node }, responses: { 200: node } }
    const { body, responses } = compile([entry], () => Node as unknown as JsonObject).try as CompiledOperation
    const faultsOf = (value: object) => {
      const faults: Fault[] = []
      body?.(value, { value }, 'value', { up: undefined, at: 'body' }, faults)
      return inWords('body', [], faults).named.map(({ text }) => text)
    }
    t.strictSame(faultsOf(nested(200, 'b', 1)), [])
    t.strictSame(faultsOf(nested(3, 'b', true)), [invalid])
    t.equal(faultsOf(nested(200, 'c', true)).length, 1)
    const write = (value: object) => responses[200]?.(value, { up: undefined, at: 'body' })
    t.equal(write(nested(200, 'b', 1)), JSON.stringify(nested(200, 'b', 1)))
    t.throws(() => write(nested(200, 'c', true)), { message: /breaks the contract/ })
  }
})

t.test('a part that a schema describes several times is checked once', async t => {
  const node = { $ref: '#/components/schemas/Node' }
  const next = { properties: { next: node } }
  const n = { type: 'integer', format: 'int64', minimum: 10 }
  const flat = { anyOf: [{ properties: { n: { type: 'string' } }, required: ['n'] }, { properties: { n } }] }
  const nested = (levels: number, end: object): object =>
    levels === 0 ? end : { kind: levels % 2 === 0 ? 'a' : 'b', next: nested(levels - 1, end) }
  const kinds = (kind: string) => ({ type: 'object', properties: { kind: { enum: [kind, 'c'] }, next: node } })
  const both = [
    { properties: { ...next.properties, n, m: { default: 5 } } },
    { properties: { ...next.properties, l: { default: 6 } } }
  ]
  for (const Node of [
    { properties: { n, ...next.properties }, patternProperties: { '^next': node } },
    { properties: { n, ...next.properties }, patternProperties: { '^x': node }, dependentSchemas: { next } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    { properties: { n, ...next.properties }, if: next, then: next },
    { properties: { n, ...next.properties }, not: { type: 'object', required: ['x'], ...next } },
    { allOf: [{ properties: { n } }, next, { anyOf: [next, { required: ['x'] }] }] },
    { allOf: [{ properties: { n } }, { anyOf: [{ required: ['x'] }, next] }], oneOf: [kinds('a'), kinds('b')] },
    { allOf: [next, next], anyOf: [{ required: ['x'] }, { properties: { n } }] },
    {
      allOf: [next, { properties: { n } }, { anyOf: [next, { required: ['x'] }] }],
      unevaluatedProperties: { type: 'string' }
    },
    {
      undeclaredProperties: false,
      allOf: [next, { anyOf: [{ properties: { n, kind: {}, ...next.properties } }, { required: ['x'] }] }]
    },
    { allOf: [next, next, flat] },
    { allOf: both }
  ] as unknown as JsonObject[]) {
    const what = JSON.stringify(Node)
    const entry = { operationId: 'try', parts: { body: node as JsonObject }, responses: { 200: node as JsonObject } }
    const { body, responses } = compile([entry], () => Node).try as CompiledOperation
    const judge = (value: object) => {
      const input = { value }
      const faults: Fault[] = []
      body?.(value, input, 'value', { up: undefined, at: 'body' }, faults)
      return { value: input.value, texts: inWords('body', [], faults).named.map(({ text }) => text) }
    }
    const { texts, value } = judge(nested(60, { n: 12, kind: 'a' }))
    t.strictSame(texts, [], what)
    let last = value as { next?: typeof value }
    while (last.next !== undefined) last = last.next
    const defaults = Node.allOf === both ? { m: 5, l: 6 } : {}
    t.strictSame(last, { n: 12n, kind: 'a', ...defaults }, what)
    t.match(judge(nested(60, { n: 3, kind: 'a' })).texts.join(), /^body(\.next){60}/, what)
    const write = (value: object) => responses[200]?.(value, { up: undefined, at: 'body' })
    t.equal(write(nested(60, { n: 12n, kind: 'a' })), JSON.stringify(nested(60, { n: 12, kind: 'a' })))
    t.throws(() => write(nested(60, { n: 3n, kind: 'a' })), { message: /breaks the contract/ })
  }
})

t.test('messages about a false schema and about not say what is wrong', async t => {
  const noteIs = (note: JsonObject | false): JsonObject => ({ type: 'object', properties: { note } })
  for (const [note, text] of [
    [false, 'body.note must be absent, as no value is valid'],
    [{ not: { type: 'string' } }, 'body.note must not match the schema in not']
  ] as const) {
    const entry = { operationId: 'try', parts: { body: noteIs(note) }, responses: { 200: noteIs(note) } }
    const { body, responses } = compile([entry], () => ({})).try as CompiledOperation
    const faults: Fault[] = []
    const value = { note: 'a' }
    body?.(value, { value }, 'value', { up: undefined, at: 'body' }, faults)
    t.strictSame(
      inWords('body', [], faults).named.map(each => each.text),
      [text]
    )
    t.throws(() => responses[200]?.(value, { up: undefined, at: 'body' }), { message: /breaks the contract/ })
  }
})

t.test('names in a contract never collide with emitted ones', async t => {
  const suffixes = ['Digits', 'Number', 'Undeclared']
  const integer = { type: 'integer', format: 'int64' }
  const object = (names: string[]): JsonObject => ({
    type: 'object',
    properties: Object.fromEntries(names.map(name => [name, integer])),
    required: names,
    additionalProperties: false
  })
  const written = (schema: JsonObject, value: unknown) => {
    const { responses } = compile([{ operationId: 'try', parts: {}, responses: { 200: schema } }], () => ({})).try ?? {}
    return responses?.[200]?.(value, { up: undefined, at: 'body' })
  }
  for (const suffix of suffixes)
    for (const names of [
      ['account', `account${suffix}`],
      ['a', `a${suffix}`, `a${suffix}${suffix}`],
      ['v', `v${suffix}`]
    ]) {
      const value = Object.fromEntries(names.map((name, index) => [name, index]))
      const { required: _, ...loose } = object(names)
      for (const schema of [object(names), object(names.toReversed()), loose]) {
        t.strictSame(JSON.parse(written(schema, value) ?? ''), value, `${names}`)
        t.strictSame(JSON.parse(written({ type: 'array', items: schema }, [value, value]) ?? ''), [value, value])
      }
    }

  // Tools begin with the same words as functions, and constants end in a number.
  const noun = (name: string, kind: string) => name.slice(kind.length)
  const kinds = ['is', 'check', 'fill', 'judge', 'write', 'row', 'undeclaredIn']
  const nouns = Object.keys(tools).flatMap(name =>
    kinds.flatMap(kind => (name.startsWith(kind) ? noun(name, kind) : []))
  )
  t.strictSame(nouns, ['Multiple', 'Object'])
  for (const name of [
    ...nouns,
    '1',
    '2',
    'o',
    'object',
    '日本',
    '',
    '$',
    'constructor',
    '__proto__',
    'a'.repeat(10_000)
  ]) {
    const reference = { $ref: `#/components/schemas/${name}` }
    const component = { type: 'string', format: 'email', multipleOf: 2, not: { type: 'object' } }
    const schema = {
      type: 'object',
      properties: { a: { not: reference }, b: { anyOf: [reference, { type: 'null' }] } }
    }
    const entry = { operationId: name, parts: { body: schema }, responses: { 200: schema } }
    const { body, responses } = Object.values(compile([entry], () => component))[0] as CompiledOperation
    const faults: Fault[] = []
    const value = { a: 1, b: 'a@b.example' }
    body?.(value, { value }, 'value', { up: undefined, at: 'body' }, faults)
    t.strictSame(faults, [], name.slice(0, 40))
    t.equal(responses[200]?.(value, { up: undefined, at: 'body' }), JSON.stringify(value))
  }
})

t.test('enough of the values were valid', async t => {
  t.ok(all.valid > all.tried / 10, `${all.valid} of ${all.tried}`)
})

t.test('a contract with a part that is not compiled is refused, naming that part', async t => {
  const { operations, compiled } = contract
  const without = (id: keyof typeof operations, change: (operation: CompiledOperation) => object) => ({
    operations,
    compiled: (tools: unknown) => {
      const all = compiled(tools)
      return { ...all, [id]: change(all[id] as CompiledOperation) as CompiledOperation }
    }
  })
  const refused = (what: string) => ({
    name: 'ContractNotServed',
    message: `The contract cannot be served: nothing is compiled for ${what}; generate its modules again.`
  })
  t.throws(() => compiledSchemas(without('getThing', () => ({ responses: {} }))), refused('getThing params'))
  t.throws(() => compiledSchemas(without('createThing', ({ body: _, ...rest }) => rest)), refused('createThing body'))
  const { 404: _, ...others } = compiled(tools).getThing?.responses ?? {}
  t.throws(
    () => compiledSchemas(without('getThing', rest => ({ ...rest, responses: others }))),
    refused('getThing 404')
  )
  t.throws(
    () => compiledSchemas(without('listThings', ({ responseHeaders: _, ...rest }) => rest)),
    refused('listThings 200 header Link')
  )
  t.throws(() => compiledSchemas(contract).check({ type: 'string' }), /not of its contract/)
})
