import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Show } from '../../packages/fastify/src/commands/progress.ts'
import { contestants, sidesOf } from './comparison.ts'
import type { Database } from './database.ts'
import { latencyVerdicts } from './goals.ts'
import { loadAutocannon, loads, type Scenario, sendAtRate } from './loads.ts'
import { costPerRequest, type Extent, inTurn, median, quantile, startAll, warm } from './measure.ts'
import type { Figure } from './options.ts'
import { plot } from './plot.ts'
import { count } from './report.ts'
import { type ScenarioName, scenariosOf, titles } from './scenarios.ts'
import { projectFolder, type Server } from './servers.ts'

const names = ['fastify', 'ours'] as const
type Side = (typeof names)[number]

const kinds: readonly ScenarioName[] = ['get', 'list', 'create']
/** Of the requests that one core can serve. */
const shares = [0.5, 0.8]
/** Of each round, the latencies that these parts of its requests do not exceed. */
const parts = [0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999]
const [p50, p99, p999] = [0, 4, 6]

/** Of both servers, in milliseconds, when requests come at a constant rate. */
export interface Latencies {
  name: ScenarioName
  share: number
  /** Requests per second. */
  rate: number
  rounds: Record<Side, number[]>[]
}

/** What is measured at each rate, and what ours takes for creates at the lower rate while a backup is made. */
export const measureLatencies = async (
  database: Database,
  folder: string,
  only: readonly Figure[],
  { rounds, requests }: Extent,
  show: Show
) => {
  loadAutocannon()
  const { fastify, ours } = sidesOf(database, folder, show)
  const scenarios = scenariosOf(database)
  const take = async ({ port }: Server, { name, rate }: Latencies) => {
    const latencies = await sendAtRate(port, scenarios[name], rate, requests)
    return parts.map(part => quantile(latencies, part))
  }
  const all: Latencies[] = []
  const duringBackup: number[][] = []
  for (let first = 0; first < rounds; first += roundsOfProcess) {
    const servers = await startAll({ fastify, ours }, first)
    await warm(servers, Object.values(scenarios), Math.min(requests, 20_000))
    for (const name of first === 0 ? kinds.filter(each => only.includes(each)) : []) {
      const most = await mostPerSecond(Object.values(servers), scenarios[name], requests)
      all.push(...shares.map(share => ({ name, share, rate: share * most, rounds: [] })))
    }
    for (let round = first; round < Math.min(rounds, first + roundsOfProcess); round++) {
      show(`round ${round + 1} of ${rounds}`)
      for (const each of all) each.rounds.push(await inTurn(names, round, side => take(servers[side], each)))
      const creates = all.find(({ name }) => name === 'create')
      if (creates === undefined) continue
      const backup = backUp(folder)
      duringBackup.push(await take(servers.ours, creates))
      await backup
    }
    for (const name of names) await servers[name].end()
  }
  return { all, duringBackup }
}

const roundsOfProcess = 5

/** By the server that serves fewer, since users send as many to either. */
const mostPerSecond = async (servers: readonly Server[], scenario: Scenario, requests: number) => {
  const costs = servers.map(() => [] as number[])
  for (let round = 0; round < 5; round++)
    for (const [i, server] of servers.entries()) {
      const saturating = { scenario, load: loads.autocannon32 }
      costs[i]?.push((await costPerRequest(server, saturating, Math.min(requests, 2_000))).cpuUs)
    }
  return 1e6 / Math.max(...costs.map(median))
}

const backUp = async (folder: string) => {
  const file = join(folder, 'backup.db')
  rmSync(file, { force: true })
  await promisify(execFile)('npm', ['run', '--silent', 'backup', '--', file], {
    cwd: projectFolder,
    env: { PATH: process.env.PATH, DATABASE_URL: `sqlite:${join(folder, 'ours.db')}` }
  })
}

export const latencyTable = ({ all, duringBackup }: Awaited<ReturnType<typeof measureLatencies>>): string[][] => {
  const text = (rounds: readonly number[][]) => {
    const latencies = mediansOf(rounds)
    return [p50, p99, p999].map(index => latencies[index]?.toFixed(2)).join(', ')
  }
  const rows = all.map(({ name, share, rate, rounds }) => {
    const ratio = (index: number) =>
      median(rounds.map(({ fastify, ours }) => (ours[index] ?? Number.NaN) / (fastify[index] ?? Number.NaN)))
    const latencies = names.map(side => text(rounds.map(each => each[side])))
    return [`${titles[name]}, ${100 * share} %`, count(rate), ...latencies, latencyVerdicts(ratio(p50), ratio(p999))]
  })
  const creates = all.find(({ name }) => name === 'create')
  if (creates !== undefined) {
    const [during, without] = [duringBackup, creates.rounds.map(({ ours }) => ours)].map(each => mediansOf(each)[p999])
    const times = ((during ?? Number.NaN) / (without ?? Number.NaN)).toFixed(1)
    const title = `create, ${100 * creates.share} %, during a backup`
    rows.push([title, count(creates.rate), '', text(duringBackup), `p99.9 is ${times} times that without`])
  }
  const columns = names.map(side => `${contestants[side]}: p50, p99, p99.9 in ms`)
  return [['', 'requests per second', ...columns, 'goals of ours'], ...rows]
}

export const latencyPlot = (all: readonly Latencies[]): string =>
  plot(
    kinds.map(kind => ({
      title: titles[kind],
      lines: all
        .filter(({ name }) => name === kind)
        .flatMap(({ share, rounds }) =>
          names.map(side => {
            const latencies = mediansOf(rounds.map(each => each[side]))
            const points = parts.map((part, i) => [part, latencies[i] ?? Number.NaN] as const)
            return { color: colors[side], isDashed: share === shares[0], points }
          })
        )
    })),
    `${names.map(side => `<tspan fill="${colors[side]}">${contestants[side]}</tspan>`).join(', ')}; solid: 80 %, dashed: 50 %`
  )

const colors = { fastify: '#6b7280', ours: '#d9480f' } as const

const mediansOf = (rounds: readonly number[][]) =>
  parts.map((_, index) => median(rounds.map(each => each[index] ?? Number.NaN)))
