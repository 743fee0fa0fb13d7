import t from 'tap'
import type { AnyHandler } from '../../src/operations/handlers.ts'
import { serve } from './serve.ts'

const operation = (id: string, schema: string, type = 'application/json') => `/${id}:
  post:
    operationId: ${id}
    requestBody: { required: true, content: { ${type}: { schema: ${schema} } } }
    responses: { '200': { description: Done., content: { application/json: { schema: ${schema} } } } }
`

const id = 'id: { type: integer, readOnly: true }'
const name = 'name: { type: string }'
const secret = 'secret: { type: string, writeOnly: true }'

const components = `components:
  schemas:
    Id: { type: integer, readOnly: true }
    Made: { type: object, required: [id], properties: { ${id} } }
    Named: { type: object, properties: { ${name} } }
    Cat: { type: object, required: [id, lives], properties: { ${id}, lives: { type: integer } } }
    Dog: { type: object, required: [id, barks], properties: { ${id}, barks: { type: boolean } } }
    Node: { type: object, required: [id], properties: { ${id}, next: { $ref: '#/components/schemas/Node' } } }
`

const forms = {
  form: `{ type: object, properties: { ${id}, ${name} } }`,
  formOthers: `{ type: object, properties: { ${name} }, additionalProperties: { type: integer, readOnly: true } }`
}

const forbidden = 'must not be sent: it is read-only'

/** By operation: its schema, a valid body, a body with a read-only property, and the place of that. */
const cases: Record<string, [schema: string, valid: object, invalid: object, place: string]> = {
  open: [`{ type: object, properties: { ${id}, ${name} } }`, { name: 'a', x: 1 }, { id: 'junk', name: 'a' }, 'body.id'],
  closed: [
    `{ type: object, required: [id], additionalProperties: false, properties: { ${id}, ${name} } }`,
    { name: 'a' },
    { id: 1 },
    'body.id'
  ],
  referred: [`{ type: object, properties: { id: { $ref: '#/components/schemas/Id' } } }`, {}, { id: 1 }, 'body.id'],
  merged: [
    `{ allOf: [{ $ref: '#/components/schemas/Made' }, { $ref: '#/components/schemas/Named' }] }`,
    { name: 'a' },
    { id: 1, name: 'a' },
    'body.id'
  ],
  parts: [
    `{ allOf: [{ properties: { ${id} }, contains: {} }, { contains: {}, required: [id], properties: { id: { type: integer } } }] }`,
    { name: 'a' },
    { id: 1 },
    'body.id'
  ],
  marked: [
    `{ properties: { id: { allOf: [{ $ref: '#/components/schemas/Id' }, { minimum: 3 }] } } }`,
    {},
    { id: 5 },
    'body.id'
  ],
  any: [
    `{ anyOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }] }`,
    { lives: 9 },
    { id: 1, lives: 9 },
    'body.id'
  ],
  one: [
    `{ required: [id], properties: { ${id} }, oneOf: [{ required: [id, a] }, { $ref: '#/components/schemas/Cat' }] }`,
    { a: 1 },
    { id: 1, a: 1 },
    'body.id'
  ],
  conditional: [
    `{ if: { required: [a] }, then: { required: [id], properties: { ${id} } } }`,
    { a: 1 },
    { id: 1, a: 1 },
    'body.id'
  ],
  nested: [
    `{ type: object, additionalProperties: { type: array, items: { $ref: '#/components/schemas/Made' } } }`,
    { a: [{}, { x: 1 }] },
    { a: [{}, { id: 1 }] },
    'body.a[1].id'
  ],
  others: [
    `{ type: object, required: [id], properties: { ${name} }, additionalProperties: { type: integer, readOnly: true } }`,
    { name: 'a' },
    { name: 'a', id: 1 },
    'body.id'
  ],
  matching: [
    `{ type: object, required: [id], patternProperties: { '^i': { $ref: '#/components/schemas/Id' } } }`,
    { name: 'a' },
    { name: 'a', id: 1 },
    'body.id'
  ],
  rest: [
    `{ type: object, allOf: [{ properties: { ${name} } }, { contains: {} }], unevaluatedProperties: { readOnly: true } }`,
    { name: 'a' },
    { name: 'a', id: 1 },
    'body.id'
  ],
  recursive: [
    `{ $ref: '#/components/schemas/Node' }`,
    { next: { next: {} } },
    { next: { next: { id: 1 } } },
    'body.next.next.id'
  ]
}

t.test('a request with a read-only property is rejected, and need not have it', async t => {
  let given: unknown
  const handler: AnyHandler = async ({ body }) => {
    given = body
    return { status: 200, body: {} }
  }
  const { app } = await serve(
    t,
    Object.entries(cases)
      .map(([id, [schema]]) => operation(id, schema))
      .join('') +
      Object.entries(forms)
        .map(([id, schema]) => operation(id, schema, 'application/x-www-form-urlencoded'))
        .join(''),
    Object.fromEntries([...Object.keys(cases), ...Object.keys(forms)].map(each => [each, handler])),
    '3.1.0',
    components
  )
  for (const [id, [, valid, invalid, place]] of Object.entries(cases)) {
    const post = (payload: object) => {
      given = undefined
      return app.inject({ method: 'POST', url: `/${id}`, payload })
    }
    await post(valid)
    t.strictSame(given, valid, id)
    const res = await post(invalid)
    t.strictSame([res.statusCode, given], [400, undefined], id)
    t.ok(res.json().message.includes(`${place} ${forbidden}`), `${id}: ${res.json().message}`)
  }
  for (const id of Object.keys(forms)) {
    const res = await app.inject({
      method: 'POST',
      url: `/${id}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'id=1&name=a'
    })
    t.equal(res.json().message, `body.id ${forbidden}.`)
  }
  t.match((await app.inject({ method: 'POST', url: '/closed', payload: { x: 1 } })).json().message, /known: name\./)
})

t.test('what one variant marks as read-only may be sent to another that has it', async t => {
  const variant = (kind: string, more: string) =>
    `{ type: object, required: [kind], properties: { kind: { const: ${kind} }, ${more} } }`
  const { app } = await serve(
    t,
    operation('post', `{ oneOf: [${variant('a', id)}, ${variant('b', 'id: { type: integer }')}] }`),
    { post: async () => ({ status: 200, body: { kind: 'a' } }) }
  )
  const statusOf = async (payload: object) => (await app.inject({ method: 'POST', url: '/post', payload })).statusCode
  t.equal(await statusOf({ kind: 'b', id: 1 }), 200)
  t.equal(await statusOf({ kind: 'a' }), 200)
  t.equal(await statusOf({ kind: 'a', id: 1 }), 400)
})

t.test('a response with a write-only property is rejected, even where undeclared ones are allowed', async t => {
  const schemas = {
    closed: `{ type: object, required: [secret], properties: { ${name}, ${secret} } }`,
    open: `{ type: object, required: [secret], properties: { ${name}, ${secret} }, additionalProperties: true }`,
    listed: `{ type: object, properties: { list: { type: array, items: { properties: { ${secret} }, additionalProperties: { type: string } } } } }`,
    parts: `{ allOf: [{ properties: { ${secret} } }, { properties: { ${name} } }], additionalProperties: true }`,
    others: `{ type: object, properties: { ${name} }, additionalProperties: { type: string, writeOnly: true } }`,
    matching: `{ type: object, properties: { ${name} }, patternProperties: { '^s': { type: string, writeOnly: true } } }`,
    either: `{ anyOf: [{ properties: { ${secret} }, additionalProperties: true }, { type: string }] }`
  }
  let body: unknown
  const handler: AnyHandler = async () => ({ status: 200, body })
  const { app } = await serve(
    t,
    Object.entries(schemas)
      .map(([id, schema]) => operation(id, schema))
      .join(''),
    Object.fromEntries(Object.keys(schemas).map(each => [each, handler]))
  )
  for (const id of Object.keys(schemas)) {
    const status = async (value: object) => {
      body = value
      return (await app.inject({ method: 'POST', url: `/${id}`, payload: { secret: 'a' } })).statusCode
    }
    const wrap = (value: object) => (id === 'listed' ? { list: [value] } : value)
    t.equal(await status(wrap({ name: 'a' })), 200, id)
    t.equal(await status(wrap({ secret: 'a' })), 500, id)
  }
})
