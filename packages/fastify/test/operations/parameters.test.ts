import t, { type Test } from 'tap'
import { serve } from './serve.ts'

const paths = `/all:
  get:
    operationId: all
    parameters:
      - { name: filter, in: query, style: deepObject, schema: { type: object, properties: { size: { type: object, properties: { gte: { type: integer } } }, tags: { type: array, items: { type: string } } } } }
      - { name: expand, in: query, style: deepObject, explode: true, schema: { type: array, items: { type: string } } }
      - { name: lists, in: query, style: deepObject, schema: { type: object, properties: { ref: { $ref: '#/components/schemas/Tags' }, all: { allOf: [{ type: array, items: { type: integer } }, { maxItems: 2 }] }, or: { anyOf: [{ type: integer }, { type: array, items: { type: string } }] }, 'null': { type: [array, 'null'], items: { type: integer } } }, additionalProperties: { $ref: '#/components/schemas/Tags' } } }
      - { name: created, in: query, style: deepObject, schema: { anyOf: [{ type: integer }, { type: object, additionalProperties: false, properties: { gte: { type: integer } } }] } }
      - { name: sort, in: query, schema: { type: object, additionalProperties: false, properties: { since: { type: string } } } }
      - { name: since, in: query, style: deepObject, schema: { type: object, additionalProperties: { type: string } } }
      - { name: pair, in: query, schema: { type: array, prefixItems: [{ type: integer }, { type: string }], items: { type: boolean } } }
      - { name: marks, in: query, style: deepObject, schema: { type: object, patternProperties: { ^n_: { type: integer } }, additionalProperties: { type: string } } }
      - { name: sized, in: query, style: deepObject, schema: { type: object, properties: { kind: { type: string } }, if: { required: [kind] }, then: { properties: { size: { type: integer } } } } }
      - { name: where, in: query, content: { application/json: { schema: { type: object, required: [id], properties: { id: { type: integer, format: int64 } } } } } }
      - { name: url, in: query, allowReserved: true, schema: { type: string } }
      - { name: verbose, in: query, allowEmptyValue: true, schema: { type: boolean } }
      - { name: either, in: query, schema: { oneOf: [{ type: integer }, { type: string, enum: [now, '5'] }] } }
      - { name: maybe, in: query, schema: { type: [integer, 'null'] } }
      - { name: has, in: query, schema: { oneOf: [{ type: string }, { type: array, items: { type: string, enum: [patch] } }] } }
      - { name: or, in: query, explode: false, schema: { anyOf: [{ type: string, enum: [all] }, { type: array, items: { type: string } }] } }
      - { name: ids, in: query, explode: false, schema: { type: array, items: { type: integer, format: int64 } } }
      - { name: bars, in: query, style: pipeDelimited, explode: false, schema: { type: array, items: { type: integer } } }
      - { name: place, in: query, schema: { type: object, properties: { city: { type: string } } } }
      - { name: X-Ids, in: header, schema: { type: array, items: { type: integer } } }
      - { name: X-Where, in: header, content: { application/json: { schema: { type: object } } } }
      - { name: session, in: cookie, schema: { type: integer } }
    responses: { '204': { description: done } }
/node:
  get:
    operationId: node
    parameters: [{ name: node, in: query, style: deepObject, schema: { $ref: '#/components/schemas/Node' } }]
    responses: { '204': { description: done } }
`
const components = `components:
  schemas:
    Tags: { type: array, items: { type: string } }
    Node: { type: object, additionalProperties: false, properties: { id: { type: integer }, next: { $ref: '#/components/schemas/Node' } } }
`

const start = async (t: Test) => {
  let seen: Record<string, unknown> = {}
  const keep = async (input: Record<string, unknown>) => {
    seen = input
    return { status: 204 }
  }
  const { app } = await serve(t, paths, { all: keep, node: keep }, '3.1.0', components)
  return async (query: string, headers: Record<string, string> = {}, path = '/all') => {
    const res = await app.inject({ url: `${path}?${query}`, headers })
    return res.statusCode === 204 ? seen : `${res.statusCode} ${res.json().message}`
  }
}

t.test('parameters have the types of their schemas in handlers', async t => {
  const get = await start(t)
  for (const [query, expected] of [
    ['', {}],
    [
      'filter[size][gte]=5&filter%5Btags%5D%5B%5D=a&filter[tags][]=b',
      { filter: { size: { gte: 5 }, tags: ['a', 'b'] } }
    ],
    ['filter[tags]=a', { filter: { tags: ['a'] } }],
    ['filter[tags]=a&filter[tags]=b', { filter: { tags: ['a', 'b'] } }],
    ['expand=a', { expand: ['a'] }],
    ['expand=a&expand=b', { expand: ['a', 'b'] }],
    ['lists[ref]=a&lists[all]=1&lists[or]=1&lists[null]=null', { lists: { ref: ['a'], all: [1], or: 1, null: null } }],
    ['lists[or]=x&lists[null]=2&lists[own]=a', { lists: { or: ['x'], null: [2], own: ['a'] } }],
    ['since[gt]=1', { since: { gt: '1' } }],
    ['expand[]=a&expand[]=b', { expand: ['a', 'b'] }],
    ['expand[1]=b&expand[0]=a', { expand: ['a', 'b'] }],
    ['has=a', { has: 'a' }],
    ['has=patch&has=patch', { has: ['patch', 'patch'] }],
    ['or=all', { or: 'all' }],
    ['or=b', { or: ['b'] }],
    ['created=5', { created: 5 }],
    ['created[gte]=5', { created: { gte: 5 } }],
    ['since[gt]=1&since=asc', { since: { gt: '1' }, sort: { since: 'asc' } }],
    ['pair=1&pair=2&pair=true', { pair: [1, '2', true] }],
    ['marks[n_a]=1&marks[b]=1', { marks: { n_a: 1, b: '1' } }],
    ['sized[kind]=a&sized[size]=5', { sized: { kind: 'a', size: 5 } }],
    ['where=%7B%22id%22:9007199254740993%7D', { where: { id: 9007199254740993n } }],
    ['url=http://a.b/?c=d+e', { url: 'http://a.b/?c=d+e' }],
    ['verbose', {}],
    ['verbose=true', { verbose: true }],
    ['either=6&maybe=null', { either: 6, maybe: null }],
    ['either=5&maybe=7', { either: '5', maybe: 7 }],
    ['ids=1,9007199254740993', { ids: [1n, 9007199254740993n] }],
    ['city=a+b', { place: { city: 'a b' } }]
  ] as const) {
    const seen = await get(query)
    t.strictSame(typeof seen === 'string' ? seen : seen.query, expected, query)
  }
  const seen = await get('', { 'x-ids': '1, 2', 'x-where': '{"a":1}', cookie: 'other=%zz; session=5' })
  t.match(seen, { headers: { 'X-Ids': [1, 2], 'X-Where': { a: 1 } }, cookies: { session: 5 } })
  t.match(await get('node[next][next][id]=5', {}, '/node'), { query: { node: { next: { next: { id: 5 } } } } })
})

t.test('one message names everything that is wrong with parameters', async t => {
  const get = await start(t)
  for (const [query, message, headers = {}] of [
    ['other=1', 'query parameter "other" is unknown; known: '],
    ['__proto__=1', 'query parameter "__proto__" is unknown; known: '],
    ['filter[size][gte]=x', 'query parameter filter.size.gte must be an integer in plain decimal digits, not "x".'],
    // The client's own `toString` is no function, so that the object has no text.
    [
      'filter[size][gte][toString]=9007199254740992',
      'query parameter filter.size.gte must be an integer in plain decimal digits, not an object.'
    ],
    ['filter[__proto__][a]=1&filter[constructor]=2', 'query parameter filter must not have the name "__proto__".'],
    ['filter=x', 'query parameter filter must be an object, not "x".'],
    ['filter[size=1', 'query parameter "filter[size" must have its keys in brackets: filter[key].'],
    [
      'filter[size]=1&filter[size][gte]=1',
      'query parameter filter[size] occurs both as a value and with keys in brackets.'
    ],
    ['expand[0]=a&expand[2]=b', 'query parameter expand must number its items from 0 without gaps; there is no 1.'],
    ['expand[4294967295]=a', 'query parameter expand must number its items from 0 without gaps; there is no 0.'],
    ['created=1&created=2', 'query parameter created occurs more than once.'],
    ['where={', 'query parameter where must be JSON: '],
    ['where={}', 'query parameter where.id is required.'],
    ['where=1&where=2', 'query parameter where occurs more than once.'],
    ['verbose=1', 'query parameter verbose must be a boolean, not "1".'],
    ['ids=1&ids=2', 'query parameter ids occurs more than once; its items are written as ids=a,b.'],
    ['bars=1&bars=2', 'query parameter bars occurs more than once; its items are written as bars=a|b.'],
    ['ids=1,x', 'query parameter ids[1] must be an integer in plain decimal digits, not "x".'],
    ['city=a&city=b', 'query parameter city occurs more than once.'],
    ['', 'header X-Ids[1] must be an integer in plain decimal digits, not "b".', { 'x-ids': '1,b' }],
    ['', 'header X-Where must be JSON: ', { 'x-where': '{' }],
    ['', 'cookie session must be an integer in plain decimal digits, not "x".', { cookie: 'session=x' }],
    ['', 'cookie session occurs more than once.', { cookie: 'session=1; session=2' }],
    ['verbose=1', 'query parameter verbose must be a boolean, not "1"; cookie session must be', { cookie: 'session=x' }]
  ] as const) {
    const seen = await get(query, headers)
    t.equal(typeof seen === 'string' ? seen.slice(0, message.length + 4) : seen, `400 ${message}`, query)
  }
})

t.test('messages name path parameters as the contract does, whatever the router takes', async t => {
  const paths = `/a:b/{file-name}/{no.}.{x}:
  get:
    operationId: file
    parameters:
      - { name: file-name, in: path, required: true, schema: { type: string, maxLength: 2 } }
      - { name: 'no.', in: path, required: true, schema: { type: integer } }
      - { name: x, in: path, required: true, schema: { type: integer } }
    responses: { '204': { description: done } }
/lists/{all-ids}:
  get:
    operationId: list
    parameters: [{ name: all-ids, in: path, required: true, schema: { type: array, items: { type: integer, maximum: 9 } } }]
    responses: { '204': { description: done } }
`
  const { app } = await serve(t, paths, { file: async () => ({ status: 204 }), list: async () => ({ status: 204 }) })
  const message = async (url: string) => (await app.inject(url)).json().message
  t.equal(
    await message('/a:b/abc/x.y'),
    'path parameter file-name must have at most 2 characters; path parameter no. must be an integer in plain decimal digits, not "x"; path parameter x must be an integer in plain decimal digits, not "y".'
  )
  t.equal(await message('/lists/1,10'), 'path parameter all-ids[1] must be at most 9, not 10.')
  t.equal((await app.inject('/a:b/ab/1.2')).statusCode, 204)
})

t.test('parameters may have any name, even __proto__', async t => {
  const paths = `/a/{__proto__}/{constructor}:
  get:
    operationId: named
    parameters:
      - { name: __proto__, in: path, required: true, schema: { type: integer } }
      - { name: constructor, in: path, required: true, schema: { type: integer } }
      - { name: __proto__, in: query, schema: { type: integer } }
      - { name: constructor, in: query, schema: { type: integer } }
      - { name: __proto__, in: cookie, schema: { type: integer } }
    responses: { '204': { description: done } }
`
  let seen: Record<string, object> = {}
  const named = async (input: Record<string, object>) => {
    seen = input
    return { status: 204 }
  }
  const { app } = await serve(t, paths, { named })
  const get = async (url: string, cookie = '') => {
    const res = await app.inject({ url, headers: { cookie } })
    return res.statusCode === 204 ? 204 : res.json().message
  }
  t.equal(await get('/a/1/2?__proto__=3&constructor=4', '__proto__=5'), 204)
  const { params, query, cookies } = seen
  t.strictSame(Object.values(params ?? {}), [1, 2])
  t.strictSame(Object.entries(query ?? {}), [
    ['__proto__', 3],
    ['constructor', 4]
  ])
  t.strictSame(Object.entries(cookies ?? {}), [['__proto__', 5]])
  t.equal(await get('/a/x/2'), 'path parameter __proto__ must be an integer in plain decimal digits, not "x".')
  t.equal(
    await get('/a/1/2?__proto__=x'),
    'query parameter __proto__ must be an integer in plain decimal digits, not "x".'
  )
  t.equal(await get('/a/1/2?__proto__=1&__proto__=1'), 'query parameter __proto__ occurs more than once.')
})

t.test('where a style depends on the type, properties without a type describe an object', async t => {
  const schema = '{ properties: { x: { type: integer } } }'
  const paths = `/a/{p}:
  get:
    operationId: untyped
    parameters:
      - { name: p, in: path, required: true, schema: ${schema} }
      - { name: q, in: query, schema: ${schema} }
      - { name: d, in: query, style: deepObject, schema: ${schema} }
      - { name: h, in: header, schema: ${schema} }
    responses: { '204': { description: done } }
`
  const { app } = await serve(t, paths, { untyped: async () => ({ status: 204 }) })
  const get = async (url: string, h = 'x,1') => {
    const res = await app.inject({ url, headers: { h } })
    return res.statusCode === 204 ? 204 : res.json().message
  }
  t.equal(await get('/a/x,1?x=1&d[x]=1'), 204)
  t.equal(await get('/a/x'), 'path parameter p must be written as name,value,…, not "x".')
  t.equal(await get('/a/x,1?q=a'), 'query parameter "q" is unknown; known: d, x.')
  t.equal(await get('/a/x,1?d=a'), 'query parameter d must be an object, not "a".')
  t.equal(await get('/a/x,1?d[x]=a'), 'query parameter d.x must be an integer in plain decimal digits, not "a".')
})
