import t, { type Test } from 'tap'
import { notImplemented } from '../../src/errors/api-error.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { brick, buildFixtureApp, type FixtureOptions, withKey } from '../fixture-app.ts'

const internal = { code: 'internal_error', message: 'Internal error.', status: 500 }
const unavailable = {
  code: 'service_unavailable',
  message: 'The store is temporarily unavailable; try again.',
  status: 503
}

/** An app with these handlers, and its log. */
const appWith = async (t: Test, listThings: () => Promise<object>, getThing = listThings, createThing = getThing) => {
  const lines: string[] = []
  const app = await buildFixtureApp(t, {
    handlers: { listThings, getThing, createThing } as FixtureOptions['handlers'] & object,
    logger: { level: 'trace', stream: { write: line => void lines.push(line) } }
  })
  const responses = async () => [
    await app.inject({ url: '/v1/things', headers: withKey }),
    await app.inject({ url: '/v1/things/1', headers: withKey }),
    await app.inject({ method: 'POST', url: '/v1/things', headers: withKey, payload: { name: 'Brick', weight: 7 } })
  ]
  return { responses, logged: (level: number) => lines.filter(line => JSON.parse(line).level >= level) }
}

const failing = (t: Test, reason: unknown) => appWith(t, () => Promise.reject(reason))

t.test('an internal error is hidden from the client, and logged completely', async t => {
  const secrets = ['SELECT * FROM keys', '/var/lib/things.db', 'the cause of it', 'of-the-code']
  const cause = new TypeError('the cause of it')
  const error = Object.assign(new Error('SELECT * FROM keys in /var/lib/things.db', { cause }), {
    code: 'of-the-code'
  })
  const { responses, logged } = await failing(t, error)
  for (const res of await responses()) {
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

t.test('anything else thrown is an internal error, even if it looks like an error of Fastify or HTTP', async t => {
  const disguised = {
    'with a status': { statusCode: 404 },
    'with another status': { status: 401, statusCode: 200 },
    'with headers': { headers: { location: 'http://evil.example' } },
    'a validation': { validation: [{}], validationContext: 'body', statusCode: 400 },
    'of the system': { code: 'ECONNRESET', errno: -104, syscall: 'read' },
    'by its name': { name: 'StoreUnavailable' },
    'with an inherited name as its code': { code: 'constructor' },
    'with another inherited name as its code': { code: '__proto__' },
    'with a code that is not a string': { code: 5 },
    'with a code that cannot be read': { code: { toString: null } }
  }
  const thrown: [unknown, string][] = [
    ...Object.entries(disguised).map(([name, more]): [unknown, string] => [Object.assign(new Error(name), more), name]),
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
    const { responses, logged } = await failing(t, value)
    for (const res of await responses()) {
      t.equal(res.statusCode, 500, shown)
      t.strictSame(res.json(), internal, shown)
      t.equal(res.headers.location, undefined, shown)
    }
    t.equal(logged(50).length, 3, shown)
    for (const line of logged(50)) t.ok(line.includes(shown), line)
  }
})

t.test('an unavailable store is a 503 with Retry-After, and a warning', async t => {
  const error = new StoreUnavailable('the database cannot be read now', { cause: new Error('disk I/O error') })
  const { responses, logged } = await failing(t, error)
  for (const res of await responses()) {
    t.strictSame(res.json(), unavailable)
    t.equal(res.headers['retry-after'], '1')
  }
  t.equal(logged(50).length, 0)
  t.equal(logged(40).length, 3)
  for (const line of logged(40)) t.match(line, /disk I\/O error/)
})

t.test('an error that the operation does not declare is an internal error', async t => {
  const { responses, logged } = await failing(t, notImplemented('it'))
  for (const res of await responses()) t.strictSame(res.json(), internal)
  t.equal(logged(50).length, 3)
  for (const line of logged(50)) {
    t.match(line, /does not declare 501/)
    t.match(line, /not_implemented/, 'and the error that was thrown')
  }
})

t.test('a response that violates the contract is an internal error, and not sent', async t => {
  const broken: unknown[] = [
    undefined,
    null,
    'text',
    { ...brick, secret: 1 },
    { ...brick, id: 0n },
    { ...brick, id: 2n ** 53n },
    { ...brick, id: 1 / 2 },
    { ...brick, name: '' },
    { ...brick, name: null },
    { ...brick, name: 'x'.repeat(101) },
    { ...brick, weight: 2n ** 63n },
    { ...brick, weight: '7' },
    { ...brick, shape: 'long' },
    { ...brick, shape: undefined },
    {},
    []
  ]
  for (const body of broken) {
    const { responses, logged } = await appWith(
      t,
      async () => ({ status: 200, body: [body], headers: { Link: '<?a=b>; rel="next"' } }),
      async () => ({ status: 200, body }),
      async () => ({ status: 201, body, headers: { Location: 'things/2' } })
    )
    for (const res of await responses()) {
      t.strictSame(res.json(), internal)
      t.notMatch(res.headers.link, /next/, 'nor its headers')
      t.equal(res.headers.location, undefined)
    }
    t.equal(logged(50).length, 3)
    for (const line of logged(50)) t.match(line, /breaks the contract|no body with/)
  }
})

t.test('every error has exactly the three fields, as JSON without a charset', async t => {
  const app = await buildFixtureApp(t)
  const json = { ...withKey, 'content-type': 'application/json' }
  const requests = [
    { url: '/v1/things' },
    { url: '/v1/things?limit=0', headers: withKey },
    { url: '/v1/things/x', headers: withKey },
    { url: '/v1/things/9', headers: withKey },
    { url: '/v1/%ff', headers: withKey },
    { url: '/v1/plans', headers: withKey },
    { url: '/v1/nothing', headers: withKey },
    { url: '/nothing' },
    { url: '/docs/nothing' },
    { url: '/docs/static/nothing' },
    { url: '/%ff' },
    { url: '/%' },
    { method: 'TRACE', url: '/v1/things', headers: withKey },
    { method: 'POST', url: '/v1/things', headers: json, payload: '{' },
    { method: 'POST', url: '/v1/things', headers: json, payload: '[😀]' },
    { method: 'POST', url: '/v1/things', headers: json, payload: '{}' },
    { method: 'POST', url: '/v1/things', headers: json, payload: ' '.repeat(65_537) },
    { method: 'POST', url: '/v1/things', headers: { ...json, 'content-type': 'text/plain' }, payload: 'x' }
  ] as const
  for (const request of requests) {
    const res = await app.inject(request)
    t.equal(res.headers['content-type'], 'application/json', request.url)
    t.equal(res.headers['content-length'], String(res.rawPayload.length))
    t.strictSame(Object.keys(res.json()), ['code', 'message', 'status'])
    t.equal(res.json().status, res.statusCode)
    t.ok(JSON.stringify(res.json()).isWellFormed() && res.json().message.isWellFormed(), 'no lone surrogate')
  }
})

t.test('a message shortens what the client sent, but never cuts within a character', async t => {
  const app = await buildFixtureApp(t)
  for (const pad of ['', 'x']) {
    const long = `${pad}${'😀'.repeat(500)}`
    const encoded = encodeURIComponent(long)
    for (const url of [
      `/v1/${encoded.slice(0, 7000)}`,
      `/v1/things/${encoded}`,
      `/v1/things?shape=${encoded}`,
      `/v1/things?${encoded}=1`
    ]) {
      const res = await app.inject({ url, headers: withKey })
      const { message } = res.json()
      t.ok(message.isWellFormed())
      t.ok(message.length < 400, message)
    }
    const res = await app.inject({
      method: 'POST',
      url: '/v1/things',
      headers: withKey,
      payload: { [long]: 1, name: 1, weight: long, shape: long }
    })
    t.equal(res.statusCode, 400)
    t.ok(res.json().message.isWellFormed() && res.json().message.length < 1000)
  }
})
