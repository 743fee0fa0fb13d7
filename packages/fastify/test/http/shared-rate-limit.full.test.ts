import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { extent } from '../../../../test/extent.ts'
import { freePort } from '../../../../test/free-port.ts'
import { resultOf, run, scriptPath, startServer } from '../../../../test/start-server.ts'
import { newApiKey } from '../../src/api-keys/api-key.ts'
import { Metrics } from '../../src/observability/metrics.ts'
import { buildFixtureApp, type FixtureOptions, withKey } from '../fixture-app.ts'
import { logged } from '../observability/logged.ts'
import { redisServers, startRedis } from './redis-server.ts'

// redis-server runs the service's script; the stand-in only has the same effect.
t.comment(`the tests run with: ${Object.keys(redisServers).join(', ')}`)
if (!('redis-server' in redisServers)) t.comment('redis-server is not on the PATH, so the script itself is not tested')

const rateLimit = { requests: 100_000, windowSeconds: 3600 }
/** On a busy machine, Redis may take longer than the service allows it. */
const patient = { timeouts: { redisMs: 10_000 } }

/** A node of the service, with its log and its metrics. */
const startNode = async (t: Test, options: FixtureOptions) => {
  const { lines, logger } = logged('info')
  const metrics = new Metrics()
  const app = await buildFixtureApp(t, { rateLimit, metrics, logger, ...patient, ...options })
  return {
    metrics,
    /** The messages about Redis in the log. */
    log: () =>
      lines
        .filter(({ msg }) => /rate limits/.test(msg))
        .map(({ msg, reason }) => [msg, reason].filter(Boolean).join(': ')),
    send: async (headers: Record<string, string> = withKey) => {
      const begun = performance.now()
      const { statusCode: status, headers: got } = await app.inject({ url: '/v1/things', headers })
      const [, left, seconds] = /r=(\d+);t=(\d+)/.exec(String(got.ratelimit)) ?? []
      const ended = performance.now()
      return { status, left: Number(left), seconds: Number(seconds), ms: ended - begun, begun, ended }
    }
  }
}
type RunningNode = Awaited<ReturnType<typeof startNode>>

const shared = 'rate limits are shared through Redis'
const alone = 'rate limits count per process: Redis cannot be reached'

/** A client of a Redis server, independent of the service. */
const client = (t: Test, url: string) => {
  const redis = new Redis(url, { protocol: 2, disableClientInfo: true, enableReadyCheck: false })
  t.teardown(() => redis.disconnect())
  return redis
}

type Response = Awaited<ReturnType<RunningNode['send']>>

/** How many seconds of a window remain at a response, if it began with the first one: bounds, since time passes. */
const secondsLeft = (windowSeconds: number, first: Response, { begun, ended }: Response) => {
  // Redis counts whole milliseconds.
  const after = (ms: number) => Math.ceil(windowSeconds - Math.max(0, ms) / 1000)
  return { least: after(ended - first.begun + 1), most: after(begun - first.ended) }
}

/** Sends requests to both nodes in turn until each counts the other's requests, for at most a second. */
const untilShared = async (t: Test, [one, other]: [RunningNode, RunningNode]) => {
  const begun = performance.now()
  for (;;) {
    const { left } = await one.send()
    const isNext = (await other.send()).left === left - 1
    await one.send()
    // Two separate counts may differ by one by chance, but not again after a request more to one of them.
    if (isNext && (await one.send()).left === left - 3 && (await other.send()).left === left - 4) break
    if (performance.now() - begun > 1000) return t.fail('the nodes did not share the limit within a second')
    await delay(10)
  }
  t.comment(`shared again after ${Math.round(performance.now() - begun)} ms`)
}

/** Sends requests for a while; every one succeeds, whatever Redis does. */
const sendFor = async (t: Test, ms: number, { send }: RunningNode) => {
  const requests = []
  for (const end = performance.now() + ms; performance.now() < end; ) {
    requests.push(send())
    await delay(5)
  }
  const responses = await Promise.all(requests)
  t.ok(responses.every(({ status }) => status === 200))
  t.comment(
    `the longest of ${responses.length} requests took ${Math.round(Math.max(...responses.map(each => each.ms)))} ms`
  )
}

for (const name of Object.keys(redisServers)) {
  const sharing = async (t: Test, options: FixtureOptions = {}) => {
    const server = await startRedis(t, name)
    const nodes = [
      await startNode(t, { redisUrl: server.url, ...options }),
      await startNode(t, { redisUrl: server.url, ...options })
    ]
    return { server, nodes: nodes as [RunningNode, RunningNode] }
  }

  t.test(`${name}: the nodes together allow exactly the quota`, async t => {
    const { nodes } = await sharing(t, { rateLimit: { requests: 40, windowSeconds: 60 } })
    const [one, other] = nodes
    const first = await one.send()
    t.match(first, { status: 200, left: 39, seconds: 60 })
    for (const [node, left] of [
      [other, 38],
      [one, 37],
      [other, 36]
    ] as const) {
      const response = await node.send()
      t.match(response, { status: 200, left })
      const { least, most } = secondsLeft(60, first, response)
      t.ok(least <= response.seconds && response.seconds <= most, `${response.seconds} of ${least} to ${most} s`)
    }
    const responses = await Promise.all(Array.from({ length: 100 }, (_, i) => nodes[i % 2 === 0 ? 0 : 1].send()))
    const allowed = responses.filter(({ status }) => status === 200)
    t.strictSame(
      allowed.map(({ left }) => left).toSorted((a, b) => b - a),
      Array.from({ length: 36 }, (_, i) => 35 - i)
    )
    t.equal(responses.filter(({ status }) => status === 429).length, 64)
    for (const { log, metrics } of nodes) {
      t.strictSame(log(), [shared])
      t.equal(metrics.rateLimitFallbacks, 0)
    }
  })

  t.test(`${name}: a window ends for all nodes, even if the clock of Redis has been set back`, async t => {
    const { server, nodes } = await sharing(t, { rateLimit: { requests: 2, windowSeconds: 60 } })
    const [one, other] = nodes
    const redis = client(t, server.url)
    t.match(await one.send(), { status: 200, left: 1, seconds: 60 })
    const key = (await redis.keys('*')).find(each => each.includes(':key:')) ?? ''
    t.match(key, /^things:rate-limit:60000:key:env:[0-9a-f]{12}$/)
    await redis.pexpire(key, 3_600_000)
    t.match(await other.send(), { status: 200, left: 0, seconds: 60 })
    t.match(await one.send(), { status: 429 })
    const left = await redis.pttl(key)
    t.ok(left > 0 && left <= 60_000, `${left} ms`)
    // Expires it sooner, so that the test need not wait.
    await redis.pexpire(key, 1)
    while ((await redis.pttl(key)) >= 0) await delay(1)
    t.match(await other.send(), { status: 200, left: 1, seconds: 60 })
  })

  t.test(`${name}: requests without a valid key are counted per IP address on all nodes together`, async t => {
    const { nodes } = await sharing(t, { rateLimit: undefined, authFailureLimit: { requests: 3, windowSeconds: 60 } })
    const statuses = []
    for (const i of [0, 1, 0, 1, 0] as const) statuses.push((await nodes[i].send({})).status)
    t.strictSame(statuses, [401, 401, 401, 429, 429])
    t.equal((await nodes[0].send()).status, 200)
  })

  for (const [signal, recovery, reason, options] of [
    ['SIGKILL', 'start', /closed|ECONNRESET|EPIPE/, {}],
    ['SIGSTOP', 'SIGCONT', /no reply within 100 ms/, { timeouts: {} }]
  ] as const)
    t.test(
      `${name}: after ${signal}, each node counts by itself; they share again within a second of the recovery`,
      async t => {
        const { server, nodes } = await sharing(t, options)
        const [one, other] = nodes
        for (let round = 0; round < extent(1, 10); round++) {
          await untilShared(t, nodes)
          const counted = nodes.map(({ metrics }) => metrics.rateLimitFallbacks)
          const sending = sendFor(t, 700, one)
          await delay(100)
          await server.kill(signal)
          await sending
          const { left } = await one.send()
          const tookMs: number[] = []
          for (let i = 1; i <= 20; i++) {
            const response = await one.send()
            t.equal(response.left, left - i)
            tookMs.push(response.ms)
          }
          // Not all together: the machine may be busy for a while.
          t.ok(Number(tookMs.toSorted((a, b) => a - b)[10]) < 100, 'without waiting 100 ms each time')
          await sendFor(t, 300, other)
          nodes.forEach(({ metrics }, i) => {
            t.ok(metrics.rateLimitFallbacks > Number(counted[i]))
          })
          if (recovery === 'start') await server.start()
          else await server.kill(recovery)
        }
        await untilShared(t, nodes)
        for (const { log } of nodes) {
          const [first, warning, second] = log()
          t.strictSame([first, second], [shared, shared])
          t.ok(warning?.startsWith(alone))
          t.match(warning, reason)
        }
      }
    )

  t.test(`${name}: the warning is logged once a minute while Redis cannot be reached`, async t => {
    const { server, nodes } = await sharing(t)
    await server.kill('SIGKILL')
    await sendFor(t, 300, nodes[0])
    const now = performance.now.bind(performance)
    t.equal(nodes[0].log().length, 2)
    Object.defineProperty(performance, 'now', { value: () => now() + 60_000, configurable: true })
    t.teardown(() => Reflect.deleteProperty(performance, 'now'))
    while (nodes[0].log().length < 3) await delay(10)
    await delay(500)
    t.equal(nodes[0].log().length, 3)
    t.match(nodes[0].log()[2], `${alone}: connect ECONNREFUSED`)
  })

  t.test(`${name}: a Redis that cannot write is treated like one that cannot be reached`, async t => {
    const { server, nodes } = await sharing(t)
    const redis = client(t, server.url)
    await redis.replicaof('127.0.0.1', '1')
    await sendFor(t, 600, nodes[0])
    t.equal(nodes[0].log().length, 2)
    t.match(nodes[0].log()[1], `${alone}: READONLY`)
    await redis.replicaof('NO', 'ONE')
    await untilShared(t, nodes)
  })

  t.test(`${name}: a password is sent, and never logged`, async t => {
    const { url } = await startRedis(t, name, 'hidden/1')
    const right = url.replace('//', '//:hidden%2F1@')
    t.strictSame((await startNode(t, { redisUrl: right })).log(), [shared])
    for (const wrong of [url, url.replace('//', '//:hidden@')]) {
      const { log, send } = await startNode(t, { redisUrl: wrong })
      t.equal((await send()).status, 200)
      t.equal(log().length, 1)
      t.match(log()[0], /: (?:NOAUTH|WRONGPASS)/)
      t.notMatch(log().join(), /hidden/)
    }
  })

  t.test(`${name}: nothing keeps a process alive once the app is closed`, async t => {
    const server = await startRedis(t, name)
    const away = `redis://127.0.0.1:${await freePort()}`
    const code = `
      const { RedisWindows } = await import(${JSON.stringify(scriptPath('packages/fastify/src/http/redis-windows.ts'))})
      const log = { info: console.log, warn: (_, text) => console.log(text) }
      const windows = await RedisWindows.connect({ url: process.argv[1], prefix: '', log, replyMs: 100 })
      windows.count('a', 1000).catch(() => {})
      windows.close()
      await windows.count('a', 1000).catch(({ message }) => console.log(message))`
    const result = (url: string) =>
      resultOf(run(t, process.execPath, ['--input-type=module', '-e', code, url], { cwd: t.testdirName }))
    const closed = 'Redis cannot be reached\n'
    t.strictSame(await result(server.url), { code: 0, stdout: `${shared}\n${closed}`, stderr: '' })
    t.strictSame(await result(away), { code: 0, stdout: `${alone}\n${closed}`, stderr: '' })
    await server.kill('SIGSTOP')
    t.strictSame(await result(server.url), { code: 0, stdout: `${alone}\n${closed}`, stderr: '' })
  })

  t.test(`${name}: services start without Redis, share limits through it, and shut down without it`, async t => {
    const redis = await startRedis(t, name)
    await redis.kill('SIGKILL')
    const key = newApiKey('ast')
    const env = { REDIS_URL: redis.url, RATE_LIMIT: '1000/3600s', API_KEYS: key, DATABASE_URL: 'sqlite::memory:' }
    const servers = [
      await startServer(t, { cwd: t.testdirName, env }),
      await startServer(t, { cwd: t.testdirName, env })
    ]
    // The text that says that a service is running may overtake its log.
    await Promise.all(servers.map(server => server.printed(new RegExp(alone))))
    await redis.start()
    const left = new Set<string>()
    await Promise.all(servers.map(server => server.printed(new RegExp(shared))))
    for (const { origin } of [...servers, ...servers]) {
      const headers = { authorization: `Bearer ${key}`, connection: 'close' }
      left.add(String((await fetch(`${origin}/v1/pets`, { headers })).headers.get('ratelimit')).split(';')[1] ?? '')
    }
    t.strictSame([...left], ['r=999', 'r=998', 'r=997', 'r=996'])
    await redis.kill('SIGSTOP')
    for (const server of servers) {
      server.process.kill('SIGTERM')
      t.match(await resultOf(server), { code: 0, stderr: '' })
    }
  })
}

t.test('without REDIS_URL, the log says once that limits count per process, if limits are set', async t => {
  t.strictSame((await startNode(t, {})).log(), ['rate limits count per process: REDIS_URL is not set'])
  t.strictSame((await startNode(t, { rateLimit: undefined })).log(), [])
  t.strictSame((await startNode(t, { rateLimit: undefined, redisUrl: 'redis://127.0.0.1:1' })).log(), [])
})
