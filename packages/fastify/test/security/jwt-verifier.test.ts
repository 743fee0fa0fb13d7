import { createHmac, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { type JwtVerifierOptions, jwtVerifier } from '../../src/index.ts'
import { logged } from '../observability/logged.ts'
import { securedApp } from '../secured-app.ts'

// Tokens are signed here with nothing but Node's crypto: the library under test does not test itself.

const issuer = 'https://id.example/'
const audience = 'https://things.example'
const seconds = (offset: number) => Math.floor(Date.now() / 1000) + offset

interface Signer {
  kid: string
  privateKey: KeyObject
  jwk: Record<string, unknown>
}

const signer = (kid: string): Signer => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' } }
}
const [first, second] = [signer('first'), signer('second')]

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const claims = { iss: issuer, aud: audience, sub: 'ann', scope: 'read write', exp: seconds(60) }
const signed = ({ kid, privateKey }: Signer, more: object = {}, header: object = {}) => {
  const text = `${encoded({ alg: 'RS256', typ: 'JWT', kid, ...header })}.${encoded({ ...claims, ...more })}`
  return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')}`
}

/** An issuer of tokens on this machine, which publishes the keys that the test sets. */
const startIssuer = async (t: Test) => {
  let respond = (): [number, string] => [200, '{}']
  let asked = 0
  const server = createServer((_request, response) => {
    asked++
    const [status, body] = respond()
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const close = () => new Promise(resolve => server.close(resolve).closeAllConnections())
  t.teardown(close)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    close,
    publishes: (...signers: Signer[]) => {
      respond = () => [200, JSON.stringify({ keys: signers.map(({ jwk }) => jwk) })]
    },
    fails: (status: number, body: string) => {
      respond = () => [status, body]
    },
    asked: () => asked
  }
}

const start = async (t: Test, options: Partial<JwtVerifierOptions> = {}) => {
  const { lines, logger } = logged('trace')
  const verifier = jwtVerifier({
    issuer,
    audience,
    ...(options.jwksUrl === undefined && { jwks: { keys: [first.jwk] } }),
    ...options
  })
  const app = await securedApp(
    t,
    { open: 'security: [{ openId: [] }]', scoped: 'security: [{ oauth: [write] }]' },
    { openId: verifier, oauth: verifier } as never,
    { logger }
  )
  const get = (token: string, url = '/v1/open') => app.inject({ url, headers: { authorization: `Bearer ${token}` } })
  return { get, lines }
}

t.test('a valid token lets its subject in, with its scopes', async t => {
  const { get } = await start(t)
  t.strictSame((await get(signed(first))).json().principal, { id: 'ann', scopes: ['read', 'write'] })
  t.strictSame((await get(signed(first, { scope: undefined, scp: ['read'] }))).json().principal.scopes, ['read'])
  t.equal((await get(signed(first, { aud: ['https://other.example', audience] }))).statusCode, 200)
  t.equal((await get(signed(first), '/v1/scoped')).statusCode, 200)
  const refused = await get(signed(first, { scope: 'read' }), '/v1/scoped')
  t.strictSame(
    [refused.statusCode, refused.headers['www-authenticate']],
    [403, 'Bearer realm="things", error="insufficient_scope", scope="write"']
  )
})

t.test('any other token is a 401, and is not logged', async t => {
  const { get, lines } = await start(t)
  const [head = '', body = '', signature = ''] = signed(first).split('.')
  const none = `${encoded({ alg: 'none' })}.${body}.`
  const publicKey = String(first.jwk.n)
  const hmacHead = encoded({ alg: 'HS256', typ: 'JWT', kid: 'first' })
  const hmac = `${hmacHead}.${body}.${createHmac('sha256', publicKey).update(`${hmacHead}.${body}`).digest('base64url')}`
  const tokens: Record<string, [string, string | RegExp]> = {
    'without a signature': [none, 'its algorithm is not allowed: alg none, kid undefined'],
    'without a signature, in other letters': [
      `${encoded({ alg: 'NoNe' })}.${body}.`,
      'its algorithm is not allowed: alg NoNe, kid undefined'
    ],
    'whose signature was cut off': [`${head}.${body}.`, 'its signature is not valid'],
    'signed with the public key as a secret': [hmac, 'its algorithm is not allowed: alg HS256, kid first'],
    'of another algorithm than its key': [
      signed(first, {}, { alg: 'PS256' }),
      'the issuer has no key for alg PS256, kid first'
    ],
    'of an unknown key': [signed(second), 'the issuer has no key for alg RS256, kid second'],
    'that names the key of another': [signed({ ...second, kid: 'first' }), 'its signature is not valid'],
    'with other claims than were signed': [
      `${head}.${encoded({ ...claims, sub: 'bob' })}.${signature}`,
      'its signature is not valid'
    ],
    'that has expired': [signed(first, { exp: seconds(-60) }), 'it has expired (exp)'],
    'that never expires': [signed(first, { exp: undefined }), 'it has no exp'],
    'that is not valid yet': [signed(first, { nbf: seconds(60) }), 'it is not valid yet (nbf)'],
    'for another audience': [signed(first, { aud: 'https://other.example' }), 'it is for another audience (aud)'],
    'for no audience': [signed(first, { aud: undefined }), 'it has no aud'],
    'from another issuer': [signed(first, { iss: 'https://other.example' }), 'it is from another issuer (iss)'],
    'about nobody': [signed(first, { sub: undefined }), 'its claims name nobody'],
    'with an extension that must be understood': [
      signed(first, {}, { crit: ['b64'], b64: false }),
      /^it is not a readable JWT: /
    ],
    'that brings its own key': [signed(second, {}, { jwk: second.jwk, kid: undefined }), 'its signature is not valid'],
    'that is not a JWT': ['nonsense', /^it is not a readable JWT: /],
    'of empty parts': ['..', /^it is not a readable JWT: /]
  }
  for (const [what, [token, reason]] of Object.entries(tokens)) {
    const res = await get(token)
    const { refusedBecause = '' } = lines.at(-1)
    const [scheme, ...because] = refusedBecause.split(': ')
    t.equal(scheme, 'openId')
    if (typeof reason === 'string') t.equal(because.join(': '), reason, what)
    else t.match(because.join(': '), reason, what)
    t.notOk(res.body.includes(because.join(': ')), 'but not in the response')
    t.strictSame(
      [res.statusCode, res.headers['www-authenticate']],
      [401, 'Bearer realm="things", error="invalid_token"'],
      `a token ${what}`
    )
    if (token.length > 20) t.notOk(JSON.stringify([res.body, lines]).includes(token.slice(-20)))
  }
  t.strictSame(
    lines.filter(({ level }) => level > 30),
    []
  )
})

t.test('the keys of the issuer are kept', async t => {
  const id = await startIssuer(t)
  id.publishes(first)
  const { get } = await start(t, { jwksUrl: id.url })
  for (let i = 0; i < 3; i++) t.equal((await get(signed(first))).statusCode, 200)
  t.equal(id.asked(), 1, 'its keys are kept')
  t.equal((await get(signed(second))).statusCode, 401)
  const asked = id.asked()
  const unknown = signer('x')
  for (let i = 0; i < 20; i++) t.equal((await get(signed(unknown))).statusCode, 401)
  t.ok(id.asked() - asked <= 1, 'tokens of unknown keys do not make us ask each time')
})

t.test('a new key of the issuer is found once its old ones are no longer fresh', async t => {
  const id = await startIssuer(t)
  id.publishes(first)
  const { get } = await start(t, { jwksUrl: id.url })
  t.equal((await get(signed(first))).statusCode, 200)
  id.publishes(second)
  const { now } = Date
  t.teardown(() => {
    Date.now = now
  })
  // More than the half minute that lies between two requests for keys.
  Date.now = () => now() + 31_000
  t.equal((await get(signed(second, { exp: seconds(60) }))).statusCode, 200)
  t.equal((await get(signed(first, { exp: seconds(60) }))).statusCode, 401, 'a key that was withdrawn')
})

t.test('while keys cannot be read: 503, not 401, and nobody is let in; then it works again', async t => {
  const id = await startIssuer(t)
  const { get, lines } = await start(t, { jwksUrl: id.url, timeoutMs: 500 })
  for (const [status, body] of [
    [500, '{}'],
    [200, 'nonsense'],
    [200, '{"keys":5}'],
    [404, 'gone']
  ] as const) {
    id.fails(status, body)
    const res = await get(signed(first))
    t.strictSame([res.statusCode, res.json().code], [503, 'service_unavailable'], `${status} ${body}`)
    t.equal(res.headers['retry-after'], '1')
  }
  t.match(lines.at(-1), { level: 40, msg: 'credentials cannot be judged' })
  id.publishes(first)
  t.equal((await get(signed(first))).statusCode, 200)
})

t.test('an issuer that cannot be reached: 503', async t => {
  const id = await startIssuer(t)
  await id.close()
  const { get } = await start(t, { jwksUrl: id.url })
  t.equal((await get(signed(first))).statusCode, 503)
})

t.test('a service may choose whom a token identifies', async t => {
  const { get } = await start(t, {
    principal: ({ client }) => (typeof client === 'string' ? { id: client, scopes: ['write'] } : undefined)
  })
  t.strictSame((await get(signed(first, { client: 'shop' }), '/v1/scoped')).json().principal.id, 'shop')
  t.equal((await get(signed(first))).statusCode, 401)
})

t.test('a key that cannot be read stops the start', async t => {
  const { n: _, ...cut } = first.jwk
  await t.rejects(start(t, { jwks: { keys: [first.jwk, cut] } }), {
    name: 'ConfigError',
    message: /^jwtVerifier cannot read key number 2 of jwks, RSA RS256 sig: /
  })
})

t.test('options that would let in others are refused', async t => {
  const jwks = { keys: [first.jwk] }
  for (const [options, message] of [
    [{ issuer: '', audience, jwks }, /needs issuer and audience/],
    [{ issuer, audience: '', jwks }, /needs issuer and audience/],
    [{ issuer, audience: [], jwks }, /needs issuer and audience/],
    [
      { issuer, audience, jwks, algorithms: ['HS256'] },
      /with public keys only: algorithms must be of RS256, .*, not HS256/
    ],
    [{ issuer, audience, jwksUrl: 'https://id.example/keys', algorithms: ['none'] }, /public keys only: .* not none/],
    [{ issuer, audience, jwks, algorithms: ['RS265', 'RS256'] }, /not RS265\./],
    [{ issuer, audience, jwks, algorithms: [] }, /not none\./],
    [{ issuer, audience, jwks, algorithms: ['ES256'] }, /no key in jwks for ES256: .* not RSA RS256 sig\./],
    [{ issuer, audience, jwks: { keys: [] } }, /no key in jwks .* not none\./],
    [{ issuer, audience, jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } }, /no key in jwks .* not oct\./],
    [{ issuer, audience, jwks: { keys: [{ ...first.jwk, use: 'enc' }] } }, /no key in jwks .* not RSA RS256 enc\./],
    [
      { issuer, audience, jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd' }] } },
      /not EC P-256 private\./
    ],
    [{ issuer, audience }, /needs either jwksUrl or jwks/],
    [{ issuer, audience, jwks, jwksUrl: 'https://id.example/keys' }, /needs either jwksUrl or jwks/],
    [{ issuer, audience, jwksUrl: 'http://id.example/keys' }, /needs a jwksUrl with https/],
    [{ issuer, audience, jwksUrl: 'keys' }, /needs a jwksUrl with https/]
  ] as const)
    t.throws(() => jwtVerifier(options as JwtVerifierOptions), { name: 'ConfigError', message })
})
