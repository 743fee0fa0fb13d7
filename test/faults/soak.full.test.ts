import { Agent, request } from 'node:http'
import { cpus } from 'node:os'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { randomNumbers } from '../../packages/check/src/samples/random.ts'
import { extent } from '../extent.ts'
import { announced } from '../petstore.ts'
import { hostileRequest } from './hostile-requests.ts'
import { isOverload, type Observed, startObserved } from './observed-service.ts'
import type { Observation } from './observer.ts'
import { converse } from './raw-client.ts'

const seconds = Number(process.env.SOAK_SECONDS ?? extent(2, 120))
const parallel = 12
const windowMs = Math.min(5000, (seconds * 1000) / 3)

t.setTimeout(seconds * 1000 + 1_800_000)

interface Window extends Observation {
  atMs: number
  requests: number
  /** Latency of the load's requests, without the hostile ones, in milliseconds. */
  medianMs: number
  slowMs: number
  cpuMsEach: number
  /** The share of the machine that other processes used, from 0 to 1. */
  othersShare: number
}

/** The requests of the load: how often, what, and the expected status. */
const kinds: [share: number, method: string, path: string, status: number, body?: string][] = [
  [30, 'GET', '/v1/pets', 200],
  [5, 'GET', '/v1/pets?limit=100', 200],
  [5, 'GET', '/v1/pets?status=sold&limit=50', 200],
  [20, 'GET', '/v1/pets/1', 200],
  [5, 'GET', '/v1/pets/9007199254740993', 404],
  [10, 'POST', '/v1/pets', 201, '{"name":"Rex","categoryId":9223372036854775807}'],
  [5, 'POST', '/v1/pets', 400, '{"name":5,"categoryId":"x","colour":[]}'],
  [3, 'POST', '/v1/pets', 400, '{"name":'],
  [3, 'GET', '/v1/dogs', 404],
  [3, 'TRACE', '/v1/pets/1', 405],
  ...(announced ? [[3, 'GET', `/v1${announced.path}`, 501] as [number, string, string, number]] : []),
  [2, 'GET', '/openapi.json', 200],
  [2, 'GET', '/docs/', 200]
]
const mix = kinds.flatMap(kind => Array.from({ length: kind[0] }, () => kind))

const send = ({ port, key }: Observed, agent: Agent | false, method: string, path: string, body?: string) =>
  new Promise<number | 'overload'>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' })
    }
    const req = request({ port, method, path, agent, headers }, res => {
      text(res).then(body => resolve(isOverload(body) ? 'overload' : (res.statusCode ?? 0)), reject)
    })
    req.on('error', reject).end(body)
  })

/** The median slope between all pairs (Theil–Sen), which a few outliers do not change. */
const slopeOf = (points: readonly (readonly [x: number, y: number])[]): number => {
  const slopes = points.flatMap(([x1, y1], index) => points.slice(index + 1).map(([x2, y2]) => (y2 - y1) / (x2 - x1)))
  return at(slopes, 0.5)
}
/** Measures the work of processes other than the service and this one. */
const otherWork = () => {
  const now = () => ({
    atMs: performance.now(),
    busyMs: cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0),
    oursMs: Object.values(process.cpuUsage()).reduce((sum, microseconds) => sum + microseconds / 1000, 0)
  })
  let last = now()
  return {
    /** Their share of all processors since the last call. */
    since: (serviceMs: number) => {
      const before = last
      last = now()
      const othersMs = last.busyMs - before.busyMs - (last.oursMs - before.oursMs) - serviceMs
      return Math.max(0, othersMs / ((last.atMs - before.atMs) * cpus().length))
    }
  }
}
const at = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN

t.test(`${seconds} s of mixed load change neither memory, nor handles, nor latency`, async t => {
  const service = await startObserved(t, { cwd: t.testdir() })
  const random = randomNumbers(1)
  const wrong: string[] = []
  let isOver = false
  let tookMs: number[] = []
  let hostile = 0
  let overloads = 0

  await send(service, false, 'POST', '/v1/pets', '{"name":"Rex","categoryId":1,"status":"sold"}')
  const atStart = await service.observe()

  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const work = async () => {
    while (!isOver) {
      const [, method, path, status, body] = mix[Math.floor(random() * mix.length)] as (typeof mix)[number]
      const start = performance.now()
      // About one request in ten uses a new connection.
      const found = await send(service, random() < 0.1 ? false : agent, method, path, body).catch(String)
      tookMs.push(performance.now() - start)
      if (found === 'overload') overloads++
      else if (found !== status) wrong.push(`${method} ${path}: ${found} instead of ${status}`)
    }
  }
  // At the same time, one hostile request after another.
  const annoy = async () => {
    while (!isOver) await converse(service.port, hostileRequest(1, hostile++, service.key ?? ''))
  }

  const windows: Window[] = []
  const watch = async () => {
    const start = performance.now()
    const others = otherWork()
    let last = atStart
    while (performance.now() - start < seconds * 1000) {
      const observedAt = performance.now()
      await delay(windowMs)
      const observed = await service.observe()
      const requests = tookMs.length
      windows.push({
        ...observed,
        atMs: observedAt - start,
        requests,
        medianMs: at(tookMs, 0.5),
        slowMs: at(tookMs, 0.99),
        cpuMsEach: (observed.cpuMs - last.cpuMs) / requests,
        othersShare: others.since(observed.cpuMs - last.cpuMs)
      })
      tookMs = []
      last = observed
    }
    isOver = true
  }
  await Promise.all([watch(), annoy(), ...Array.from({ length: parallel }, work)])
  agent.destroy()
  // Remaining connections close by themselves.
  let atEnd = await service.observe()
  while (atEnd.descriptors > atStart.descriptors) {
    await delay(50)
    atEnd = await service.observe()
  }

  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1)
  for (const each of windows) {
    t.comment(
      `${(each.atMs / 1000).toFixed(0)} s: ${each.requests} requests, median ${each.medianMs.toFixed(2)} ms, ` +
        `99 % ${each.slowMs.toFixed(1)} ms, ${(each.cpuMsEach * 1000).toFixed(0)} µs CPU each, heap ${megabytes(each.heapBytes)} MB, ` +
        `resident ${megabytes(each.residentBytes)} MB, ${each.descriptors} descriptors, stall ${each.longestStallMs.toFixed(0)} ms, others ${(each.othersShare * 100).toFixed(0)} %`
    )
  }
  t.comment(
    `besides, ${hostile} hostile requests; ${overloads} refused as overload; descriptors ${atStart.descriptors} → ${atEnd.descriptors}`
  )
  t.strictSame(wrong.slice(0, 10), [], `of ${wrong.length} wrong`)
  service.process.kill('SIGTERM')
  t.strictSame(await service.ended, { code: 0, signal: null })
  t.equal(service.output().stderr, '')
  t.notMatch(service.output().stdout, /"level":/, 'no error in the log')
  t.equal(atEnd.descriptors, atStart.descriptors)

  // A few windows do not show a trend.
  if (windows.length < 12) return
  const settled = windows.slice(Math.floor(windows.length / 3))
  const durationMs = (settled.at(-1)?.atMs ?? 0) - (settled[0]?.atMs ?? 0)
  const growth = (value: (window: Window) => number) =>
    slopeOf(settled.map(window => [window.atMs, value(window)] as const)) * durationMs
  const heapGrowth = growth(window => window.heapBytes)
  const residentGrowth = growth(window => window.residentBytes)
  const requests = settled.reduce((sum, window) => sum + window.requests, 0)
  t.comment(
    `trend over the last ${(durationMs / 1000).toFixed(0)} s: heap ${megabytes(heapGrowth)} MB, resident ${megabytes(residentGrowth)} MB`
  )
  t.ok(heapGrowth < 2e6 + requests * 8, 'the heap does not grow')
  t.ok(residentGrowth < 0.1 * (settled[0]?.residentBytes ?? 0), 'nor does the resident memory')

  const half = Math.floor(settled.length / 2)
  const halves = [settled.slice(0, half), settled.slice(half)]
  const compare = (what: string, [early, late]: (number | undefined)[], most: number) => {
    t.comment(`${what}: ${early?.toFixed(3)} ms in the first half, ${late?.toFixed(3)} ms in the second`)
    t.ok((late ?? Number.NaN) <= (early ?? 0) * most, `${what} stays`)
  }
  const cpuOf = (windows: Window[]) => windows.map(window => window.cpuMsEach)
  compare(
    'the CPU of a request',
    halves.map(windows => at(cpuOf(windows), 0.5)),
    1.3
  )
  // While other processes use the machine, latency rises whatever the service does.
  const quiet = halves.map(windows => windows.filter(window => window.othersShare < 0.1))
  if (quiet.some(windows => windows.length < 3)) {
    t.pass('the latency stays', { skip: 'the machine had other work to do' })
  } else {
    compare(
      'the latency',
      quiet.map(windows =>
        at(
          windows.map(window => window.medianMs),
          0.5
        )
      ),
      1.5
    )
  }
})
