import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import t from 'tap'
import { checkLive } from '../src/live/live.ts'
import { document, failing, goodService, key, listen, run } from './live-service.ts'

t.test('live: the same seed makes the same requests', async t => {
  const requestsOf = async (seed: number) => {
    const { url, requests } = await listen(t, goodService())
    await run(url, { seed })
    return requests
  }
  const [first, again, other] = [await requestsOf(7), await requestsOf(7), await requestsOf(8)]
  t.strictSame(first, again)
  t.notSame(first, other)
})

t.test('live: the URL may be that of the operations', async t => {
  const { url, requests } = await listen(t, goodService())
  const report = await run(`${url}/api/`)
  t.strictSame(report.failures, [])
  t.ok(requests.every(each => each.includes(' /api/things')))
})

t.test('live: without a key, only its absence is tested', async t => {
  const { url, requests } = await listen(t, goodService())
  const { failures, gaps } = await checkLive(document, { url })
  t.strictSame(failures, [])
  t.ok(requests.every(each => !each.includes(key)))
  t.strictSame(gaps, [
    { operation: 'POST /things', reason: 'it requires a key, and none is given' },
    { operation: 'GET /things', reason: 'it requires a key, and none is given' },
    { operation: 'GET /things/{thingId}', reason: 'it requires a key, and none is given' },
    {
      operation: 'DELETE /things/{thingId}',
      reason: 'DELETE is sent only to what this run has created, and it has created nothing there'
    }
  ])
})

t.test('live: three requests without a response end the check', async t => {
  const { url, requests } = await listen(t, () => undefined)
  const { failures, gaps } = await run(url, { timeoutMs: 500 })
  t.equal(requests.length, 3)
  const wrong = 'gives no response: no complete response within 500 ms'
  t.match(failures, [
    { operation: 'GET /things', wrong, times: 1 },
    { operation: 'POST /things', wrong, times: 1 },
    { operation: 'GET /things/{thingId}', wrong, times: 1 }
  ])
  t.strictSame(
    gaps.map(({ operation }) => operation),
    ['POST /things', 'GET /things', 'GET /things/{thingId}', 'DELETE /things/{thingId}']
  )
  t.match(gaps[0]?.reason, /^the server no longer responds/)
})

t.test('live: a server that hangs in between is reported', async t => {
  const good = goodService()
  const { url } = await listen(t, request => (request.query.get('limit') === '10' ? undefined : good(request)))
  const { failures } = await run(url, { timeoutMs: 2_000 })
  t.match(failures, [
    { operation: 'GET /things', what: 'query parameter limit: at its maximum', wrong: /within 2000 ms/ }
  ])
  t.equal(failures.length, 1)
})

t.test('live: requests are limited in number and time, and omissions are reported', async t => {
  const few = await listen(t, goodService())
  const { gaps } = await run(few.url, { maxRequests: 10 })
  t.equal(few.requests.length, 10)
  t.match(gaps[0], { reason: 'limit of 10 requests reached' })

  const each = await listen(t, goodService())
  const report = await run(each.url, { maxRequestsPerOperation: 6 })
  t.equal(each.requests.filter(request => request.startsWith('POST')).length, 6)
  const gap = report.gaps.find(({ operation }) => operation === 'POST /things')
  t.match(gap, { reason: /^\d+ requests over the limit for one operation$/ })

  const late = await listen(t, goodService())
  const over = await run(late.url, { totalMs: 0 })
  t.equal(late.requests.length, 0)
  t.match(over.gaps[0], { reason: 'time limit of 0 ms reached' })
})

t.test('live: a request is repeated if the server asks to wait', async t => {
  const good = goodService()
  let count = 0
  const { url } = await listen(t, request =>
    request.method === 'GET' && count++ === 3 ? failing(429, { 'retry-after': '0' }) : good(request)
  )
  t.strictSame((await run(url)).failures, [])
  const refusing = await listen(t, () => failing(429, { 'retry-after': '3600' }))
  const { gaps } = await run(refusing.url)
  t.equal(refusing.requests.length, 1)
  t.match(gaps[0], { reason: 'the server accepts no more requests for now' })
})

t.test('live: if nothing listens, only that is reported', async t => {
  const { url } = await listen(t, goodService())
  const port = Number(new URL(url).port)
  const closed = `http://127.0.0.1:${port === 1 ? 2 : 1}`
  await t.rejects(run(closed), {
    message: `no response from ${closed}: connection refused`,
    isUnreachable: true
  })
})

t.test('live: a server that does not speak HTTP is reported as one', async t => {
  const server = createServer(socket => socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9.6\r\n'))
  t.teardown(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await t.rejects(run(url), { message: `no response from ${url}: the server does not speak HTTP` })
})
