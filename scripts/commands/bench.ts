import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { withProgress } from '../../src/engine/commands/progress.ts'
import { benchAgainst, isFigure } from '../bench/against.ts'
import {
  type Contestant,
  contestants,
  type Figures,
  measureAll,
  measureStarts,
  names,
  type Servers,
  startAll
} from '../bench/comparison.ts'
import { copyOf, type Database, prepareDatabase } from '../bench/database.ts'
import { measureKeys } from '../bench/keys.ts'
import { compare, type Duration } from '../bench/measure.ts'
import { type Options, readOptions, UsageError, usage } from '../bench/options.ts'
import { benchPostgres } from '../bench/postgres.ts'
import { count, goal, inUs, loadAverage, print, row, spread } from '../bench/print.ts'
import { scenariosOf } from '../bench/scenarios.ts'
import { connections, endServers, type Server, startFloor } from '../bench/servers.ts'
import { measureWorkers } from '../bench/workers.ts'

const bench = async ({ only, animals, workers, postgres, against, ...duration }: Options, folder: string) => {
  const { rounds, seconds } = duration
  print(`Node ${process.version} on ${cpus().length} × ${cpus()[0]?.model}; ${loadAverage()}`)
  print(
    `${count(animals)} animals in ${postgres ? 'PostgreSQL' : 'SQLite'}; ${rounds} rounds of ${seconds} s, ${connections} connections`
  )
  const warmUp = Math.min(5_000, 500 * rounds)
  if (postgres !== undefined) return benchPostgres(postgres, animals, warmUp, duration)
  if (against !== undefined) {
    const isWorse = await benchAgainst(against, folder, animals, [...only].filter(isFigure), duration)
    process.exitCode = isWorse ? 1 : 0
    return
  }
  const path = join(folder, 'animals.db')
  const database = await withProgress(show => prepareDatabase(path, animals, show))
  if (workers) return benchWorkers(database, folder, duration)

  const servers = await withProgress(show => startAll(database, folder, warmUp, show))
  await benchRequests(servers, database, only, duration)
  // Before more is measured on only some of them.
  if (only.has('memory')) await benchMemory(servers)
  if (only.has('start')) await benchStarts(database, rounds)
  if (only.has('pages')) await benchPages(servers.ours, database, duration)
  if (only.has('keys')) await benchKeys(folder, rounds)
  if (only.has('commits')) await benchCommits(servers.ours, database, folder, duration)
  if (only.has('page')) await benchPage(servers.ours, rounds)
  print(`\nAt the end: ${loadAverage()}`)
  await Promise.all(Object.values(servers).map(server => server.end()))
}

// Goals of the service without log lines, to the bare server; with them, a little more.
const rows = [
  { name: 'list', title: 'list of 20', max: 1.05 },
  { name: 'list-100', title: 'list of 100', max: 1.1 },
  { name: 'get', title: 'one animal', max: 1.25 },
  { name: 'create', title: 'create', max: 1.25 },
  { name: 'refused-key', title: 'refused key', max: 1.2 }
] as const
const maxOfLog = 0.15

const benchRequests = async (servers: Servers, database: Database, only: Options['only'], duration: Duration) => {
  const scenarios = scenariosOf(database)
  for (const { name, title, max } of rows.filter(({ name }) => only.has(name))) {
    const figures = await measureAll(servers, scenarios[name], duration)
    const goals: Partial<Record<Contestant, number>> = {
      ours: max,
      'ours-info': Math.round((max + maxOfLog) * 100) / 100
    }
    print(`\n${title.padEnd(32)}     CPU  × bare  middle half     goal`)
    for (const name of names) print(figuresRow(contestants[name].title, figures[name], inUs, goals[name]))
  }
}

const figuresRow = (title: string, { cpu, ratio }: Figures, shown: (cpu: number) => string, max?: number) =>
  `  ${title.padEnd(28)}${shown(cpu).padStart(10)}${spread(ratio, max)}`

const benchMemory = async (servers: Servers) => {
  const bytes = await Promise.all(names.map(async name => (await servers[name].usage()).residentBytes))
  const base = bytes[names.indexOf('fastify')] ?? Number.NaN
  print('\nmemory                         resident  × Fastify by hand')
  names.forEach((name, i) => {
    const ratio = (bytes[i] ?? Number.NaN) / base
    const goalOf = name === 'ours' ? `   ${goal('at most 1.3', ratio <= 1.3)}` : ''
    const megabytes = `${((bytes[i] ?? 0) / 1e6).toFixed(0)} MB`
    print(`  ${contestants[name].title.padEnd(28)}${megabytes.padStart(10)}${ratio.toFixed(2).padStart(8)}${goalOf}`)
  })
}

const benchStarts = async (database: Database, rounds: number) => {
  for (const { isWarm, title, max } of [
    { isWarm: true, title: 'start, compile cache', max: 1.5 },
    { isWarm: false, title: 'start, no cache', max: 2.5 }
  ]) {
    const figures = await measureStarts(database, Math.min(rounds, 7), isWarm)
    print(`\n${title.padEnd(32)}     CPU  × Fastify by hand`)
    for (const [name, each] of Object.entries(figures))
      print(
        figuresRow(
          contestants[name as Contestant].title,
          each,
          cpu => `${cpu.toFixed(0)} ms`,
          name === 'ours' ? max : undefined
        )
      )
  }
}

const benchPages = async (server: Server, database: Database, duration: Duration) => {
  const scenarios = scenariosOf(database)
  const [last, early] = (['last-page', 'early-page'] as const).map(name => ({ server, scenario: scenarios[name] }))
  print('\n                   last page  early page')
  if (last && early) print(row('list', await compare('cpuUsPerRequest', last, early, duration), 1.1))
}

const benchWorkers = async (database: Database, folder: string, duration: Duration) => {
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
          inUs(cpuUsPerRequest).padStart(25),
          inUs(generatorUsPerRequest).padStart(9),
          cores.toFixed(1).padStart(13)
        ].join(' ')
      )
    }
  print(`\nThe load runs on the same ${availableParallelism()} cores. At the end: ${loadAverage()}`)
}

const benchKeys = async (folder: string, rounds: number) => {
  const { many, one, afterWrite } = await measureKeys(folder, 10_000, Math.min(rounds, 9))
  print(
    `\nkeys                 ${inUs(many)} of CPU for one of 10,000, ${inUs(one)} for a single one; ${goal('at most 3', many <= 3)}`
  )
  print(`                     ${inUs(afterWrite)} the first time after a write by another process`)
}

const benchCommits = async (service: Server, database: Database, folder: string, duration: Duration) => {
  const each = await startFloor(copyOf(database, join(folder, 'each.db')), 'one-commit-each')
  const scenario = scenariosOf(database).create
  const { a, b, ratio } = await compare(
    'requestsPerSecond',
    { server: service, scenario },
    { server: each, scenario },
    duration
  )
  print(`\ncreates per second   ${count(a)}; with one commit each ${count(b)}`)
  print(`                     ${ratio.middle.toFixed(1)} times as many; ${goal('at least 6', ratio.middle >= 6)}`)
  await each.end()
}

const benchPage = async (service: Server, rounds: number) => {
  const { measurePage } = await import('../bench/page.ts')
  const { pageMs, bareMs, ratio, bytes, requests } = await measurePage(service.origin, Math.min(rounds, 9))
  print(
    `\npage                 ${pageMs.toFixed(0)} ms with an empty cache until an operation can be clicked; ${goal('below 1000', pageMs < 1000)}`
  )
  print(
    `                     ${ratio.toFixed(1)} times as long as a page with one button (${bareMs.toFixed(0)} ms); ${(bytes / 1000).toFixed(0)} kB in ${requests} requests`
  )
}

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
  // What is measured, starts and warming up; and twice that for a busy machine.
  const { rounds, seconds, animals } = options
  const maxSeconds = 2 * ((5 * names.length + 6) * rounds * seconds + 120 + animals / 10_000)
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
