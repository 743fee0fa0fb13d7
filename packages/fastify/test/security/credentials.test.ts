import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { digestOf, keyIdOf, newApiKey } from '../../src/api-keys/api-key.ts'
import { keptCredentials } from '../../src/security/credentials.ts'

// A kept credential is recognized by being the same object next time.

const standingTimers = (t: Test) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  return (ms: number) => mock.timers.tick(ms)
}

/** Reads headers as in a request, where the plugin trims keys. */
const credentialsOf = (options: { apiKeys: string[] }) => {
  const { kept, read, keep } = keptCredentials(options)
  return (header: string) => {
    const known = kept(header)
    if (known !== undefined) return known
    const credential = read(header.slice('Bearer '.length).trim(), header)
    keep(header)
    return kept(header) ?? credential
  }
}

t.test('a header is read the same way, whether it is kept or not', async t => {
  const [secret, configured] = ['kD9+/xYz01kD9+/xYz01kD9.~_-01kD9A==', newApiKey()]
  const read = credentialsOf({ apiKeys: [secret, configured] })
  const key = newApiKey()
  const none = { digest: undefined, configuredId: undefined }
  const expected: [string, ReturnType<typeof read>][] = [
    ['Bearer x', none],
    [`Bearer ${key}0`, none],
    [`Bearer \u00a0${key}`, none],
    [`Bearer ${key}`, { digest: digestOf(key), configuredId: undefined }],
    [`bEARER   ${key}`, { digest: digestOf(key), configuredId: undefined }],
    [`Bearer ${configured}`, { digest: digestOf(configured), configuredId: `env:${keyIdOf(digestOf(configured))}` }],
    [`Bearer ${secret}`, { digest: undefined, configuredId: `env:${keyIdOf(digestOf(secret))}` }]
  ]
  for (let i = 0; i < 3; i++) for (const [header, credential] of expected) t.strictSame(read(header), credential)
})

t.test('only a header with a well-formed key is kept', async t => {
  const read = credentialsOf({ apiKeys: ['x'.repeat(40)] })
  const key = newApiKey()
  for (const kept of [`Bearer ${key}`, `BEARER ${key}`, `Bearer ${'x'.repeat(40)}`]) t.equal(read(kept), read(kept))
  for (const other of [`Bearer  ${key}`, `Bearer ${'y'.repeat(40)}`, `Bearer ${' '.repeat(9000)}${key}`])
    t.not(read(other), read(other), other.slice(0, 60))
})

t.test('no key is kept for more than ten seconds', async t => {
  const pass = standingTimers(t)
  const read = credentialsOf({ apiKeys: [] })
  const [one, two] = [`Bearer ${newApiKey()}`, `Bearer ${newApiKey()}`]
  const first = read(one)
  pass(9_999)
  t.equal(read(one), first)
  const second = read(two)
  pass(1)
  t.not(read(one), first)
  t.not(read(two), second)
  const again = read(one)
  pass(10_000)
  t.not(read(one), again, 'nor the next time')
})

t.test('at most a thousand headers are kept, however many clients try', async t => {
  const read = credentialsOf({ apiKeys: [] })
  const headers = Array.from({ length: 1_000 }, () => `Bearer ${newApiKey()}`)
  const kept = headers.map(read)
  t.ok(headers.every((header, i) => read(header) === kept[i]))
  read(`Bearer ${newApiKey()}`)
  t.equal(headers.filter((header, i) => i > 0 && read(header) === kept[i]).length, 999)
  t.not(read(headers[0] ?? ''), kept[0], 'the oldest made room')
})
