import { execFile } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import t from 'tap'
import { buildFixtureApp, contract } from '../fixture-app.ts'
import { openConnection } from './connection.ts'
import {
  brick,
  checkConnection,
  checkError,
  checkRefused,
  chunked,
  get,
  host,
  json,
  keeping,
  key,
  post,
  send
} from './http-requests.ts'

const { limits } = contract

t.test('Expect', async t => {
  const app = await buildFixtureApp(t)
  const head = (more: string, length = brick.length) =>
    `POST /v1/things HTTP/1.1\r\n${host}${json}Content-Length: ${length}\r\n${more}\r\n`
  const going = 'Expect: 100-continue\r\n'

  await t.test('an expectation other than 100-continue gets a 417', async t => {
    for (const bytes of [head(`${key}Expect: gold\r\n`), `GET / HTTP/1.1\r\n${host}Expect: gold\r\n\r\n`])
      await checkRefused(t, app, bytes, 417, 'expectation_failed')
  })

  await t.test('with a valid key: 100 Continue, then the response', async t => {
    const connection = await openConnection(t, app)
    for (const expectation of [going, 'EXPECT: 100-Continue\r\n']) {
      connection.send(head(key + expectation))
      t.equal((await connection.response()).status, 100)
      connection.send(brick)
      const response = await connection.response()
      t.equal(response.status, 201)
      await checkConnection(t, connection, response, false)
    }
  })

  await t.test('an error of the header section replaces the 100', async t => {
    const cases: [string, number, string][] = [
      [head(going), 401, 'api_key_missing'],
      [head(`${going}Authorization: Bearer x\r\n`), 401, 'api_key_invalid'],
      [head(key + going).replace('application/json', 'text/plain'), 415, 'unsupported_media_type'],
      [head(key + going, limits.bodyBytes + 1), 413, 'body_too_large'],
      [head(key + going).replace('/v1/things', '/v1/none'), 404, 'path_not_found'],
      [head(key + going).replace('/v1/things', '/v1/things/1'), 405, 'method_not_allowed'],
      [head(key + going).replace(host, ''), 400, 'malformed_request']
    ]
    for (const [bytes, status, code] of cases) await checkRefused(t, app, bytes, status, code)
  })

  await t.test('HTTP/1.0 has no expectations', async t => {
    for (const expectation of [going, 'Expect: gold\r\n']) {
      const bytes = head(key + expectation).replace('HTTP/1.1', 'HTTP/1.0') + brick
      const { connection, response } = await send(t, app, bytes)
      t.equal(response.status, 201)
      t.equal(await connection.rest(), '')
    }
  })
})

t.test('a request that does not arrive in time gets a 408', async t => {
  const app = await buildFixtureApp(t, { timeouts: { headersMs: 50, requestMs: 150, checkMs: 10 } })
  const began = ['', 'GET /v1', `GET /v1/things HTTP/1.1\r\n${host}`]
  for (const bytes of [...began, post().slice(0, -1), post().slice(0, -brick.length)])
    await t.test(JSON.stringify(bytes.slice(-12)), t => checkRefused(t, app, bytes, 408, 'request_timeout'))

  await t.test('a request that arrives slowly', async t => {
    const connection = await openConnection(t, app)
    connection.send(`POST /v1/things HTTP/1.1\r\n${host}${key}${json}${chunked}\r\n`)
    const drip = setInterval(() => connection.send('1\r\n \r\n'), 10)
    t.teardown(() => clearInterval(drip))
    const response = await connection.response()
    clearInterval(drip)
    checkError(t, response, 408, 'request_timeout')
    await checkConnection(t, connection, response, true)
  })
  await t.test('a second request, after a complete one', async t => {
    app.server.headersTimeout = app.server.requestTimeout = 600_000
    const { connection, response } = await send(t, app, `${get()}GET /v1`)
    t.equal(response.status, 200)
    app.server.headersTimeout = app.server.requestTimeout = 50
    checkError(t, await connection.response(), 408, 'request_timeout')
    t.equal(await connection.rest(), '')
  })
})

t.test('a client gets its response even if it keeps sending the request', async t => {
  const { kept, handlers } = keeping()
  const app = await buildFixtureApp(t, { handlers })
  const body = 'x'.repeat(10_000_000)
  const long = (more: string) =>
    `POST /v1/things HTTP/1.1\r\n${host}${json}${more}Content-Length: ${body.length}\r\n\r\n`
  const inChunks = `POST /v1/things HTTP/1.1\r\n${host}${key}${json}${chunked}\r\n`
  const cases: [string, number, string][] = [
    [long(''), 401, 'api_key_missing'],
    [long('Authorization: Bearer x\r\n'), 401, 'api_key_invalid'],
    [long(key), 413, 'body_too_large'],
    [long(key).replace('application/json', 'text/plain'), 415, 'unsupported_media_type'],
    [long(key).replace('/v1/things', '/v1/none'), 404, 'path_not_found'],
    [long(key).replace('/v1/things', '/v1/things/1'), 405, 'method_not_allowed'],
    [long('Expect: gold\r\n'), 417, 'expectation_failed'],
    [`POST /v1/things HTTP/1.1\r\n${host}X: `, 431, 'headers_too_large'],
    [`${inChunks}${body.length.toString(16)}\r\n`, 413, 'body_too_large'],
    [`${inChunks}zz\r\n`, 400, 'malformed_request'],
    [`CONNECT things.example:443 HTTP/1.1\r\n${host}\r\n`, 400, 'malformed_request']
  ]
  for (const [head, status, code] of cases) {
    await t.test(`${status} ${code}`, async t => {
      for (let round = 0; round < 5; round++) {
        const connection = await openConnection(t, app)
        connection.send(head)
        // Many clients do not read the response until they have sent everything.
        connection.send(body)
        connection.finish()
        const response = await connection.response()
        checkError(t, response, status, code)
        await checkConnection(t, connection, response, true)
      }
    })
  }

  await t.test('the rest is not read as a further request', async t => {
    const { connection, response } = await send(t, app, long('') + body + post())
    checkError(t, response, 401, 'api_key_missing')
    connection.finish()
    t.equal(await connection.rest(), '')
    t.strictSame(kept, [])
  })

  await t.test('curl', async t => {
    const { port } = app.server.address() as AddressInfo
    for (const expect of ['Expect:', 'Expect: 100-continue']) {
      for (let round = 0; round < 5; round++) {
        const curl = promisify(execFile)('curl', [
          ...['-sS', '--fail-with-body', '-w', ' %{http_code}', '-H', expect, '-H', 'Content-Type: application/json'],
          ...['--data-binary', '@-', `http://127.0.0.1:${port}/v1/things`]
        ])
        curl.child.stdin?.on('error', () => {}).end(body)
        const { stdout, stderr, code } = await curl.catch(error => error)
        t.equal(stderr, 'curl: (22) The requested URL returned error: 401\n')
        t.equal(code, 22)
        t.match(stdout, /^\{"code":"api_key_missing".*"status":401\} 401$/)
      }
    }
  })
})
