import t from 'tap'
import { Metrics } from '../../src/observability/metrics.ts'
import { buildFixtureApp } from '../fixture-app.ts'
import { logged } from '../observability/logged.ts'
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

t.test('anything but HTTP gets a 400, and the connection is closed', async t => {
  const app = await buildFixtureApp(t)
  const first = 'GET /v1/things HTTP/1.1\r\n'
  const posted = `POST /v1/things HTTP/1.1\r\n${host}${key}${json}`
  const faulty: Record<string, string | Buffer> = {
    nonsense: 'NONSENSE\r\n\r\n',
    'no version': `GET /v1/things\r\n${host}\r\n`,
    'another version': `GET /v1/things HTTP/2.0\r\n${host}${key}\r\n`,
    'no such version': `GET /v1/things HTTP/9.9\r\n${host}\r\n`,
    'HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'a space in the URL': `GET /v1/th ings HTTP/1.1\r\n${host}\r\n`,
    'a NUL in the URL': `GET /v1/\0 HTTP/1.1\r\n${host}\r\n`,
    'a relative URL': `GET v1/things HTTP/1.1\r\n${host}\r\n`,
    'a method that is not a token': `FE(TCH /v1/things HTTP/1.1\r\n${host}\r\n`,
    'an unknown method and no URL': `FETCH  HTTP/1.1\r\n${host}\r\n`,
    'an unknown method with another version': `FETCH /v1/things HTTP/2.0\r\n${host}\r\n`,
    'an unknown method and a broken header': `FETCH /v1/things HTTP/1.1\r\n${host}a b: c\r\n\r\n`,
    'an unknown method and a folded header': `FETCH /v1/things HTTP/1.1\r\n${host} a: c\r\n\r\n`,
    'no method': ` /v1/things HTTP/1.1\r\n${host}\r\n`,
    TLS: Buffer.from('16030100c8010000c40303', 'hex'),
    'a header without a colon': `${first}${host}Accept\r\n\r\n`,
    'a header without a name': `${first}${host}: x\r\n\r\n`,
    'a space in a name': `${first}${host}Con tent: x\r\n\r\n`,
    'a space before the colon': `${posted}Content-Length : 2\r\n\r\n{}`,
    'a NUL in a value': `${first}${host}X: a\0b\r\n\r\n`,
    'a bare CR in a value': `${first}${host}X: a\rb\r\n\r\n`,
    'a length that is not a number': `${posted}Content-Length: two\r\n\r\n{}`,
    'a negative length': `${posted}Content-Length: -2\r\n\r\n{}`,
    'a length with a sign': `${posted}Content-Length: +2\r\n\r\n{}`,
    'a huge length': `${posted}Content-Length: 99999999999999999999\r\n\r\n{}`,
    'two lengths': `${posted}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    'two lengths in one header': `${posted}Content-Length: 2, 3\r\n\r\n{}`,
    'length and chunks': `${posted}Content-Length: 2\r\n${chunked}\r\n2\r\n{}\r\n0\r\n\r\n`,
    'chunks and length': `${posted}${chunked}Content-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    'chunked is not the last coding': `${posted}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`
  }
  for (const [name, bytes] of Object.entries(faulty))
    await t.test(name, t => checkRefused(t, app, bytes, 400, 'malformed_request'))
})

// With RTSP/1.0 and ICE/1.0, Node's parser does not tell that it is not HTTP/1.0.
const otherVersions = [
  ...['PRI * HTTP/2.0', 'OPTIONS * HTTP/2.0', 'GET /v1/things HTTP/2.0'],
  ...['GET /v1/things HTTP/0.9', 'GET /v1/things RTSP/2.0', 'DESCRIBE / RTSP/2.0']
]

t.test('another version gets a 400, is counted, and logged in one line, not as an error', async t => {
  const { lines, logger } = logged('info')
  const metrics = new Metrics()
  const app = await buildFixtureApp(t, { metrics, logger })
  const counted = () => [...metrics.operations.values()].reduce((sum, each) => sum + (each.statuses?.[400] ?? 0), 0)
  for (const first of otherVersions) {
    await t.test(first, async t => {
      const before = counted()
      // With keep-alive and a valid key, the result is the same.
      const bytes = `${first}\r\n${host}${key}Connection: keep-alive\r\nCSeq: 1\r\n\r\n`
      const { headers } = await checkRefused(t, app, bytes, 400, 'malformed_request')
      t.match(headers, { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
      t.equal(counted(), before + 1)
      const [line, ...others] = lines.splice(0)
      t.match(line, { level: 30, status: 400, requestId: headers['x-request-id'] })
      t.strictSame(others, [])
    })
  }
})

t.test('only the first request of another version gets a response, whatever comes before and after it', async t => {
  const { lines, logger } = logged('info')
  const app = await buildFixtureApp(t, { logger })
  for (const first of ['PRI * HTTP/2.0', 'GET /v1/things HTTP/0.9', 'DESCRIBE / RTSP/2.0']) {
    const connection = await openConnection(t, app)
    connection.send(`${get().repeat(3)}${`${first}\r\n${host}\r\n`.repeat(2000)}`)
    for (let i = 0; i < 3; i++) t.equal((await connection.response()).status, 200)
    checkError(t, await connection.response(), 400, 'malformed_request')
    connection.finish()
    t.equal(await connection.rest(), '')
    t.equal(lines.splice(0).length, 4, 'and no other is logged')
  }
})

t.test('Transfer-Encoding', async t => {
  const { kept, handlers } = keeping()
  const app = await buildFixtureApp(t, { handlers })
  const body = `${brick.length.toString(16)}\r\n${brick}\r\n0\r\n\r\n`
  const request = (codings: string, more = '', version = 'HTTP/1.1') =>
    `POST /v1/things ${version}\r\n${host}${key}${json}${more}Transfer-Encoding: ${codings}\r\n\r\n${body}`

  await t.test('a coding other than chunked gets a 501, and the connection is closed', async t => {
    for (const codings of [
      'gzip, chunked',
      'identity, chunked',
      'GZIP ,, chunked',
      'x;a="b,c", chunked',
      'gzip\r\nTransfer-Encoding: chunked'
    ]) {
      for (const version of ['HTTP/1.1', 'HTTP/1.0']) {
        const bytes = request(codings, 'Connection: keep-alive\r\n', version)
        // The coding is checked before the key and the path.
        const keyless = bytes.replace(key, '').replace('/v1/things', '/v1/%ff')
        for (const each of [bytes + get(), keyless])
          await checkRefused(t, app, each, 501, 'unsupported_transfer_coding')
      }
    }
    t.strictSame(kept, [])
  })

  await t.test('a body whose end cannot be determined gets a 400, and the connection is closed', async t => {
    for (const codings of ['gzip', 'identity', 'chunked, gzip', 'chunked;q=1', '"chunked"', 'chunked, chunked'])
      await checkRefused(t, app, request(codings) + get(), 400, 'malformed_request')
    t.strictSame(kept, [])
  })

  await t.test('chunked may be written in any case, or as part of a list', async t => {
    for (const codings of ['chunked', 'Chunked', ', chunked']) {
      const { connection, response } = await send(t, app, request(codings))
      t.equal(response.status, 201, codings)
      await checkConnection(t, connection, response, false)
    }
  })

  await t.test('with HTTP/1.0 the response closes the connection, and no further request is handled', async t => {
    const before = kept.length
    for (const [target, status] of Object.entries({ '/v1/things': 201, '/v1/%ff': 400, '/v1/none': 404 })) {
      const bytes = request('chunked', 'Connection: keep-alive\r\n', 'HTTP/1.0').replace('/v1/things', target)
      const { connection, response } = await send(t, app, bytes + post())
      t.equal(response.status, status)
      await checkConnection(t, connection, response, true)
    }
    t.equal(kept.length, before + 1)
    const withLength = post().replace('HTTP/1.1\r\n', 'HTTP/1.0\r\nConnection: keep-alive\r\n')
    const { connection, response } = await send(t, app, withLength)
    t.equal(response.status, 201)
    await checkConnection(t, connection, response, false)
  })
})

t.test('a header that must be unique may occur only once', async t => {
  const app = await buildFixtureApp(t)
  const repeated: [string, string][] = [
    ['Authorization', key + key],
    ['Authorization', `${key}AUTHORIZATION: Bearer x\r\n`],
    ['Authorization', `authorization:\r\n${json}${key}`],
    ['Content-Type', `${key}${json}${json}`],
    ['Content-Type', `${key}${json}content-type: text/plain\r\n`],
    ['Content-Type', `${key}Content-Type: text/plain\r\n${json}`],
    ['Host', `${key}${host}`]
  ]
  for (const [name, lines] of repeated) {
    for (const target of ['/v1/things', '/v1/%ff', '/v1/none', '/']) {
      const bytes = `POST ${target} HTTP/1.1\r\n${host}${lines}Content-Length: ${brick.length}\r\n\r\n${brick}`
      const { response } = await send(t, app, bytes)
      checkError(t, response, 400, 'malformed_request')
      t.match(JSON.parse(response.body).message, `The ${name} header may occur only once.`)
    }
  }
  const others = `${key}Accept: a/b\r\nAccept: c/d\r\nX-Content-Tpe: a\r\nXuthorization: a\r\nHosts: a\r\n`
  const { response } = await send(t, app, post().replace(key, others))
  t.equal(response.status, 201, 'other headers may occur twice, even if their names are as long')
})

t.test('a body with invalid framing gets a 400, and the connection is closed', async t => {
  const { kept, handlers } = keeping()
  const app = await buildFixtureApp(t, { handlers })
  const head = `POST /v1/things HTTP/1.1\r\n${host}${key}${json}${chunked}\r\n`
  for (const broken of [
    'zz\r\n',
    '-1\r\n',
    '2\r\n{}{}',
    '2\r\n{}\r\nzz\r\n',
    '2;\0\r\n{}\r\n0\r\n\r\n',
    '0\r\nTrailer\r\n\r\n'
  ]) {
    await t.test(JSON.stringify(broken), async t => {
      await checkRefused(t, app, head + broken, 400, 'malformed_request')
      const connection = await openConnection(t, app)
      connection.send(head)
      connection.send(broken)
      checkError(t, await connection.response(), 400, 'malformed_request')
      t.equal(await connection.rest(), '')
    })
  }
  t.strictSame(kept, [], 'nothing was added')
})
