import { constants, PerformanceObserver } from 'node:perf_hooks'
import { mock } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import t, { type Test } from 'tap'
import packageJson from '../../../../package.json' with { type: 'json' }
import { clock } from '../../../../test/clock.ts'
import { run, scriptPath } from '../../../../test/start-server.ts'
import { newApiKey } from '../../src/api-keys/api-key.ts'
import { type OverloadBounds, processBounds } from '../../src/http/overload.ts'
import { buildFixtureApp, type FixtureOptions, withKey } from '../fixture-app.ts'
import { openFixtureStore } from '../fixture-store.ts'
import { logged } from '../observability/logged.ts'
import { newGate } from './gate.ts'

/** Bounds that are never exceeded. */
const unbounded: OverloadBounds = {
  delayMs: Number.POSITIVE_INFINITY,
  heapBytes: Number.POSITIVE_INFINITY,
  heapPatienceMs: Number.POSITIVE_INFINITY,
  pendingWrites: Number.POSITIVE_INFINITY,
  sampleMs: 100
}
/** Bounds that are always exceeded. */
const overwhelmed: OverloadBounds = { ...unbounded, heapBytes: -1 }

const checkRefused = (t: Test, { payload, headers, statusCode }: LightMyRequestResponse, what = 'refused') => {
  t.equal(statusCode, 503, what)
  t.equal(headers['retry-after'], '2')
  if (payload === '') return
  t.strictSame(JSON.parse(payload), {
    code: 'service_unavailable',
    message: 'The service is overloaded; try again.',
    status: 503
  })
}

const listening = async (t: Test, bounds: Partial<OverloadBounds>, options: FixtureOptions = {}) => {
  const app = await buildFixtureApp(t, { ...options, overload: { ...unbounded, ...bounds } })
  // Measuring starts when the app listens.
  await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    app,
    status: async (url = '/v1/things', headers = withKey) => (await app.inject({ url, headers })).statusCode
  }
}

/** Like `start`, but time passes only when the test says so, and listing things takes 40 ms. */
const onAMachine = async (t: Test, delayMs: number, options: FixtureOptions = {}) => {
  let ranMs = 0
  t.intercept(process, 'threadCpuUsage', { value: () => ({ user: 0, system: ranMs * 1000 }) })
  const listThings = async () => {
    pass(40)
    ranMs += 40
    return { status: 200 as const, body: [] }
  }
  const tick = mockIntervals(t)
  const service = await listening(t, { delayMs }, { ...options, handlers: { listThings } })
  // Mocked after the app has been built, since its teardown needs the real clock.
  const { pass } = clock(t)
  return {
    ...service,
    /** Lets time pass in which the process does not run. */
    pass,
    /** Fires the timer once, however late it is. */
    endTurn: () => tick(100)
  }
}

/** Mocks intervals; the function returned lets time elapse for them. */
const mockIntervals = (t: Test) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  return (ms: number) => mock.timers.tick(ms)
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Collects garbage, as V8 does when it needs memory; resolves once the service has noticed. */
const collectObserved = async () => {
  collect()
  for (let turn = 0; turn < 3; turn++) await nextTurn()
}

/** A bound that is exceeded once the heap has grown by 50 MB. */
const heapWithFiftyMegabytesMore = () => {
  collect()
  return process.memoryUsage().heapUsed + 50e6
}

/** 100 arrays of 1 MB. */
const hundredMegabytes = () => Array.from({ length: 100 }, (_, i) => new Array(125_000).fill(i))

const until = async (isSo: () => boolean | Promise<boolean>) => {
  while (!(await isSo())) await nextTurn()
}

const processorMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

t.test('while the event loop is late, only the client that causes it has some of its requests refused', async t => {
  const otherKey = newApiKey()
  const { lines, logger } = logged()
  const { app, status, pass, endTurn } = await onAMachine(t, 100, { apiKeys: [otherKey], logger })
  const turn = async () => {
    const statuses = await Promise.all(Array.from({ length: 8 }, () => status()))
    t.equal(await status('/v1/things/1', { authorization: `Bearer ${otherKey}` }), 200)
    t.equal(app.overloadReason?.(), undefined, 'most clients are served')
    pass(10)
    endTurn()
    return statuses.filter(each => each === 200).length
  }
  t.equal(await turn(), 8)
  const served: number[] = []
  for (let i = 0; i < 100; i++) served.push(await turn())
  const share = served.reduce((sum, each) => sum + each) / 800
  t.ok(share > 0.05 && share < 0.9, `${share} of its requests are served`)
  t.match(lines, [{ level: 40, eventLoopDelayMs: Number, client: /^env:[\da-f]{12}$/ }])
  t.equal(lines.length, 1)

  for (let i = 0; i < 50; i++) {
    pass(100)
    endTurn()
  }
  for (let i = 0; i < 8; i++) t.equal(await status(), 200, 'afterwards it is served again')
})

t.test('time in which the process does not run does not count as lateness', async t => {
  const { status, pass, endTurn } = await onAMachine(t, 250)
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 5; i++) t.equal(await status(), 200)
    pass(3000)
    endTurn()
  }
})

t.test('the work of the process is measured in processor time', async t => {
  const tick = mockIntervals(t)
  const listThings = async () => {
    const end = processorMs() + 30
    while (processorMs() < end);
    pass(300)
    return { status: 200 as const, body: [] }
  }
  const { status } = await listening(t, { delayMs: 10 }, { handlers: { listThings } })
  const { pass } = clock(t)
  const statuses = new Set<number>()
  for (let turn = 0; turn < 10; turn++) {
    statuses.add(await status())
    tick(100)
  }
  t.strictSame(statuses, new Set([200, 503]))
})

t.test('while the heap is full, new requests are refused; those already accepted get their responses', async t => {
  const gate = newGate()
  const listThings = async () => {
    await gate.pass()
    return { status: 200 as const, body: [] }
  }
  const tick = mockIntervals(t)
  const { status } = await listening(t, { heapBytes: heapWithFiftyMegabytesMore() }, { handlers: { listThings } })
  const accepted = Array.from({ length: 50 }, () => status())
  await gate.arrived(50)

  let kept: unknown = hundredMegabytes()
  await collectObserved()
  t.equal(await status('/v1/things/1'), 503)
  t.ok(kept)
  kept = undefined
  gate.open()
  t.strictSame(new Set(await Promise.all(accepted)), new Set([200]))
  await until(async () => {
    tick(100)
    return (await status('/v1/things/1')) === 200
  })
})

t.test('garbage left by a peak does not count as a full heap, however long there are no requests', async t => {
  const tick = mockIntervals(t)
  const { status } = await listening(t, { heapBytes: heapWithFiftyMegabytesMore(), heapPatienceMs: 200 })
  t.equal(hundredMegabytes().length, 100)
  for (let i = 0; i < 15; i++) {
    if (i === 10) await collectObserved()
    tick(100)
    t.equal(await status(), 200)
  }
})

t.test('a full heap is recognized without forcing a garbage collection, and assumed only for a while', async t => {
  const tick = mockIntervals(t)
  const { status } = await listening(t, { heapBytes: heapWithFiftyMegabytesMore() })
  let collections = 0
  const observer = new PerformanceObserver(list => {
    for (const { detail } of list.getEntries() as { detail?: { flags?: number } }[])
      if (Number(detail?.flags) & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) collections++
  })
  await nextTurn()
  observer.observe({ entryTypes: ['gc'] })
  t.teardown(() => observer.disconnect())
  const kept = hundredMegabytes()
  for (let round = 1; round <= 3; round++) {
    await collectObserved()
    for (let samples = 0; samples < 5; samples++) {
      tick(100)
      t.equal(await status(), 503)
    }
    tick(100)
    t.equal(await status(), 200, 'the memory in use may be garbage by now')
    t.equal(collections, round)
  }
  t.ok(kept)
})

t.test('a heap that stays full ends the process; time in which the process does not run does not count', async t => {
  const tick = mockIntervals(t)
  const { status } = await listening(t, { heapBytes: heapWithFiftyMegabytesMore(), heapPatienceMs: 2000 })
  const { pass } = clock(t)
  let kept: unknown = hundredMegabytes()
  for (let i = 0; i < 20; i++) {
    if (i % 5 === 0) await collectObserved()
    tick(100)
    pass(3000)
    t.equal(await status(), 503)
  }
  tick(100)
  await collectObserved()
  t.throws(() => tick(100), { message: /^the heap stays full/ })
  t.ok(kept)
  kept = undefined
  await collectObserved()
  t.equal(await status(), 200)
})

t.test('while too many writes wait for the database, further ones are refused, and reads succeed', async t => {
  const store = openFixtureStore()
  t.teardown(() => store.close())
  let pending = 20
  const app = await buildFixtureApp(t, {
    store: { ...store, figures: () => ({ ...store.figures(), pending }) },
    overload: { ...unbounded, pendingWrites: 20 }
  })
  const headers = { ...withKey, 'content-type': 'application/json' }
  const create = (payload = '{"name":"Wall","weight":7000}') =>
    app.inject({ method: 'POST', url: '/v1/things', headers, payload })
  t.equal(app.overloadReason?.(), undefined)
  t.equal((await create()).statusCode, 201)
  pending = 21
  t.equal(app.overloadReason?.(), 'too many writes are waiting')
  checkRefused(t, await create())
  checkRefused(t, await create('{'), 'whatever its body')
  for (const [method, url, status] of [
    ['GET', '/v1/things', 200],
    ['HEAD', '/v1/things', 200],
    ['GET', '/v1/things/9', 404],
    ['OPTIONS', '/v1/things', 204]
  ] as const)
    t.equal((await app.inject({ method, url, headers: withKey })).statusCode, status)
  pending = 20
  t.equal((await create()).statusCode, 201)
})

t.test('overload is checked after the validity of HTTP and before everything else, for any request', async t => {
  const app = await buildFixtureApp(t, { overload: overwhelmed, rateLimit: { requests: 1, windowSeconds: 60 } })
  const json = { ...withKey, 'content-type': 'application/json' }
  const refused: InjectOptions[] = [
    { url: '/v1/things', headers: withKey },
    { url: '/v1/things' },
    { method: 'HEAD', url: '/v1/things' },
    { url: '/v1/things/1' },
    { method: 'HEAD', url: '/v1/things/1' },
    { method: 'POST', url: '/v1/things', headers: json, payload: '{"name":"Wall","weight":7000}' },
    { method: 'POST', url: '/v1/things', headers: json, payload: ' '.repeat(70_000) },
    { method: 'OPTIONS', url: '/v1/things' },
    { method: 'TRACE', url: '/v1/things' },
    { url: '/v1/none' },
    { url: '/v1/%ff' },
    { url: '/%ff' },
    { url: '/nothing' },
    { url: '/' },
    { url: '/docs/' },
    { url: '/openapi.yaml' }
  ]
  for (const request of refused) {
    const response = await app.inject(request)
    checkRefused(t, response, `${request.method} ${request.url}`)
    t.equal(response.headers.ratelimit, undefined)
  }
  t.equal((await app.inject({ url: `/v1/things?${'x'.repeat(8000)}` })).statusCode, 414)
  t.equal((await app.inject({ url: '/v1/%ff', headers: { host: 'a b' } })).statusCode, 400)
})

t.test('a page can read the 503: its preflight succeeds', async t => {
  const origin = 'https://shop.example'
  const app = await buildFixtureApp(t, { overload: overwhelmed, corsOrigins: [origin] })
  for (const url of ['/v1/things', '/v1/%ff']) {
    const headers = { origin, 'access-control-request-method': 'GET' }
    t.equal((await app.inject({ method: 'OPTIONS', url, headers })).statusCode, 204)
    const refused = await app.inject({ url, headers: { origin } })
    checkRefused(t, refused)
    t.equal(refused.headers['access-control-allow-origin'], origin)
  }
})

t.test('the log says why, once a minute', async t => {
  const { lines, logger } = logged()
  const app = await buildFixtureApp(t, { overload: overwhelmed, logger })
  const { pass } = clock(t)
  for (let i = 0; i < 3; i++) await app.inject('/')
  t.equal(lines.length, 1)
  t.match(lines[0], { level: 40, heapBytes: Number, msg: 'overloaded: new requests are refused' })
  pass(59_999)
  await app.inject('/')
  t.equal(lines.length, 1)
  pass(1)
  for (let i = 0; i < 3; i++) await app.inject('/')
  t.equal(lines.length, 2)
})

t.test('if the heap stays full, the process shuts down cleanly, so that another can be started', async t => {
  const service = run(t, process.execPath, [scriptPath('packages/fastify/test/http/overloaded-process.ts')], {
    cwd: t.testdir()
  })
  await service.printed(/refused/)
  t.strictSame(await service.ended, { code: 1, signal: null })
  const { stdout, stderr } = service.output()
  t.match(stdout, /^refused\nclosed with 100 MB\n$/)
  t.match(stderr, 'the heap stays full')
})

t.test('the bounds of a process leave room for requests it has accepted', async t => {
  const { heapBytes, pendingWrites, delayMs } = processBounds()
  t.ok(delayMs > 0 && pendingWrites < 10_000)
  t.ok(heapBytes > process.memoryUsage().heapUsed)
  const flags: string[] = packageJson.scripts.start.match(/--max-\S+/g) ?? []
  t.ok(flags.some(each => each.startsWith('--max-old-space-size=')))
  const more = flags.map(each => each.replace(/(?<=--max-old-space-size=).*/, '4096'))
  for (const each of [flags, more]) {
    const megabytes = Number(/old-space-size=(\d+)/.exec(each.join())?.[1])
    const code = `import('${scriptPath('packages/fastify/src/http/overload.ts')}').then(it => console.log(it.processBounds().heapBytes))`
    const child = run(t, process.execPath, [...each, '-e', code], { cwd: t.testdir() })
    const [bytes] = await child.printed(/^\d+(?=\n)/)
    t.ok(Number(bytes) < megabytes * 2 ** 20, `${bytes} of a heap of ${megabytes} MB`)
    t.ok(Number(bytes) > megabytes * 2 ** 19)
  }
})
