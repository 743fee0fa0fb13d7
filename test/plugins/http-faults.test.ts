import { execFile } from 'node:child_process'
import { METHODS } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { limits } from '../../generated/operations.ts'
import { cursorAfter } from '../../src/cursor.ts'
import { Metrics } from '../../src/metrics.ts'
import type { AnimalStore, NewPet } from '../../src/store/pets.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { buildTestApp, withKey } from '../build-test-app.ts'
import { buildFixtureApp, withKey as fixtureKey } from '../fixture-app.ts'
import { petstore } from '../petstore.ts'
import { type Answer, type Connection, openConnection } from './connection.ts'

const { codeTable } = petstore

const host = 'Host: animals.example\r\n'
const key = `Authorization: ${withKey.authorization}\r\n`
const json = 'Content-Type: application/json\r\n'
const chunked = 'Transfer-Encoding: chunked\r\n'
const rex = '{"name":"Rex","categoryId":7}'

const get = (target = '/v1/pets') => `GET ${target} HTTP/1.1\r\n${host}${key}\r\n`
const post = (body = rex) =>
  `POST /v1/pets HTTP/1.1\r\n${host}${key}${json}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

/** An error in the contract's shape: three fields, a code of its list, and nothing that is wrong about the message. */
const checkError = (t: Test, answer: Answer, status: number, code: string) => {
  t.equal(answer.status, status)
  t.equal(answer.headers['content-type'], 'application/json')
  t.equal(answer.headers['content-length'], String(Buffer.byteLength(answer.body)))
  t.ok(Date.parse(answer.headers.date ?? ''), 'it is dated')
  const body = JSON.parse(answer.body)
  t.strictSame(Object.keys(body), ['code', 'message', 'status'])
  t.equal(body.code, code)
  t.equal(body.status, status)
  t.ok(codeTable.some(each => each.code === code && each.status === status))
}

/** The connection either goes on, or says that it does not and is closed with nothing more on it. */
const checkConnection = async (t: Test, connection: Connection, { headers }: Answer, closes: boolean) => {
  t.equal(headers.connection, closes ? 'close' : 'keep-alive')
  if (closes) return t.equal(await connection.rest(), '')
  connection.send(get('/v1/pets?limit=1'))
  t.equal((await connection.answer()).status, 200)
}

const refused = async (t: Test, app: FastifyInstance, bytes: string | Buffer, status: number, code: string) => {
  const connection = await openConnection(t, app)
  connection.send(bytes)
  const answer = await connection.answer()
  checkError(t, answer, status, code)
  await checkConnection(t, connection, answer, true)
}

// Those of RTSP that HTTP lacks, and some of both.
const streaming = ['DESCRIBE', 'ANNOUNCE', 'SETUP', 'PAUSE', 'FLUSH', 'GET_PARAMETER', 'TEARDOWN', 'PLAY', 'RECORD']
const shared = ['REDIRECT', 'SET_PARAMETER', 'OPTIONS', 'GET', 'POST']
const otherProtocols = [
  ...[...streaming, ...shared].flatMap(method =>
    ['/', '/v1/pets', '*', 'rtsp://animals.example/'].map(target => `${method} ${target} RTSP/1.0`)
  ),
  ...streaming.flatMap(method => [`${method} /v1/pets RTSP/1.1`, `${method} / RTSP/2.0`]),
  'SOURCE / ICE/1.0',
  'SOURCE /v1/pets ICE/1.0',
  'PRI * HTTP/2.0',
  'OPTIONS * HTTP/2.0',
  'GET /v1/pets HTTP/0.9',
  'GET /v1/pets RTSP/2.0'
]

/** A store whose creates are done only when each is let go. */
const gatedStore = (t: Test) => {
  const store = openSqliteStore({ path: ':memory:' })
  t.teardown(() => store.close())
  const waiting: (() => void)[] = []
  let told = () => {}
  const gated: AnimalStore = {
    ...store,
    pets: {
      ...store.pets,
      create: async pet => {
        await new Promise<void>(resolve => {
          waiting.push(resolve)
          told()
        })
        return store.pets.create(pet)
      }
    }
  }
  /** Lets the next create go, once there is one. */
  const letGo = async () => {
    while (waiting.length === 0)
      await new Promise<void>(resolve => {
        told = resolve
      })
    waiting.shift()?.()
  }
  const arrived = async (count: number) => {
    while (waiting.length < count)
      await new Promise<void>(resolve => {
        told = resolve
      })
  }
  return { store: gated, letGo, arrived }
}

t.test('what is no HTTP is answered 400, and the connection closed', async t => {
  const app = await buildTestApp(t)
  const faulty: Record<string, string | Buffer> = {
    nonsense: 'NONSENSE\r\n\r\n',
    'no version': `GET /v1/pets\r\n${host}\r\n`,
    'another version': `GET /v1/pets HTTP/2.0\r\n${host}${key}\r\n`,
    'no such version': `GET /v1/pets HTTP/9.9\r\n${host}\r\n`,
    'HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'a blank in the address': `GET /v1/p ets HTTP/1.1\r\n${host}\r\n`,
    'a NUL in the address': `GET /v1/\0 HTTP/1.1\r\n${host}\r\n`,
    'a relative address': `GET v1/pets HTTP/1.1\r\n${host}\r\n`,
    'a method that is no token': `FE(TCH /v1/pets HTTP/1.1\r\n${host}\r\n`,
    'an unknown method and no address': `FETCH  HTTP/1.1\r\n${host}\r\n`,
    'an unknown method of another version': `FETCH /v1/pets HTTP/2.0\r\n${host}\r\n`,
    'an unknown method and a broken header': `FETCH /v1/pets HTTP/1.1\r\n${host}a b: c\r\n\r\n`,
    'an unknown method and a folded header': `FETCH /v1/pets HTTP/1.1\r\n${host} a: c\r\n\r\n`,
    'no method': ` /v1/pets HTTP/1.1\r\n${host}\r\n`,
    TLS: Buffer.from('16030100c8010000c40303', 'hex'),
    'a header without a colon': `GET /v1/pets HTTP/1.1\r\n${host}Accept\r\n\r\n`,
    'a header without a name': `GET /v1/pets HTTP/1.1\r\n${host}: x\r\n\r\n`,
    'a blank in a name': `GET /v1/pets HTTP/1.1\r\n${host}Con tent: x\r\n\r\n`,
    'a blank before the colon': `POST /v1/pets HTTP/1.1\r\n${host}Content-Length : 2\r\n\r\n{}`,
    'a NUL in a value': `GET /v1/pets HTTP/1.1\r\n${host}X: a\0b\r\n\r\n`,
    'a bare CR in a value': `GET /v1/pets HTTP/1.1\r\n${host}X: a\rb\r\n\r\n`,
    'a length that is none': `POST /v1/pets HTTP/1.1\r\n${host}Content-Length: two\r\n\r\n{}`,
    'a negative length': `POST /v1/pets HTTP/1.1\r\n${host}Content-Length: -2\r\n\r\n{}`,
    'a length with a sign': `POST /v1/pets HTTP/1.1\r\n${host}Content-Length: +2\r\n\r\n{}`,
    'a huge length': `POST /v1/pets HTTP/1.1\r\n${host}Content-Length: 99999999999999999999\r\n\r\n{}`,
    'two lengths': `POST /v1/pets HTTP/1.1\r\n${host}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    'two lengths in one': `POST /v1/pets HTTP/1.1\r\n${host}Content-Length: 2, 3\r\n\r\n{}`,
    'length and chunks': `POST /v1/pets HTTP/1.1\r\n${host}${key}${json}Content-Length: 2\r\n${chunked}\r\n2\r\n{}\r\n0\r\n\r\n`,
    'chunks and length': `POST /v1/pets HTTP/1.1\r\n${host}${key}${json}${chunked}Content-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    'chunks that are not last': `POST /v1/pets HTTP/1.1\r\n${host}${key}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`
  }
  for (const [name, bytes] of Object.entries(faulty)) {
    await t.test(name, t => refused(t, app, bytes, 400, 'malformed_request'))
  }
})

t.test('another protocol is answered as what is no HTTP: 400, counted, and one line that is no error', async t => {
  const lines: string[] = []
  const metrics = new Metrics()
  const app = await buildTestApp(t, { metrics, logger: { stream: { write: line => void lines.push(line) } } })
  for (const first of otherProtocols) {
    await t.test(first, async t => {
      const before = metrics.of('-').statuses[400] ?? 0
      const connection = await openConnection(t, app)
      // What is kept alive in HTTP, and carries a good key, is no better.
      connection.send(`${first}\r\n${host}${key}Connection: keep-alive\r\nCSeq: 1\r\n\r\n`)
      const answer = await connection.answer()
      checkError(t, answer, 400, 'malformed_request')
      t.equal(answer.headers['x-content-type-options'], 'nosniff')
      t.equal(answer.headers['cache-control'], 'no-store')
      await checkConnection(t, connection, answer, true)
      t.equal(metrics.of('-').statuses[400], before + 1)
      const [line = '{}', ...others] = lines.splice(0)
      t.match(JSON.parse(line), { level: 30, status: 400, requestId: answer.headers['x-request-id'] })
      t.strictSame(others, [])
    })
  }
})

t.test('of another protocol one request is answered, whatever comes before and after it', async t => {
  const lines: string[] = []
  const app = await buildTestApp(t, { logger: { stream: { write: line => void lines.push(line) } } })
  for (const first of ['DESCRIBE / RTSP/1.0', 'GET /v1/pets RTSP/1.0', 'SOURCE / ICE/1.0']) {
    const connection = await openConnection(t, app)
    connection.send(`${get().repeat(3)}${`${first}\r\n${host}\r\n`.repeat(2000)}`)
    for (let i = 0; i < 3; i++) t.equal((await connection.answer()).status, 200)
    checkError(t, await connection.answer(), 400, 'malformed_request')
    connection.finish()
    t.equal(await connection.rest(), '')
    t.equal(lines.splice(0).length, 4, 'and no other is logged')
  }
})

t.test('HTTP/1.0 is none of them, in one packet or byte by byte', async t => {
  const app = await buildTestApp(t)
  const request = `GET /v1/pets?limit=1 HTTP/1.0\r\n${key}User-Agent: GET / RTSP/1.0\r\n\r\n`
  for (const parts of [[request], [...request]]) {
    const connection = await openConnection(t, app)
    for (const part of parts) {
      connection.send(part)
      await nextTurn()
    }
    t.equal((await connection.answer()).status, 200)
  }
})

t.test('the target * is for OPTIONS', async t => {
  const app = await buildTestApp(t)
  for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'TRACE']) {
    const connection = await openConnection(t, app)
    connection.send(`${method} * HTTP/1.1\r\n${host}${key}\r\n`)
    const answer = await connection.answer(method)
    t.equal(answer.status, 400, method)
    t.equal(answer.headers.location, undefined)
    if (method !== 'HEAD') checkError(t, answer, 400, 'malformed_request')
    await checkConnection(t, connection, answer, false)
  }
  const connection = await openConnection(t, app)
  connection.send(`OPTIONS * HTTP/1.1\r\n${host}\r\n`)
  t.equal((await connection.answer()).status, 204)
})

t.test('Transfer-Encoding', async t => {
  const app = await buildTestApp(t)
  const body = `${rex.length.toString(16)}\r\n${rex}\r\n0\r\n\r\n`
  const request = (codings: string, more = '', version = 'HTTP/1.1') =>
    `POST /v1/pets ${version}\r\n${host}${key}${json}${more}Transfer-Encoding: ${codings}\r\n\r\n${body}`
  const count = async () => (await app.inject({ url: '/v1/pets', headers: withKey })).json().length

  await t.test('another coding than chunked is answered 501, and the connection closed', async t => {
    for (const codings of [
      'gzip, chunked',
      'identity, chunked',
      'GZIP ,, chunked',
      'x;a="b,c", chunked',
      'gzip\r\nTransfer-Encoding: chunked'
    ]) {
      for (const version of ['HTTP/1.1', 'HTTP/1.0']) {
        const bytes = request(codings, 'Connection: keep-alive\r\n', version)
        await refused(t, app, bytes + get(), 501, 'unsupported_transfer_coding')
        // Before the key is looked at, and the path.
        const keyless = bytes.replace(key, '').replace('/v1/pets', '/v1/%ff')
        await refused(t, app, keyless, 501, 'unsupported_transfer_coding')
      }
    }
    t.equal(await count(), 0)
  })

  await t.test('one without an end that can be found is answered 400, and the connection closed', async t => {
    for (const codings of ['gzip', 'identity', 'chunked, gzip', 'chunked;q=1', '"chunked"', 'chunked, chunked'])
      await refused(t, app, request(codings) + get(), 400, 'malformed_request')
    t.equal(await count(), 0)
  })

  await t.test('chunked may be spelled as lists of names are', async t => {
    for (const codings of ['chunked', 'Chunked', ', chunked']) {
      const connection = await openConnection(t, app)
      connection.send(request(codings))
      const answer = await connection.answer()
      t.equal(answer.status, 201, codings)
      await checkConnection(t, connection, answer, false)
    }
  })

  await t.test('in HTTP/1.0 the answer ends the connection, and nothing after it is handled', async t => {
    const before = await count()
    for (const target of ['/v1/pets', '/v1/%ff', '/v1/dogs']) {
      const connection = await openConnection(t, app)
      const bytes = request('chunked', 'Connection: keep-alive\r\n', 'HTTP/1.0').replace('/v1/pets', target)
      connection.send(bytes + post())
      const answer = await connection.answer()
      t.equal(answer.status, { '/v1/pets': 201, '/v1/%ff': 400, '/v1/dogs': 404 }[target])
      await checkConnection(t, connection, answer, true)
    }
    t.equal(await count(), before + 1)
    const connection = await openConnection(t, app)
    connection.send(post().replace('HTTP/1.1\r\n', 'HTTP/1.0\r\nConnection: keep-alive\r\n'))
    const answer = await connection.answer()
    t.equal(answer.status, 201)
    await checkConnection(t, connection, answer, false)
  })
})

t.test('a field of which there may be one comes once', async t => {
  const app = await buildTestApp(t)
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
    for (const target of ['/v1/pets', '/v1/%ff', '/v1/dogs', '/']) {
      const connection = await openConnection(t, app)
      connection.send(`POST ${target} HTTP/1.1\r\n${host}${lines}Content-Length: ${rex.length}\r\n\r\n${rex}`)
      const answer = await connection.answer()
      checkError(t, answer, 400, 'malformed_request')
      t.match(JSON.parse(answer.body).message, `The ${name} header may occur only once.`)
    }
  }
  const connection = await openConnection(t, app)
  connection.send(
    post().replace(key, `${key}Accept: a/b\r\nAccept: c/d\r\nX-Content-Tpe: a\r\nXuthorization: a\r\nHosts: a\r\n`)
  )
  t.equal((await connection.answer()).status, 201, 'others may come more than once, or be as long')
})

t.test('a body that is broken while it comes is answered 400, and the connection closed', async t => {
  const app = await buildTestApp(t)
  const head = `POST /v1/pets HTTP/1.1\r\n${host}${key}${json}${chunked}\r\n`
  for (const broken of [
    'zz\r\n',
    '-1\r\n',
    '2\r\n{}{}',
    '2\r\n{}\r\nzz\r\n',
    '2;\0\r\n{}\r\n0\r\n\r\n',
    '0\r\nTrailer\r\n\r\n'
  ]) {
    await t.test(JSON.stringify(broken), async t => {
      await refused(t, app, head + broken, 400, 'malformed_request')
      const connection = await openConnection(t, app)
      connection.send(head)
      connection.send(broken)
      checkError(t, await connection.answer(), 400, 'malformed_request')
      t.equal(await connection.rest(), '')
    })
  }
  t.strictSame((await app.inject({ url: '/v1/pets', headers: withKey })).json(), [], 'nothing was added')
})

t.test('Host', async t => {
  const app = await buildTestApp(t)
  const ask = async (t: Test, head: string) => {
    const connection = await openConnection(t, app)
    connection.send(`GET /v1/pets HTTP/1.1\r\n${head}${key}\r\n`)
    const answer = await connection.answer()
    await checkConnection(t, connection, answer, false)
    return answer
  }
  const wrong = [
    '',
    `${host}${host}`,
    `${host}HOST: other\r\n`,
    'Host: a b\r\n',
    'Host: a/b\r\n',
    'Host: user@a\r\n',
    'Host: ä\r\n',
    'Host: a:b\r\n',
    'Host: a, b\r\n'
  ]
  for (const head of wrong) {
    await t.test(`wrong: ${JSON.stringify(head)}`, async t => {
      const answer = await ask(t, head)
      // A comma may be part of a name, so that what one line holds is for RFC 3986 to say.
      checkError(t, answer, 400, 'malformed_request')
      t.match(JSON.parse(answer.body).message, /Host/)
    })
  }
  for (const right of [
    '',
    'animals.example',
    '127.0.0.1:3000',
    '[::1]',
    '[::1]:3000',
    'a:',
    'x_y.example.',
    'xn--bcher-kva.example'
  ])
    await t.test(`right: ${right}`, async t => t.equal((await ask(t, `Host: ${right}\r\n`)).status, 200))

  await t.test('HTTP/1.0 had none', async t => {
    const connection = await openConnection(t, app)
    connection.send(`GET /v1/pets HTTP/1.0\r\n${key}\r\n`)
    const answer = await connection.answer()
    t.equal(answer.status, 200)
    t.equal(answer.body, '[]')
    t.equal(await connection.rest(), '')
  })
})

t.test('an address in absolute form leads where its path does', async t => {
  const app = await buildTestApp(t)
  for (const [target, status] of [
    ['http://animals.example/v1/pets?limit=1', 200],
    ['HTTPS://[::1]:3000/v1/pets', 200],
    ['http://animals.example/v1/pets/9', 404],
    ['http://animals.example/v1/pets?limit=0', 400],
    ['http://animals.example', 302],
    ['http://animals.example?x=1', 302],
    ['http://animals.example/v1/%ff', 400]
  ] as const) {
    const connection = await openConnection(t, app)
    connection.send(get(target))
    t.equal((await connection.answer()).status, status, target)
  }
})

t.test('Expect', async t => {
  const app = await buildTestApp(t)
  const head = (more: string, length = rex.length) =>
    `POST /v1/pets HTTP/1.1\r\n${host}${json}Content-Length: ${length}\r\n${more}\r\n`
  const going = 'Expect: 100-continue\r\n'

  await t.test('another expectation than 100-continue is answered 417', async t => {
    await refused(t, app, head(`${key}Expect: gold\r\n`), 417, 'expectation_failed')
    await refused(t, app, `GET / HTTP/1.1\r\n${host}Expect: gold\r\n\r\n`, 417, 'expectation_failed')
  })

  await t.test('with a good key: told to go on, then answered', async t => {
    const connection = await openConnection(t, app)
    for (const expectation of [going, 'EXPECT: 100-Continue\r\n']) {
      connection.send(head(key + expectation))
      t.equal((await connection.answer()).status, 100)
      connection.send(rex)
      const answer = await connection.answer()
      t.equal(answer.status, 201)
      await checkConnection(t, connection, answer, false)
    }
  })

  await t.test('what its header tells already is answered instead of a 100', async t => {
    const cases: [string, number, string][] = [
      [head(going), 401, 'api_key_missing'],
      [head(`${going}Authorization: Bearer x\r\n`), 401, 'api_key_invalid'],
      [head(key + going).replace('application/json', 'text/plain'), 415, 'unsupported_media_type'],
      [head(key + going, limits.bodyBytes + 1), 413, 'body_too_large'],
      [head(key + going).replace('/v1/pets', '/v1/dogs'), 404, 'path_not_found'],
      [head(key + going).replace('/v1/pets', '/v1/pets/1'), 405, 'method_not_allowed'],
      [head(key + going).replace(host, ''), 400, 'malformed_request']
    ]
    for (const [bytes, status, code] of cases) await refused(t, app, bytes, status, code)
  })

  await t.test('HTTP/1.0 knows no expectation', async t => {
    for (const expectation of [going, 'Expect: gold\r\n']) {
      const connection = await openConnection(t, app)
      connection.send(head(key + expectation).replace('HTTP/1.1', 'HTTP/1.0') + rex)
      t.equal((await connection.answer()).status, 201)
      t.equal(await connection.rest(), '')
    }
  })
})

t.test('too much header is answered 431', async t => {
  const app = await buildTestApp(t)
  const long = 'x'.repeat(limits.headerBytes)
  await refused(t, app, `GET /v1/pets HTTP/1.1\r\n${host}X: ${long}\r\n\r\n`, 431, 'headers_too_large')
  await refused(t, app, `GET /v1/pets HTTP/1.1\r\n${host}${long}: x\r\n\r\n`, 431, 'headers_too_large')
  await refused(t, app, `GET /v1/pets HTTP/1.1\r\n${host}${'X: x\r\n'.repeat(9_000)}\r\n`, 431, 'headers_too_large')
  await refused(t, app, `GET /v1/pets HTTP/1.1\r\n${host}X: ${'x'.repeat(3_000_000)}`, 431, 'headers_too_large')

  const connection = await openConnection(t, app)
  const head = `GET /v1/pets HTTP/1.1\r\n${host}${key}X: `
  connection.send(`${head}${'x'.repeat(limits.headerBytes - head.length - 100)}\r\n\r\n`)
  t.equal((await connection.answer()).status, 200, 'just short of it')
})

t.test('an address that is too long is answered 414', async t => {
  const app = await buildTestApp(t)
  const ask = async (length: number, before = '/v1/pets/') => {
    const connection = await openConnection(t, app)
    connection.send(get(before + '9'.repeat(length - before.length)))
    const answer = await connection.answer()
    await checkConnection(t, connection, answer, length > limits.headerBytes)
    return answer
  }
  checkError(t, await ask(limits.uriBytes), 400, 'invalid_request')
  checkError(t, await ask(limits.uriBytes + 1), 414, 'uri_too_long')
  checkError(t, await ask(limits.uriBytes + 1, '/'), 414, 'uri_too_long')
  checkError(t, await ask(limits.uriBytes + 1, '/v1/pets?limit='), 414, 'uri_too_long')
  checkError(t, await ask(limits.headerBytes + 1), 414, 'uri_too_long')
  checkError(t, await ask(1_000_000), 414, 'uri_too_long')
  const second = await openConnection(t, app)
  second.send(get() + get(`/${'x'.repeat(limits.headerBytes)}`))
  t.equal((await second.answer()).status, 200)
  checkError(t, await second.answer(), 414, 'uri_too_long')
  t.equal(await second.rest(), '')
  for (const before of ['http://', 'http://animals.example/', 'http://animals.example/v1/pets?status=']) {
    const absolute = await ask(limits.uriBytes + 1, before)
    checkError(t, absolute, 414, 'uri_too_long')
  }
  const connection = await openConnection(t, app)
  connection.send(`GET /v1/%ff${'x'.repeat(limits.uriBytes)} HTTP/1.1\r\n${host}\r\n`)
  checkError(t, await connection.answer(), 414, 'uri_too_long')
})

t.test('a request that does not arrive in time is answered 408', async t => {
  const app = await buildTestApp(t, { timeouts: { headersMs: 50, requestMs: 150, checkMs: 10 } })
  const began = ['', 'GET /v1', `GET /v1/pets HTTP/1.1\r\n${host}`]
  for (const bytes of [...began, post().slice(0, -1), post().slice(0, -rex.length)]) {
    await t.test(JSON.stringify(bytes.slice(-12)), t => refused(t, app, bytes, 408, 'request_timeout'))
  }
  await t.test('one that goes on only now and then', async t => {
    const connection = await openConnection(t, app)
    connection.send(`POST /v1/pets HTTP/1.1\r\n${host}${key}${json}${chunked}\r\n`)
    const drip = setInterval(() => connection.send('1\r\n \r\n'), 10)
    t.teardown(() => clearInterval(drip))
    const answer = await connection.answer()
    clearInterval(drip)
    checkError(t, answer, 408, 'request_timeout')
    await checkConnection(t, connection, answer, true)
  })
  await t.test('a second one, after a good one', async t => {
    app.server.headersTimeout = app.server.requestTimeout = 600_000
    const connection = await openConnection(t, app)
    connection.send(`${get()}GET /v1`)
    t.equal((await connection.answer()).status, 200)
    app.server.headersTimeout = app.server.requestTimeout = 50
    checkError(t, await connection.answer(), 408, 'request_timeout')
    t.equal(await connection.rest(), '')
  })
})

t.test('CONNECT is answered 400, whatever the client does next', async t => {
  const lines: string[] = []
  const app = await buildTestApp(t, { logger: { stream: { write: line => void lines.push(line) } } })
  const connects = [
    `CONNECT animals.example:443 HTTP/1.1\r\n${host}\r\n`,
    `CONNECT animals.example:443 HTTP/1.1\r\n\r\n`,
    `CONNECT animals.example:443 HTTP/1.1\r\n${host}Content-Length: 5\r\n\r\n`,
    `CONNECT animals.example:443 HTTP/1.1\r\n${host}${chunked}\r\nzz\r\n`,
    `CONNECT animals.example:443 HTTP/1.1\r\n${host}\r\n${get()}`
  ]
  for (const bytes of connects) await refused(t, app, bytes, 400, 'malformed_request')

  // A socket that Node has handed over has nobody who listens for its errors, which would end the process.
  for (let i = 0; i < 50; i++) {
    const connection = await openConnection(t, app)
    connection.send(connects[i % connects.length] ?? '')
    connection.reset()
    await connection.rest().catch(() => {})
  }
  const connection = await openConnection(t, app)
  connection.send(get())
  t.equal((await connection.answer()).status, 200)
  t.notOk(
    lines.some(line => JSON.parse(line).level >= 50),
    'no fault of ours'
  )
})

t.test('every method that HTTP has is known', async t => {
  const app = await buildFixtureApp(t)
  const ask = async (method: string, target: string, more = `Authorization: ${fixtureKey.authorization}\r\n`) => {
    const connection = await openConnection(t, app)
    connection.send(`${method} ${target} HTTP/1.1\r\n${host}${more}\r\n`)
    return connection.answer(method)
  }
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
      const answer = await ask(method, target)
      if (method === 'OPTIONS') {
        t.equal(answer.status, 204)
        t.equal(answer.headers.allow, allow)
      } else if (allow.split(', ').includes(method)) {
        t.not(answer.status, 405, `${method} ${target}`)
      } else {
        checkError(t, answer, 405, 'method_not_allowed')
        t.equal(answer.headers.allow, allow)
      }
    }
    for (const target of ['/v1/dogs', '/v1/things/', '/v1', '/dogs']) {
      const answer = await ask(method, target)
      t.equal(answer.status, 404, `${method} ${target}`)
      if (method !== 'HEAD') checkError(t, answer, 404, 'path_not_found')
    }
    const keyless = await ask(method, '/v1/dogs', '')
    t.equal(keyless.status, method === 'OPTIONS' ? 404 : 401, `${method} without a key`)
  }
})

t.test(
  'a method that is unknown is judged like one that the address does not have, and ends the connection',
  async t => {
    const lines: string[] = []
    const app = await buildTestApp(t, { logger: { stream: { write: line => void lines.push(line) } } })
    const cases: [string, string, number, string][] = [
      ['/v1/pets', key, 405, 'method_not_allowed'],
      ['/v1/pets', '', 401, 'api_key_missing'],
      ['/v1/pets', 'Authorization: Bearer x\r\n', 401, 'api_key_invalid'],
      ['/v1/dogs', key, 404, 'path_not_found'],
      ['/v1/dogs', '', 401, 'api_key_missing'],
      ['/v1/%ff', key, 400, 'malformed_path'],
      ['/', '', 405, 'method_not_allowed'],
      ['http://animals.example/v1/pets', key, 405, 'method_not_allowed'],
      ['/v1/pets', `${key}${key}`, 400, 'malformed_request'],
      ['/v1/pets', `${key}Transfer-Encoding: gzip, chunked\r\n`, 501, 'unsupported_transfer_coding'],
      [`/${'x'.repeat(limits.uriBytes)}`, key, 414, 'uri_too_long'],
      ['*', key, 400, 'malformed_request']
    ]
    for (const method of ['FETCH', 'GETS', 'get', 'UNLOCKED', 'a-b', ...streaming]) {
      for (const [target, more, status, code] of cases) {
        const connection = await openConnection(t, app)
        const first = `${method} ${target} HTTP/1.1\r\n${host}${more}X-Request-Id: mine\r\nContent-Length: 2\r\n\r\n{}`
        connection.send(get() + first + get())
        t.equal((await connection.answer()).status, 200)
        const answer = await connection.answer()
        checkError(t, answer, status, code)
        t.equal(answer.headers['x-request-id'], 'mine')
        t.equal(answer.headers['x-content-type-options'], 'nosniff')
        if (status === 405) {
          t.match(JSON.parse(answer.body).message, `no ${method}, only `)
          t.match(answer.headers.allow, /GET/)
        }
        await checkConnection(t, connection, answer, true)
        const [, line = '{}', ...others] = lines.splice(0)
        t.match(JSON.parse(line), { level: 30, method, status, requestId: 'mine' })
        t.strictSame(others, [])
      }
    }
    await refused(t, app, `FETCH /v1/pets HTTP/1.1\r\n${key}\r\n`, 400, 'malformed_request')
    await refused(t, app, `FETCH /v1/pets HTTP/1.0\r\n${key}\r\n`, 405, 'method_not_allowed')
  }
)

t.test('a HEAD is answered without a body, with the header of its GET', async t => {
  const app = await buildTestApp(t)
  await app.inject({ method: 'POST', url: '/v1/pets', headers: withKey, payload: JSON.parse(rex) })
  for (const [target, more] of [
    ['/v1/pets', key],
    ['/v1/pets', ''],
    ['/v1/pets?limit=0', key],
    ['/v1/pets/1', key],
    ['/v1/pets/9', key],
    ['/v1/pets/x', key],
    ['/v1/store/orders', key],
    ['/v1/dogs', key],
    ['/dogs', ''],
    ['/', ''],
    ['/docs', ''],
    ['/docs/', ''],
    ['/openapi.yaml', ''],
    [`/${'x'.repeat(limits.uriBytes)}`, ''],
    ['/v1/%ff', key]
  ] as const) {
    const connection = await openConnection(t, app)
    const answers: Answer[] = []
    for (const method of ['HEAD', 'GET']) {
      connection.send(`${method} ${target} HTTP/1.1\r\n${host}${more}\r\n`)
      answers.push(await connection.answer(method))
    }
    const [head, full] = answers.map(({ status, headers: { date, 'x-request-id': id, ...headers } }) => ({
      status,
      headers
    }))
    t.strictSame(head, full, target)
  }
})

t.test('what came before a fault on the same connection is answered first', async t => {
  const after: [string, number, string][] = [
    ['NONSENSE\r\n\r\n', 400, 'malformed_request'],
    [`CONNECT animals.example:443 HTTP/1.1\r\n${host}\r\n`, 400, 'malformed_request'],
    [`GET /v1/pets HTTP/1.1\r\nX: ${'x'.repeat(limits.headerBytes)}`, 431, 'headers_too_large'],
    [`POST /v1/pets HTTP/1.1\r\n${host}${key}${json}${chunked}\r\nzz\r\n`, 400, 'malformed_request'],
    [`POST /v1/pets HTTP/1.1\r\n${host}${json}${chunked}\r\nzz\r\n`, 401, 'api_key_missing'],
    [`GET /v1/pets HTTP/1.1\r\n${host}Expect: gold\r\n\r\n`, 417, 'expectation_failed']
  ]
  for (const [fault, status, code] of after) {
    await t.test(JSON.stringify(fault.slice(0, 60)), async t => {
      const { store, letGo, arrived } = gatedStore(t)
      const app = await buildTestApp(t, { store })
      const connection = await openConnection(t, app)
      connection.send(post() + post() + get() + fault)
      // More of it must not bring forth another answer, and its end not take away the one to the fault.
      connection.send('NONSENSE\r\n\r\n'.repeat(20))
      connection.finish()
      for (const id of [1, 2]) {
        await arrived(1)
        await letGo()
        const answer = await connection.answer()
        t.equal(answer.status, 201)
        t.equal(JSON.parse(answer.body).id, id)
      }
      t.equal((await connection.answer()).status, 200)
      checkError(t, await connection.answer(), status, code)
      t.equal(await connection.rest(), '')
    })
  }
})

t.test('what comes after an answer that ends the connection is not handled', async t => {
  const app = await buildTestApp(t)
  const ending: [string, number, string][] = [
    [post('{'), 400, 'malformed_json'],
    [post().replace('application/json', 'text/plain'), 415, 'unsupported_media_type'],
    [post().replace(key, `${key}Expect: gold\r\n`), 417, 'expectation_failed'],
    [post().replace(key, ''), 401, 'api_key_missing'],
    [post(' '.repeat(limits.bodyBytes + 1)), 413, 'body_too_large']
  ]
  for (const [first, status, code] of ending) {
    await t.test(code, async t => {
      const connection = await openConnection(t, app)
      connection.send(first + post() + post() + post())
      // What comes while the connection is being ended must not take the answer away with a reset.
      for (let i = 0; i < 20; i++) connection.send(post().repeat(1000))
      checkError(t, await connection.answer(), status, code)
      connection.finish()
      t.equal(await connection.rest(), '')
      const stored = await app.inject({ url: '/v1/pets', headers: withKey })
      t.strictSame(stored.json(), [], 'the client may ask again on another connection, and adds nothing twice')
    })
  }
})

t.test('requests that are sent at once are handled one after the other', async t => {
  const { store, letGo, arrived } = gatedStore(t)
  let handled = 0
  const create = (pet: NewPet) => {
    handled++
    return store.pets.create(pet)
  }
  const counted = { ...store, pets: { ...store.pets, create } }
  const app = await buildTestApp(t, { store: counted })
  const connection = await openConnection(t, app)
  connection.send(post() + post() + get() + post())
  for (const id of [1, 2]) {
    await arrived(1)
    t.equal(handled, id)
    await letGo()
    t.equal(JSON.parse((await connection.answer()).body).id, id)
  }
  t.equal(JSON.parse((await connection.answer()).body).length, 2)
  await letGo()
  t.equal((await connection.answer()).status, 201)
})

t.test('of too many requests that are sent at once the first are answered, and the connection is ended', async t => {
  const app = await buildTestApp(t)
  const connection = await openConnection(t, app)
  connection.send(post().repeat(5000))
  let answered = 0
  for (let isOpen = true; isOpen; answered++) {
    const { status, headers } = await connection.answer()
    if (status !== 201) t.equal(status, 201)
    isOpen = headers.connection !== 'close'
  }
  connection.finish()
  t.equal(await connection.rest(), '')
  t.comment(`${answered} were answered`)
  t.ok(answered > 50 && answered < 1000)
  const pets = await app.inject({ url: `/v1/pets?cursor=${cursorAfter(BigInt(answered - 1))}`, headers: withKey })
  t.equal(pets.json().length, 1, 'and as many handled')
})

t.test('that bound holds for addresses that cannot be decoded as well', async t => {
  const app = await buildTestApp(t, { corsOrigins: ['https://shop.example'] })
  const asked = 'Origin: https://shop.example\r\nAccess-Control-Request-Method: GET\r\n'
  for (const request of [
    'GET /%ff HTTP/1.1\r\nHost: x\r\n\r\n',
    get('/v1/%ff'),
    `OPTIONS /v1/%ff HTTP/1.1\r\nHost: x\r\n${asked}\r\n`
  ]) {
    const connection = await openConnection(t, app)
    connection.send(request.repeat(1000))
    let answered = 0
    for (let isOpen = true; isOpen; answered++) {
      isOpen = (await connection.answer()).headers.connection !== 'close'
    }
    connection.finish()
    t.equal(await connection.rest(), '')
    t.equal(answered, 101, request)
  }
})

t.test('a client that has sent all and closed its side is answered', async t => {
  const { store, letGo, arrived } = gatedStore(t)
  const app = await buildTestApp(t, { store })
  const connection = await openConnection(t, app)
  connection.send(post() + get('/v1/pets?limit=1') + post())
  connection.finish()
  await arrived(1)
  await letGo()
  t.equal((await connection.answer()).status, 201)
  t.equal((await connection.answer()).status, 200)
  await letGo()
  t.equal((await connection.answer()).status, 201)
  t.equal(await connection.rest(), '')

  const broken = await openConnection(t, app)
  broken.send(post().slice(0, -1))
  broken.finish()
  const answer = await broken.answer()
  checkError(t, answer, 400, 'malformed_request')
  await checkConnection(t, broken, answer, true)

  const idle = await openConnection(t, app)
  idle.finish()
  t.equal(await idle.rest(), '')
})

t.test('a client that goes away in the middle is no fault of ours', async t => {
  const lines: string[] = []
  const { store, letGo, arrived } = gatedStore(t)
  const app = await buildTestApp(t, { store, logger: { stream: { write: line => void lines.push(line) } } })
  const parts = [
    'GET /v1',
    `GET /v1/pets HTTP/1.1\r\n${host}`,
    post().slice(0, -rex.length),
    post().slice(0, -1),
    `POST /v1/pets HTTP/1.1\r\n${host}${key}${json}${chunked}\r\n5\r\n{"nam`,
    `POST /v1/pets HTTP/1.1\r\n${host}${json}Content-Length: 100000\r\n\r\n{`
  ]
  for (const bytes of parts) {
    for (const end of ['reset', 'finish'] as const) {
      const connection = await openConnection(t, app)
      connection.send(bytes)
      // An answer from another connection: by then this one's bytes have been read.
      const other = await openConnection(t, app)
      other.send(get())
      await other.answer()
      connection[end]()
      await connection.rest().catch(() => {})
    }
  }
  const gone = await openConnection(t, app)
  gone.send(post())
  await arrived(1)
  gone.reset()
  await gone.rest().catch(() => {})
  await letGo()

  const connection = await openConnection(t, app)
  connection.send(get())
  const { status, body } = await connection.answer()
  t.equal(status, 200)
  t.equal(JSON.parse(body).length, 1, 'whose request had arrived has its animal')
  t.strictSame(
    lines.filter(line => JSON.parse(line).level >= 50),
    [],
    'nothing in the log that somebody would have to look at'
  )
})

t.test('an answer is read though the request goes on for long', async t => {
  const app = await buildTestApp(t)
  const body = 'x'.repeat(10_000_000)
  const long = (more: string) => `POST /v1/pets HTTP/1.1\r\n${host}${json}${more}Content-Length: ${body.length}\r\n\r\n`
  const cases: [string, number, string][] = [
    [long(''), 401, 'api_key_missing'],
    [long('Authorization: Bearer x\r\n'), 401, 'api_key_invalid'],
    [long(key), 413, 'body_too_large'],
    [long(key).replace('application/json', 'text/plain'), 415, 'unsupported_media_type'],
    [long(key).replace('/v1/pets', '/v1/dogs'), 404, 'path_not_found'],
    [long(key).replace('/v1/pets', '/v1/pets/1'), 405, 'method_not_allowed'],
    [long('Expect: gold\r\n'), 417, 'expectation_failed'],
    [`POST /v1/pets HTTP/1.1\r\n${host}X: `, 431, 'headers_too_large'],
    [
      `POST /v1/pets HTTP/1.1\r\n${host}${key}${json}${chunked}\r\n${body.length.toString(16)}\r\n`,
      413,
      'body_too_large'
    ],
    [`POST /v1/pets HTTP/1.1\r\n${host}${key}${json}${chunked}\r\nzz\r\n`, 400, 'malformed_request'],
    [`CONNECT animals.example:443 HTTP/1.1\r\n${host}\r\n`, 400, 'malformed_request']
  ]
  for (const [head, status, code] of cases) {
    await t.test(`${status} ${code}`, async t => {
      for (let round = 0; round < 5; round++) {
        const connection = await openConnection(t, app)
        connection.send(head)
        // Many clients read no answer before they have sent all.
        connection.send(body)
        connection.finish()
        const answer = await connection.answer()
        checkError(t, answer, status, code)
        await checkConnection(t, connection, answer, true)
      }
    })
  }

  await t.test('no further request is taken from what follows', async t => {
    const connection = await openConnection(t, app)
    connection.send(long('') + body + post())
    checkError(t, await connection.answer(), 401, 'api_key_missing')
    connection.finish()
    t.equal(await connection.rest(), '')
    t.strictSame((await app.inject({ url: '/v1/pets', headers: withKey })).json(), [])
  })

  await t.test('curl', async t => {
    const { port } = app.server.address() as AddressInfo
    for (const expect of ['Expect:', 'Expect: 100-continue']) {
      for (let round = 0; round < 5; round++) {
        const curl = promisify(execFile)('curl', [
          ...['-sS', '--fail-with-body', '-w', ' %{http_code}', '-H', expect, '-H', 'Content-Type: application/json'],
          ...['--data-binary', '@-', `http://127.0.0.1:${port}/v1/pets`]
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
