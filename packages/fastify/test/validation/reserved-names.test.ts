import t, { type Test } from 'tap'
import { serve } from '../operations/serve.ts'

const paths = `/free:
  post:
    operationId: free
    requestBody: { content: { application/json: { schema: { type: object, properties: { id: { type: integer, format: int64 } } } } } }
    responses: { '204': { description: done } }
/any:
  post:
    operationId: any
    requestBody: { content: { application/json: { schema: {} }, application/x-www-form-urlencoded: { schema: { type: object } }, multipart/form-data: { schema: { type: object } } } }
    responses: { '204': { description: done } }
  patch:
    operationId: merge
    requestBody: { content: { application/merge-patch+json: { schema: { type: object } } } }
    responses: { '204': { description: done } }
  get:
    operationId: look
    parameters:
      - { name: deep, in: query, style: deepObject, schema: { type: object } }
      - { name: flat, in: query, schema: { type: object, additionalProperties: { type: string } } }
      - { name: json, in: query, content: { application/json: { schema: {} } } }
      - { name: X-Json, in: header, content: { application/json: { schema: {} } } }
      - { name: X-Flat, in: header, explode: true, schema: { type: object } }
    responses: { '204': { description: done } }
/listed:
  post:
    operationId: listed
    requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Listed' } } } }
    responses: { '204': { description: done } }
`
const components = `components:
  schemas:
    Listed:
      type: object
      properties:
        __proto__: { type: integer }
        constructor: { anyOf: [{ type: object, properties: { prototype: { type: string } } }, { type: string }] }
        free: {}
        next: { $ref: '#/components/schemas/Listed' }
        some: { type: array, items: { allOf: [{ type: object }, { required: [__proto__] }] } }
      patternProperties: { ^x: { type: object, properties: { __proto__: {} } } }
`

const start = async (t: Test) => {
  const seen: unknown[] = []
  const keep = async ({ body }: { body: unknown }) => {
    seen.push(body)
    return { status: 204 }
  }
  const handlers = { free: keep, any: keep, merge: keep, look: keep, listed: keep }
  const { app } = await serve(t, paths, handlers, '3.1.0', components)
  const send = async (url: string, payload: string, type = 'application/json') => {
    const method = type.includes('merge') ? 'PATCH' : 'POST'
    const res = await app.inject({ method, url, payload, headers: { 'content-type': type } })
    return res.statusCode === 204 ? 204 : [res.statusCode, res.json().message]
  }
  const get = async (query: string, headers = {}) => {
    const res = await app.inject({ url: `/any?${query}`, headers })
    return res.statusCode === 204 ? 204 : [res.statusCode, res.json().message]
  }
  return { app, seen, send, get }
}

const refused = (where: string, name = '__proto__') => [400, `${where} must not have the name "${name}".`]

t.test('no JSON body has names that would change a prototype when it is copied', async t => {
  const { app, seen, send } = await start(t)
  const escaped = [...'__proto__'].map(each => `\\u00${each.charCodeAt(0).toString(16)}`).join('')
  for (const [text, where, name] of [
    ['{"__proto__":{"admin":true}}', 'body'],
    ['{"__proto__":null}', 'body'],
    ['{"__pr\\u006fto__":1}', 'body'],
    ['{"__pr\\u006Fto__":1}', 'body'],
    [`{"${escaped}":1}`, 'body'],
    ['{"a":{"b":[1,{"__proto__" : 1}]}}', 'body.a.b[1]'],
    ['{"constructor":{"prototype":{"admin":true}}}', 'body.constructor', 'prototype'],
    ['{"a":[{"c\\u006fnstructor":{"a":1,"prot\\u006ftype":1}}]}', 'body.a[0].constructor', 'prototype'],
    [`${'{"a":'.repeat(400)}{"__proto__":1}${'}'.repeat(400)}`, `body${'.a'.repeat(400)}`],
    ['{"id":9007199254740993,"__proto__":1}', 'body'],
    [`{"id":9007199254740993,"a":"${'a'.repeat(5000)}","b":{"__proto__":1}}`, 'body.b']
  ] as const) {
    for (const url of ['/free', '/any', '/listed'])
      if (!(url === '/listed' && (where === 'body' || where === 'body.constructor')))
        t.strictSame(await send(url, text), refused(where, name), `${url} ${text.slice(0, 80)}`)
    t.strictSame(await send('/any', text, 'application/merge-patch+json'), refused(where, name), text.slice(0, 80))
  }
  t.strictSame(await send('/any', '[{"__proto__":1}]'), refused('body[0]'))
  const headers = { 'content-type': 'application/json' }
  const res = await app.inject({ method: 'POST', url: '/free', payload: '{"a":{"__proto__":1}}', headers })
  t.match(res.json(), { status: 400, code: 'invalid_request' })
  t.strictSame(seen, [])
})

t.test('texts that are not names, and harmless names, are accepted', async t => {
  const { seen, send } = await start(t)
  for (const value of [
    { name: '__proto__', constructor: 'Ferrari', prototype: { a: 1 } },
    { constructor: { name: 'Ferrari', of: { prototype: 1 } } },
    { constructor: [{ prototype: 1 }], toString: 1 },
    { a: ['__proto__', 'constructor'], proto: 1, __proto: 2, 'a"__proto__': 3 },
    { constructor: null, a: '\u0061' }
  ]) {
    for (const url of ['/free', '/any']) {
      t.equal(await send(url, JSON.stringify(value)), 204)
      t.equal(JSON.stringify(seen.pop()), JSON.stringify(value))
    }
  }
  t.equal(await send('/free', '{"constructor":{"id":1},"id":9007199254740993}'), 204)
  t.equal((seen.pop() as { id: bigint }).id, 9007199254740993n)
})

t.test('forms and parameters do not have them either', async t => {
  const { seen, send, get } = await start(t)
  const form = 'application/x-www-form-urlencoded'
  t.strictSame(await send('/any', 'a=1&__proto__=1', form), refused('body'))
  t.strictSame(await send('/any', 'a=1&%5f_proto__=%7B%22a%22:1%7D', form), refused('body'))
  t.strictSame(await send('/any', 'constructor=1&a=__proto__', form), 204)
  const part = (name: string, content: string, type = 'text/plain') =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`
  const multipart = (...parts: string[]) =>
    send('/any', `${parts.join('')}--x--\r\n`, 'multipart/form-data; boundary=x')
  t.strictSame(await multipart(part('__proto__', 'a')), refused('body'))
  t.strictSame(await multipart(part('a', '{"__proto__":1}', 'application/json')), refused('body.a'))
  t.strictSame(await multipart(part('a', '{"b":"__proto__"}', 'application/json')), 204)
  seen.length = 0
  for (const [query, where, name] of [
    ['deep[__proto__][a]=1', 'deep'],
    ['deep[a][__proto__]=1', 'deep.a'],
    ['deep[constructor][prototype][a]=1', 'deep.constructor', 'prototype'],
    ['__proto__=1', 'flat'],
    [`json=${encodeURIComponent('{"a":{"__pr\\u006fto__":1}}')}`, 'json.a']
  ] as const)
    t.strictSame(await get(query), refused(`query parameter ${where}`, name), query)
  t.strictSame(await get('', { 'x-json': '[{"__proto__":1}]' }), refused('header X-Json[0]'))
  t.strictSame(await get('', { 'x-flat': '__proto__=1' }), refused('header X-Flat'))
  t.strictSame(seen, [])
  t.equal(await get('deep[constructor]=1&json=%22__proto__%22'), 204)
})

t.test('a contract may list them, and only there are they accepted', async t => {
  const { seen, send } = await start(t)
  for (const text of [
    '{"__proto__":1}',
    '{"__pr\\u006fto__":1}',
    '{"constructor":{"prototype":"a"}}',
    '{"next":{"next":{"__proto__":1}}}',
    '{"some":[{"__proto__":{"a":1}}]}',
    '{"x1":{"__proto__":{"a":1}}}'
  ]) {
    t.equal(await send('/listed', text), 204, text)
    t.equal(JSON.stringify(seen.pop()), JSON.stringify(JSON.parse(text)))
  }
  for (const [text, where, name] of [
    ['{"free":{"__proto__":1}}', 'body.free'],
    ['{"next":{"free":[{"__proto__":1}]}}', 'body.next.free[0]'],
    ['{"constructor":{"constructor":{"prototype":1}}}', 'body.constructor.constructor', 'prototype'],
    ['{"some":[{"__proto__":{"__proto__":1}}]}', 'body.some[0].__proto__']
  ] as const)
    t.strictSame(await send('/listed', text), refused(where, name), text)
  t.match(await send('/listed', '{"__proto__":"a"}'), [400, 'body.__proto__ must be an integer, not "a".'])
})
