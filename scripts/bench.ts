import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { withProgress } from '../packages/fastify/src/commands/progress.ts'
import { benchAgainst, isFigure } from './bench/against.ts'
import {
  type Contestant,
  contestants,
  type Figures,
  kinds,
  measureRequests,
  measureStarts,
  names,
  type Requests,
  type Starts,
  starters,
  startKinds
} from './bench/comparison.ts'
import { contractGoals, measureContracts } from './bench/contracts.ts'
import { copyOf, type Database, prepareDatabase } from './bench/database.ts'
import { contractRows, writeContracts, writeFigures } from './bench/document.ts'
import { measureKeys } from './bench/keys.ts'
import { compare, type Duration } from './bench/measure.ts'
import { type Options, readOptions, secondsOfParts, UsageError, usage } from './bench/options.ts'
import { measureParts, partScenarios } from './bench/parts.ts'
import { benchPostgres } from './bench/postgres.ts'
import { count, goal, inMb, inMs, inUs, loadAverage, print, row, shareOf, spread } from './bench/print.ts'
import { scenariosOf } from './bench/scenarios.ts'
import { connections, endServers, type Server, startFloor, startService, warmUpOf } from './bench/servers.ts'
import { measureWorkers } from './bench/workers.ts'

const bench = async (options: Options, folder: string) => {
  const { only, animals, postgres, against, parts, workers, contracts, write, rounds, seconds } = options
  const duration = { rounds, seconds }
  const machine = `Node ${process.version} on ${cpus().length} × ${cpus()[0]?.model}`
  const begin = loadAverage()
  print(`${machine}; ${begin}`)
  if (contracts !== undefined) return benchContracts(contracts, folder, machine, options)
  print(
    `${count(animals)} animals in ${postgres ? 'PostgreSQL' : 'SQLite'}; ${rounds} rounds of ${seconds} s, ${connections} connections`
  )
  if (postgres !== undefined) return benchPostgres(postgres, animals, duration)
  if (against !== undefined) {
    const isWorse = await benchAgainst(against, folder, animals, [...only].filter(isFigure), duration)
    process.exitCode = isWorse ? 1 : 0
    return
  }
  const path = join(folder, 'animals.db')
  const database = await withProgress(show => prepareDatabase(path, animals, show))
  if (workers) await benchWorkers(database, folder, duration)
  else if (parts) await benchParts(database, folder, duration)
  else {
    const results = await benchAll(database, folder, only, duration)
    if (write) {
      const more = await benchParts(database, folder, { rounds, seconds: secondsOfParts })
      await writeFigures({ ...results, ...duration, parts: more, machine, animals, begin, end: loadAverage() })
    }
  }
  print(`\nAt the end: ${loadAverage()}`)
}

const benchAll = async (database: Database, folder: string, only: Options['only'], duration: Duration) => {
  const requests = await benchRequests(database, folder, only, duration)
  const starts: Starts[] = []
  if (only.has('start')) for (const kind of startKinds) starts.push(await benchStart(database, kind, duration.rounds))
  if (only.has('keys')) await benchKeys(folder, duration.rounds)
  if (only.has('pages') || only.has('commits') || only.has('page')) await benchService(database, folder, only, duration)
  return { requests, starts }
}

// To the goals without log lines.
const maxOfLog = 0.15

const benchRequests = async (database: Database, folder: string, only: Options['only'], duration: Duration) => {
  const measured = kinds.filter(({ name }) => only.has(name))
  const requests = await measureRequests(
    database,
    folder,
    measured,
    only.has('memory') || measured.length > 0 ? duration : none
  )
  for (const { kind, figures } of requests.kinds) {
    const goals: Partial<Record<Contestant, number>> = {
      ours: kind.max,
      'ours-info': Math.round((kind.max + maxOfLog) * 100) / 100
    }
    print(`\n${kind.title.padEnd(32)}     CPU  × bare  middle half     goal`)
    for (const name of names) print(figuresRow(contestants[name].title, figures[name], inUs, goals[name]))
  }
  if (only.has('memory')) printMemory(requests.memory)
  return requests
}
const none: Duration = { rounds: 0, seconds: 0 }

const figuresRow = (title: string, { cpu, ratio }: Figures, shown: (cpu: number) => string, max?: number) =>
  `  ${title.padEnd(30)}${shown(cpu).padStart(10)}${spread(ratio, max)}`

const printMemory = (memory: Requests['memory']) => {
  print('\nmemory                         resident  × Fastify by hand')
  for (const name of names) {
    const ratio = memory[name] / memory.fastify
    const goalOf = name === 'ours' ? `   ${goal('at most 1.3', ratio <= 1.3)}` : ''
    const { title } = contestants[name]
    print(`  ${title.padEnd(30)}${inMb(memory[name]).padStart(10)}${ratio.toFixed(2).padStart(8)}${goalOf}`)
  }
}

const benchStart = async (database: Database, kind: Starts['kind'], rounds: number) => {
  const starts = await measureStarts(database, kind, Math.min(rounds, 7))
  print(`\n${kind.title.padEnd(32)}     CPU  × Fastify by hand`)
  for (const name of starters)
    print(figuresRow(contestants[name].title, starts.figures[name], inMs, name === 'ours' ? kind.max : undefined))
  return starts
}

/** What is measured on the service alone. */
const benchService = async (database: Database, folder: string, only: Options['only'], duration: Duration) => {
  const service = await startService(copyOf(database, join(folder, 'service.db')))
  await service.load(scenariosOf(database).list, { requests: warmUpOf(duration.rounds) })
  if (only.has('pages')) await benchPages(service, database, folder, duration)
  if (only.has('commits')) await benchCommits(service, database, folder, duration)
  if (only.has('page')) await benchPage(service, duration.rounds)
  await service.end()
}

const fewAnimals = 10_000

const benchPages = async (server: Server, database: Database, folder: string, duration: Duration) => {
  const [last, early] = (['last-page', 'early-page'] as const).map(name => ({
    server,
    scenario: scenariosOf(database)[name]
  }))
  print('\n                   last page  early page')
  if (last && early) print(row('list', await compare('cpuUsPerRequest', last, early, duration), 1.1))
  const few = await prepareDatabase(join(folder, 'few.db'), fewAnimals)
  const other = { server: await startService(few), scenario: scenariosOf(few)['last-page'] }
  await other.server.load(other.scenario, { requests: warmUpOf(duration.rounds) })
  print(`\n                   last page  of ${count(fewAnimals)} animals`)
  if (last) print(row('list', await compare('cpuUsPerRequest', last, other, duration), 1.2))
  await other.server.end()
}

const benchParts = async (database: Database, folder: string, duration: Duration) => {
  const figures = await measureParts(database, folder, duration)
  const { whole, parts } = figures
  const columns = (show: (name: (typeof partScenarios)[number]) => string) => partScenarios.map(show).join('')
  print(`\nof the CPU of a request       ${columns(name => name.padStart(18))}`)
  print(`  ${'all'.padEnd(28)}${columns(name => inUs(whole[name]).padStart(18))}`)
  for (const { title, costs } of parts)
    print(`  ${title.padEnd(28)}${columns(name => shareOf(costs[name]).padStart(18))}`)
  return figures
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
  print(`\nThe load runs on the same ${availableParallelism()} cores.`)
}

const benchContracts = async (documents: string, folder: string, machine: string, { rounds, write }: Options) => {
  const begin = loadAverage()
  const figures = await withProgress(show => measureContracts(documents, folder, rounds, show))
  const rows = contractRows(figures)
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0))) ?? []
  for (const row of rows)
    print(
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  ')
    )
  const largest = figures.at(-1)
  if (largest !== undefined)
    for (const { text, isMet } of contractGoals(largest)) print(`${largest.name}: ${goal(text, isMet)}`)
  if (write) await writeContracts({ figures, machine, rounds, begin, end: loadAverage() })
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
  const { measurePage } = await import('./bench/page.ts')
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
  // What is measured, with starts and warming up for each second of it, and twice that for a busy machine.
  const { rounds, seconds, animals } = options
  const ofContracts = options.contracts === undefined ? 0 : 3_600
  const maxSeconds = Math.round(2 * (100 * rounds * seconds + 10 * rounds + 200 + animals / 10_000)) + ofContracts
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
