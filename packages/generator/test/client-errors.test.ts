import { createServer } from 'node:net'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import t, { type Test } from 'tap'
import { ClientError, createClient } from '../../../generated/client.ts'
import { petstore } from '../../../test/petstore.ts'
import { apiKey, derivedClient, errorOf, json, serve, service } from './clients.ts'

const { contract } = petstore

/** The error of `listPets` for a response. */
const listing = async (
  t: Test,
  ...[body, options]: [unknown, { status?: number; headers?: Record<string, string> }?]
) => {
  const { origin } = await serve(t, (_request, response) => json(response, body, options))
  return errorOf(createClient({ baseUrl: `${origin}/v1` }).listPets())
}

t.test('a status that the contract does not declare', async t => {
  const baseUrl = await service(t)
  const error = await errorOf(createClient({ baseUrl: baseUrl.replace('/v1', '/v2'), apiKey }).listPets())
  t.match(error, {
    operationId: 'listPets',
    kind: 'undeclared-status',
    status: 404,
    body: { code: 'path_not_found', message: 'Nothing exists at /v2/pets.', status: 404 },
    message: 'listPets got 404 path_not_found, which the contract does not declare: Nothing exists at /v2/pets.'
  })
  t.strictSame(JSON.parse(error.text ?? ''), error.body)
  t.equal(error.response?.headers.get('content-type'), 'application/json')
})

t.test('the error for an undeclared status has the text of the response, whatever its form', async t => {
  const message = async (body: unknown, type = 'application/json') => {
    const error = await listing(t, body, { status: 502, headers: { 'content-type': type } })
    t.match(error, { kind: 'undeclared-status', status: 502 })
    return error.message.replace('listPets got 502, which the contract does not declare', '')
  }
  t.equal(await message(''), '')
  t.equal(await message('Bad\n\n  Gateway\n', 'text/plain'), ': Bad Gateway')
  t.equal(await message({ title: 'Bad', detail: 'No backend' }, 'application/problem+json'), ': No backend')
  t.equal(await message({ title: 'Bad' }), ': Bad')
  t.equal(await message({ message: 5, code: 6 }), ': {"message":5,"code":6}')
  t.equal(await message(null), ': null')
  t.equal(await message('x'.repeat(500)), `: ${'x'.repeat(200)}…`)
})

t.test('no response at all', async t => {
  const server = createServer(socket => socket.destroy())
  const baseUrl = await new Promise<string>(resolve =>
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as { port: number }).port}`))
  )
  const broken = await errorOf(createClient({ baseUrl, retries: false }).getPet({ petId: 1 }))
  await new Promise(resolve => server.close(resolve))
  const refused = await errorOf(createClient({ baseUrl, retries: false }).listPets({ cursor: 'secret' }))
  t.match(broken, { operationId: 'getPet', kind: 'network', status: undefined, body: undefined, text: undefined })
  t.equal(broken.message, `getPet got no response from ${baseUrl}/pets/1: fetch failed: other side closed`)
  t.match(refused, { operationId: 'listPets', kind: 'network', cause: TypeError })
  t.match(
    refused.message,
    `listPets got no response from ${baseUrl}/pets: fetch failed: connect ECONNREFUSED 127.0.0.1`
  )
})

t.test('a response that is cut off', async t => {
  const { origin } = await serve(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
    response.write('[', () => response.destroy())
  })
  const error = await errorOf(createClient({ baseUrl: origin, retries: false }).listPets())
  t.match(error, { kind: 'network', status: 200, text: '' })
  t.match(error.message, /^listPets got 200, but the response broke off: terminated: /)
})

t.test('if a custom fetch throws, there is no response either', async t => {
  const offline = async () => {
    throw 'offline'
  }
  const error = await errorOf(
    createClient({ baseUrl: 'https://animals.example', fetch: offline, retries: false }).listPets()
  )
  t.match(error, { kind: 'network', cause: 'offline' })
  t.equal(error.message, 'listPets got no response from https://animals.example/pets: offline')
})

t.test('no complete response within the timeout of the client or of the call', async t => {
  const { origin } = await serve(t, (request, response) => {
    if (request.url === '/pets/1') response.writeHead(200, { 'content-type': 'application/json' }).write('{')
  })
  const client = createClient({ baseUrl: origin, timeoutMs: 20 })
  t.match(await errorOf(client.getPet({ petId: 1 })), {
    operationId: 'getPet',
    kind: 'timeout',
    message: `getPet got no complete response from ${origin}/pets/1 within 20 ms`
  })
  const { message } = await errorOf(client.listPets({ status: 'sold' }, { timeoutMs: 5 }))
  t.equal(message, `listPets got no complete response from ${origin}/pets within 5 ms`)
  const hanging = createClient({ baseUrl: origin, timeoutMs: 5, apiKey: () => new Promise(() => {}) })
  t.match(await errorOf(hanging.listPets()), { kind: 'timeout' }, 'the time to get the key counts, too')
})

t.test('an invalid timeout is refused, and an infinite one is accepted', async t => {
  const client = createClient({ baseUrl: await service(t), apiKey })
  for (const timeoutMs of [0, -1, Number.NaN]) {
    const error = await errorOf(client.listPets({}, { timeoutMs }))
    t.match(error, { kind: 'invalid-input', message: /^listPets cannot be called: timeoutMs is / })
  }
  for (const timeoutMs of [2 ** 40, Number.POSITIVE_INFINITY])
    t.equal((await client.listPets({}, { timeoutMs })).status, 200)
})

t.test('a body that is not JSON', async t => {
  const html = '<!doctype html>\n<title>Sign in</title>'
  const page = await listing(t, html, { headers: { 'content-type': 'text/html; charset=utf-8' } })
  t.match(page, { kind: 'not-json', status: 200, text: html, body: undefined })
  t.equal(
    page.message,
    'listPets got 200 with text/html; charset=utf-8 instead of application/json: <!doctype html> <title>Sign in</title>'
  )
  const broken = await listing(t, '[{"id": 1,')
  t.match(broken, { kind: 'not-json', status: 200, text: '[{"id": 1,', cause: SyntaxError })
  t.equal(broken.message, 'listPets got 200 with a body that is not JSON: [{"id": 1,')
  const lying = await listing(t, html)
  t.match(lying, { kind: 'not-json', message: /^listPets got 200 with a body that is not JSON: <!doctype/ })
  const unavailable = await listing(t, html, { status: 503, headers: { 'content-type': 'text/html' } })
  t.match(unavailable, { kind: 'not-json', status: 503 }, 'even for a declared error status, as from a proxy')
})

t.test('an empty body, or one of another type, where JSON is declared', async t => {
  const message = 'listPets got 200 with an empty body instead of JSON'
  t.match(await listing(t, ''), { kind: 'not-json', status: 200, text: '', body: undefined, message })
  t.match(await listing(t, ' \n'), { kind: 'not-json', message })
  const text = await listing(t, '[]', { headers: { 'content-type': 'text/plain' } })
  t.match(text, { kind: 'not-json', body: [], text: '[]' })
  const untyped = createClient({
    baseUrl: 'https://animals.example',
    fetch: async () => new Response(new TextEncoder().encode('[]'))
  })
  t.match(await errorOf(untyped.listPets()), {
    message: 'listPets got 200 with no content type instead of application/json: []'
  })
  const nested = `${'['.repeat(1e5)}1e1${']'.repeat(1e5)}`
  t.match(await listing(t, nested), { kind: 'not-json', cause: RangeError }, 'the nesting is too deep to be read')
})

t.test('a media type may have parameters, and is case-insensitive', async t => {
  const { origin } = await serve(t, (_request, response) =>
    json(response, [], { headers: { 'content-type': 'Application/JSON ;charset=UTF-8' } })
  )
  t.strictSame((await createClient({ baseUrl: origin }).listPets()).body, [])
})

t.test('if no body is declared, the result has none', async t => {
  const create = await derivedClient(t, 'responses')
  const responses: [number, string][] = [
    [204, ''],
    [304, ''],
    [404, '{"code":"a"}'],
    [500, '"worse"'],
    [300, 'null']
  ]
  const { origin } = await serve(t, ({ url }, response) => {
    const [status, body] = responses[Number(url.split('=')[1])] ?? [500, '']
    json(response, body, { status })
  })
  const calls = responses.map((_response, index) =>
    create({
      baseUrl: origin,
      fetch: request => fetch(`${origin}/?index=${index}`, { method: request.method, redirect: request.redirect })
    }).addThing()
  )
  t.strictSame(
    (await Promise.all(calls)).map(({ status, body }) => [status, body]),
    [
      [204, undefined],
      [304, undefined],
      [404, { code: 'a' }],
      [500, 'worse'],
      [300, null]
    ]
  )
})

t.test('with the option, a body that violates the contract is an error', async t => {
  const ajv = formats.default(new Ajv2020())
  const validate = (schema: object, body: unknown) => (ajv.validate(schema, body) ? undefined : ajv.errorsText())
  const fine = contract.components.examples.Rex.value
  const bodies: Record<string, unknown> = {
    '/pets/1': fine,
    '/pets/2': { ...fine, name: 5, id: undefined },
    '/pets/3': { ...fine, since: '2026-11-20' }
  }
  const { origin } = await serve(t, ({ url }, response) => json(response, bodies[url]))
  const client = createClient({ baseUrl: origin, validate })
  t.strictSame((await client.getPet({ petId: 1 })).body, fine)
  t.match(await errorOf(client.getPet({ petId: 2 })), {
    kind: 'invalid-body',
    status: 200,
    body: { name: 5 },
    message: "getPet got 200 with a body that breaks the contract: data must have required property 'id'"
  })
  t.match((await client.getPet({ petId: 3 })).body, { since: '2026-11-20' }, 'additional fields are allowed')
  t.match(
    (await createClient({ baseUrl: origin }).getPet({ petId: 2 })).body,
    { name: 5 },
    'without the option, nothing is validated'
  )
  const exact = createClient({ baseUrl: await service(t), apiKey, validate, int64: 'bigint' })
  const { body } = await exact.createPet({ body: { name: 'Rex', categoryId: 2n ** 63n - 1n } })
  t.match(body, { categoryId: 2n ** 63n - 1n })
  t.equal((await exact.listPets()).status, 200)
  t.equal((await exact.getPet({ petId: 9n })).status, 404)
})

t.test('response schemas have ranges, and omit properties that are only written', async t => {
  const ajv = new Ajv2020()
  const validate = (schema: object, body: unknown) => (ajv.validate(schema, body) ? undefined : ajv.errorsText())
  let next: [number, unknown] = [201, { a: 1, b: 2 }]
  const { origin } = await serve(t, (_request, response) => json(response, next[1], { status: next[0] }))
  const { addThing } = (await derivedClient(t, 'responses'))({ baseUrl: origin, validate })
  t.match(await addThing(), { status: 201 })
  next = [404, { code: 5 }]
  t.match(await errorOf(addThing()), { kind: 'invalid-body', status: 404 })
  next = [500, '"text"']
  t.match(await addThing(), { status: 500, body: 'text' })
  const written = (await derivedClient(t, 'readonly-and-writeonly'))({ baseUrl: origin, validate })
  next = [200, { id: 1, name: 'a', inner: { at: 'now' } }]
  t.match(await written.addThing({ body: { name: 'a', secret: 'b' } }), { status: 200 })
})

t.test('beside a declared success, default is not for another one', async t => {
  const { origin } = await serve(t, (_request, response) => json(response, '"worse"', { status: 202 }))
  const { addThing } = (await derivedClient(t, 'responses'))({ baseUrl: origin })
  t.match(await errorOf(addThing()), { kind: 'undeclared-status', status: 202 })
})

t.test('a redirect is followed for a GET alone', async t => {
  const { origin, all } = await serve(t, ({ method, url }, response) => {
    if (url.startsWith('/new')) return json(response, method === 'GET' ? [] : {})
    response.writeHead(method === 'GET' ? 308 : 307, { location: `/new${url}` }).end()
  })
  const client = createClient({ baseUrl: `${origin}/v1` })
  t.strictSame((await client.listPets()).body, [])
  t.match(await errorOf(client.createPet({ body: { name: 'Rex', categoryId: 1 } })), {
    kind: 'undeclared-status',
    status: 307,
    message: 'createPet got 307, which the contract does not declare: it leads to /new/v1/pets'
  })
  t.strictSame(
    all.map(({ method, url }) => `${method} ${url}`),
    ['GET /v1/pets', 'GET /new/v1/pets', 'POST /v1/pets']
  )
})

t.test('a 304 is not a redirect', async t => {
  const { origin } = await serve(t, ({ url, headers }, response) => {
    if (headers['if-none-match'] !== undefined) return response.writeHead(304).end()
    if (url === '/thing') return response.writeHead(302, { location: '/there' }).end()
    json(response, 5)
  })
  const { getThing } = (await derivedClient(t, 'lists'))({ baseUrl: origin })
  t.match(await getThing(), { status: 200, body: 5 })
  t.match(await getThing({}, { headers: { 'If-None-Match': '"a"' } }), { status: 304, body: undefined })
})

t.test('a response without a status is an undeclared one', async t => {
  const { addThing } = (await derivedClient(t, 'responses'))({
    baseUrl: 'https://things.example',
    fetch: async () => Response.error()
  })
  t.match(await errorOf(addThing()), { kind: 'undeclared-status', status: 0 })
})

t.test('a redirect that the contract declares is a result', async t => {
  const { origin, all } = await serve(t, (_request, response) => response.writeHead(302, { location: '/there' }).end())
  const { status, body, headers } = await (await derivedClient(t, 'lists'))({ baseUrl: origin }).getMoved()
  t.strictSame([status, body, headers.get('location'), all.length], [302, undefined, '/there', 1])
})

t.test('a redirect to another origin does not get the key', async t => {
  const other = await serve(t, (_request, response) => json(response, []))
  const { origin } = await serve(t, ({ url }, response) =>
    response.writeHead(307, { location: `${other.origin}${url}` }).end()
  )
  await createClient({ baseUrl: origin, apiKey }).listPets()
  t.strictSame(
    other.all.map(({ headers }) => headers.authorization),
    [undefined]
  )
})

t.test('the details of an error are optional', async t => {
  const error = new ClientError('listPets', 'network', 'got nothing')
  t.equal(error.message, 'listPets got nothing')
  t.strictSame([error.status, error.body, error.text, error.response, error.cause], Array(5).fill(undefined))
})
