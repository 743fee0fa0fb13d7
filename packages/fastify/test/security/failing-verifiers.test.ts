import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { ApiError, type Credential, InvalidCredential, StoreUnavailable, VerifierUnavailable } from '../../src/index.ts'
import { logged } from '../observability/logged.ts'
import { securedApp } from '../secured-app.ts'

const requirements = {
  bearer: 'security: [{ oauth: [] }]',
  basic: 'security: [{ basic: [] }]',
  header: 'security: [{ inHeader: [] }]',
  query: 'security: [{ inQuery: [] }]',
  cookie: 'security: [{ inCookie: [] }]',
  optional: 'security: [{ oauth: [] }, { inHeader: [] }, {}]'
}
// Has characters that are escaped in URLs, and no form by which it could be recognized.
const secret = 'plain/se=cret'
const basic = Buffer.from(`ann:${secret}`).toString('base64')
const requests: [string, Record<string, string>][] = [
  ['/v1/bearer', { authorization: `Bearer ${secret.replace('=', '')}` }],
  ['/v1/basic', { authorization: `Basic ${basic}` }],
  ['/v1/header', { 'x-key': secret }],
  [`/v1/query?key=${encodeURIComponent(secret)}`, {}],
  ['/v1/cookie', { cookie: `sid=${secret}` }],
  ['/v1/optional', { authorization: 'Bearer x', 'x-key': secret }]
]
const pieces = [secret, secret.replace('=', ''), encodeURIComponent(secret), basic]

const quoting = (credential: Credential) =>
  credential.type === 'basic'
    ? `${credential.username} ${credential.password} ${Buffer.from(`${credential.username}:${credential.password}`).toString('base64')}`
    : `${credential.type === 'bearer' ? credential.token : credential.key} ?key=${encodeURIComponent(credential.type === 'bearer' ? credential.token : credential.key)}`

const start = async (t: Test, verify: (credential: Credential) => unknown, timeouts = {}) => {
  const { lines, logger } = logged('trace')
  const verifier = (_scheme: string, credential: Credential) => verify(credential) as never
  return { app: await securedApp(t, requirements, verifier, { logger, timeouts }), lines }
}

/** Sends every request, and returns its status. No response and no log line may contain the credential. */
const statuses = async (t: Test, app: FastifyInstance, lines: unknown[]) => {
  const found: number[] = []
  for (const [url, headers] of requests) {
    const res = await app.inject({ url, headers })
    found.push(res.statusCode)
    const seen = JSON.stringify([res.headers, res.body, lines])
    for (const piece of pieces) t.notOk(seen.includes(piece), `${url}: ${piece}`)
  }
  t.not(lines.length, 0)
  return found
}
const all = (status: number) => requests.map(() => status)

t.test('a verifier that throws: 500, and never a success; its reason is logged without the credential', async t => {
  const throwing: ((credential: Credential) => unknown)[] = [
    credential => {
      throw new Error(`cannot read ${quoting(credential)}`)
    },
    async credential => {
      throw new Error('broken', { cause: new TypeError(`no ${quoting(credential)}`) })
    },
    async credential => {
      throw Object.assign(new Error('broken'), { request: { credential } })
    },
    async credential => {
      throw quoting(credential)
    },
    async () => {
      throw undefined
    },
    async () => {
      throw new ApiError(200, 'fine', 'All is fine.')
    }
  ]
  for (const verify of throwing) {
    const { app, lines } = await start(t, verify)
    t.strictSame(await statuses(t, app, lines), all(500))
    t.equal(lines.filter(({ level }) => level === 50).length, requests.length)
  }
})

t.test('a verifier that cannot judge now: 503, to be tried again', async t => {
  for (const verify of [
    async (credential: Credential) => {
      throw new VerifierUnavailable(`nobody knows ${quoting(credential)}`)
    },
    async (credential: Credential) => {
      throw new StoreUnavailable(`nobody knows ${quoting(credential)}`)
    }
  ]) {
    const { app, lines } = await start(t, verify)
    t.strictSame(await statuses(t, app, lines), all(503))
    t.match(await app.inject({ url: '/v1/header', headers: { 'x-key': 'a' } }), { headers: { 'retry-after': '1' } })
  }
})

t.test('why a credential is not valid is in the log only, without the credential', async t => {
  const { app, lines } = await start(t, async credential => {
    throw new InvalidCredential(`nobody has ${quoting(credential)}`)
  })
  t.strictSame(await statuses(t, app, lines), all(401))
  const { body } = await app.inject({ url: '/v1/header', headers: { 'x-key': 'a secret' } })
  t.notMatch(body, 'nobody has')
  t.match(lines.at(-1), { status: 401, refusedBecause: /^\w+: nobody has/ })
  t.notMatch(lines.at(-1).refusedBecause, 'a secret')
})

t.test('a verifier may refuse with an error of its own', async t => {
  const { app, lines } = await start(t, async credential => {
    throw new ApiError(403, 'blocked', `No more of ${quoting(credential)}.`)
  })
  t.strictSame(await statuses(t, app, lines), all(403))
  t.match((await app.inject({ url: '/v1/header', headers: { 'x-key': 'a' } })).json(), { code: 'blocked', status: 403 })
})

t.test('a verifier that does not respond: 503', async t => {
  const { app } = await start(t, () => delay(2_000), { handlerMs: 20 })
  const { statusCode } = await app.inject({ url: '/v1/header', headers: { 'x-key': 'a' } })
  t.equal(statusCode, 503)
})

t.test('a verifier that returns neither nothing nor a principal with an id: 500', async t => {
  for (const verdict of [true, 1, 'ann', {}, { id: '' }, { id: 5 }, []]) {
    const { app, lines } = await start(t, () => verdict)
    t.strictSame(await statuses(t, app, lines), all(500), JSON.stringify(verdict))
  }
})

t.test('a principal whose id is the credential: 500, since ids are logged', async t => {
  const { app, lines } = await start(t, credential => ({
    id:
      credential.type === 'basic'
        ? credential.password
        : credential.type === 'apiKey'
          ? credential.key
          : credential.token
  }))
  t.strictSame(await statuses(t, app, lines), all(500))
})

t.test('valid and invalid credentials appear in no log line, no error and no metric', async t => {
  for (const verdict of [{ id: 'ann' }, undefined]) {
    const { app, lines } = await start(t, () => verdict)
    await statuses(t, app, lines)
    for (const [url, headers] of requests) {
      const more = url.includes('?') ? `${url}&page=x` : `${url}?page=x`
      const { body } = await app.inject({ url: more, headers })
      for (const piece of pieces) t.notOk((body + JSON.stringify(lines)).includes(piece))
    }
    if (verdict === undefined) continue
    t.match(
      lines.find(({ path }) => path === '/v1/header'),
      { keyId: 'inHeader:ann', status: 200 }
    )
    t.match(
      lines.find(({ path }) => path === '/v1/query'),
      { keyId: 'inQuery:ann', status: 200 }
    )
  }
})

t.test('an id cannot add lines or fields to the log', async t => {
  const { app, lines } = await start(t, () => ({ id: 'a","status":500}\n{"x' }))
  await app.inject({ url: '/v1/header', headers: { 'x-key': 'a' } })
  t.strictSame([lines.length, lines[0].keyId, lines[0].status], [1, 'inHeader:a","status":500}\n{"x', 200])
})
