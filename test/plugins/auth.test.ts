import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { operations, securitySchemes } from '../../generated/operations.ts'
import { digestOf, keyIdOf, newApiKey } from '../../src/api-key.ts'
import { issueKey } from '../../src/issue-key.ts'
import { refuseUnknownSecurity } from '../../src/plugins/auth.ts'
import type { KeyStore } from '../../src/store/keys.ts'
import type { AnimalStore } from '../../src/store/pets.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { buildTestApp, withKey } from '../build-test-app.ts'
import { openConnection } from './connection.ts'

const challenge = 'Bearer realm="animal-store"'
const missing = {
  code: 'api_key_missing',
  message: 'An API key is needed: send the header Authorization: Bearer <API key>.',
  status: 401
}
const invalid = { code: 'api_key_invalid', message: 'The API key is not valid.', status: 401 }

/** A store whose keys are asked through `use`, and that counts how often. */
const storeWith = (t: Test, use: (digest: string, keys: KeyStore) => string | undefined) => {
  const store = openSqliteStore({ path: ':memory:' })
  t.teardown(() => store.close())
  const asked: string[] = []
  const keys: KeyStore = {
    ...store.keys,
    use: digest => {
      asked.push(digest)
      return use(digest, store.keys)
    }
  }
  return { store: { ...store, keys } satisfies AnimalStore, asked }
}

/** Reads `/v1/pets` with this Authorization header. */
const asker = async (t: Test, options: Parameters<typeof buildTestApp>[1] = {}) => {
  const app = await buildTestApp(t, options)
  return (authorization?: string, url = '/v1/pets') =>
    app.inject({ url, headers: authorization === undefined ? {} : { authorization } })
}

const checkRefused = (t: Test, res: { json(): unknown; headers: Record<string, unknown> }, body: typeof missing) => {
  t.strictSame(res.json(), body)
  t.equal(res.headers['www-authenticate'], body === invalid ? `${challenge}, error="invalid_token"` : challenge)
}

t.test('without a bearer token: 401, and the scheme to use', async t => {
  const { store, asked } = storeWith(t, () => 'id')
  const ask = await asker(t, { store })
  const none = [
    undefined,
    '',
    ' ',
    'Basic YTpi',
    'Digest username="a"',
    newApiKey(),
    `Token ${newApiKey()}`,
    'Bearers x',
    'Bearer',
    'bearer'
  ]
  for (const authorization of none) {
    await t.test(String(authorization), async t => checkRefused(t, await ask(authorization), missing))
  }
  t.equal(asked.length, 0, 'the store is not asked')
})

t.test('with a token that is no key: 401, and the store is not asked', async t => {
  const { store, asked } = storeWith(t, () => 'id')
  const ask = await asker(t, { store })
  const key = newApiKey()
  const other = (character: string | undefined) => (character === 'a' ? 'b' : 'a')
  const wrong = [
    'x',
    key.slice(0, -1),
    `${key}0`,
    key.slice(0, -1) + other(key.at(-1)),
    key.slice(0, 9) + other(key[9]) + key.slice(10),
    key.replace('ast_live_', 'ast_test_'),
    key.toUpperCase(),
    `${key} ${key}`,
    `${key},`,
    `"${key}"`,
    '__proto__',
    'x'.repeat(8000)
  ]
  for (const token of wrong)
    await t.test(token.slice(0, 80), async t => checkRefused(t, await ask(`Bearer ${token}`), invalid))
  t.equal(asked.length, 0)
})

t.test('with a key that nobody issued: 401, whatever is asked for', async t => {
  const { store, asked } = storeWith(t, () => undefined)
  const ask = await asker(t, { store })
  const authorization = `Bearer ${newApiKey()}`
  for (const url of [
    '/v1/pets',
    '/v1/pets/1',
    '/v1/pets/x',
    '/v1/store/orders',
    '/v1/dogs',
    '/v1/',
    '/v1/%ff',
    '/v1/pets?x=1'
  ])
    await t.test(url, async t => checkRefused(t, await ask(authorization, url), invalid))
  t.equal(asked.length, 8)
})

t.test('a good key is good with the scheme in any case and any blanks that HTTP takes away', async t => {
  const ask = await asker(t)
  const [, key] = withKey.authorization.split(' ')
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR'])
    t.equal((await ask(`${scheme} ${key}`)).statusCode, 200)
  const app = await buildTestApp(t)
  for (const value of [`Bearer ${key}`, `   Bearer ${key}`, `\tBearer ${key} \t`]) {
    const connection = await openConnection(t, app)
    connection.send(`GET /v1/pets HTTP/1.1\r\nHost: a\r\nauthorization:${value}\r\n\r\n`)
    t.equal((await connection.answer()).status, 200)
  }
})

t.test('the scheme and the key may be parted by more than one blank (RFC 9110, section 11.4)', async t => {
  const ask = await asker(t)
  const [, key] = withKey.authorization.split(' ')
  for (const blanks of ['  ', '    ']) t.equal((await ask(`Bearer${blanks}${key}`)).statusCode, 200)
})

t.test('what Unicode has for blanks, and a tab, do not part the key from its scheme', async t => {
  const { store, asked } = storeWith(t, () => 'id')
  const app = await buildTestApp(t, { store })
  const [, key] = withKey.authorization.split(' ')
  for (const value of [
    `Bearer\xa0${key}`,
    `Bearer \xa0${key}`,
    `Bearer \xa0 ${key}`,
    `Bearer  \xa0${key}`,
    `Bearer ${key}\xa0`,
    `Bearer ${key} \xa0`,
    `Bearer \t${key}`,
    'Bearer \xa0',
    'Bearer \xa0\xa0'
  ]) {
    const connection = await openConnection(t, app)
    connection.send(`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: ${value}\r\n\r\n`)
    t.equal((await connection.answer()).status, 401, JSON.stringify(value))
  }
  t.equal(asked.length, 0)
})

t.test('a secret of another form is a key where the settings have it, looked up by its digest', async t => {
  const secret = 'kD9+/xYz01kD9+/xYz01kD9.~_-01kD9A=='
  const lines: string[] = []
  const logger = { level: 'info', stream: { write: (line: string) => void lines.push(line) } }
  const { store, asked } = storeWith(t, () => undefined)
  const ask = await asker(t, { store, apiKeys: [secret], logger })
  t.equal((await ask(`Bearer ${secret}`)).statusCode, 200)
  t.equal(JSON.parse(lines.at(-1) ?? '').keyId, `env:${keyIdOf(digestOf(secret))}`)
  for (const other of [secret.slice(0, -1), `${secret}=`, secret.toLowerCase(), digestOf(secret), 'x'.repeat(35)])
    checkRefused(t, await ask(`Bearer ${other}`), invalid)
  t.equal(asked.length, 0, 'the store has none of this form')
  checkRefused(t, await ask(`Bearer ${newApiKey()}`), invalid)
  t.equal(asked.length, 1)
})

t.test('what a key is looked up by is its digest', async t => {
  const key = newApiKey()
  const { store, asked } = storeWith(t, () => 'id')
  const ask = await asker(t, { store })
  t.equal((await ask(`Bearer ${key}`)).statusCode, 200)
  t.strictSame(asked, [digestOf(key)])
})

t.test('the log names the key of a request by its id', async t => {
  const store = openSqliteStore({ path: ':memory:' })
  t.teardown(() => store.close())
  const issued = await issueKey(store.keys)
  const configured = newApiKey()
  const lines: string[] = []
  const logger = { level: 'info', stream: { write: (line: string) => void lines.push(line) } }
  const app = await buildTestApp(t, { store, apiKeys: [configured], logger })
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
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
    await app.inject({ method, url: '/v1/pets', headers })
    t.equal(JSON.parse(lines.pop() ?? '').keyId, id)
  }
})

t.test('keys of the settings are valid beside those of the store', async t => {
  const [one, two, issued] = [newApiKey(), newApiKey(), newApiKey()]
  const { store, asked } = storeWith(t, (digest, keys) => keys.use(digest, 0))
  const id = keyIdOf(digestOf(issued))
  await store.keys.add(digestOf(issued), {
    id,
    name: 'web',
    createdAt: 0,
    lifetimeMs: undefined,
    expiresAt: undefined
  })
  const ask = await asker(t, { store, apiKeys: [one, two] })
  for (const key of [one, two]) t.equal((await ask(`Bearer ${key}`)).statusCode, 200)
  t.equal(asked.length, 0, 'the store need not be asked for them')
  t.equal((await ask(`Bearer ${issued}`)).statusCode, 200)
  checkRefused(t, await ask(`Bearer ${newApiKey()}`), invalid)
})

t.test('a key that another process issues is valid at once', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'animals-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'animals.db')
  const store = openSqliteStore({ path })
  t.teardown(() => store.close())
  const ask = await asker(t, { store })
  // Another connection to the file sees no more of this one than another process would.
  const other = openSqliteStore({ path })
  t.teardown(() => other.close())
  for (let i = 0; i < 3; i++) {
    const key = await issueKey(other.keys)
    t.equal((await ask(`Bearer ${key}`)).statusCode, 200)
  }
})

t.test('a key is refused from the moment that it expires', async t => {
  let now = Date.UTC(2026, 10, 20)
  const store = openSqliteStore({ path: ':memory:' })
  t.teardown(() => store.close())
  const key = await issueKey(store.keys, { lifetimeMs: 1000, now })
  const ask = await asker(t, { store, now: () => now })
  t.equal((await ask(`Bearer ${key}`)).statusCode, 200)
  now += 999
  t.equal((await ask(`Bearer ${key}`)).statusCode, 200)
  now += 1
  checkRefused(t, await ask(`Bearer ${key}`), invalid)
})

t.test('a key is refused from the moment that it is revoked', async t => {
  const store = openSqliteStore({ path: ':memory:' })
  t.teardown(() => store.close())
  const [key, other] = [await issueKey(store.keys), await issueKey(store.keys)]
  const ask = await asker(t, { store })
  t.equal((await ask(`Bearer ${key}`)).statusCode, 200)
  await store.keys.revoke(keyIdOf(digestOf(key)), 0)
  checkRefused(t, await ask(`Bearer ${key}`), invalid)
  t.equal((await ask(`Bearer ${other}`)).statusCode, 200)
})

t.test('when the store cannot tell: 503, not 401, and nothing is let through', async t => {
  const { store } = storeWith(t, () => {
    throw new StoreUnavailable('the database cannot be read now')
  })
  const ask = await asker(t, { store })
  for (const url of ['/v1/pets', '/v1/pets/1', '/v1/store/orders']) {
    const res = await ask(`Bearer ${newApiKey()}`, url)
    t.strictSame(res.json(), {
      code: 'service_unavailable',
      message: 'The store cannot answer now; try again.',
      status: 503
    })
    t.equal(res.headers['retry-after'], '1')
    t.equal(res.headers['www-authenticate'], undefined)
  }
})

t.test('when the store breaks: 500, and nothing is told', async t => {
  for (const thrown of [new Error('SELECT secret FROM keys'), undefined, null, 'text', { code: 'x' }, Symbol('x')]) {
    const lines: string[] = []
    const { store } = storeWith(t, () => {
      throw thrown
    })
    const ask = await asker(t, { store, logger: { stream: { write: line => void lines.push(line) } } })
    const res = await ask(`Bearer ${newApiKey()}`)
    t.strictSame(res.json(), { code: 'internal_error', message: 'Internal error.', status: 500 }, String(thrown))
    t.equal(lines.filter(line => JSON.parse(line).level >= 50).length, 1)
  }
})

t.test('a store that answers with no id lets nobody in', async t => {
  for (const value of [undefined, 0, '', null, NaN, false]) {
    const { store } = storeWith(t, () => value as unknown as string)
    const ask = await asker(t, { store })
    t.equal((await ask(`Bearer ${newApiKey()}`)).statusCode, 401, String(value))
  }
})

t.test('a request without a good key is answered before its body is read', async t => {
  const app = await buildTestApp(t)
  const head = 'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
  for (const more of ['Content-Length: 100\r\n', 'Transfer-Encoding: chunked\r\n']) {
    for (const [authorization, code] of [
      ['', missing.code],
      [`Authorization: Bearer ${newApiKey()}\r\n`, invalid.code]
    ]) {
      const connection = await openConnection(t, app)
      // The body never comes.
      connection.send(`${head}${more}${authorization}\r\n`)
      const answer = await connection.answer()
      t.equal(answer.status, 401)
      t.equal(JSON.parse(answer.body).code, code)
      t.equal(answer.headers.connection, 'close')
      t.equal(await connection.rest(), '')
    }
  }
  for (const payload of ['{', '', '{"name":1}', 'x'.repeat(100_000), Buffer.from([0xff])]) {
    const headers = { 'content-type': 'application/json' }
    const res = await app.inject({ method: 'POST', url: '/v1/pets', headers, payload })
    checkRefused(t, res, missing)
  }
  const res = await app.inject({
    method: 'POST',
    url: '/v1/pets',
    headers: { 'content-type': 'text/plain' },
    payload: 'x'
  })
  checkRefused(t, res, missing)
})

t.test('two Authorization headers are not two chances: neither is judged', async t => {
  const { store, asked } = storeWith(t, () => 'id')
  const app = await buildTestApp(t, { store })
  const good = `Authorization: ${withKey.authorization}\r\n`
  const bad = `Authorization: Bearer ${newApiKey()}\r\n`
  for (const both of [bad + good, good + bad, good + good]) {
    const connection = await openConnection(t, app)
    connection.send(`GET /v1/pets HTTP/1.1\r\nHost: a\r\n${both}\r\n`)
    const { status, body } = await connection.answer()
    t.equal(status, 400)
    t.equal(JSON.parse(body).message, 'The Authorization header may occur only once.')
  }
  t.equal(asked.length, 0)
})

t.test('a key anywhere else than in the header is none', async t => {
  const [, key] = withKey.authorization.split(' ')
  const app = await buildTestApp(t)
  for (const url of [`/v1/pets?access_token=${key}`, `/v1/pets?api_key=${key}`])
    t.equal((await app.inject({ url, headers: { cookie: `key=${key}`, 'x-api-key': String(key) } })).statusCode, 401)
})

t.test('the key is neither logged nor told', async t => {
  const lines: string[] = []
  const [one, two] = [newApiKey(), newApiKey()]
  const app = await buildTestApp(t, {
    apiKeys: [one],
    logger: { level: 'trace', stream: { write: line => void lines.push(line) } }
  })
  for (const key of [one, two, `${two}x`]) {
    for (const url of ['/v1/pets', '/v1/pets/x', '/v1/pets/9', '/v1/dogs']) {
      const res = await app.inject({ url, headers: { authorization: `Bearer ${key}` } })
      t.notOk(JSON.stringify([res.headers, res.body]).includes(key))
    }
  }
  for (const key of [one, two]) t.notOk(lines.join('').includes(key.slice(9)))
})

t.test('a key that is in what has to be logged is left out there', async t => {
  const key = newApiKey()
  for (const error of [new StoreUnavailable(`cannot find ${key}`), new Error(`broken by ${key}`), `just ${key}`]) {
    const lines: string[] = []
    const { store } = storeWith(t, () => {
      throw error
    })
    const ask = await asker(t, { store, logger: { level: 'trace', stream: { write: line => void lines.push(line) } } })
    for (const url of [`/v1/pets?access_token=${key}`, `/v1/${key}`]) {
      const res = await ask(`Bearer ${newApiKey()}`, url)
      t.notOk(res.body.includes(key.slice(9)))
    }
    const told = lines.filter(line => line.includes('ast_live_…'))
    t.ok(told.length >= 2, 'all else of it is there')
    for (const line of lines) {
      JSON.parse(line)
      t.notOk(line.includes(key.slice(9)))
    }
  }
})

t.test('OPTIONS needs no key, and asks for none', async t => {
  const { store, asked } = storeWith(t, () => undefined)
  const app = await buildTestApp(t, { store })
  for (const headers of [{}, { authorization: 'Bearer x' }, { authorization: `Bearer ${newApiKey()}` }]) {
    const res = await app.inject({ method: 'OPTIONS', url: '/v1/pets', headers })
    t.equal(res.statusCode, 204)
  }
  t.equal(asked.length, 0)
})

t.test('a contract whose security nothing here enforces stops the start', async t => {
  const all = Object.values(operations)
  t.doesNotThrow(() => refuseUnknownSecurity(all, securitySchemes))
  t.ok(
    all.every(({ security }) => security.length > 0),
    'and none of ours is open'
  )

  const bearer = { type: 'http', scheme: 'bearer' }
  const refused: [string, readonly (readonly string[])[], Record<string, { type: string; scheme?: string }>][] = [
    ['basic', [['basic']], { basic: { type: 'http', scheme: 'basic' } }],
    ['a header', [['header']], { header: { type: 'apiKey' } }],
    ['OAuth', [['oauth']], { oauth: { type: 'oauth2' } }],
    ['a scheme that is not declared', [['bearer']], {}],
    ['a name that every object has', [['constructor']], {}],
    ['two schemes at once', [['one', 'two']], { one: bearer, two: bearer }],
    ['one of two', [['one'], ['two']], { one: bearer, two: { type: 'oauth2' } }],
    ['a key or none', [[], ['one']], { one: bearer }],
    ['a key or none, the other way round', [['one'], []], { one: bearer }],
    ['nothing, as one of one', [[]], { one: bearer }]
  ]
  for (const [name, security, schemes] of refused) {
    t.throws(
      () =>
        refuseUnknownSecurity(
          [
            { operationId: 'fine', security: [] },
            { operationId: 'getSecret', security }
          ],
          schemes
        ),
      {
        message: /^The contract cannot be served: getSecret wants the security .*, for which there is no implementation/
      },
      name
    )
  }
  t.doesNotThrow(() =>
    refuseUnknownSecurity([{ operationId: 'a', security: [['k']] }], { k: { type: 'http', scheme: 'Bearer' } })
  )
})

t.test('random bytes are no key', async t => {
  const ask = await asker(t)
  for (let i = 0; i < 200; i++) {
    // Control characters do not come this far: they are no valid header.
    const text = randomBytes(1 + (i % 60)).map(byte => (byte < 32 || byte === 127 ? 33 : byte))
    const res = await ask((i % 2 === 0 ? '' : 'Bearer ') + Buffer.from(text).toString('latin1'))
    if (res.statusCode !== 401) t.fail(Buffer.from(text).toString('hex'))
  }
})
