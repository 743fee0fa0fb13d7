import t, { type Test } from 'tap'
import type { AnyResult } from '../../src/contract/contract.ts'
import type { AnyHandler } from '../../src/operations/handlers.ts'
import { serve } from '../operations/serve.ts'

const paths = `/things:
  post:
    operationId: make
    responses:
      '201':
        description: Made.
        headers:
          Location: { required: true, schema: { type: string, pattern: ^things/ } }
          X-Left: { schema: { type: integer, minimum: 0 } }
          X-Big: { schema: { type: integer, format: int64 } }
          X-Share: { schema: { type: number, maximum: 1 } }
          X-Fresh: { schema: { type: boolean } }
          X-Colours: { schema: { type: array, minItems: 2, items: { enum: [red, green] } } }
          X-Size: { explode: true, schema: { type: object, required: [w], properties: { w: { type: integer } } } }
          X-Json: { content: { application/json: { schema: { type: array, items: { type: integer } } } } }
          X-Either: { schema: { oneOf: [{ type: integer }, { const: none }] } }
          X-Deep: { schema: { type: array, items: { type: array } } }
        content: { application/json: { schema: { type: object, properties: { id: { type: integer } } } } }
      '204': { description: None., headers: { X-Why: { required: true, schema: { type: string, maxLength: 5 } }, Date: { required: true, schema: { type: string } } } }
      4XX: { description: Not., headers: { X-Why: { schema: { type: string, maxLength: 5 } } } }
      default:
        description: Text.
        headers: { X-Why: { schema: { type: string, maxLength: 5 } } }
        content: { text/plain: {} }
`

const start = async (t: Test) => {
  let result: AnyResult = { status: 500 }
  const make: AnyHandler = async () => result
  const { app, warnings } = await serve(t, paths, { make })
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers['x-hooked'] === 'first') reply.header('x-why', 'by a hook, long')
  })
  app.addHook('onSend', async (request, reply) => {
    if (request.headers['x-hooked'] === 'last') reply.header('x-why', 'by a hook, long')
  })
  const send = (returned: AnyResult, headers: Record<string, string> = {}) => {
    result = returned
    return app.inject({ method: 'POST', url: '/things', headers })
  }
  return { send, app, warnings }
}

const made = (headers: object): AnyResult => ({
  status: 201,
  headers: { Location: 'things/1', ...headers } as Record<string, string | number>,
  body: { id: 1 }
})

t.test('headers that fit their schemas are sent', async t => {
  const { send, warnings } = await start(t)
  t.match(warnings, [{ message: /header X-Deep has an array in its items, which headers cannot express/ }])
  t.equal(warnings.length, 1)
  const headers = {
    'X-Left': 0,
    'X-Big': 2n ** 63n - 1n,
    'X-Share': 0.5,
    'X-Fresh': true,
    'X-Colours': 'red,green',
    'X-Size': 'w=5',
    'X-Json': '[1,2]',
    'X-Either': 'none',
    'X-Deep': 'anything'
  }
  const res = await send(made(headers))
  t.equal(res.statusCode, 201)
  for (const [name, value] of Object.entries(headers)) t.equal(res.headers[name.toLowerCase()], String(value))
  for (const each of [{ 'X-Left': '7' }, { location: 'things/2' }, { 'X-Unknown': 'x' }, { 'X-Either': '12' }])
    t.equal((await send(made(each))).statusCode, 201, JSON.stringify(each))
})

t.test('a header that does not fit its schema is a 500, and no header of the handler is sent', async t => {
  const { send } = await start(t)
  for (const headers of [
    { Location: 'bells/1' },
    { Location: undefined },
    { LOCATION: 'bells/1' },
    { 'X-Left': -1 },
    { 'X-Left': 'many' },
    { 'X-Left': 1.5 },
    { 'X-Big': 2n ** 63n },
    { 'X-Share': Number.NaN },
    { 'X-Fresh': 'yes' },
    { 'X-Colours': 'red' },
    { 'X-Colours': 'red,blue' },
    { 'X-Size': 'w,5' },
    { 'X-Size': 'h=5' },
    { 'X-Json': '[1,2' },
    { 'X-Json': '["a"]' },
    { 'X-Either': 'some' }
  ]) {
    const res = await send(made(headers))
    const name = Object.keys(headers)[0] as string
    t.equal(res.statusCode, 500, name)
    t.match(res.json(), { code: 'internal_error' })
    if (name !== 'Location') t.notOk(name.toLowerCase() in res.headers, name)
    t.notOk('location' in res.headers, 'none is sent with the error')
  }
})

t.test('a required header must be set by the handler or by a hook, with or without a body', async t => {
  const { send } = await start(t)
  const without = await send({ status: 201, headers: { 'X-Left': 1 }, body: { id: 1 } })
  t.equal(without.statusCode, 500)
  t.match(without.json(), { code: 'internal_error' })
  t.equal(without.headers['content-length'], String(without.body.length))
  t.notOk('x-left' in without.headers)
  t.equal((await send({ status: 204 })).statusCode, 500)
  t.equal((await send({ status: 204, headers: { 'X-Why': 'because' } })).statusCode, 500)
  t.equal((await send({ status: 204, headers: { 'X-Why': 'so' } })).statusCode, 204)
  for (const when of ['first', 'last'])
    t.equal((await send({ status: 204 }, { 'x-hooked': when })).statusCode, 204, `a hook that runs ${when}`)
})

t.test('a range and the default have headers, too', async t => {
  const { send } = await start(t)
  for (const [status, body] of [[404], [503, 'Later.']] as const) {
    const sent = async (why: string) =>
      (await send({ status, headers: { 'X-Why': why }, ...(body !== undefined && { body }) })).statusCode
    t.equal(await sent('so'), status)
    t.equal(await sent('because'), 500)
  }
})
