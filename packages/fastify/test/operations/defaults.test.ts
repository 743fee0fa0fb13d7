import t, { type Test } from 'tap'
import type { AnyHandler } from '../../src/operations/handlers.ts'
import { serve } from './serve.ts'

/** A service with an operation for each schema of a body; responds with what the handler gets, or the error's message. */
const postingTo = async (t: Test, schemas: readonly string[], type = 'application/json') => {
  const operations = schemas.map(
    (schema, index) => `/${index}:
  post:
    operationId: post${index}
    requestBody: { required: true, content: { ${type}: { schema: ${schema} } } }
    responses: { '200': { description: Done. } }
`
  )
  let given: unknown
  const handler: AnyHandler = async ({ body }) => {
    given = body
    return { status: 200 }
  }
  const handlers = Object.fromEntries(schemas.map((_, index) => [`post${index}`, handler]))
  const { app, warnings } = await serve(t, operations.join(''), handlers)
  const post = async (body: unknown, index = 0) => {
    const payload = typeof body === 'string' ? body : JSON.stringify(body)
    const res = await app.inject({ method: 'POST', url: `/${index}`, headers: { 'content-type': type }, payload })
    return res.statusCode === 200 ? given : res.json().message
  }
  return { post, warnings: warnings.map(each => each.message) }
}

const n = 'n: { type: integer, default: 3 }'
const object = `type: object, properties: { ${n}, b: { type: string } }`

t.test('keywords judge what was sent, and then absent properties get their defaults', async t => {
  const cases = [
    [`{ ${object}, minProperties: 1 }`, [[{ b: 'x' }, { b: 'x', n: 3 }]], [{}]],
    [`{ ${object}, maxProperties: 0 }`, [[{}, { n: 3 }]], [{ b: 'x' }]],
    [`{ ${object}, dependentRequired: { n: [b] } }`, [[{}, { n: 3 }]], [{ n: 1 }]],
    [`{ ${object}, propertyNames: { pattern: ^b } }`, [[{}, { n: 3 }]], [{ n: 1 }]],
    [`{ ${object}, enum: [{}, { b: x }] }`, [[{}, { n: 3 }]], [{ n: 3 }]],
    [`{ ${object}, const: { b: x } }`, [[{ b: 'x' }, { b: 'x', n: 3 }]], [{ b: 'x', n: 3 }]],
    [`{ ${object}, not: { required: [n] } }`, [[{}, { n: 3 }]], [{ n: 3 }]],
    [`{ ${object}, if: { required: [n] }, then: { required: [b] } }`, [[{}, { n: 3 }]], [{ n: 3 }]],
    [`{ ${object}, anyOf: [{ required: [n] }, { required: [b] }] }`, [[{ b: 'x' }, { b: 'x', n: 3 }]], [{}]],
    [`{ ${object}, allOf: [{ minProperties: 1 }] }`, [[{ b: 'x' }, { b: 'x', n: 3 }]], [{}]],
    // Constraints that no single schema can express.
    [
      `{ allOf: [{ properties: { ${n} }, contains: {} }, { contains: {}, minProperties: 1 }] }`,
      [[{ b: 'x' }, { b: 'x', n: 3 }]],
      [{}]
    ],
    [
      `{ type: array, uniqueItems: true, items: { ${object} } }`,
      [
        [
          [{}, { n: 3 }],
          [{ n: 3 }, { n: 3 }]
        ]
      ],
      [[{}, {}]]
    ],
    [`{ type: array, contains: { required: [n] }, items: { ${object} } }`, [[[{ n: 1 }], [{ n: 1 }]]], [[{}]]],
    [
      `{ type: array, prefixItems: [{ ${object} }], items: { ${object}, minProperties: 1 } }`,
      [[[{}], [{ n: 3 }]]],
      [[{}, {}]]
    ],
    [
      `{ type: object, additionalProperties: { ${object}, minProperties: 1 } }`,
      [[{ a: { b: 'x' } }, { a: { b: 'x', n: 3 } }]],
      [{ a: {} }]
    ],
    [
      `{ type: object, patternProperties: { ^a: { ${object}, minProperties: 1 } } }`,
      [[{ a: { b: 'x' } }, { a: { b: 'x', n: 3 } }]],
      [{ a: {} }]
    ],
    [
      `{ type: object, properties: { inner: { ${object}, minProperties: 1 } }, maxProperties: 1 }`,
      [
        [{ inner: { b: 'x' } }, { inner: { b: 'x', n: 3 } }],
        [{}, {}]
      ],
      [{ inner: {} }]
    ],
    [
      `{ anyOf: [{ required: [a] }, { required: [c] }], allOf: [{ anyOf: [{ required: [n] }, { required: [b] }], properties: { ${n} } }] }`,
      [
        [
          { a: 1, b: 1 },
          { a: 1, b: 1, n: 3 }
        ]
      ],
      [{ a: 1 }]
    ],
    [
      `{ type: object, properties: { a: {} }, allOf: [{ anyOf: [{ required: [a] }, { required: [b] }] }, { oneOf: [{ required: [a] }, { required: [b] }] }], unevaluatedProperties: { ${object} } }`,
      [
        [
          { a: 1, c: {} },
          { a: 1, c: { n: 3 } }
        ]
      ],
      [{ c: {} }]
    ]
  ] as [string, [unknown, unknown][], unknown[]][]
  const { post, warnings } = await postingTo(
    t,
    cases.map(([schema]) => schema)
  )
  t.strictSame(
    warnings.filter(each => /default/.test(each)),
    []
  )
  for (const [index, [schema, valid, invalid]] of cases.entries()) {
    for (const [sent, given] of valid) t.strictSame(await post(sent, index), given, `${schema} ${JSON.stringify(sent)}`)
    for (const each of invalid)
      t.match(await post(each, index), /^body|^the name/, `${schema} rejects ${JSON.stringify(each)}`)
  }
})

t.test('a condition judges what was sent, and then its defaults are filled in', async t => {
  const kind = 'kind: { type: string, default: a }'
  const { post } = await postingTo(t, [
    `{ type: object, properties: { ${kind} }, if: { required: [kind], properties: { kind: { const: a } } }, then: { properties: { x: { default: 1 } } }, else: { properties: { y: { default: 2 } } }, dependentSchemas: { kind: { properties: { z: { default: 3 } } } } }`
  ])
  t.strictSame(await post({}), { kind: 'a', y: 2 })
  t.strictSame(await post({ kind: 'a' }), { kind: 'a', x: 1, z: 3 })
  t.strictSame(await post({ kind: 'b' }), { kind: 'b', y: 2, z: 3 })
})

t.test('a default has the form that handlers get, and defaults of its own', async t => {
  const id = '{ type: integer, format: int64, default: 5 }'
  const { post, warnings } = await postingTo(t, [
    `{ type: object, properties: { id: ${id}, ids: { type: array, items: { type: integer, format: int64 }, default: [1] }, either: { anyOf: [{ type: integer, format: int64 }, { type: boolean }], default: 7 }, inner: { type: object, default: {}, properties: { id: ${id}, to: { default: null } } }, wrong: { type: object, required: [a], default: {} }, listed: { type: array, items: { type: string }, default: [1] } } }`
  ])
  t.strictSame(await post({}), { id: 5n, ids: [1n], either: 7n, inner: { id: 5n, to: null } })
  t.strictSame(await post({ id: 1, inner: { to: 1 } }), { id: 1n, ids: [1n], either: 7n, inner: { id: 5n, to: 1 } })
  t.equal(warnings.filter(each => /the default is not applied/.test(each)).length, 2)
})

t.test('a default that not rejects is not applied', async t => {
  const rejecting = ['{}', 'true', '{ type: string }', '{ enum: [a, b], title: Taken }']
  const property = (not: string, index: number) => `p${index}: { default: a, not: ${not} }`
  const { post, warnings } = await postingTo(t, [
    `{ type: object, properties: { ${rejecting.map(property).join(', ')}, other: { default: a, not: { type: integer } } } }`
  ])
  t.strictSame(await post({}), { other: 'a' })
  t.equal(warnings.filter(each => /the default is not applied/.test(each)).length, 4)
})

t.test('a default of int64 is exact over the whole range, and others beyond 2^53 are not applied', async t => {
  const int64 = (value: string) => `{ type: integer, format: int64, default: ${value} }`
  const [most, least] = ['9223372036854775807', '-9223372036854775808']
  const { post, warnings } = await postingTo(t, [
    `{ type: object, properties: { most: ${int64(most)}, least: { type: [integer, 'null'], format: int64, default: ${least} }, within: { type: object, properties: { ids: { type: array, items: { type: integer, format: int64 } } }, default: { ids: [${most}] } }, bounded: { type: integer, maximum: ${most}, default: ${most} }, number: { type: number, default: ${most} } } }`,
    `{ type: object, properties: { plain: { type: integer, default: ${most} }, beyond: ${int64('9223372036854775808')}, low: { type: integer, format: int64, maximum: 5, default: ${most} } } }`
  ])
  const given = { most: BigInt(most), least: BigInt(least), within: { ids: [BigInt(most)] }, bounded: BigInt(most) }
  t.strictSame(await post({}), { ...given, number: 2 ** 63 })
  t.strictSame(await post('{ "least": null, "most": 1 }'), { ...given, most: 1n, least: null, number: 2 ** 63 })
  t.strictSame(await post({}, 1), {})
  t.strictSame(
    warnings.filter(each => /the default is not applied/.test(each)),
    [
      'the default is not applied: beyond 2^53, only integers of format int64 are exact; add it',
      'the default is not applied: its schema does not allow it',
      'the default is not applied: its schema does not allow it'
    ]
  )
})

t.test('a default of int64 is exact in parameters, too', async t => {
  const most = '9223372036854775807'
  const { app } = await serve(
    t,
    `/things:
  get:
    operationId: list
    parameters:
      - { name: before, in: query, schema: { type: integer, format: int64, default: ${most} } }
      - { name: ids, in: query, schema: { type: array, items: { type: integer, format: int64 }, default: [${most}, 1] } }
    responses: { '200': { description: Done. } }
`,
    {
      list: async ({ query }) => {
        t.strictSame(query, { before: BigInt(most), ids: [BigInt(most), 1n] })
        return { status: 200 }
      }
    }
  )
  t.equal((await app.inject('/things')).statusCode, 200)
})

t.test('a recursive schema has its defaults at any depth', async t => {
  const { app } = await serve(
    t,
    `/nodes:
  post:
    operationId: post
    requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Node' } } } }
    responses: { '200': { description: Done., content: { application/json: { schema: {} } } } }
`,
    { post: async ({ body }) => ({ status: 200, body }) },
    '3.1.0',
    `components:
  schemas:
    Node: { type: object, properties: { next: { $ref: '#/components/schemas/Other' } }, minProperties: 1 }
    Other: { type: object, properties: { ${n}, next: { $ref: '#/components/schemas/Node' } }, maxProperties: 1 }
`
  )
  const post = async (payload: object) => (await app.inject({ method: 'POST', url: '/nodes', payload })).json()
  t.strictSame(await post({ next: { next: { next: {} } } }), { next: { next: { next: { n: 3 } }, n: 3 } })
  t.match(await post({ next: { next: {} } }), { status: 400 })
})

t.test('forms likewise', async t => {
  const { post } = await postingTo(t, [`{ ${object}, minProperties: 1 }`], 'application/x-www-form-urlencoded')
  t.strictSame(await post('b=x'), { b: 'x', n: 3 })
  t.match(await post(''), /body/)
})

t.test('parameters likewise', async t => {
  const { app } = await serve(
    t,
    `/things:
  get:
    operationId: list
    parameters:
      - { name: f, in: query, style: deepObject, schema: { ${object}, dependentRequired: { n: [b] } } }
      - { name: q, in: query, schema: { type: integer, format: int64, default: 4 } }
    responses: { '200': { description: Done., content: { application/json: { schema: {} } } } }
`,
    { list: async ({ query }) => ({ status: 200, body: query }) }
  )
  const list = async (query: string) => (await app.inject(`/things?${query}`)).json()
  t.strictSame(await list(''), { q: 4 })
  t.strictSame(await list('f[b]=x&q=1'), { f: { b: 'x', n: 3 }, q: 1 })
  t.match(await list('f[n]=1'), { status: 400 })
})
