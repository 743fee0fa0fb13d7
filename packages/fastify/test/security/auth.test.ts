import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { digestOf, keyIdOf, newApiKey } from '../../src/api-keys/api-key.ts'
import type { AnyOperation, Contract } from '../../src/contract/contract.ts'
import { requirementsOf } from '../../src/security/verifiers.ts'
import { issueKey } from '../../src/store/issue-key.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { buildFixtureApp, type FixtureOptions, withKey } from '../fixture-app.ts'
import { openFixtureStore } from '../fixture-store.ts'
import { openConnection } from '../http/connection.ts'
import { logged } from '../observability/logged.ts'

const challenge = 'Bearer realm="things"'
const missing = {
  code: 'api_key_missing',
  message: 'An API key is required: send it in the header Authorization: Bearer <API key>.',
  status: 401
}
const invalid = { code: 'api_key_invalid', message: 'The API key is not valid.', status: 401 }

type Security = AnyOperation['security']

const [, goodKey = ''] = withKey.authorization.split(' ')

type Options = Omit<FixtureOptions, 'store'> & { path?: string; use?: (digest: string) => unknown }

/** An app, functions that send requests, and the digests looked up in its store; `use` replaces the lookup. */
const start = async (t: Test, { path = ':memory:', use, ...options }: Options = {}) => {
  const store = openFixtureStore({ path })
  t.teardown(() => store.close())
  const lookups: string[] = []
  const counted: typeof store.keys.use = (digest, at) => {
    lookups.push(digest)
    return use === undefined ? store.keys.use(digest, at) : (use(digest) as string)
  }
  const app = await buildFixtureApp(t, { ...options, store: { ...store, keys: { ...store.keys, use: counted } } })
  return {
    lookups,
    keys: store.keys,
    inject: (request: InjectOptions) => app.inject({ url: '/v1/things', ...request }),
    send: (authorization?: string, url = '/v1/things') =>
      app.inject({ url, headers: authorization === undefined ? {} : { authorization } }),
    /** Sends these header lines unchanged; `inject` would make them valid. */
    sendRaw: async (lines: string, method = 'GET') => {
      const connection = await openConnection(t, app)
      connection.send(`${method} /v1/things HTTP/1.1\r\nHost: a\r\n${lines}\r\n`)
      return { connection, response: await connection.response() }
    }
  }
}

const checkRefused = (t: Test, res: { json(): unknown; headers: Record<string, unknown> }, body: typeof missing) => {
  t.strictSame(res.json(), body)
  t.equal(res.headers['www-authenticate'], body === invalid ? `${challenge}, error="invalid_token"` : challenge)
}

t.test('without a bearer token: 401, and the scheme to use; nothing is looked up in the store', async t => {
  const { send, lookups } = await start(t, { use: () => 'id' })
  for (const authorization of [
    undefined,
    '',
    ' ',
    'Basic YTpi',
    'Digest username="a"',
    newApiKey(),
    `Token ${newApiKey()}`,
    // A scheme as long as Bearer.
    `Digest ${newApiKey()}`,
    'Bearers x',
    'Bearer',
    'bearer'
  ])
    await t.test(String(authorization), async t => {
      for (let i = 0; i < 2; i++) checkRefused(t, await send(authorization), missing)
    })
  t.strictSame(lookups, [])
})

t.test('with a token that is not a key: 401; nothing is looked up in the store', async t => {
  const { send, lookups } = await start(t, { use: () => 'id' })
  const key = newApiKey()
  const other = (character: string | undefined) => (character === 'a' ? 'b' : 'a')
  for (const token of [
    'x',
    key.slice(0, -1),
    `${key}0`,
    key.slice(0, -1) + other(key.at(-1)),
    key.slice(0, 9) + other(key[9]) + key.slice(10),
    key.replace('key_live_', 'key_test_'),
    key.toUpperCase(),
    `${key} ${key}`,
    `${key},`,
    `"${key}"`,
    '__proto__',
    'x'.repeat(8000)
  ])
    await t.test(token.slice(0, 80), async t => checkRefused(t, await send(`Bearer ${token}`), invalid))
  t.strictSame(lookups, [])
})

t.test('with a key that was not issued: 401 for every URL', async t => {
  const { send, lookups } = await start(t)
  const urls = ['things', 'things/1', 'things/x', 'plans', 'none', '', '%ff', 'things?x=1'].map(each => `/v1/${each}`)
  for (const url of urls)
    await t.test(url, async t => checkRefused(t, await send(`Bearer ${newApiKey()}`, url), invalid))
  t.equal(lookups.length, urls.length)
})

t.test('a valid key is accepted with the scheme in any case, and with any spaces that HTTP allows', async t => {
  const { send, sendRaw } = await start(t)
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR'])
    t.equal((await send(`${scheme} ${goodKey}`)).statusCode, 200)
  for (const value of [`Bearer ${goodKey}`, `   Bearer ${goodKey}`, `\tBearer ${goodKey} \t`])
    t.equal((await sendRaw(`authorization:${value}\r\n`)).response.status, 200)
  // RFC 9110, section 11.4.
  for (const blanks of ['  ', '    ']) t.equal((await send(`Bearer${blanks}${goodKey}`)).statusCode, 200)
})

t.test('neither a tab nor other Unicode spaces separate the key from its scheme', async t => {
  const { sendRaw, lookups } = await start(t, { use: () => 'id' })
  for (const value of [
    `Bearer\xa0${goodKey}`,
    `Bearer \xa0${goodKey}`,
    `Bearer \xa0 ${goodKey}`,
    `Bearer  \xa0${goodKey}`,
    `Bearer ${goodKey}\xa0`,
    `Bearer ${goodKey} \xa0`,
    `Bearer \t${goodKey}`,
    'Bearer \xa0',
    'Bearer \xa0\xa0'
  ])
    t.equal((await sendRaw(`Authorization: ${value}\r\n`)).response.status, 401, JSON.stringify(value))
  t.strictSame(lookups, [])
})

t.test('a secret of another form is a valid key if it is configured; it is compared by its digest', async t => {
  const secret = 'kD9+/xYz01kD9+/xYz01kD9.~_-01kD9A=='
  const { lines, logger } = logged('info')
  const { send, lookups } = await start(t, { apiKeys: [secret], logger })
  t.equal((await send(`Bearer ${secret}`)).statusCode, 200)
  t.equal(lines.at(-1).keyId, `env:${keyIdOf(digestOf(secret))}`)
  for (const other of [secret.slice(0, -1), `${secret}=`, secret.toLowerCase(), digestOf(secret), 'x'.repeat(35)])
    checkRefused(t, await send(`Bearer ${other}`), invalid)
  t.strictSame(lookups, [], 'keys of this form are not looked up in the store')
  checkRefused(t, await send(`Bearer ${newApiKey()}`), invalid)
  t.equal(lookups.length, 1)
})

t.test('configured keys are valid as well as those of the store, which are looked up by digest', async t => {
  const [one, two] = [newApiKey(), newApiKey()]
  const { send, lookups, keys } = await start(t, { apiKeys: [one, two] })
  for (const key of [one, two]) t.equal((await send(`Bearer ${key}`)).statusCode, 200)
  t.strictSame(lookups, [], 'configured keys are not looked up in the store')
  const issued = await issueKey(keys)
  t.equal((await send(`Bearer ${issued}`)).statusCode, 200)
  t.strictSame(lookups, [digestOf(issued)])
  checkRefused(t, await send(`Bearer ${newApiKey()}`), invalid)
})

t.test('the log names the key of a request by its id', async t => {
  const configured = newApiKey()
  const { lines, logger } = logged('info')
  const { inject, keys } = await start(t, { apiKeys: [configured], logger })
  const issued = await issueKey(keys)
  const idOf = (key: string) => keyIdOf(digestOf(key))
  const expected: ['GET' | 'OPTIONS', string | undefined, string | undefined][] = [
    ['GET', issued, idOf(issued)],
    ['GET', configured, `env:${idOf(configured)}`],
    ['GET', newApiKey(), undefined],
    ['GET', undefined, undefined],
    ['OPTIONS', issued, undefined],
    ['GET', issued, idOf(issued)]
  ]
  for (const [method, key, id] of expected) {
    await inject({ method, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } })
    t.equal(lines.pop()?.keyId, id)
  }
})

t.test('a key issued by another process is valid at once', async t => {
  const path = join(t.testdir(), 'keys.db')
  const { send } = await start(t, { path })
  // Another connection to the file behaves like another process.
  const other = openFixtureStore({ path })
  t.teardown(() => other.close())
  for (let i = 0; i < 3; i++) t.equal((await send(`Bearer ${await issueKey(other.keys)}`)).statusCode, 200)
})

t.test('a key is rejected from the moment it expires', async t => {
  let now = Date.UTC(2026, 10, 20)
  const { send, keys } = await start(t, { now: () => now })
  const key = await issueKey(keys, { lifetimeMs: 1000, now })
  t.equal((await send(`Bearer ${key}`)).statusCode, 200)
  now += 999
  t.equal((await send(`Bearer ${key}`)).statusCode, 200)
  now += 1
  checkRefused(t, await send(`Bearer ${key}`), invalid)
})

t.test('a key is rejected from the moment it is revoked', async t => {
  const { send, keys } = await start(t)
  const [key, other] = [await issueKey(keys), await issueKey(keys)]
  t.equal((await send(`Bearer ${key}`)).statusCode, 200)
  await keys.revoke(keyIdOf(digestOf(key)), 0)
  checkRefused(t, await send(`Bearer ${key}`), invalid)
  t.equal((await send(`Bearer ${other}`)).statusCode, 200)
})

const throwing = (thrown: unknown) => () => {
  throw thrown
}

t.test('while the store is unavailable: 503, not 401, and no request is let through', async t => {
  const { send } = await start(t, { use: throwing(new StoreUnavailable('the database cannot be read now')) })
  for (const url of ['/v1/things', '/v1/things/1', '/v1/plans']) {
    const res = await send(`Bearer ${newApiKey()}`, url)
    t.strictSame(res.json(), {
      code: 'service_unavailable',
      message: 'The store is temporarily unavailable; try again.',
      status: 503
    })
    t.equal(res.headers['retry-after'], '1')
    t.equal(res.headers['www-authenticate'], undefined)
  }
})

t.test('a store that responds asynchronously: the same responses', async t => {
  const judges = {
    valid: async () => 'id',
    unknown: async () => undefined,
    away: () => Promise.reject(new StoreUnavailable('away'))
  }
  for (const [name, use] of Object.entries(judges)) {
    const { send } = await start(t, { use })
    const response = await send(`Bearer ${newApiKey()}`)
    t.equal(response.statusCode, { valid: 200, unknown: 401, away: 503 }[name], name)
    if (name === 'unknown') checkRefused(t, response, invalid)
  }
})

t.test('when the store fails: 500, without details', async t => {
  for (const thrown of [new Error('SELECT secret FROM keys'), undefined, null, 'text', { code: 'x' }, Symbol('x')]) {
    const { lines, logger } = logged('error')
    const { send } = await start(t, { use: throwing(thrown), logger })
    const res = await send(`Bearer ${newApiKey()}`)
    t.strictSame(res.json(), { code: 'internal_error', message: 'Internal error.', status: 500 }, String(thrown))
    t.equal(lines.length, 1)
  }
})

t.test('if the store returns no id, the request is rejected', async t => {
  for (const value of [undefined, 0, '', null, NaN, false]) {
    const { send } = await start(t, { use: () => value })
    t.equal((await send(`Bearer ${newApiKey()}`)).statusCode, 401, String(value))
  }
})

t.test('a request without a valid key gets its response before its body is read', async t => {
  const { sendRaw, inject } = await start(t)
  for (const more of ['Content-Length: 100\r\n', 'Transfer-Encoding: chunked\r\n']) {
    for (const [authorization, code] of [
      ['', missing.code],
      [`Authorization: Bearer ${newApiKey()}\r\n`, invalid.code]
    ]) {
      // Never sends the body.
      const { connection, response } = await sendRaw(
        `Content-Type: application/json\r\n${more}${authorization}`,
        'POST'
      )
      t.equal(response.status, 401)
      t.equal(JSON.parse(response.body).code, code)
      t.equal(response.headers.connection, 'close')
      t.equal(await connection.rest(), '')
    }
  }
  for (const type of ['application/json', 'text/plain']) {
    for (const payload of ['{', '', '{"name":1}', 'x'.repeat(100_000), Buffer.from([0xff])])
      checkRefused(t, await inject({ method: 'POST', headers: { 'content-type': type }, payload }), missing)
  }
})

t.test('with two Authorization headers, neither key is checked', async t => {
  const { sendRaw, lookups } = await start(t, { use: () => 'id' })
  const good = `Authorization: ${withKey.authorization}\r\n`
  const bad = `Authorization: Bearer ${newApiKey()}\r\n`
  for (const both of [bad + good, good + bad, good + good]) {
    const { status, body } = (await sendRaw(both)).response
    t.equal(status, 400)
    t.equal(JSON.parse(body).message, 'The Authorization header may occur only once.')
  }
  t.strictSame(lookups, [])
})

t.test('a key anywhere but in the header is ignored', async t => {
  const { inject } = await start(t)
  const headers = { cookie: `key=${goodKey}`, 'x-api-key': goodKey }
  for (const name of ['access_token', 'api_key'])
    t.equal((await inject({ url: `/v1/things?${name}=${goodKey}`, headers })).statusCode, 401)
})

t.test('the key appears neither in the log nor in a response', async t => {
  const { lines, logger } = logged('trace')
  const [one, two] = [newApiKey(), newApiKey()]
  const { send } = await start(t, { apiKeys: [one], logger })
  for (const key of [one, two, `${two}x`]) {
    for (const url of ['/v1/things', '/v1/things/x', '/v1/things/9', '/v1/none']) {
      const res = await send(`Bearer ${key}`, url)
      t.notOk(JSON.stringify([res.headers, res.body]).includes(key))
    }
  }
  t.ok(lines.length >= 12)
  for (const key of [one, two]) t.notOk(JSON.stringify(lines).includes(key.slice(9)))
})

t.test('a key within a logged text is omitted', async t => {
  const key = newApiKey()
  for (const error of [new StoreUnavailable(`cannot find ${key}`), new Error(`broken by ${key}`), `just ${key}`]) {
    const { lines, logger } = logged('trace')
    const { send } = await start(t, { use: throwing(error), logger })
    for (const url of [`/v1/things?access_token=${key}`, `/v1/${key}`])
      t.notOk((await send(`Bearer ${newApiKey()}`, url)).body.includes(key.slice(9)))
    const texts = lines.map(line => JSON.stringify(line))
    t.ok(texts.filter(text => text.includes('key_live_…')).length >= 2, 'the rest of the text is logged')
    t.notOk(texts.some(text => text.includes(key.slice(9))))
  }
})

t.test('OPTIONS needs no key, and looks none up', async t => {
  const { inject, lookups } = await start(t)
  for (const headers of [{}, { authorization: 'Bearer x' }, { authorization: `Bearer ${newApiKey()}` }])
    t.equal((await inject({ method: 'OPTIONS', headers })).statusCode, 204)
  t.strictSame(lookups, [])
})

t.test('the app does not start with a contract whose security it cannot enforce', async t => {
  const bearer = { type: 'http', scheme: 'bearer' }
  const refused: [string, Security, Contract['securitySchemes'], RegExp][] = [
    ['basic', [{ basic: [] }], { basic: { type: 'http', scheme: 'basic' } }, /no verifier for .* basic \(http basic\)/],
    [
      'a header',
      [{ header: [] }],
      { header: { type: 'apiKey', in: 'header', name: 'X-Key' } },
      /no verifier for .* header \(apiKey in: header\), which getSecret requires; add header to verifiers/
    ],
    ['OAuth', [{ oauth: [] }], { oauth: { type: 'oauth2' } }, /no verifier for .* oauth \(oauth2\)/],
    ['a bearer token with scopes', [{ one: ['read'] }], { one: bearer }, /no verifier for .* one \(http bearer\)/],
    ['a certificate', [{ tls: [] }], { tls: { type: 'mutualTLS' } }, /tls, which is not implemented \(mutualTLS\)/],
    [
      'another scheme of HTTP',
      [{ a: [] }],
      { a: { type: 'http', scheme: 'digest' } },
      /not implemented \(http digest\)/
    ],
    [
      'one with a name that every object has',
      [{ a: [] }],
      { a: { type: 'http', scheme: 'Constructor' } },
      /not implemented \(http Constructor\)/
    ],
    ['a scheme that is not declared', [{ bearer: [] }], {}, /scheme bearer, which is not declared/],
    ['a name that every object has', [{ constructor: [] }], {}, /constructor, which is not declared/],
    ['one of two', [{ one: [] }, { two: [] }], { one: bearer, two: { type: 'oauth2' } }, /no verifier .* two/]
  ]
  for (const [name, security, schemes, message] of refused) {
    const entries = [
      { operationId: 'fine', security: [] },
      { operationId: 'getSecret', security }
    ]
    t.throws(
      () => requirementsOf(entries, schemes),
      { message: new RegExp(`^The contract cannot be served: .*${message.source}`) },
      name
    )
  }
  t.doesNotThrow(() =>
    requirementsOf([{ operationId: 'a', security: [{ k: [] }] }], { k: { type: 'http', scheme: 'Bearer' } })
  )
})

t.test('random bytes are not a key', async t => {
  const { send } = await start(t)
  for (let i = 0; i < 200; i++) {
    // Control characters never get here: they are invalid in a header.
    const text = randomBytes(1 + (i % 60)).map(byte => (byte < 32 || byte === 127 ? 33 : byte))
    const res = await send((i % 2 === 0 ? '' : 'Bearer ') + Buffer.from(text).toString('latin1'))
    if (res.statusCode !== 401) t.fail(Buffer.from(text).toString('hex'))
  }
})
