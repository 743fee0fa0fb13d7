import { join } from 'node:path'
import { constants, PerformanceObserver } from 'node:perf_hooks'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import t, { type Test } from 'tap'
import packageJson from '../../package.json' with { type: 'json' }
import { newApiKey } from '../../src/api-key.ts'
import { type OverloadBounds, processBounds } from '../../src/plugins/overload.ts'
import type { AnimalStore } from '../../src/store/pets.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { newRex } from '../animals.ts'
import { buildTestApp, withKey } from '../build-test-app.ts'
import { client } from '../routes/client.ts'
import { logged } from '../routes/failing-store.ts'
import { ask, run, scriptPath, startServer } from '../start-server.ts'

/** Nothing is too much. */
const unbounded: OverloadBounds = {
  delayMs: Number.POSITIVE_INFINITY,
  heapBytes: Number.POSITIVE_INFINITY,
  heapPatienceMs: Number.POSITIVE_INFINITY,
  pendingWrites: Number.POSITIVE_INFINITY,
  sampleMs: 100
}
/** Anything is. */
const overwhelmed: OverloadBounds = { ...unbounded, heapBytes: -1 }

const checkRefused = (t: Test, { payload, headers, statusCode }: LightMyRequestResponse, what = 'refused') => {
  t.equal(statusCode, 503, what)
  t.equal(headers['retry-after'], '2')
  if (payload === '') return
  t.strictSame(JSON.parse(payload), {
    code: 'service_unavailable',
    message: 'The service has more to do than it can do now; try again.',
    status: 503
  })
}

/** A store that gives pages only once it is let, and how many it has been asked for. */
const gatedStore = (t: Test) => {
  const store = openSqliteStore({ path: ':memory:' })
  t.teardown(() => store.close())
  let open = () => {}
  const gate = new Promise<void>(resolve => {
    open = resolve
  })
  const waiting = { count: 0 }
  const gated: AnimalStore = {
    ...store,
    pets: {
      ...store.pets,
      list: async page => {
        waiting.count++
        await gate
        return store.pets.list(page)
      }
    }
  }
  return { store: gated, open, waiting }
}

/** Asks over a connection, so that what holds up the process holds up the answer. */
const asker = async (app: FastifyInstance) => {
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  return async (path: string) => (await fetch(origin + path, { headers: withKey })).status
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Requests that wait in the store; a machine that is busy with other things may have some refused before. */
const acceptedBy = async (status: Awaited<ReturnType<typeof asker>>, waiting: { count: number }) => {
  const accepted: Promise<number>[] = []
  while (accepted.length < 50) {
    const before = waiting.count
    const answer = status('/v1/pets')
    const isAccepted = until(() => waiting.count > before).then(() => true)
    if (await Promise.race([isAccepted, answer.then(() => false)])) accepted.push(answer)
  }
  return accepted
}

/** In so many arrays. */
const hundredMegabytes = () => Array.from({ length: 100 }, (_, i) => new Array(125_000).fill(i))

const until = async (isSo: () => boolean | Promise<boolean>) => {
  while (!(await isSo())) await nextTurn()
}

/** Until the process has run for so long; others may have the processor meanwhile. */
const compute = (ms: number) => {
  const ran = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  const end = ran() + ms
  while (ran() < end);
}

t.test('while the event loop is late, the client that causes it is refused in part, and others are not', async t => {
  const store = openSqliteStore({ path: ':memory:' })
  t.teardown(() => store.close())
  const dear: AnimalStore = {
    ...store,
    pets: {
      ...store.pets,
      list: async page => {
        compute(40)
        return store.pets.list(page)
      }
    }
  }
  const other = newApiKey()
  const { lines, logger } = logged()
  const overload = { ...unbounded, delayMs: 100 }
  const app = await buildTestApp(t, { store: dear, apiKeys: [other], overload, logger })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const greedy = new Map<number, number>()
  let isOver = false
  const askOn = async () => {
    while (!isOver) {
      const response = await fetch(`${origin}/v1/pets`, { headers: withKey })
      await response.text()
      greedy.set(response.status, (greedy.get(response.status) ?? 0) + 1)
    }
  }
  const asking = Array.from({ length: 8 }, askOn)
  let [most, count] = [false, 0]
  while ((greedy.get(503) ?? 0) < 50) {
    const { status } = await fetch(`${origin}/v1/pets/9`, { headers: { authorization: `Bearer ${other}` } })
    t.equal(status, 404)
    most ||= app.overloadReason?.() !== undefined
    count++
  }
  t.ok(count > 5)
  t.notOk(most, 'most clients are served')
  const served = greedy.get(200) ?? 0
  await until(() => (greedy.get(200) ?? 0) > served)
  t.match(lines, [{ level: 40, eventLoopDelayMs: Number, client: /^env:[\da-f]{12}$/ }])
  isOver = true
  await Promise.all(asking)
  await until(async () => (await fetch(`${origin}/v1/pets`, { headers: withKey })).status === 200)
})

t.test('while the heap is full, new requests are refused; those accepted are answered', async t => {
  const { store, open, waiting } = gatedStore(t)
  collect()
  const heapBytes = process.memoryUsage().heapUsed + 50e6
  const app = await buildTestApp(t, { store, overload: { ...unbounded, heapBytes } })
  const status = await asker(app)
  const accepted = await acceptedBy(status, waiting)

  let kept: unknown = hundredMegabytes()
  await until(async () => (await status('/v1/pets/9')) === 503)
  t.ok(kept)
  kept = undefined
  open()
  t.strictSame(new Set(await Promise.all(accepted)), new Set([200]))
  await until(async () => (await status('/v1/pets')) === 200)
})

t.test('what a peak has left behind is no full heap, however long nobody asks', async t => {
  collect()
  const heapBytes = process.memoryUsage().heapUsed + 50e6
  const app = await buildTestApp(t, { overload: { ...unbounded, heapBytes, heapPatienceMs: 200 } })
  const status = await asker(app)
  t.equal(hundredMegabytes().length, 100)
  for (let i = 0; i < 3; i++) {
    await delay(500)
    t.equal(await status('/v1/pets/9'), 404)
  }
})

t.test('a full heap is told from garbage without holding up the service for long', async t => {
  collect()
  const heapBytes = process.memoryUsage().heapUsed + 50e6
  const app = await buildTestApp(t, { overload: { ...unbounded, heapBytes } })
  await app.listen({ host: '127.0.0.1', port: 0 })
  let collections = 0
  const observer = new PerformanceObserver(list => {
    for (const { detail } of list.getEntries() as { detail?: { flags?: number } }[])
      if (Number(detail?.flags) & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) collections++
  })
  observer.observe({ entryTypes: ['gc'] })
  t.teardown(() => observer.disconnect())
  const kept = hundredMegabytes()
  let samples = 0
  const timer = setInterval(() => samples++, unbounded.sampleMs)
  t.teardown(() => clearInterval(timer))
  await until(() => samples >= 20)
  t.equal((await app.inject({ url: '/v1/pets/9', headers: withKey })).statusCode, 503)
  t.ok(kept)
  t.ok(collections >= 2 && collections <= samples / 5 + 2, `${collections} collections in ${samples} samples`)
})

t.test('time in which the process did not run is none in which the heap was full', async t => {
  collect()
  const heapBytes = process.memoryUsage().heapUsed + 50e6
  const app = await buildTestApp(t, { overload: { ...unbounded, heapBytes, heapPatienceMs: 2000 } })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const status = async () => (await app.inject({ url: '/v1/pets/9', headers: withKey })).statusCode
  let kept: unknown = hundredMegabytes()
  await until(async () => (await status()) === 503)
  t.ok(kept)
  const end = performance.now() + 3000
  while (performance.now() < end);
  await nextTurn()
  t.equal(await status(), 503)
  kept = undefined
  await until(async () => (await status()) === 404)
})

t.test('while too many writes wait for the database, further ones are refused, and reading goes on', async t => {
  const path = join(t.testdir(), 'animals.db')
  const store = openSqliteStore({ path, busyDeadlineMs: 600_000 })
  t.teardown(() => store.close())
  const app = await buildTestApp(t, { store, overload: { ...unbounded, pendingWrites: 20 } })
  const { create, get, list } = client(app)
  const other = new DatabaseSync(path)
  t.teardown(() => other.close())

  other.exec('BEGIN IMMEDIATE')
  const accepted = Array.from({ length: 20 }, () => create(newRex))
  await until(() => store.figures().pending === 20)
  t.equal(app.overloadReason?.(), undefined)
  accepted.push(create(newRex))
  await until(() => store.figures().pending === 21)
  t.equal(app.overloadReason?.(), 'too many writes wait for their commit')
  checkRefused(t, await create(newRex))
  checkRefused(t, await create('{'), 'whatever its body')
  t.equal((await list()).payload, '[]')
  t.equal((await get(1)).statusCode, 404)
  t.equal((await app.inject({ method: 'OPTIONS', url: '/v1/pets' })).statusCode, 204)
  t.equal(store.figures().pending, accepted.length)

  other.exec('COMMIT')
  const created = await Promise.all(accepted)
  t.strictSame(new Set(created.map(each => each.statusCode)), new Set([201]))
  t.equal((await create(newRex)).statusCode, 201)
  t.equal((await list('?limit=100')).json().length, 22, 'nothing that was refused was done')
})

t.test('it is judged after faults of HTTP and before all else, whatever is asked for', async t => {
  const app = await buildTestApp(t, { overload: overwhelmed, rateLimit: { requests: 1, windowSeconds: 60 } })
  const json = { ...withKey, 'content-type': 'application/json' }
  const refused: InjectOptions[] = [
    { url: '/v1/pets', headers: withKey },
    { url: '/v1/pets' },
    { method: 'HEAD', url: '/v1/pets' },
    { url: '/v1/pets/1' },
    { method: 'HEAD', url: '/v1/pets/1' },
    { method: 'POST', url: '/v1/pets', headers: json, payload: JSON.stringify(newRex) },
    { method: 'POST', url: '/v1/pets', headers: json, payload: ' '.repeat(70_000) },
    { method: 'OPTIONS', url: '/v1/pets' },
    { method: 'TRACE', url: '/v1/pets' },
    { url: '/v1/dogs' },
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
  t.equal((await app.inject({ url: `/v1/pets?${'x'.repeat(8000)}` })).statusCode, 414)
  t.equal((await app.inject({ url: '/v1/%ff', headers: { host: 'a b' } })).statusCode, 400)
})

t.test('a page is told of it: what its browser asks first is answered', async t => {
  const origin = 'https://shop.example'
  const app = await buildTestApp(t, { overload: overwhelmed, corsOrigins: [origin] })
  for (const url of ['/v1/pets', '/v1/%ff']) {
    const headers = { origin, 'access-control-request-method': 'GET' }
    t.equal((await app.inject({ method: 'OPTIONS', url, headers })).statusCode, 204)
    const refused = await app.inject({ url, headers: { origin } })
    checkRefused(t, refused)
    t.equal(refused.headers['access-control-allow-origin'], origin)
  }
})

t.test('the log says why, once a minute', async t => {
  const { lines, logger } = logged()
  const app = await buildTestApp(t, { overload: overwhelmed, logger })
  const real = performance.now
  t.teardown(() => Reflect.deleteProperty(performance, 'now'))
  const later = (ms: number) =>
    Object.defineProperty(performance, 'now', { value: () => real.call(performance) + ms, configurable: true })
  for (let i = 0; i < 3; i++) await app.inject('/')
  t.equal(lines.length, 1)
  t.match(lines[0], { level: 40, heapBytes: Number, msg: 'overloaded: what is new is refused' })
  later(60_000)
  for (let i = 0; i < 3; i++) await app.inject('/')
  t.equal(lines.length, 2)
})

t.test('a heap that stays full ends the process in order, so that another can be started', async t => {
  const service = run(t, process.execPath, [scriptPath('test/plugins/overloaded-process.ts')], { cwd: t.testdir() })
  await service.printed(/refused/)
  t.strictSame(await service.ended, { code: 1, signal: null })
  const { stdout, stderr } = service.output()
  t.match(stdout, /^refused\nclosed with 100 MB\n$/)
  t.match(stderr, 'the heap stays full')
})

t.test('the bounds of a process leave room for what it has accepted', async t => {
  const { heapBytes, pendingWrites, delayMs } = processBounds()
  t.ok(delayMs > 0 && pendingWrites < 10_000)
  t.ok(heapBytes > process.memoryUsage().heapUsed)
  const flags: string[] = packageJson.scripts.start.match(/--max-\S+/g) ?? []
  t.ok(flags.some(each => each.startsWith('--max-old-space-size=')))
  const more = flags.map(each => each.replace(/(?<=--max-old-space-size=).*/, '4096'))
  for (const each of [flags, more]) {
    const megabytes = Number(/old-space-size=(\d+)/.exec(each.join())?.[1])
    const code = `import('${scriptPath('src/plugins/overload.ts')}').then(it => console.log(it.processBounds().heapBytes))`
    const child = run(t, process.execPath, [...each, '-e', code], { cwd: t.testdir() })
    const [bytes] = await child.printed(/^\d+(?=\n)/)
    t.ok(Number(bytes) < megabytes * 2 ** 20, `of a heap of ${megabytes} MB ${bytes}`)
    t.ok(Number(bytes) > megabytes * 2 ** 19)
  }
})

t.test('time in which the process was stopped is no overload', async t => {
  const server = await startServer(t, { cwd: t.testdir() })
  for (let round = 0; round < 2; round++) {
    server.process.kill('SIGSTOP')
    await delay(3000)
    const answers = Array.from({ length: 20 }, () => ask(server, server.key, '/v1/pets'))
    server.process.kill('SIGCONT')
    for (const { status } of await Promise.all(answers)) t.equal(status, 200)
    for (let i = 0; i < 10; i++) {
      t.equal((await ask(server, server.key, '/v1/pets')).status, 200)
      t.equal((await fetch(`${server.operators}/readyz`)).status, 200)
      await delay(50)
    }
  }
})

t.test('one key that sends all it can, as dear as it can, starves no other', async t => {
  const [greedy, other] = [newApiKey(), newApiKey()]
  const server = await startServer(t, { cwd: t.testdir(), env: { API_KEYS: `${greedy},${other}` } })
  const list = (first: string, next: string) => `[${first}${`,${next}`.repeat(64_000 / (next.length + 1))}]`
  const members = Array.from({ length: 3000 }, (_, i) => `"categoryId":${123_456 + i}e12`)
  for (const body of [list('1e9', '1e9'), list('9007199254740993', '1'), `{"name":"Rex",${members}}`]) {
    let isOver = false
    const sendOn = async () => {
      while (!isOver) await ask(server, greedy, '/v1/pets', { method: 'POST', body })
    }
    const sending = Array.from({ length: 8 }, sendOn)
    for (let i = 0; i < 50; i++) t.equal((await ask(server, other, '/v1/pets')).status, 200)
    t.equal((await fetch(`${server.operators}/readyz`)).status, 200)
    isOver = true
    await Promise.all(sending)
  }
})
