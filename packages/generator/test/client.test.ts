import { getEventListeners } from 'node:events'
import t from 'tap'
import { ClientError, createClient, type Deprecation, isErrorOf } from '../../../generated/client.ts'
import { connect, createPet, getPet, listPets, withValidation } from '../../../generated/client-calls.ts'
import { byDefault, newRex as rex } from '../../../test/animals.ts'
import { apiKey, derivedClient, errorOf, json, serve, service } from './clients.ts'

t.test('each operation returns the responses that the contract declares, distinguished by status', async t => {
  const client = createClient({ baseUrl: await service(t), apiKey })

  const created = await client.createPet({ body: rex })
  t.equal(created.status, 201)
  t.strictSame(created.body, { id: 1, ...rex, ...byDefault })
  t.equal(created.headers.get('location'), 'pets/1')
  t.equal(created.response.status, 201)

  const got = await client.getPet({ petId: 1 })
  t.equal(got.status, 200)
  t.strictSame(got.body, created.body)

  const missing = await client.getPet({ petId: 9 })
  t.equal(missing.status, 404)
  t.strictSame(missing.body, { code: 'pet_not_found', message: 'No pet has id 9.', status: 404 })

  const listed = await client.listPets({ status: 'available', limit: 5, cursor: undefined })
  t.equal(listed.status, 200)
  t.strictSame(listed.body, [created.body])

  const refused = await client.createPet({ body: { ...rex, name: '' } })
  t.equal(refused.status, 400)
  t.match(refused.body, { code: 'invalid_request', message: /^body.name must have at least 1 character/ })
})

t.test('orThrow gives the body of a success, and throws every other response, typed', async t => {
  const baseUrl = await service(t)
  const client = createClient({ baseUrl, apiKey })
  const pet = await client.createPet({ body: rex }).orThrow()
  t.strictSame(await client.getPet({ petId: pet.id }).orThrow(), pet)
  t.strictSame(await client.listPets().orThrow(), [pet])

  const error: unknown = await errorOf(client.getPet({ petId: 9 }).orThrow())
  t.match(error, { kind: 'error-status', message: 'getPet got 404 pet_not_found: No pet has id 9.' })
  t.ok(error instanceof ClientError)
  t.ok(isErrorOf('getPet', error))
  if (isErrorOf('getPet', error) && error.status === 404) t.equal(error.body.code, 'pet_not_found')
  t.notOk(isErrorOf('listPets', error))
  t.notOk(isErrorOf('getPet', new Error('another')))
  t.notOk(isErrorOf('getPet', await errorOf(client.getPet({ petId: 9 }, { timeoutMs: -1 }))))

  t.match(await errorOf(createClient({ baseUrl }).listPets().page()), { kind: 'error-status', status: 401 })
})

t.test('a function for each operation takes the connection first, and is otherwise that of the client', async t => {
  const baseUrl = await service(t)
  const connection = connect({ baseUrl, apiKey, int64: 'bigint' })
  const pet = await createPet(connection, { body: { ...rex, categoryId: 2n ** 60n } }).orThrow()
  t.equal(pet.categoryId satisfies bigint, 2n ** 60n)
  const names = []
  for await (const { name } of listPets(connection)) names.push(name)
  t.strictSame(names, [rex.name])
  const error = await errorOf(getPet(connect({ baseUrl, apiKey }), { petId: 9 }).orThrow())
  t.ok(isErrorOf('getPet', error) && error.status === 404)
  const wary = withValidation(connection, (_schema, body) => `a complaint about ${(body as { id: number }).id}`)
  t.match(await errorOf(getPet(wary, { petId: 1 })), { kind: 'invalid-body', message: /a complaint about 1$/ })
  // @ts-expect-error It needs a petId.
  t.match(await errorOf(getPet(connection, {})), { kind: 'invalid-input' })
})

t.test('a key is a string, or a function that is called when it is needed', async t => {
  const baseUrl = await service(t)
  const keys = [apiKey, `${apiKey}x`]
  const given = () => keys.shift()
  for (const option of [apiKey, () => apiKey, async () => apiKey]) {
    const { status } = await createClient({ baseUrl, apiKey: option }).listPets()
    t.equal(status, 200)
  }
  const client = createClient({ baseUrl, apiKey: given })
  const statuses = [await client.listPets(), await client.listPets(), await client.listPets()].map(each => each.status)
  t.strictSame(
    statuses,
    [200, 401, 401],
    'the function is called before each request; without a key, the server rejects the request'
  )

  const failing = createClient({
    baseUrl,
    apiKey: () => {
      throw new Error('the vault is closed')
    }
  })
  await t.rejects(failing.listPets(), new Error('the vault is closed'))
})

t.test('a key that is not valid in a header is refused, and not shown', async t => {
  for (const wrong of [`Bearer ${apiKey}`, `${apiKey}\n`, '', 'clé']) {
    const error = await errorOf(createClient({ baseUrl: 'http://127.0.0.1:1/v1', apiKey: wrong }).listPets())
    t.equal(error.kind, 'invalid-input')
    t.equal(
      error.message,
      'listPets cannot be called: apiKey must consist of visible ASCII characters, without the word Bearer'
    )
    t.notMatch(`${error.message} ${error.stack} ${error.cause}`, /ast_live|clé/)
  }
})

t.test('credentials are options named like their schemes, and are sent to the operations that need them', async t => {
  const { origin, all } = await serve(t, (_request, response) => response.writeHead(204).end())
  const create = await derivedClient(t, 'security')
  const client = create({ baseUrl: origin, other: 'two' })
  const both = create({ baseUrl: origin, key: 'one', other: 'two' })
  for (const each of [client, both]) for (const id of ['inherited', 'public', 'optional', 'either']) await each[id]?.()
  t.strictSame(
    all.map(({ headers }) => headers.authorization),
    [undefined, undefined, undefined, 'Bearer two', 'Bearer one', undefined, 'Bearer one', 'Bearer one']
  )
})

t.test('credentials travel as their schemes say, those that are needed together with each other', async t => {
  const { origin, all } = await serve(t, (_request, response) => response.writeHead(204).end())
  const create = await derivedClient(t, 'security')
  const sent = async (id: string, credentials: object) => {
    await create({ baseUrl: origin, ...credentials })[id]?.()
    const [{ url, headers }] = all.splice(0) as [(typeof all)[number]]
    return [url, headers.authorization, headers['x-key'], headers.cookie]
  }
  t.strictSame(await sent('both', { inHeader: 'a', inQuery: 'b&c' }), ['/both?key=b%26c', undefined, 'a', undefined])
  t.strictSame(await sent('both', { inHeader: 'a' }), ['/both', undefined, undefined, undefined], 'one is not enough')
  t.strictSame(await sent('scopes', { oauth: 'a', basic: 'b' }), ['/scopes', 'Bearer a', undefined, undefined])
  t.strictSame(await sent('scopes', { openId: () => 'a' }), ['/scopes', 'Bearer a', undefined, undefined])
  t.strictSame(await sent('scopes', { basic: 'ann:é' }), ['/scopes', 'Basic YW5uOsOp', undefined, undefined])
  t.strictSame(await sent('scopes', { inCookie: 'a' }), ['/scopes', undefined, undefined, 'sid=a'])
  const error = await errorOf(create({ baseUrl: origin, inHeader: 'a\nb' }).declared?.() as Promise<unknown>)
  t.match(error, { kind: 'invalid-input', message: /inHeader must consist of visible ASCII characters/ })
})

t.test('the base URL may end in a slash or not, and must be one that paths can be appended to', async t => {
  const { origin, all } = await serve(t, (_request, response) => json(response, []))
  for (const end of ['', '/', '/v1', '/v1/', '/a%20b/{c}//']) await createClient({ baseUrl: origin + end }).listPets()
  t.strictSame(
    all.map(({ url }) => url),
    ['/pets', '/pets', '/v1/pets', '/v1/pets', '/a%20b/%7Bc%7D/pets']
  )
  const relative = 'baseUrl is "/v1"; an absolute URL, like https://animals.example/v1, is expected'
  t.throws(() => createClient({ baseUrl: '/v1' }), new TypeError(relative))
  for (const baseUrl of ['ftp://a.example', 'https://a.example?b', 'https://a.example#b', 'https://a:b@c.example'])
    t.throws(() => createClient({ baseUrl }), /^baseUrl must be an http or https URL/, baseUrl)
})

t.test('a base URL may be relative to the page', async t => {
  const { origin, all } = await serve(t, (_request, response) => json(response, []))
  const scope = globalThis as { location?: { href: string } }
  scope.location = { href: `${origin}/shop/index.html?a=b` }
  t.teardown(() => delete scope.location)
  await createClient({ baseUrl: '../v1' }).listPets()
  await createClient({ baseUrl: 'v1/' }).listPets()
  t.strictSame(
    all.map(({ url }) => url),
    ['/v1/pets', '/shop/v1/pets']
  )
})

t.test('a call may have additional headers, and a client another fetch', async t => {
  const baseUrl = await service(t)
  const seen: Request[] = []
  const client = createClient({
    baseUrl,
    apiKey: 'wrong',
    fetch: request => {
      seen.push(request)
      return fetch(request)
    }
  })
  const { status } = await client.createPet(
    { body: rex },
    { headers: { Authorization: `Bearer ${apiKey}`, 'X-Trace': 'a' } }
  )
  t.equal(status, 201)
  const [{ method, url, headers } = new Request(baseUrl)] = seen
  t.strictSame([method, url], ['POST', `${baseUrl}/pets`])
  t.strictSame(Object.fromEntries(headers), {
    authorization: `Bearer ${apiKey}`,
    'idempotency-key': headers.get('idempotency-key'),
    'content-type': 'application/json',
    'x-trace': 'a'
  })
})

t.test('the global fetch is looked up at each call, and called as a function', async t => {
  const before = globalThis.fetch
  t.teardown(() => {
    globalThis.fetch = before
  })
  const client = createClient({ baseUrl: 'https://animals.example/v1' })
  globalThis.fetch = async function (this: unknown) {
    t.equal(this, undefined)
    return Response.json([])
  }
  t.strictSame((await client.listPets()).body, [])
})

t.test('a deprecated operation is reported once, with the data of the server, or else of the contract', async t => {
  const baseUrl = await service(t)
  const reported: Deprecation[] = []
  const onDeprecated = (deprecation: Deprecation) => reported.push(deprecation)
  const client = createClient({ baseUrl, apiKey, onDeprecated })
  await client.listPets()
  await client.getPet({ petId: 1 })
  await client.getPet({ petId: 1 })
  t.strictSame(reported, [
    {
      operationId: 'getPet',
      since: '2026-11-20',
      removalDate: '2030-12-05',
      replacedBy: 'listPets',
      page: `${baseUrl.replace('/v1', '')}/docs/#/animals/getPet`
    }
  ])
  await createClient({ baseUrl, apiKey, onDeprecated }).getPet({ petId: 1 })
  t.equal(reported.length, 2, 'another client reports for itself')
})

t.test('an operation that only the server declares deprecated is reported', async t => {
  const reported: Deprecation[] = []
  let headers: Record<string, string> = {}
  const { origin } = await serve(t, (_request, response) => json(response, [], { headers }))
  const client = () => createClient({ baseUrl: `${origin}/v1`, onDeprecated: each => reported.push(each) })
  const from = async (said: Record<string, string>) => {
    headers = said
    await client().listPets()
    return reported.pop()
  }
  const nothing = {
    operationId: 'listPets',
    since: undefined,
    removalDate: undefined,
    replacedBy: undefined,
    page: undefined
  }
  t.strictSame(await from({}), undefined)
  t.strictSame(await from({ Deprecation: '@1795132800' }), { ...nothing, since: '2026-11-20' })
  t.strictSame(await from({ Sunset: 'Thu, 05 Dec 2030 13:00:00 GMT' }), { ...nothing, removalDate: '2030-12-05' })
  t.strictSame(await from({ Deprecation: 'true', Sunset: 'soon', Link: '<' }), nothing, 'invalid values are omitted')
  t.strictSame(
    await from({
      Deprecation: '@1795132800;a=b',
      Link: '</v2/pets>; rel="successor-version", <https://b.example/why>; rel="sunset"'
    }),
    { ...nothing, since: '2026-11-20', replacedBy: `${origin}/v2/pets`, page: 'https://b.example/why' }
  )
})

t.test('without headers of the server, the data of the contract is reported', async t => {
  const { origin } = await serve(t, (_request, response) => response.writeHead(204).end())
  const create = await derivedClient(t, 'lifecycle')
  const reported: Deprecation[] = []
  const client = create({ baseUrl: origin, onDeprecated: each => reported.push(each) })
  await client.listThings()
  for (const id of ['whole', 'dated', 'undated']) await client[id]?.({ id: 'a' })
  const dates = { since: '2026-11-20', removalDate: '2030-12-05', replacedBy: undefined, page: undefined }
  t.strictSame(reported, [
    { operationId: 'whole', ...dates, replacedBy: 'listThings' },
    { operationId: 'dated', ...dates },
    { operationId: 'undated', ...dates, since: undefined, removalDate: undefined }
  ])
})

t.test('a failing hook does not affect the call, and its error is printed', async t => {
  const baseUrl = await service(t)
  const complaints: unknown[] = []
  t.intercept(console, 'error', { value: (error: unknown) => complaints.push(error) })
  const [one, other] = [new Error('one'), new Error('other')]
  const throwing = () => {
    throw one
  }
  for (const onDeprecated of [throwing, async () => Promise.reject(other)]) {
    const { status } = await createClient({ baseUrl, apiKey, onDeprecated }).getPet({ petId: 1 })
    t.equal(status, 404)
  }
  t.strictSame(complaints, [one, other])
})

t.test('an aborted call ends with the reason, before, during and after the response', async t => {
  const reason = new Error('the page was left')
  const { origin, all } = await serve(t, (request, response) => {
    if (request.url.endsWith('1')) return response.writeHead(200, { 'content-type': 'application/json' }).write('{')
    controller.abort(reason)
  })
  let controller = new AbortController()
  const client = createClient({ baseUrl: origin })

  t.equal(
    await errorOf(client.getPet({ petId: 2 }, { signal: controller.signal })),
    reason,
    'while it waits for a response'
  )
  t.equal(await errorOf(client.getPet({ petId: 2 }, { signal: controller.signal })), reason, 'before')
  t.equal(all.length, 1, 'nothing is sent')
  controller = new AbortController()
  const inBody = createClient({
    baseUrl: origin,
    fetch: async request => {
      const response = await fetch(request)
      queueMicrotask(() => controller.abort(reason))
      return response
    }
  })
  t.equal(await errorOf(inBody.getPet({ petId: 1 }, { signal: controller.signal })), reason, 'while the body arrives')

  const plain = new AbortController()
  plain.abort()
  await t.rejects(client.getPet({ petId: 1 }, { signal: plain.signal }), { name: 'AbortError' })
  const { signal } = new AbortController()
  await createClient({ baseUrl: await service(t), apiKey }).listPets({}, { signal })
  t.equal(getEventListeners(signal, 'abort').length, 0, 'a signal keeps no listener of the call')
})

t.test('an abort also ends a fetch that ignores it', async t => {
  const controller = new AbortController()
  const reason = new Error('enough')
  const never = () => new Promise<never>(() => {})
  const options = { baseUrl: 'https://animals.example/v1', fetch: never }
  for (const client of [createClient(options), createClient({ ...options, apiKey: never })]) {
    const call = client.listPets({}, { signal: controller.signal })
    controller.abort(reason)
    t.equal(await errorOf(call), reason)
  }
})

t.test('ClientError is a subclass of Error', async t => {
  const error = await errorOf(createClient({ baseUrl: 'http://127.0.0.1:1/v1' }).listPets())
  t.ok(error instanceof ClientError)
  t.ok(error instanceof Error)
  t.equal(error.name, 'ClientError')
})
