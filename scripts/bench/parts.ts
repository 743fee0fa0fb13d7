import { join } from 'node:path'
import { type Show, withProgress } from '../../packages/fastify/src/commands/progress.ts'
import { copyOf, type Database } from './database.ts'
import { type Duration, inTurn, quantile, roundsOfProcesses, sample } from './measure.ts'
import { scenariosOf } from './scenarios.ts'
import { type Server, startService, warmUpOf } from './servers.ts'
import type { Part } from './without.ts'

interface Variant {
  title: string
  without?: Part
  /** What is on here, but off in the service that it is compared with. */
  env?: Record<string, string>
}

/** The service with one part less, or one more. */
export const variants: readonly Variant[] = [
  { title: 'nothing: the noise' },
  { title: 'request id', without: 'request-id' },
  { title: 'log (silent) and metrics', without: 'log-and-metrics' },
  { title: 'of these, durations and keys', without: 'metrics' },
  { title: 'log line at info', env: { LOG_LEVEL: 'info' } },
  { title: 'security headers', without: 'security-headers' },
  { title: 'lifecycle headers', without: 'lifecycle-headers' },
  { title: 'key check', without: 'key-check' },
  { title: 'rate limit, on', env: { RATE_LIMIT: '1000000/1s' } },
  { title: 'turns of a connection', without: 'turns' },
  { title: 'overload', without: 'overload' },
  { title: 'deadlines', without: 'deadlines' },
  { title: 'validation', without: 'validation' },
  { title: 'response check', without: 'response-check' }
]

export const partScenarios = ['list', 'get', 'create'] as const
type PartScenario = (typeof partScenarios)[number]

export interface PartFigures {
  title: string
  /** What it costs of a request, as a share of the service's CPU time without log lines, and the standard error of that. */
  costs: Record<PartScenario, { mean: number; error: number }>
}

export interface PartsFigures {
  /** CPU of the whole service per request, in microseconds. */
  whole: Record<PartScenario, number>
  parts: PartFigures[]
}

// As what the others are compared with.
const wholes = 2

/** What each part costs, measured in turn with the whole service. */
export const measureParts = async (database: Database, folder: string, { rounds, seconds }: Duration) => {
  const measured: Awaited<ReturnType<typeof measureOnce>>[] = []
  for (const ofProcess of roundsOfProcesses(rounds))
    measured.push(await measureOnce(database, folder, { rounds: ofProcess, seconds }))
  const figures: PartsFigures = {
    whole: ofEach(name =>
      quantile(
        measured.map(({ whole }) => whole[name]),
        0.5
      )
    ),
    parts: variants.map(({ title }, i) => ({
      title,
      costs: ofEach(name => meanOf(measured.map(({ shares }) => shares[i]?.[name] ?? Number.NaN)))
    }))
  }
  return figures
}

const measureOnce = async (database: Database, folder: string, { rounds, seconds }: Duration) => {
  const servers = await withProgress(show => startAll(database, folder, rounds, show))
  const taken = servers.map(() => ofEach(() => [] as number[]))
  const scenarios = scenariosOf(database)
  for (let round = 0; round < rounds; round++)
    for (const name of partScenarios)
      for (const i of inTurn([...servers.keys()], round)) {
        const subject = { server: servers[i] as Server, scenario: scenarios[name] }
        taken[i]?.[name].push((await sample(subject, seconds)).cpuUsPerRequest)
      }
  await Promise.all(servers.map(server => server.end()))

  // To the middle of all servers in the round: what else the machine does affects all of them, and no single one decides.
  const relative = taken.map(figures =>
    ofEach(name => {
      const ratios = figures[name].map(
        (cpu, round) =>
          cpu /
          quantile(
            taken.map(each => each[name][round] ?? cpu),
            0.5
          )
      )
      return quantile(ratios, 0.5)
    })
  )
  const whole = ofEach(name => meanOf(relative.slice(0, wholes).map(each => each[name])).mean)
  return {
    whole: ofEach(name =>
      quantile(
        taken.slice(0, wholes).flatMap(figures => figures[name]),
        0.5
      )
    ),
    shares: variants.map(({ env }, i) =>
      ofEach(name => {
        const more = (relative[wholes + i]?.[name] ?? Number.NaN) / whole[name] - 1
        return env === undefined ? -more : more
      })
    )
  }
}

/** The mean, and its standard error. */
const meanOf = (values: readonly number[]) => {
  const sum = (each: readonly number[]) => each.reduce((total, value) => total + value, 0)
  const mean = sum(values) / values.length
  const variance = sum(values.map(value => (value - mean) ** 2)) / Math.max(1, values.length - 1)
  return { mean, error: Math.sqrt(variance / values.length) }
}

const ofEach = <Figure>(figure: (name: PartScenario) => Figure) =>
  Object.fromEntries(partScenarios.map(name => [name, figure(name)])) as Record<PartScenario, Figure>

const startAll = async (database: Database, folder: string, rounds: number, show: Show): Promise<Server[]> => {
  const servers: Server[] = []
  const all = [...Array.from({ length: wholes }, () => ({ title: 'whole' })), ...variants]
  for (const variant of all) {
    show(`starting ${servers.length + 1} of ${all.length}`)
    servers.push(await startVariant(variant, copyOf(database, join(folder, `${servers.length}.db`))))
  }
  for (const name of partScenarios) {
    show(`warming up: ${name}`)
    for (const server of servers) await server.load(scenariosOf(database)[name], { requests: warmUpOf(rounds) })
  }
  show('measuring')
  return servers
}

export const startVariant = ({ without, env }: Variant, database: Database): Promise<Server> =>
  startService(database, 'silent', {
    env: { ...env, ...(without !== undefined && { WITHOUT: without }) },
    ...(without !== undefined && { preload: new URL('without.ts', import.meta.url).href })
  })
