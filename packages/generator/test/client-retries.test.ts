import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type ClientOptions, createClient } from '../../../generated/client.ts'
import { delayBeforeRetry, randomUuid } from '../../../generated/client-retries.ts'
import { newRex } from '../../../test/animals.ts'
import { petstore } from '../../../test/petstore.ts'
import { apiKey, derivedClient, errorOf, json, type Responder, serve, service } from './clients.ts'

const pet = { body: newRex }
const created = petstore.contract.components.examples.Rex.value
const unavailable = petstore.contract.components.examples.ServiceUnavailable.value
const inProgress = petstore.contract.components.examples.RequestInProgress.value

/** Without a random delay, retries are sent at once. */
const retryAtOnce = (t: Test) => t.intercept(Math, 'random', { value: () => 0 })

/** A server that sends these responses in turn, and repeats the last one. */
const start = async (t: Test, [...responses]: Responder[], options: Partial<ClientOptions> = {}) => {
  retryAtOnce(t)
  const { origin, all } = await serve(t, (request, response) => {
    const next = responses.length > 1 ? responses.shift() : responses[0]
    next?.(request, response)
  })
  const keys = () => all.map(({ headers }) => headers['idempotency-key'])
  return { client: createClient({ baseUrl: origin, ...options }), origin, all, keys }
}
const busy =
  (headers: Record<string, string> = {}, status = 503): Responder =>
  (_request, response) =>
    json(response, { ...unavailable, status }, { status, headers })
const dropped: Responder = (_request, response) => response.destroy()
const brokenOff: Responder = (_request, response) => {
  response.writeHead(201, { 'content-type': 'application/json', 'content-length': 100 })
  response.write('{', () => response.destroy())
}
const done: Responder = (_request, response) => json(response, created, { status: 201 })
const empty: Responder = (_request, response) => json(response, [])

t.test('creates through a network that loses requests and responses add each animal once', async t => {
  retryAtOnce(t)
  const target = new URL(await service(t))
  let number = 0
  const { origin, all } = await serve(t, ({ method, url, headers, body }, response) => {
    const fate = number++ % 5
    if (fate === 0) return response.destroy()
    if (fate === 1) return json(response, unavailable, { status: 503 })
    const passed = request({ host: target.hostname, port: target.port, method, path: url, headers }, result => {
      if (fate === 2) {
        result.resume()
        return response.destroy()
      }
      response.writeHead(result.statusCode ?? 500, result.headers)
      result.pipe(response)
    })
    passed.end(body)
  })
  const client = createClient({ baseUrl: `${origin}/v1`, apiKey, retries: { max: 50 } })
  const names = Array.from({ length: 50 }, (_, index) => `Rex ${index}`)
  const results = await Promise.all(names.map(name => client.createPet({ body: { ...newRex, name } })))
  for (const [index, result] of results.entries()) t.match(result, { status: 201, body: { name: names[index] ?? '' } })
  const listed = []
  for await (const { name } of createClient({ baseUrl: target.href, apiKey }).listPets()) listed.push(name)
  t.strictSame(listed.toSorted(), names.toSorted())
  t.ok(all.length > 100, `${all.length} requests`)
})

t.test('each call with an idempotency key has its own key, which is the same on every attempt', async t => {
  const { client, keys } = await start(t, [dropped, busy(), busy({}, 429), done, brokenOff, done])
  for (let call = 0; call < 2; call++) t.equal((await client.createPet(pet)).status, 201)
  const [first, second] = [keys()[0], keys()[4]]
  t.strictSame(keys(), [first, first, first, first, second, second])
  t.not(first, second)
  t.match(first, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  t.not(randomUuid(), randomUuid())
})

t.test('an idempotency key of the caller is sent unchanged', async t => {
  const { client, keys } = await start(t, [dropped, done])
  await client.createPet({ ...pet, 'Idempotency-Key': 'mine' })
  await client.createPet(pet, { headers: { 'idempotency-key': 'header' } })
  t.strictSame(keys(), ['mine', 'mine', 'header'])
})

t.test('a request that is not safe to repeat is sent once, any other again', async t => {
  retryAtOnce(t)
  const { origin, all } = await serve(t, (_request, response) => response.destroy())
  const { addThing } = (await derivedClient(t, 'responses'))({ baseUrl: origin })
  t.match(await errorOf(addThing({ body: { name: 'Brick' } })), { kind: 'network' })
  t.equal(all.length, 1, 'a POST')
  t.match(await errorOf(createClient({ baseUrl: origin }).listPets()), { kind: 'network' })
  t.equal(all.length, 5, 'a GET')
})

t.test('attempts are limited, for the client and for the call', async t => {
  const limited = await start(t, [busy()])
  t.equal((await limited.client.listPets()).status, 503)
  t.equal(limited.all.length, 4)
  t.equal((await limited.client.listPets({}, { retries: { max: 1 } })).status, 503)
  t.equal(limited.all.length, 6)
  t.equal((await limited.client.listPets({}, { retries: false })).status, 503)
  t.equal(limited.all.length, 7)
  const off = await start(t, [dropped], { retries: false })
  t.match(await errorOf(off.client.createPet(pet)), { kind: 'network' })
  t.equal(off.all.length, 1)
  t.type(off.keys()[0], 'string', 'a key is sent nevertheless')
})

t.test('a response whose Retry-After is too long is the result', async t => {
  const { client, all } = await start(t, [busy({ 'retry-after': '31' })])
  t.equal((await client.listPets()).status, 503)
  t.equal(all.length, 1)
})

t.test('after a 409 for a request in progress, the request is repeated; after others, it is not', async t => {
  const conflict =
    (headers: Record<string, string>): Responder =>
    (_request, response) =>
      json(response, inProgress, { status: 409, headers })
  const { client, all } = await start(t, [conflict({ 'retry-after': '0' }), done, conflict({})])
  t.equal((await client.createPet(pet)).status, 201)
  t.equal((await client.createPet(pet)).status, 409)
  t.equal(all.length, 3)
})

t.test('an abort or the timeout ends the wait for a retry', async t => {
  const { client, all } = await start(t, [busy({ 'retry-after': '20' })])
  const controller = new AbortController()
  const reason = new Error('enough')
  const aborted = t.rejects(client.createPet(pet, { signal: controller.signal }), reason)
  while (all.length === 0) await delay(5)
  await delay(20)
  controller.abort(reason)
  await aborted
  t.match(await errorOf(client.listPets({}, { timeoutMs: 500 })), { kind: 'timeout' })
  await delay(20)
  t.equal(all.length, 2)
})

t.test('requests for pages of a list are repeated, too', async t => {
  const page: Responder = (_request, response) =>
    json(response, [created], { headers: { link: '<?cursor=AAAAAAAAAAE>; rel="next"' } })
  const { client, all } = await start(t, [page, dropped, busy(), empty])
  const ids: number[] = []
  for await (const { id } of client.listPets()) ids.push(id)
  t.strictSame(ids, [1])
  t.equal(all.length, 4)
})

t.test('the time to wait', async t => {
  const response = (status: number, retryAfter?: string) =>
    new Response(null, { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } })
  const wait = (response?: Response, tried = 0, elapsedMs = 0, limits = {}) =>
    delayBeforeRetry(response, tried, elapsedMs, limits)
  t.intercept(Math, 'random', { value: () => 0.5 })
  t.strictSame(
    [0, 1, 2, 3].map(tried => wait(undefined, tried)),
    [250, 500, 1000, undefined],
    'up to twice as long each time'
  )
  t.equal(wait(response(503, '2')), 2250)
  t.equal(wait(response(429, '0'), 1), 500)
  t.equal(wait(response(409, '1')), 1250)
  const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5)
  t.intercept(Date, 'now', { value: () => nowMs })
  t.equal(wait(response(503, new Date(nowMs + 5000).toUTCString())), 5250)
  t.equal(wait(response(503, 'Thu, 01 Jan 1970 00:00:00 GMT')), 250)
  t.equal(wait(response(503, 'soon')), 250)
  for (const status of [200, 400, 409, 500, 502, 504]) t.equal(wait(response(status)), undefined, `${status}`)
  t.equal(wait(response(200, '1')), undefined)
  t.equal(wait(undefined, 0, 29_751), undefined)
  t.equal(wait(undefined, 5, 40_000, { max: 6, withinMs: 60_000 }), 8000)
})
