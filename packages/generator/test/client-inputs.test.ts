import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import t from 'tap'
import { createClient } from '../../../generated/client.ts'
import { derive } from '../src/generate.ts'
import { Report } from '../src/problems.ts'
import { createClientIn, derivedClient, errorOf, serve } from './clients.ts'

const message = async (call: Promise<unknown>) => {
  const { kind, message } = await errorOf(call)
  t.equal(kind, 'invalid-input')
  return message
}

t.test('each input is sent where the contract declares it', async t => {
  const { origin, all } = await serve(t, (_request, response) => response.writeHead(204).end())
  const find = (await derivedClient(t, 'parameters'))({ baseUrl: origin })['find thing: by id!']
  await find?.({
    'thing-id': -5,
    'owner.id': 'a/b?c#d%e ü&',
    class: 'a',
    limit: 1,
    tags: ['a,b', 'c&d', ''],
    ids: [1, 2],
    'filter[name]': false,
    'query_thing-id': 1.5,
    'X-Trace': 'a b'
  })
  t.strictSame(
    all.map(({ method, url, headers }) => [method, url, headers['x-trace'], headers['content-type']]),
    [
      [
        'GET',
        '/things/-5/of/a%2Fb%3Fc%23d%25e%20%C3%BC%26/a' +
          '?limit=1&tags=a%2Cb&tags=c%26d&tags=&ids=1,2&filter%5Bname%5D=false&thing-id=1.5',
        'a b',
        undefined
      ]
    ]
  )
})

t.test('undefined and empty arrays are not sent', async t => {
  const { origin, all } = await serve(t, (_request, response) => response.writeHead(204).end())
  const find = (await derivedClient(t, 'parameters'))({ baseUrl: origin })['find thing: by id!']
  await find?.({
    'thing-id': 1n,
    'owner.id': 'b',
    class: 'a',
    limit: undefined,
    tags: [],
    ids: [],
    'X-Trace': undefined
  })
  t.equal(all[0]?.url, '/things/1/of/b/a')
})

t.test('inputs of the same name are distinguished by their places', async t => {
  const { origin, all } = await serve(t, (_request, response) => response.writeHead(204).end())
  const create = await derivedClient(t, 'inputs-called-alike')
  const client = create({ baseUrl: origin, fetchCredential: 'a' })
  await client.putThing({
    id: 'path',
    path_body: 'b',
    query_id: true,
    query_query_id: 'query',
    header_id: 1,
    header_header_id: 'header',
    'a&b=c': ['d=e', 'f'],
    many: [9007199254740993n, 2],
    ['__proto__']: 'p',
    body: 'text'
  })
  const [{ method, url, headers, body } = { method: '', url: '', headers: {}, body: '' }] = all
  t.equal(
    `${method} ${url}`,
    'PUT /things/path/b?id=true&query_id=query&a%26b%3Dc=d%3De&a%26b%3Dc=f&many=9007199254740993,2&__proto__=p'
  )
  t.match(headers, { id: '1', header_id: 'header', authorization: 'Bearer a', 'content-type': 'application/json' })
  t.equal(body, '"text"')
})

t.test('an optional body can be omitted', async t => {
  const { origin, all } = await serve(t, (_request, response) => response.writeHead(204).end())
  const { putThing } = (await derivedClient(t, 'inputs-called-alike'))({ baseUrl: origin })
  await putThing({ id: 'a', path_body: 'b' })
  t.equal(all[0]?.body, '')
  t.equal(all[0]?.headers['content-type'], undefined)
})

t.test('a path parameter that would lead elsewhere is refused', async t => {
  const { origin, all } = await serve(t, (_request, response) => response.writeHead(204).end())
  const { putThing } = (await derivedClient(t, 'inputs-called-alike'))({ baseUrl: origin })
  for (const id of ['', '.', '..']) {
    t.equal(
      await message(putThing({ id, path_body: 'b' })),
      `putThing cannot be called: id is "${id}", which would change the path`
    )
  }
  t.match(await message(putThing({ id: 'a' })), 'body is "", which would change the path')
  t.match(await message(putThing({ id: '\ud800', path_body: 'b' })), 'URI malformed')
  t.strictSame(all, [])
  for (const id of ['...', '. ', '%2e%2e', '..\\', '../..']) await putThing({ id, path_body: 'b' })
  t.strictSame(
    all.map(({ url }) => decodeURIComponent(url.split('/')[2] ?? '')),
    ['...', '. ', '%2e%2e', '..\\', '../..']
  )
})

t.test('an unknown input is refused, not ignored', async t => {
  const client = createClient({ baseUrl: 'https://animals.example' })
  const unknown = (input: object) => input as Record<string, never>
  t.equal(
    await message(client.listPets(unknown({ stauts: 'sold' }))),
    'listPets cannot be called: unknown input stauts; it has limit, status, cursor'
  )
  t.match(
    await message(client.createPet(unknown({ name: 'Rex' }) as never)),
    'unknown input name; it has Idempotency-Key, body'
  )
  t.match(await message(client.getPet(unknown({ petId: 1, body: {} }) as never)), 'unknown input body; it has petId')
  t.match(await message(client.listPets(unknown({ toString: 'a' }))), 'unknown input toString')
})

t.test('a value that a parameter cannot have is refused', async t => {
  const client = createClient({ baseUrl: 'https://animals.example' })
  for (const [value, what] of [
    [null, 'null'],
    [{}, 'of type object'],
    [Symbol('a'), 'of type symbol'],
    [[undefined], 'of type undefined']
  ])
    t.match(
      await message(client.listPets({ cursor: value as never })),
      `cursor is ${String(what)}, which is not allowed for a parameter`
    )
  t.match(await message(client.listPets(null as never)), 'listPets cannot be called: ')
})

t.test('what cannot be sent in a request is refused, with the reason', async t => {
  const client = createClient({ baseUrl: 'https://animals.example' })
  t.match(await message(client.listPets({}, { headers: { 'X-Trace': 'ü\u{1f436}' } })), /^listPets cannot be called: ./)
  t.match(await message(client.listPets({}, { headers: { 'a b': 'c' } })), /^listPets cannot be called: ./)
  const circle: { name: string; categoryId: number; self?: object } = { name: 'a', categoryId: 1 }
  circle.self = circle
  t.match(await message(client.createPet({ body: circle })), /^createPet cannot be called: .*circular/)
})

t.test('any text in a path or a query is sent unchanged', async t => {
  const urls: string[] = []
  const { putThing } = (await derivedClient(t, 'inputs-called-alike'))({
    baseUrl: 'https://things.example',
    fetch: async request => {
      urls.push(request.url)
      return new Response(null, { status: 204 })
    }
  })
  const text = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter(each => !/^\.\.?$/.test(each) && each.isWellFormed())
  await fc.assert(
    fc.asyncProperty(text, fc.array(text, { minLength: 1 }), async (id, many) => {
      await putThing({ id, path_body: 'b', 'a&b=c': many })
      const { pathname, searchParams } = new URL(urls.pop() ?? '')
      t.equal(decodeURIComponent(pathname.split('/')[2] ?? ''), id)
      t.strictSame(searchParams.getAll('a&b=c'), many)
    })
  )
})

t.test('operations below other base paths are called beside the base URL, by HEAD and OPTIONS, too', async t => {
  const folder = t.testdir({
    'bells.yaml': `openapi: 3.1.0
info: { title: Bells, version: 1.0.0 }
servers: [{ url: 'https://bells.example/api/v1' }]
paths:
  /bells:
    head: { operationId: headBells, responses: { '204': { description: They are there. } } }
    options: { operationId: askBells, responses: { '200': { description: What they can., content: { application/json: { schema: { type: string } } } } } }
  /mine:
    get: { operationId: getMine, parameters: [{ name: session, in: cookie, required: true, schema: { type: string } }], responses: { '204': { description: It is yours. } } }
  /bells/{id}:
    servers: [{ url: 'https://uploads.bells.example/up/v2' }]
    put: { operationId: putBell, parameters: [{ name: id, in: path, required: true, schema: { type: string } }], responses: { '204': { description: It is there. } } }
  /deep:
    get: { operationId: getDeep, servers: [{ url: /api/v1/deep }], responses: { '204': { description: It is deep. } } }
`
  })
  for (const [name, text] of await derive(join(folder, 'bells.yaml'))) writeFileSync(join(folder, name), text)
  const { origin, all } = await serve(t, (request, response) =>
    request.method === 'OPTIONS'
      ? response.writeHead(200, { 'content-type': 'application/json' }).end('"ring"')
      : response.writeHead(204).end()
  )
  const { createMock } = await import(pathToFileURL(join(folder, 'mock.ts')).href)
  const baseUrl = `${origin}/gateway/api/v1`
  const createClient = await createClientIn(folder)
  for (const options of [{ baseUrl }, { baseUrl, fetch: createMock() }, { baseUrl, fetch: createMock({ baseUrl }) }]) {
    const client = createClient(options) as unknown as Record<string, (input?: object) => Promise<{ status: number }>>
    t.match(await client.headBells?.(), { status: 204 })
    t.match(await client.askBells?.(), { status: 200 })
    t.match(await client.putBell?.({ id: 'big' }), { status: 204 })
    t.match(await client.getDeep?.(), { status: 204 })
    t.match(await client.getMine?.({}), { status: 204 }, 'a browser adds its cookies')
  }
  t.strictSame(
    all.map(({ method, url }) => [method, url]),
    [
      ['HEAD', '/gateway/api/v1/bells'],
      ['OPTIONS', '/gateway/api/v1/bells'],
      ['PUT', '/gateway/up/v2/bells/big'],
      ['GET', '/gateway/api/v1/deep/deep'],
      ['GET', '/gateway/api/v1/mine']
    ]
  )
})

t.test('an operation that the client cannot call is left out, with a warning that says why', async t => {
  for (const [fixture, why] of Object.entries({
    'parameter-style-label': 'cannot send its parameter id'
  })) {
    const report = new Report()
    const files = await derive(join(import.meta.dirname, `fixtures/supported/${fixture}.yaml`), report)
    const messages = report.warnings.map(({ message }) => message)
    t.match(messages.join('\n'), new RegExp(`^work is left out of the client and the mock, which ${why}$`, 'm'))
    for (const file of ['client.ts', 'mock.ts']) t.notMatch(files.get(file), /^ {2}work\b/m, file)
  }
})
