import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Show, withProgress } from '../../src/engine/commands/progress.ts'
import type { HttpResponse } from '../bench/client.ts'
import { copyOf, type Database, prepareDatabase, prepareSchemas } from '../bench/database.ts'
import { measureKeys } from '../bench/keys.ts'
import { type Comparison, compare, type Duration, quantile, type Subject } from '../bench/measure.ts'
import { type Options, readOptions, UsageError, usage } from '../bench/options.ts'
import { comparedRequests, scenariosOf } from '../bench/scenarios.ts'
import { connections, endServers, type Server, startFloor, startService } from '../bench/servers.ts'
import { measureWorkers } from '../bench/workers.ts'

const bench = async ({ only, full, workers, postgres, ...duration }: Options, folder: string) => {
  const animals = full ? 1_000_000 : 100_000
  const { rounds, seconds } = duration
  print(`Node ${process.version} on ${cpus().length} × ${cpus()[0]?.model}; ${loadAverage()}`)
  print(
    `${count(animals)} animals in ${postgres ? 'PostgreSQL' : folder}; ${rounds} rounds of ${seconds} s, ${connections} connections`
  )
  if (workers) return benchWorkers(folder, animals, duration)
  if (postgres !== undefined) return benchPostgres(postgres, animals, duration)

  const servers = await withProgress(show => prepare(folder, animals, rounds, show))
  const { database, service, floor } = servers
  const measured = scenariosOf(database)

  const selected = rows.filter(({ name }) => only.has(name))
  if (selected.length > 0) print('\nCPU per request      service       floor    ratio  middle half     goal')
  for (const { name, maxRatio } of selected) {
    const scenario = measured[name]
    const [a, b] = [service, floor].map(server => ({ server, scenario })) as [Subject, Subject]
    print(row(name, await compare('cpuUsPerRequest', a, b, duration), maxRatio))
  }
  if (only.has('pages')) {
    const [last, early] = (['last-page', 'early-page'] as const).map(name => ({
      server: service,
      scenario: measured[name]
    }))
    print('\n                   last page  early page')
    if (last && early) print(row('list', await compare('cpuUsPerRequest', last, early, duration), 1.1))
  }
  print('')
  if (only.has('keys')) await benchKeys(folder, rounds)
  if (only.has('commits')) await benchCommits(folder, servers, duration)
  if (only.has('start')) await benchStart(database, rounds)
  if (only.has('memory')) {
    if (full) await sendInTurn(service, Object.values(measured), 1_000_000)
    const megabytes = (await service.usage()).residentBytes / 1e6
    const when = full ? 'after a million requests' : 'at the end'
    print(`memory               ${megabytes.toFixed(0)} MB resident ${when}; ${goal('below 150', megabytes < 150)}`)
  }
  if (only.has('page')) await benchPage(service, rounds)
  print(`\nAt the end: ${loadAverage()}`)
  await Promise.all([service.end(), floor.end()])
}

const rows = [
  { name: 'list', maxRatio: 1.2 },
  { name: 'list-100', maxRatio: undefined },
  { name: 'get', maxRatio: 1.2 },
  { name: 'create', maxRatio: undefined },
  { name: 'refused-key', maxRatio: 1.2 }
] as const

const benchWorkers = async (folder: string, animals: number, duration: Duration) => {
  const database = await withProgress(show => prepareDatabase(join(folder, 'service.db'), animals, show))
  print('\n          processes  requests/s   ratio  CPU per request: service      load  cores in use')
  for (const { name, figures } of await measureWorkers(database, folder, duration))
    for (const { workers, requestsPerSecond, cpuUsPerRequest, generatorUsPerRequest } of figures) {
      const ratio = requestsPerSecond / (figures[0]?.requestsPerSecond ?? Number.NaN)
      const cores = (requestsPerSecond * (cpuUsPerRequest + generatorUsPerRequest)) / 1e6
      print(
        [
          name.padEnd(11),
          String(workers).padStart(7),
          count(requestsPerSecond).padStart(11),
          ratio.toFixed(2).padStart(7),
          `${cpuUsPerRequest.toFixed(1)} µs`.padStart(25),
          `${generatorUsPerRequest.toFixed(1)} µs`.padStart(9),
          cores.toFixed(1).padStart(13)
        ].join(' ')
      )
    }
  print(`\nThe load runs on the same ${availableParallelism()} cores. At the end: ${loadAverage()}`)
}

/** The service and the floor in PostgreSQL, and what it costs a floor to send a query for each request. */
const benchPostgres = async (url: string, animals: number, duration: Duration) => {
  const servers = await withProgress(async show => {
    const [database, floorDatabase] = await prepareSchemas(url, animals, show)
    return startBoth(database, floorDatabase, duration.rounds, show)
  })
  const { database, floorDatabase, service, floor } = servers
  const each = await startFloor(floorDatabase, 'one-query-each')
  const scenarios = scenariosOf(database)
  const names = ['list', 'get', 'create'] as const
  print('\nCPU per request      service       floor    ratio  middle half     goal')
  for (const name of names) {
    const [a, b] = [service, floor].map(server => ({ server, scenario: scenarios[name] })) as [Subject, Subject]
    print(row(name, await compare('cpuUsPerRequest', a, b, duration), 1.3))
  }
  print('\n                  in batches   one each')
  for (const name of names) {
    const scenario = scenariosOf(floorDatabase)[name]
    await each.load(scenario, { requests: 500 * duration.rounds })
    print(
      row(
        name,
        await compare('cpuUsPerRequest', { server: floor, scenario }, { server: each, scenario }, duration),
        0.5
      )
    )
  }
  print(`\nAt the end: ${loadAverage()}`)
  await Promise.all([service, floor, each].map(server => server.end()))
}

const benchKeys = async (folder: string, rounds: number) => {
  const { many, one, afterWrite } = await measureKeys(folder, 10_000, Math.min(rounds, 9))
  print(
    `keys                 ${many.toFixed(1)} µs of CPU for one of 10,000, ${one.toFixed(1)} µs for a single one; ${goal('at most 3', many <= 3)}`
  )
  print(`                     ${afterWrite.toFixed(1)} µs the first time after a write by another process`)
}

type Servers = Awaited<ReturnType<typeof prepare>>

const benchCommits = async (folder: string, { database, floorDatabase, service }: Servers, duration: Duration) => {
  const each = await startFloor(copyOf(floorDatabase, join(folder, 'each.db')), 'one-commit-each')
  const scenario = scenariosOf(database).create
  const { a, b, ratio } = await compare(
    'requestsPerSecond',
    { server: service, scenario },
    { server: each, scenario },
    duration
  )
  print(`creates per second   ${count(a)}; with one commit each ${count(b)}`)
  print(`                     ${ratio.toFixed(1)} times as many; ${goal('at least 6', ratio >= 6)}`)
  await each.end()
}

const benchStart = async (database: Database, rounds: number) => {
  const { list } = scenariosOf(database)
  const cpuSeconds: number[] = []
  for (let i = 0; i < Math.min(rounds, 9); i++) {
    const fresh = await startService(database)
    await fresh.send(list.request)
    cpuSeconds.push((await fresh.usage()).cpuUs / 1e6)
    await fresh.end()
  }
  const middle = quantile(cpuSeconds, 0.5)
  print(`start                ${middle.toFixed(2)} s of CPU to the first response; ${goal('below 0.5', middle < 0.5)}`)
}

const benchPage = async (service: Server, rounds: number) => {
  const { measurePage } = await import('../bench/page.ts')
  const { pageMs, bareMs, ratio, bytes, requests } = await measurePage(service.origin, Math.min(rounds, 9))
  print(
    `page                 ${pageMs.toFixed(0)} ms with an empty cache until an operation can be clicked; ${goal('below 1000', pageMs < 1000)}`
  )
  print(
    `                     ${ratio.toFixed(1)} times as long as a page with one button (${bareMs.toFixed(0)} ms); ${(bytes / 1000).toFixed(0)} kB in ${requests} requests`
  )
}

/** Both servers, warmed up, each with its own database. */
const prepare = async (folder: string, animals: number, rounds: number, show: Show) => {
  const database = await prepareDatabase(join(folder, 'service.db'), animals, show)
  return startBoth(database, copyOf(database, join(folder, 'floor.db')), rounds, show)
}

const startBoth = async (database: Database, floorDatabase: Database, rounds: number, show: Show) => {
  show('starting both servers')
  const service = await startService(database)
  const floor = await startFloor(floorDatabase, 'in-batches')
  show('comparing their responses')
  await requireSameResponses(service, floor, database)
  // All kinds of requests before any is measured: code that has served only one kind is faster than it will be later.
  for (const [name, scenario] of Object.entries(scenariosOf(database))) {
    show(`warming up: ${name}`)
    for (const server of [service, floor]) await server.load(scenario, { requests: 500 * rounds })
  }
  return { database, floorDatabase, service, floor }
}

/**
 * Checks that both respond alike, to measured requests byte for byte; otherwise the floor's cost would mean nothing.
 * @throws Error with the first difference
 */
const requireSameResponses = async (service: Server, floor: Server, database: Database) => {
  const requireSame = async (request: Buffer, view: (response: HttpResponse) => unknown) => {
    const [ours = '', theirs = ''] = [await service.send(request), await floor.send(request)].map(response =>
      JSON.stringify(view(response), null, 2)
    )
    if (ours === theirs) return
    throw new Error(`${request.toString('utf8', 0, 300)}\nThe service responds\n${ours}\nbut the floor\n${theirs}`)
  }
  for (const { request } of Object.values(scenariosOf(database))) await requireSame(request, response => response)
  // The message of an error may differ, its code may not.
  const verdict = ({ status, body }: HttpResponse) => [status, status < 400 ? body : JSON.parse(body).code]
  for (const request of comparedRequests(database)) await requireSame(request, verdict)
}

/** Sends this many requests in all, of each kind in turn. */
const sendInTurn = async (server: Server, kinds: Parameters<Server['load']>[0][], requests: number) => {
  const turns = 20
  for (let turn = 0; turn < turns; turn++)
    for (const scenario of kinds) await server.load(scenario, { requests: Math.ceil(requests / turns / kinds.length) })
}

const row = (title: string, { a, b, ratio, lower, upper }: Comparison, maxRatio?: number) =>
  [
    title.padEnd(16),
    `${a.toFixed(1)} µs`.padStart(12),
    `${b.toFixed(1)} µs`.padStart(11),
    ratio.toFixed(2).padStart(8),
    ` ${lower.toFixed(2)} to ${upper.toFixed(2)}`,
    maxRatio === undefined ? '' : `   ${goal(`at most ${maxRatio}`, ratio <= maxRatio)}`
  ].join(' ')

const goal = (text: string, met: boolean) => `${text}: ${met ? 'met' : 'MISSED'}`
const count = (value: number) => Math.round(value).toLocaleString('en-US')
const loadAverage = () => `load average ${loadavg()[0]?.toFixed(1)}`
const print = (line: string) => console.log(line)

const main = async () => {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') return print(usage)
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-bench-'))
  process.on('exit', () => {
    endServers()
    rmSync(folder, { recursive: true, force: true })
  })
  process.on('SIGINT', () => process.exit(130))
  process.on('SIGTERM', () => process.exit(143))
  // Seven comparisons of two servers, and twice that for a busy machine.
  const maxSeconds = 2 * (7 * 2 * options.rounds * options.seconds + (options.full ? 300 : 60))
  setTimeout(() => {
    console.error(`The benchmark has not finished within ${maxSeconds} s.`)
    process.exit(1)
  }, maxSeconds * 1000).unref()
  await bench(options, folder)
}

try {
  await main()
} catch (error) {
  const isUsage = error instanceof UsageError
  console.error(isUsage ? `${error.message}\n\n${usage}` : error)
  process.exit(isUsage ? 2 : 1)
}
