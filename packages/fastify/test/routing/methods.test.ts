import { METHODS } from 'node:http'
import t from 'tap'
import { buildFixtureApp, contract } from '../fixture-app.ts'
import { openConnection, type RawResponse } from '../http/connection.ts'
import {
  checkConnection,
  checkError,
  checkRefused,
  chunked,
  get,
  host,
  key,
  send,
  streamingMethods
} from '../http/http-requests.ts'
import { logged } from '../observability/logged.ts'

const { limits } = contract

t.test('CONNECT gets a 400, whatever the client does next', async t => {
  const { lines, logger } = logged('info')
  const app = await buildFixtureApp(t, { logger })
  const first = 'CONNECT things.example:443 HTTP/1.1\r\n'
  const connects = [
    `${first}${host}\r\n`,
    `${first}\r\n`,
    `${first}${host}Content-Length: 5\r\n\r\n`,
    `${first}${host}${chunked}\r\nzz\r\n`,
    `${first}${host}\r\n${get()}`
  ]
  for (const bytes of connects) await checkRefused(t, app, bytes, 400, 'malformed_request')

  // After CONNECT, Node's socket has no error listener, so an error would end the process.
  for (let i = 0; i < 50; i++) {
    const connection = await openConnection(t, app)
    connection.send(connects[i % connects.length] ?? '')
    connection.reset()
    await connection.rest().catch(() => {})
  }
  t.equal((await send(t, app, get())).response.status, 200)
  t.notOk(
    lines.some(({ level }) => level >= 50),
    'no internal error'
  )
})

t.test('all HTTP methods are known', async t => {
  const app = await buildFixtureApp(t)
  const responseTo = async (method: string, target: string, more = key) =>
    (await send(t, app, `${method} ${target} HTTP/1.1\r\n${host}${more}\r\n`, method)).response
  const allowed: Record<string, string> = {
    '/v1/things': 'GET, POST, HEAD, OPTIONS',
    '/v1/things/1': 'GET, PATCH, DELETE, HEAD, OPTIONS',
    '/v1/plans': 'GET, HEAD, OPTIONS',
    '/v1/weather': 'GET, HEAD, OPTIONS',
    '/': 'GET, HEAD, OPTIONS',
    '/openapi.yaml': 'GET, HEAD, OPTIONS',
    '/openapi.json': 'GET, HEAD, OPTIONS'
  }
  for (const method of METHODS.filter(each => each !== 'CONNECT')) {
    for (const [target, allow] of Object.entries(allowed)) {
      const response = await responseTo(method, target)
      if (method === 'OPTIONS') {
        t.equal(response.status, 204)
        t.equal(response.headers.allow, allow)
      } else if (allow.split(', ').includes(method)) {
        t.not(response.status, 405, `${method} ${target}`)
      } else {
        checkError(t, response, 405, 'method_not_allowed')
        t.equal(response.headers.allow, allow)
      }
    }
    for (const target of ['/v1/none', '/v1/things/', '/v1', '/none']) {
      const response = await responseTo(method, target)
      t.equal(response.status, 404, `${method} ${target}`)
      if (method !== 'HEAD') checkError(t, response, 404, 'path_not_found')
    }
    const keyless = await responseTo(method, '/v1/none', '')
    t.equal(keyless.status, method === 'OPTIONS' ? 404 : 401, `${method} without a key`)
  }
})

t.test('a method that no parser of HTTP knows gets a 400, and closes the connection', async t => {
  const { lines, logger } = logged('info')
  const app = await buildFixtureApp(t, { logger })
  for (const method of ['FETCH', 'GETS', 'get', 'UNLOCKED', 'a-b', ...streamingMethods]) {
    const bytes = `${method} /v1/things HTTP/1.1\r\n${host}${key}Content-Length: 2\r\n\r\n{}`
    const { connection, response: first } = await send(t, app, get() + bytes + get())
    t.equal(first.status, 200)
    const response = await connection.response()
    checkError(t, response, 400, 'malformed_request')
    // Node's parser knows those of streaming, and rejects them for another reason.
    const reason = streamingMethods.includes(method) ? 'not valid HTTP' : 'does not begin with a known method.'
    t.match(response.body, reason)
    t.match(response.headers, { 'x-content-type-options': 'nosniff' })
    await checkConnection(t, connection, response, true)
    t.match(lines.splice(0), [{ status: 200 }, { level: 30, status: 400 }])
  }
})

t.test('the response to a HEAD has no body, and the headers of its GET', async t => {
  const app = await buildFixtureApp(t)
  for (const [target, more] of [
    ['/v1/things', key],
    ['/v1/things', ''],
    ['/v1/things?limit=0', key],
    ['/v1/things/1', key],
    ['/v1/things/9', key],
    ['/v1/things/x', key],
    ['/v1/plans', key],
    ['/v1/weather', ''],
    ['/v1/none', key],
    ['/none', ''],
    ['/', ''],
    ['/docs', ''],
    ['/docs/', ''],
    ['/openapi.yaml', ''],
    [`/${'x'.repeat(limits.uriBytes)}`, ''],
    ['/v1/%ff', key]
  ] as const) {
    const connection = await openConnection(t, app)
    const responses: RawResponse[] = []
    for (const method of ['HEAD', 'GET']) {
      connection.send(`${method} ${target} HTTP/1.1\r\n${host}${more}\r\n`)
      responses.push(await connection.response(method))
    }
    const [head, full] = responses.map(({ status, headers: { date, 'x-request-id': id, ...headers } }) => ({
      status,
      headers
    }))
    t.strictSame(head, full, target)
  }
})
