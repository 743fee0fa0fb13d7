import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withProgress } from '../packages/fastify/src/commands/progress.ts'
import { compareContractsWith, compareWith } from './bench/against.ts'
import { compare } from './bench/comparison.ts'
import { measureContracts } from './bench/contracts.ts'
import { prepareDatabase } from './bench/database.ts'
import { latencyPlot, latencyTable, measureLatencies } from './bench/latency.ts'
import { readOptions, UsageError, usage } from './bench/options.ts'
import { count, loadAverage, machine, table, writeFigures } from './bench/report.ts'
import { endServers } from './bench/servers.ts'

/** Prints figures; with `options`, also writes them into the document. */
const report = (options: string | undefined, ...paragraphs: string[]) => {
  const text = [...paragraphs, `At the end: ${loadAverage()}.`].join('\n\n')
  console.log(text)
  if (options !== undefined) writeFigures(options, text)
}

const bench = async (options: Exclude<ReturnType<typeof readOptions>, 'help'>, folder: string) => {
  const { only, animals, against, contracts, latency, write, rounds } = options
  const began = machine()
  const head = `${began}; ${count(animals)} animals; ${rounds} rounds of ${count(options.requests)} requests.`
  if (against !== undefined) {
    const { rows, worse } = await withProgress(show =>
      contracts === undefined
        ? compareWith(against, folder, animals, only, options, show)
        : compareContractsWith(against, contracts, folder, rounds, show)
    )
    process.exitCode = worse.length === 0 ? 0 : 1
    const verdict =
      worse.length === 0 ? `Nothing is worse than ${against}.` : `Worse than ${against}: ${worse.join(', ')}.`
    return report(undefined, contracts === undefined ? head : `${began}; ${rounds} rounds.`, table(rows), verdict)
  }
  if (contracts !== undefined) {
    const rows = await withProgress(show => measureContracts(contracts, folder, show))
    return report(write ? '--contracts FOLDER --write' : undefined, `${began}.`, table(rows))
  }
  const database = await withProgress(show => prepareDatabase(join(folder, 'animals.db'), animals, show))
  if (latency) {
    const latencies = await withProgress(show => measureLatencies(database, folder, only, options, show))
    if (!write) return report(undefined, head, table(latencyTable(latencies)))
    writeFileSync(new URL('../docs/latency.svg', import.meta.url), latencyPlot(latencies.all))
    return report(
      '--latency --write',
      head,
      '![Latencies of both servers](latency.svg)',
      table(latencyTable(latencies))
    )
  }
  const rows = await withProgress(show => compare(database, folder, only, options, show))
  report(write ? '--write' : undefined, head, table(rows))
}

const main = async () => {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') return console.log(usage)
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-bench-'))
  process.on('exit', () => {
    endServers()
    rmSync(folder, { recursive: true, force: true })
  })
  process.on('SIGINT', () => process.exit(130))
  process.on('SIGTERM', () => process.exit(143))
  await bench(options, folder)
}

try {
  await main()
} catch (error) {
  const isUsage = error instanceof UsageError
  console.error(isUsage ? `${error.message}\n\n${usage}` : error)
  process.exit(isUsage ? 2 : 1)
}
