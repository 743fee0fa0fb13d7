import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { clock } from '../../../../test/clock.ts'
import { extent } from '../../../../test/extent.ts'
import { newApiKey } from '../../src/api-keys/api-key.ts'
import type { Verifiers } from '../../src/index.ts'
import type { Credential } from '../../src/security/security-schemes.ts'
import { storeKeys } from '../../src/security/verifiers.ts'
import { securedApp } from '../secured-app.ts'

// Which clients share the event loop's time, whatever credentials they use.

type Headers = Record<string, string>
interface Request {
  headers?: Headers
  query?: string
}

const textOf = (credential: Credential): string =>
  credential.type === 'bearer'
    ? credential.token
    : credential.type === 'apiKey'
      ? credential.key
      : `${credential.username}:${credential.password}`

/** A service on a machine where time passes only when a request says so: `page` is its milliseconds. */
const start = async (t: Test, security: string, verifiers: Verifiers | undefined, apiKeys: readonly string[] = []) => {
  let ranMs = 0
  let pass = (_ms: number) => {}
  const work = (ms: number) => {
    pass(ms)
    ranMs += ms
  }
  t.intercept(process, 'threadCpuUsage', { value: () => ({ user: 0, system: ranMs * 1000 }) })
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const infinite = Number.POSITIVE_INFINITY
  const bounds = { heapBytes: infinite, heapPatienceMs: infinite, pendingWrites: infinite, sampleMs: 100 }
  const app = await securedApp(t, { of: security, open: 'security: []' }, verifiers, {
    overload: { ...bounds, delayMs: 100 },
    handling: work,
    apiKeys
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  pass = clock(t).pass
  /** The statuses of requests that take this many milliseconds, in one turn of the event loop. */
  const turn = async (requests: readonly (Request & { ms: number; path?: string })[]) => {
    const statuses = await Promise.all(
      requests.map(async ({ ms, headers = {}, query = '', path = 'of' }) => {
        const res = await app.inject({ url: `/v1/${path}?page=${ms}${query && `&${query}`}`, headers })
        return res.statusCode
      })
    )
    pass(10)
    mock.timers.tick(100)
    return statuses
  }
  return { turn, work }
}

const turns = extent(20, 60)
/** The share of each client's requests with this status, if one client sends eight expensive ones for each of the others'. */
const partsOf = async (
  turn: Awaited<ReturnType<typeof start>>['turn'],
  hog: (at: number) => Request,
  polite: readonly Request[],
  status = 200
) => {
  let ofHog = 0
  let ofPolite = 0
  for (let at = 0; at < turns; at++) {
    const sent = Array.from({ length: 8 }, (_, index) => ({ ms: 40, ...hog(8 * at + index) }))
    const all = await turn([...sent, ...polite.map(each => ({ ms: 1, ...each }))])
    ofHog += all.slice(0, 8).filter(each => each === status).length
    ofPolite += all.slice(8).filter(each => each === 200).length
  }
  return { hog: ofHog / (8 * turns), polite: ofPolite / (polite.length * turns) }
}

/** A text that begins with the name of a client is its credential, whatever follows. */
const nameIn = (text: string) => /^(hog|[abc])\b/.exec(text)?.[1]
const byName = async (_scheme: string, credential: Credential) => {
  const id = nameIn(textOf(credential))
  return id === undefined ? undefined : { id }
}

const base64 = (text: string) => Buffer.from(text).toString('base64')
const carriers: Record<string, (text: string) => Request> = {
  bearer: text => ({ headers: { authorization: `Bearer ${text}` } }),
  oauth: text => ({ headers: { authorization: `bearer  ${text}` } }),
  openId: text => ({ headers: { authorization: `Bearer ${text}` } }),
  basic: text => ({ headers: { authorization: `Basic ${base64(`${text}:x`)}` } }),
  inHeader: text => ({ headers: { 'x-key': text } }),
  inQuery: text => ({ query: `key=${text}` }),
  inCookie: text => ({ headers: { cookie: `other=1; sid=${text}` } })
}

for (const [scheme, carry] of Object.entries(carriers))
  t.test(`with ${scheme}, only the client that uses most of the time has requests refused`, async t => {
    const security = `security: [{ ${scheme}: [] }]`
    const polite = ['a.0', 'b.0'].map(carry)
    await t.test('that of one credential', async t => {
      const { turn } = await start(t, security, byName)
      const parts = await partsOf(turn, () => carry('hog.0'), polite)
      t.ok(parts.hog > 0.05 && parts.hog < 0.9, `${parts.hog} of its requests are served`)
      t.equal(parts.polite, 1)
    })
    await t.test('that of a client with a new credential for each request', async t => {
      const { turn } = await start(t, security, byName)
      const parts = await partsOf(turn, at => carry(`hog.${at}`), polite)
      t.ok(parts.hog > 0.05 && parts.hog < 0.9, `${parts.hog} of its requests are served`)
      t.equal(parts.polite, 1)
    })
    await t.test('that of an address with a new invalid credential for each request', async t => {
      const { turn, work } = await start(t, security, async (scheme, credential) => {
        // A password takes its time.
        if (nameIn(textOf(credential)) === undefined) work(40)
        return byName(scheme, credential)
      })
      const parts = await partsOf(turn, at => carry(`wrong.${at}`), polite, 401)
      t.ok(parts.hog > 0.05 && parts.hog < 0.9, `${parts.hog} of its requests are judged`)
      t.equal(parts.polite, 1)
    })
  })

t.test('keys of the store identify clients, wherever they are sent', async t => {
  const [hog = '', ...others] = Array.from({ length: 3 }, () => newApiKey())
  for (const scheme of ['bearer', 'inHeader', 'inQuery', 'inCookie'])
    await t.test(scheme, async t => {
      const carry = carriers[scheme] as (text: string) => Request
      const { turn } = await start(t, `security: [{ ${scheme}: [] }]`, { [scheme]: storeKeys }, [hog, ...others])
      const parts = await partsOf(turn, () => carry(hog), others.map(carry))
      t.ok(parts.hog > 0.05 && parts.hog < 0.9, `${parts.hog} of its requests are served`)
      t.equal(parts.polite, 1)
      const guesses = await partsOf(turn, () => carry(newApiKey()), others.map(carry), 401)
      t.equal(guesses.polite, 1, 'guesses do not count for those that have keys')
    })
})

t.test(
  'without credentials, clients are told apart by address, even where credentials are optional or useless',
  async t => {
    const { turn } = await start(t, 'security: [{ inHeader: [] }, {}]', byName)
    const polite = ['a.0', 'b.0'].map(carriers.inHeader as (text: string) => Request)
    const parts = await partsOf(turn, () => ({}), polite)
    t.ok(parts.hog > 0.05 && parts.hog < 0.9, `${parts.hog} of its requests are served`)
    t.equal(parts.polite, 1)
    // Where no credential is required, clients known from other operations are not charged by theirs.
    const open = await partsOf(turn, at => ({ path: 'open', headers: { 'x-key': `${at % 2 ? 'a' : 'b'}.0` } }), polite)
    t.ok(open.hog > 0.05 && open.hog < 0.9, `${open.hog} of its requests are served`)
    t.equal(open.polite, 1)
  }
)

t.test('where two credentials or one of several are required, those that were judged tell clients apart', async t => {
  const { inHeader, inCookie } = carriers as Record<string, (text: string) => Request>
  const both = (text: string, other: string): Request => ({
    headers: { ...inHeader?.(text).headers, ...inCookie?.(other).headers }
  })
  for (const [name, security, hog, polite] of [
    [
      'two',
      'security: [{ inHeader: [], inCookie: [] }]',
      both('hog.0', 'a.0'),
      [both('a.0', 'a.0'), both('b.0', 'a.0')]
    ],
    [
      'either',
      'security: [{ inHeader: [] }, { inCookie: [] }]',
      inCookie?.('hog.0'),
      [inHeader?.('a.0'), inCookie?.('b.0')]
    ]
  ] as const)
    await t.test(name, async t => {
      const { turn } = await start(t, security, byName)
      const parts = await partsOf(
        turn,
        () => hog as Request,
        polite.map(each => each as Request)
      )
      t.ok(parts.hog > 0.05 && parts.hog < 0.9, `${parts.hog} of its requests are served`)
      t.equal(parts.polite, 1)
    })
})
