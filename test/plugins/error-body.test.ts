import t, { type Test } from 'tap'
import { notImplemented } from '../../src/errors.ts'
import type { AnimalStore } from '../../src/store/pets.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { aPet, newRex } from '../animals.ts'
import { buildTestApp, withKey } from '../build-test-app.ts'
import { petsThat } from '../routes/failing-store.ts'

const internal = { code: 'internal_error', message: 'Internal error.', status: 500 }
const unavailable = { code: 'service_unavailable', message: 'The store cannot answer now; try again.', status: 503 }

/** An app whose store fails so, and what it logs. */
const failing = async (t: Test, fail: () => never) => {
  const store = openSqliteStore({ path: ':memory:' })
  t.teardown(() => store.close())
  const failingStore: AnimalStore = {
    ...store,
    pets: petsThat(async () => fail())
  }
  const lines: string[] = []
  const app = await buildTestApp(t, {
    store: failingStore,
    logger: { level: 'trace', stream: { write: line => void lines.push(line) } }
  })
  const answers = async () => [
    await app.inject({ url: '/v1/pets', headers: withKey }),
    await app.inject({ url: '/v1/pets/1', headers: withKey }),
    await app.inject({ method: 'POST', url: '/v1/pets', headers: withKey, payload: newRex })
  ]
  return { app, answers, logged: (level: number) => lines.filter(line => JSON.parse(line).level >= level) }
}

t.test('a fault of ours tells the client nothing, and the log all', async t => {
  const secrets = ['SELECT * FROM keys', '/var/lib/animals.db', 'the cause of it', 'of-the-code']
  const cause = new TypeError('the cause of it')
  const error = Object.assign(new Error('SELECT * FROM keys in /var/lib/animals.db', { cause }), {
    code: 'of-the-code'
  })
  const { answers, logged } = await failing(t, () => {
    throw error
  })
  for (const res of await answers()) {
    t.strictSame(res.json(), internal)
    const all = JSON.stringify([res.headers, res.body, res.statusMessage])
    for (const secret of secrets) t.notOk(all.includes(secret))
  }
  t.equal(logged(50).length, 3)
  for (const line of logged(50)) {
    for (const secret of secrets) t.ok(line.includes(secret), secret)
    t.match(JSON.parse(line).err.stack, /error-body\.test\.ts/)
    t.notOk(line.includes(withKey.authorization.split('_')[2] ?? ''))
  }
})

t.test('what looks like an error of the framework or of HTTP is a fault of ours all the same', async t => {
  const disguised: [string, object][] = [
    ['with a status', { statusCode: 404 }],
    ['with another status', { status: 401, statusCode: 200 }],
    ['with headers', { headers: { location: 'http://evil.example' } }],
    ['a validation', { validation: [{}], validationContext: 'body', statusCode: 400 }],
    ['of the system', { code: 'ECONNRESET', errno: -104, syscall: 'read' }],
    ['by its name', { name: 'StoreUnavailable' }],
    ['with an inherited name as its code', { code: 'constructor' }],
    ['with a code that is no text', { code: 5 }]
  ]
  for (const [name, more] of disguised) {
    await t.test(name, async t => {
      const { answers, logged } = await failing(t, () => {
        throw Object.assign(new Error('secret'), more)
      })
      for (const res of await answers()) {
        t.equal(res.statusCode, 500)
        t.strictSame(res.json(), internal)
        t.equal(res.headers.location, undefined)
      }
      t.equal(logged(50).length, 3)
    })
  }
})

t.test('what is thrown may be anything', async t => {
  const thrown: [unknown, string][] = [
    [undefined, 'undefined'],
    [null, 'null'],
    ['a secret text', 'a secret text'],
    ['', "''"],
    [0, '0'],
    [404, '404'],
    [10n, '10n'],
    [Symbol('a secret symbol'), 'a secret symbol'],
    [{ statusCode: 404, message: 'a secret object', code: 'x' }, 'a secret object'],
    [{ message: 'a secret in depth', a: { b: { c: { d: 'deep' } } } }, 'a secret in depth'],
    [Object.create(null), ''],
    [['a secret list'], 'a secret list'],
    [() => 'a secret function', ''],
    [Promise.resolve('a secret promise'), ''],
    [
      {
        get code() {
          throw new Error('a trap')
        }
      },
      ''
    ]
  ]
  for (const [value, shown] of thrown) {
    await t.test(shown || typeof value, async t => {
      const { answers, logged } = await failing(t, () => {
        throw value
      })
      for (const res of await answers()) {
        t.equal(res.statusCode, 500)
        t.strictSame(res.json(), internal)
      }
      t.equal(logged(50).length, 3)
      for (const line of logged(50)) t.ok(line.includes(shown), line)
    })
  }
})

t.test('a store that cannot now is a 503 that says when to try again, and a warning', async t => {
  const { answers, logged } = await failing(t, () => {
    throw new StoreUnavailable('the database cannot be read now', { cause: new Error('disk I/O error') })
  })
  for (const res of await answers()) {
    t.strictSame(res.json(), unavailable)
    t.equal(res.headers['retry-after'], '1')
  }
  t.equal(logged(50).length, 0)
  t.equal(logged(40).length, 3)
  for (const line of logged(40)) t.match(line, /disk I\/O error/)
})

t.test('an error that the operation does not declare is a fault of ours', async t => {
  const { answers, logged } = await failing(t, () => {
    throw notImplemented('it')
  })
  for (const res of await answers()) t.strictSame(res.json(), internal)
  t.equal(logged(50).length, 3)
  for (const line of logged(50)) {
    t.match(line, /does not declare 501/)
    t.match(line, /not_implemented/, 'and what it was to be')
  }
})

t.test('an answer that breaks the contract is a fault of ours, and not sent', async t => {
  const store = openSqliteStore({ path: ':memory:' })
  t.teardown(() => store.close())
  const lines: string[] = []
  const rex = aPet()
  const broken: object[] = [
    { ...rex, id: 0n },
    { ...rex, id: 2n ** 53n },
    { ...rex, id: 1 / 2 },
    { ...rex, name: '' },
    { ...rex, name: null },
    { ...rex, name: 'a\nb' },
    { ...rex, categoryId: 2n ** 63n },
    { ...rex, categoryId: '7' },
    { ...rex, status: 'lost' },
    { ...rex, status: undefined },
    []
  ]
  for (const pet of broken) {
    const pets = {
      list: async () => [pet],
      get: async () => pet,
      create: async () => pet
    } as unknown as AnimalStore['pets']
    const app = await buildTestApp(t, {
      store: { ...store, pets },
      logger: { stream: { write: line => void lines.push(line) } }
    })
    for (const res of [
      await app.inject({ url: '/v1/pets', headers: withKey }),
      await app.inject({ url: '/v1/pets/1', headers: withKey }),
      await app.inject({ method: 'POST', url: '/v1/pets', headers: withKey, payload: newRex })
    ]) {
      t.strictSame(res.json(), internal)
      t.equal(res.headers.link === undefined || res.headers.deprecation !== undefined, true)
      t.equal(res.headers.location, undefined, 'nor its headers')
    }
  }
  t.equal(lines.filter(line => JSON.parse(line).level === 50).length, broken.length * 3)
})

t.test('every error has the three fields alone, as JSON without a charset', async t => {
  const app = await buildTestApp(t)
  const json = { ...withKey, 'content-type': 'application/json' }
  const requests = [
    { url: '/v1/pets' },
    { url: '/v1/pets?limit=0', headers: withKey },
    { url: '/v1/pets/x', headers: withKey },
    { url: '/v1/pets/9', headers: withKey },
    { url: '/v1/%ff', headers: withKey },
    { url: '/v1/store/orders', headers: withKey },
    { url: '/v1/dogs', headers: withKey },
    { url: '/dogs' },
    { url: '/docs/dogs' },
    { url: '/docs/static/dogs' },
    { url: '/%ff' },
    { url: '/%' },
    { method: 'TRACE', url: '/v1/pets', headers: withKey },
    { method: 'POST', url: '/v1/pets', headers: json, payload: '{' },
    { method: 'POST', url: '/v1/pets', headers: json, payload: '[😀]' },
    { method: 'POST', url: '/v1/pets', headers: json, payload: '{}' },
    { method: 'POST', url: '/v1/pets', headers: json, payload: ' '.repeat(65_537) },
    { method: 'POST', url: '/v1/pets', headers: { ...json, 'content-type': 'text/plain' }, payload: 'x' }
  ] as const
  for (const request of requests) {
    const res = await app.inject(request)
    t.equal(res.headers['content-type'], 'application/json', request.url)
    t.equal(res.headers['content-length'], String(res.rawPayload.length))
    t.strictSame(Object.keys(res.json()), ['code', 'message', 'status'])
    t.equal(res.json().status, res.statusCode)
    t.ok(JSON.stringify(res.json()).isWellFormed() && res.json().message.isWellFormed(), 'no half of a character')
  }
})

t.test('what a client sent is shown in short, and never cut in the middle of a character', async t => {
  const app = await buildTestApp(t)
  for (const pad of ['', 'x']) {
    const long = `${pad}${'😀'.repeat(500)}`
    const encoded = encodeURIComponent(long)
    for (const url of [
      `/v1/${encoded.slice(0, 7000)}`,
      `/v1/pets/${encoded}`,
      `/v1/pets?status=${encoded}`,
      `/v1/pets?${encoded}=1`
    ]) {
      const res = await app.inject({ url, headers: withKey })
      const { message } = res.json()
      t.ok(message.isWellFormed())
      t.ok(message.length < 400, message)
    }
    const res = await app.inject({
      method: 'POST',
      url: '/v1/pets',
      headers: withKey,
      payload: { [long]: 1, name: 1, categoryId: long, status: long }
    })
    t.equal(res.statusCode, 400)
    t.ok(res.json().message.isWellFormed() && res.json().message.length < 1000)
  }
})
