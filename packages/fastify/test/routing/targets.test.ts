import t from 'tap'
import { buildFixtureApp, contract } from '../fixture-app.ts'
import { openConnection } from '../http/connection.ts'
import { checkConnection, checkError, checkRefused, get, host, key, send } from '../http/http-requests.ts'

const { limits } = contract

t.test('the target * is for OPTIONS', async t => {
  const app = await buildFixtureApp(t)
  for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'TRACE']) {
    const { connection, response } = await send(t, app, `${method} * HTTP/1.1\r\n${host}${key}\r\n`, method)
    t.equal(response.status, 400, method)
    t.equal(response.headers.location, undefined)
    if (method !== 'HEAD') checkError(t, response, 400, 'malformed_request')
    await checkConnection(t, connection, response, false)
  }
  t.equal((await send(t, app, `OPTIONS * HTTP/1.1\r\n${host}\r\n`)).response.status, 204)
})

t.test('a target in absolute form is treated like its path', async t => {
  const app = await buildFixtureApp(t)
  for (const [target, status] of [
    ['http://things.example/v1/things?limit=1', 200],
    ['HTTPS://[::1]:3000/v1/things', 200],
    ['http://things.example/v1/things/9', 404],
    ['http://things.example/v1/things?limit=0', 400],
    ['http://things.example', 302],
    ['http://things.example?x=1', 302],
    ['http://things.example/v1/%ff', 400]
  ] as const)
    t.equal((await send(t, app, get(target))).response.status, status, target)
})

t.test('Host', async t => {
  const app = await buildFixtureApp(t)
  const sendWith = async (head: string) => {
    const { connection, response } = await send(t, app, `GET /v1/things HTTP/1.1\r\n${head}${key}\r\n`)
    await checkConnection(t, connection, response, false)
    return response
  }
  for (const wrong of [
    '',
    `${host}${host}`,
    `${host}HOST: other\r\n`,
    'Host: a b\r\n',
    'Host: a/b\r\n',
    'Host: user@a\r\n',
    'Host: ä\r\n',
    'Host: a:b\r\n',
    // A comma may be part of a host name (RFC 3986).
    'Host: a, b\r\n'
  ]) {
    const response = await sendWith(wrong)
    checkError(t, response, 400, 'malformed_request')
    t.match(JSON.parse(response.body).message, /Host/, JSON.stringify(wrong))
  }
  for (const right of [
    '',
    'things.example',
    '127.0.0.1:3000',
    '[::1]',
    '[::1]:3000',
    'a:',
    'x_y.example.',
    'xn--bcher-kva.example'
  ])
    t.equal((await sendWith(`Host: ${right}\r\n`)).status, 200, right)

  const { connection, response } = await send(t, app, `GET /v1/things HTTP/1.0\r\n${key}\r\n`)
  t.equal(response.status, 200, 'HTTP/1.0 has no Host header')
  t.match(JSON.parse(response.body), [{ id: 1 }])
  t.equal(await connection.rest(), '')
})

t.test('a header section that is too large gets a 431', async t => {
  const app = await buildFixtureApp(t)
  const head = `GET /v1/things HTTP/1.1\r\n${host}`
  const long = 'x'.repeat(limits.headerBytes)
  for (const more of [
    `X: ${long}\r\n\r\n`,
    `${long}: x\r\n\r\n`,
    `${'X: x\r\n'.repeat(9_000)}\r\n`,
    `X: ${'x'.repeat(3_000_000)}`
  ])
    await checkRefused(t, app, head + more, 431, 'headers_too_large')
  const justShort = `${head}${key}X: `.padEnd(limits.headerBytes - 100, 'x')
  t.equal((await send(t, app, `${justShort}\r\n\r\n`)).response.status, 200)
})

t.test('a URL that is too long gets a 414', async t => {
  const app = await buildFixtureApp(t)
  const sendFor = async (length: number, before = '/v1/things/') => {
    const { connection, response } = await send(t, app, get(before.padEnd(length, '9')))
    await checkConnection(t, connection, response, length > limits.headerBytes)
    return response
  }
  checkError(t, await sendFor(limits.uriBytes), 400, 'invalid_request')
  for (const length of [limits.uriBytes + 1, limits.headerBytes + 1, 1_000_000])
    checkError(t, await sendFor(length), 414, 'uri_too_long')
  for (const before of [
    '/',
    '/v1/things?limit=',
    '/v1/%ff',
    'http://',
    'http://things.example/',
    'http://things.example/v1/things?shape='
  ])
    checkError(t, await sendFor(limits.uriBytes + 1, before), 414, 'uri_too_long')

  const second = await openConnection(t, app)
  second.send(get() + get(`/${'x'.repeat(limits.headerBytes)}`))
  t.equal((await second.response()).status, 200)
  checkError(t, await second.response(), 414, 'uri_too_long')
  t.equal(await second.rest(), '')
})
