import t, { type Test } from 'tap'
import { newApiKey } from '../../src/api-keys/api-key.ts'
import type { Credential, Principal, Verifiers } from '../../src/index.ts'
import { storeKeys } from '../../src/index.ts'
import { openConnection } from '../http/connection.ts'
import { securedApp } from '../secured-app.ts'

const good = 'right'
const basicOf = (text: string | Buffer) => `Basic ${Buffer.from(text).toString('base64')}`
const secretOf = (credential: Credential) =>
  credential.type === 'bearer' ? credential.token : credential.type === 'basic' ? credential.password : credential.key

/** Accepts one secret, whatever the scheme; the scopes of its owner follow it: `right-read-write`. */
const verifierFor =
  (seen: unknown[] = []) =>
  async (scheme: string, credential: Credential, scopes: readonly string[]): Promise<Principal | undefined> => {
    seen.push([scheme, credential, scopes])
    const [secret, ...granted] = secretOf(credential).split('-')
    if (secret !== good) return undefined
    return { id: credential.type === 'basic' ? credential.username : 'ann', scopes: granted }
  }

const start = async (t: Test, requirements: Record<string, string>, verifiers?: Verifiers) => {
  const seen: unknown[] = []
  const app = await securedApp(t, requirements, verifiers ?? verifierFor(seen))
  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url: `/v1${url}`, headers })
  return { app, get, seen }
}

const forms: [
  string,
  string,
  (secret: string) => { url?: string; headers?: Record<string, string> },
  Credential,
  string
][] = [
  [
    'http bearer',
    'bearer',
    secret => ({ headers: { authorization: `Bearer ${secret}` } }),
    { type: 'bearer', token: good },
    'Bearer realm="things"'
  ],
  [
    'http basic',
    'basic',
    secret => ({ headers: { authorization: basicOf(`Ann Lee:${secret}`) } }),
    { type: 'basic', username: 'Ann Lee', password: good },
    'Basic realm="things", charset="UTF-8"'
  ],
  [
    'an API key in a header',
    'inHeader',
    secret => ({ headers: { 'x-key': secret } }),
    { type: 'apiKey', key: good },
    'ApiKey realm="things", in="header", name="X-Key"'
  ],
  [
    'an API key in the query',
    'inQuery',
    secret => ({ url: `?key=${secret}&page=2` }),
    { type: 'apiKey', key: good },
    'ApiKey realm="things", in="query", name="key"'
  ],
  [
    'an API key in a cookie',
    'inCookie',
    secret => ({ headers: { cookie: `a=b; sid="${secret}"; c=d` } }),
    { type: 'apiKey', key: good },
    'ApiKey realm="things", in="cookie", name="sid"'
  ],
  [
    'OAuth 2',
    'oauth',
    secret => ({ headers: { authorization: `bearer  ${secret}` } }),
    { type: 'bearer', token: good },
    'Bearer realm="things"'
  ],
  [
    'OpenID Connect',
    'openId',
    secret => ({ headers: { authorization: `BEARER ${secret}` } }),
    { type: 'bearer', token: good },
    'Bearer realm="things"'
  ]
]

for (const [name, scheme, sent, credential, challenge] of forms) {
  t.test(`${name}: the verifier gets the credential, the handler the principal; others get 401`, async t => {
    const { get, seen } = await start(t, { one: `security: [{ ${scheme}: [] }]` })
    const { url = '', headers } = sent(good)
    const res = await get(`/one${url}`, headers)
    const principal = { id: credential.type === 'basic' ? 'Ann Lee' : 'ann', scopes: [] }
    const query = url === '' ? {} : { page: 2 }
    t.strictSame(res.json(), { principal, principals: { [scheme]: principal }, query })
    t.strictSame(seen, [[scheme, credential, []]])

    const missing = await get('/one')
    t.match(missing.json(), { code: 'credentials_missing', message: /^Credentials are required: an? .*\.$/ })
    t.strictSame([missing.statusCode, missing.headers['www-authenticate']], [401, challenge])

    const other = sent('wrong')
    const invalid = await get(`/one${other.url ?? ''}`, other.headers)
    t.match(invalid.json(), { code: 'credentials_invalid', message: 'The credentials are not valid.', status: 401 })
    const error = challenge.startsWith('Bearer') ? `${challenge}, error="invalid_token"` : challenge
    t.strictSame([invalid.statusCode, invalid.headers['www-authenticate']], [401, error])
  })
}

t.test('security of an operation replaces that of the document; none is required where it is empty', async t => {
  const { get } = await start(t, { inherited: '', own: 'security: [{ basic: [] }]', open: 'security: []' })
  t.equal((await get('/inherited')).statusCode, 401)
  t.equal((await get('/inherited', { 'x-key': good })).statusCode, 200)
  t.equal((await get('/own', { 'x-key': good })).statusCode, 401)
  t.equal((await get('/own', { authorization: basicOf(`a:${good}`) })).statusCode, 200)
  t.strictSame((await get('/open')).json(), { principal: null, principals: {}, query: {} })
})

t.test('one of several alternatives is enough; a 401 names all of them', async t => {
  const { get } = await start(t, { either: 'security: [{ bearer: [] }, { basic: [] }, { inQuery: [] }]' })
  for (const [url, authorization, scheme] of [
    ['/either', `Bearer ${good}`, 'bearer'],
    ['/either', basicOf(`a:${good}`), 'basic'],
    [`/either?key=${good}`, 'Bearer wrong', 'inQuery']
  ] as const) {
    const res = await get(url, { authorization })
    t.strictSame(Object.keys(res.json().principals), [scheme])
  }
  const all = [
    'Bearer realm="things"',
    'Basic realm="things", charset="UTF-8"',
    'ApiKey realm="things", in="query", name="key"'
  ]
  const missing = await get('/either')
  t.equal(missing.headers['www-authenticate'], all.join(', '))
  t.equal(
    missing.json().message,
    'Credentials are required: a bearer token in the header Authorization, or a user name and a password (Basic) in the header Authorization, or an API key in the query parameter key.'
  )
  const invalid = await get('/either', { authorization: 'Bearer wrong' })
  t.equal(invalid.headers['www-authenticate'], [`${all[0]}, error="invalid_token"`, ...all.slice(1)].join(', '))
})

t.test('a combination requires every credential, and handlers get each principal', async t => {
  const { get } = await start(t, { both: 'security: [{ basic: [], inHeader: [] }, { inCookie: [] }]' })
  const authorization = basicOf(`bob:${good}`)
  const res = await get('/both', { authorization, 'x-key': good })
  t.strictSame(res.json(), {
    principal: { id: 'bob', scopes: [] },
    principals: { basic: { id: 'bob', scopes: [] }, inHeader: { id: 'ann', scopes: [] } },
    query: {}
  })
  for (const headers of [{ authorization }, { 'x-key': good }])
    t.match((await get('/both', headers)).json(), { code: 'credentials_missing' })
  for (const headers of [
    { authorization, 'x-key': 'wrong' },
    { authorization: basicOf('bob:wrong'), 'x-key': good }
  ])
    t.match((await get('/both', headers)).json(), { code: 'credentials_invalid' })
  t.equal((await get('/both', { cookie: `sid=${good}` })).statusCode, 200)
  t.match((await get('/both')).json(), { message: /Basic\) in the header Authorization together with an API key in/ })
})

t.test('optional credentials: may be absent, identify the client if valid, and are rejected otherwise', async t => {
  const { get } = await start(t, { optional: 'security: [{ bearer: [] }, {}]' })
  t.strictSame((await get('/optional')).json().principal, null)
  t.strictSame((await get('/optional', { authorization: `Bearer ${good}` })).json().principal, {
    id: 'ann',
    scopes: []
  })
  t.equal((await get('/optional', { authorization: 'Bearer wrong' })).statusCode, 401)
  t.equal((await get('/optional', { authorization: 'Digest x' })).statusCode, 200, 'of no scheme of the contract')
})

t.test('an incomplete combination is rejected even if it is optional', async t => {
  const { get } = await start(t, { optional: 'security: [{ bearer: [], inHeader: [] }, {}]' })
  t.equal((await get('/optional', { 'x-key': good })).statusCode, 401)
})

t.test('scopes and roles: without them 403, which names them for bearer tokens', async t => {
  const { get, seen } = await start(t, {
    scoped: "security: [{ oauth: ['read', 'write'] }]",
    role: 'security: [{ inHeader: [admin] }]',
    several: 'security: [{ oauth: [all] }, { oauth: [read] }]'
  })
  const asking = (token: string) => ({ authorization: `Bearer ${token}` })
  t.equal((await get('/scoped', asking('right-read-write-more'))).statusCode, 200)
  t.strictSame(seen, [['oauth', { type: 'bearer', token: 'right-read-write-more' }, ['read', 'write']]])
  const refused = await get('/scoped', asking('right-read'))
  t.strictSame(refused.json(), {
    code: 'insufficient_scope',
    message: 'The credentials do not permit this: read, write are required.',
    status: 403
  })
  t.equal(refused.headers['www-authenticate'], 'Bearer realm="things", error="insufficient_scope", scope="read write"')
  const missing = await get('/scoped')
  t.equal(missing.headers['www-authenticate'], 'Bearer realm="things", scope="read write"')

  t.equal((await get('/role', { 'x-key': 'right-admin' })).statusCode, 200)
  const roleless = await get('/role', { 'x-key': good })
  t.strictSame([roleless.statusCode, roleless.headers['www-authenticate']], [403, undefined])

  for (const [token, status] of [
    ['right-all', 200],
    ['right-read', 200],
    ['right', 403],
    ['wrong', 401]
  ] as const)
    t.equal((await get('/several', asking(token))).statusCode, status, token)
})

t.test('a certificate of the client is no alternative; the others are', async t => {
  const { get } = await start(t, { either: 'security: [{ tls: [] }, { bearer: [] }]' })
  t.equal((await get('/either')).headers['www-authenticate'], 'Bearer realm="things"')
  t.equal((await get('/either', { authorization: `Bearer ${good}` })).statusCode, 200)
})

t.test('credentials are judged before URL, parameters and body; unknown URLs accept any of them', async t => {
  const { get } = await start(t, { basic: 'security: [{ basic: [] }]', scoped: 'security: [{ oauth: [read] }]' })
  for (const url of ['/basic?page=x', '/basic?unknown=1', '/scoped?page=x', '/nowhere', '/%ff', '/'])
    t.equal((await get(url)).statusCode, 401, url)
  t.equal((await get('/basic?page=x', { authorization: basicOf(`a:${good}`) })).statusCode, 400)
  for (const authorization of [basicOf(`a:${good}`), `Bearer ${good}`])
    t.equal((await get('/nowhere', { authorization })).statusCode, 404, 'scopes are a matter of operations')
  t.match((await get('/nowhere')).headers['www-authenticate'], /^Basic .*, Bearer realm="things"$/)
})

t.test('what is not a credential of its scheme never reaches the verifier', async t => {
  const { app, get, seen } = await start(t, {
    bearer: 'security: [{ bearer: [] }]',
    basic: 'security: [{ basic: [] }]',
    header: 'security: [{ inHeader: [] }]',
    query: 'security: [{ inQuery: [] }]',
    cookie: 'security: [{ inCookie: [] }]'
  })
  const authorizations: [string, string][] = [
    ...['Bearer', 'Bearer ', 'Bearer a b', 'Bearer a,b', 'Bearer "a"', 'Bearer =', `Bearer\t${good}`].map(
      each => ['/bearer', each] as [string, string]
    ),
    ...[
      'Basic',
      'Basic ',
      basicOf('nocolon'),
      `${basicOf('a:bc')}!`,
      basicOf('a:bc').replace(/=*$/, ''),
      basicOf(`a\n:${good}`),
      basicOf(`a:${good}\0`),
      basicOf(Buffer.from([0xff, 0x3a, 0x61])),
      basicOf(Buffer.from('ä:a', 'latin1')),
      `${basicOf('a:b')} ${basicOf('a:b')}`,
      'Bearer YTpi'
    ].map(each => ['/basic', each] as [string, string])
  ]
  for (const [url, authorization] of authorizations)
    t.equal((await get(url, { authorization })).statusCode, 401, `${url} ${authorization}`)
  for (const url of [
    '/query',
    '/query?key',
    '/query?key=',
    '/query?key=%ff',
    '/query?key=%00',
    '/query?key=%C3%A4',
    '/query?Key=a'
  ])
    t.equal((await get(url)).statusCode, 401, url)
  for (const cookie of ['sid', 'sid=', 'SID=a', 'other=sid=a', 'sid=%00\x01'])
    t.equal((await get('/cookie', { cookie })).statusCode, 401, cookie)
  const raw = async (lines: string, path: string) => {
    const connection = await openConnection(t, app)
    connection.send(`GET /v1${path} HTTP/1.1\r\nHost: a\r\n${lines}\r\n`)
    return (await connection.response()).status
  }
  t.equal(await raw('X-Key: \xff\xfe\r\n', '/header'), 401)
  t.equal(await raw('X-Key:\r\n', '/header'), 401)
  t.equal(await raw('Authorization: Basic \xc3\xa4\r\n', '/basic'), 401)
  t.strictSame(seen, [])

  t.equal((await get('/basic', { authorization: basicOf(`zoë:${good}`) })).json().principal.id, 'zoë')
  t.equal((await get('/basic', { authorization: basicOf(`:${good}`) })).statusCode, 500, 'nobody has an empty name')
  t.equal((await get('/query?k%65y=r%69ght')).statusCode, 200)
})

t.test('a credential that is sent twice is rejected', async t => {
  const { app, get, seen } = await start(t, {
    bearer: 'security: [{ bearer: [] }]',
    header: 'security: [{ inHeader: [] }]',
    query: 'security: [{ inQuery: [] }]',
    cookie: 'security: [{ inCookie: [] }]'
  })
  const raw = async (lines: string, path: string) => {
    const connection = await openConnection(t, app)
    connection.send(`GET /v1${path} HTTP/1.1\r\nHost: a\r\n${lines}\r\n`)
    const { status, body } = await connection.response()
    return [status, JSON.parse(body).message]
  }
  const twice = (line: string) => `${line}\r\n${line}\r\n`
  t.strictSame(await raw(twice(`Authorization: Bearer ${good}`), '/bearer'), [
    400,
    'The Authorization header may occur only once.'
  ])
  t.strictSame(await raw(twice(`x-key: ${good}`), '/header'), [400, 'The header X-Key may occur only once.'])
  t.strictSame(await raw(twice(`Cookie: sid=${good}`), '/cookie'), [400, 'The cookie sid may occur only once.'])
  for (const query of [`key=${good}&key=${good}`, `key=wrong&page=1&k%65y=${good}`])
    t.match((await get(`/query?${query}`)).json(), {
      status: 400,
      message: 'The query parameter key may occur only once.'
    })
  t.strictSame(seen, [])
})

t.test('the keys of the store can be those of any scheme that carries one', async t => {
  const key = newApiKey()
  const verifiers = { inHeader: storeKeys, inQuery: storeKeys, inCookie: storeKeys, openId: storeKeys }
  const app = await securedApp(
    t,
    {
      header: 'security: [{ inHeader: [] }]',
      query: 'security: [{ inQuery: [] }]',
      cookie: 'security: [{ inCookie: [] }]',
      either: 'security: [{ openId: [] }, { bearer: [] }, {}]'
    },
    verifiers,
    { apiKeys: [key] }
  )
  const requests = (key: string): [string, Record<string, string>][] => [
    ['/header', { 'x-key': key }],
    [`/query?key=${key}`, {}],
    ['/cookie', { cookie: `sid=${key}` }],
    ['/either', { authorization: `Bearer ${key}` }]
  ]
  for (const [url, headers] of requests(key))
    t.match((await app.inject({ url: `/v1${url}`, headers })).json(), { principal: { id: /^env:/ } }, url)
  for (const [url, headers] of requests(newApiKey()))
    t.equal((await app.inject({ url: `/v1${url}`, headers })).statusCode, 401, url)
})

t.test('the start names every scheme without a verifier, and every verifier without a scheme', async t => {
  const requirements = {
    a: 'security: [{ bearer: [] }, { basic: [] }]',
    b: 'security: [{ oauth: [read] }]',
    c: 'security: [{ bearer: [admin] }]'
  }
  await t.rejects(securedApp(t, requirements, { cookie: verifierFor() } as never), {
    message:
      'The contract cannot be served: verifiers has cookie, which is no security scheme of the contract; ' +
      'there is no verifier for the security scheme basic (http basic), which a requires; add basic to verifiers; ' +
      'there is no verifier for the security scheme oauth (oauth2), which b requires; add oauth to verifiers; ' +
      'there is no verifier for the security scheme bearer (http bearer), which c requires; add bearer to verifiers.'
  })
  await t.rejects(securedApp(t, requirements, { bearer: storeKeys, basic: storeKeys, oauth: verifierFor() }), {
    message:
      'The contract cannot be served: a requires user names (basic), which the keys of the store do not have; add a verifier of your own for basic; ' +
      'c requires scopes of bearer, which the keys of the store do not have; add a verifier of your own for bearer.'
  })
})
