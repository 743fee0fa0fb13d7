import { join } from 'node:path'
import type { Show } from '../../packages/fastify/src/commands/progress.ts'
import { copyOf, type Database } from './database.ts'
import {
  type Duration,
  measureRequests,
  measureStarts,
  median,
  quantile,
  recordOf,
  type Sides,
  type Taken
} from './measure.ts'
import type { Figure } from './options.ts'
import { goal, inMb, inMs, inUs } from './report.ts'
import { type ScenarioName, scenariosOf } from './scenarios.ts'
import { type Server, startPeer, startService } from './servers.ts'

/** What is compared, each as a process of its own with its own copy of the database. */
const contestants = {
  bare: 'bare node:http',
  fastify: 'Fastify by hand',
  glue: 'fastify-openapi-glue',
  ours: 'ours',
  logging: 'ours, log at info'
} as const
type Contestant = keyof typeof contestants
const names = Object.keys(contestants) as Contestant[]

/** `max` is the goal: ours without log lines, relative to the bare server. */
const kinds: Record<ScenarioName, { title: string; max: number }> = {
  list: { title: 'list of 20', max: 1.05 },
  'list-100': { title: 'list of 100', max: 1.1 },
  get: { title: 'one animal', max: 1.25 },
  create: { title: 'create', max: 1.25 },
  'refused-key': { title: 'refused key', max: 1.2 }
}

/** A table of the CPU time of all servers per request and per start, and of their memory. */
export const compare = async (
  database: Database,
  folder: string,
  only: readonly Figure[],
  duration: Duration,
  show: Show
): Promise<string[][]> => {
  const start = (name: Contestant, env: Record<string, string> = {}) => {
    show(`starting ${contestants[name]}`)
    const { url } = copyOf(database, join(folder, `${name}.db`))
    if (name !== 'ours' && name !== 'logging') return startPeer(name, url, { env })
    return startService(url, { env: name === 'logging' ? { ...env, LOG_LEVEL: 'info' } : env })
  }
  const sides: Sides<Contestant> = recordOf(names, name => env => start(name, env))
  const scenarios = scenariosOf(database)
  const requests = only.filter(name => name !== 'start')
  const rows = [['', ...Object.values(contestants), 'goal of ours']]
  if (requests.length > 0) {
    const { taken, memory } = await measureRequests(sides, {
      ...duration,
      scenarios,
      only: requests,
      // With one kind of request, ratios do not change from 20,000 requests on, and are higher by a third between 10,000
      // and 20,000: what V8 has not optimized yet, and the threads in which it does, cost the larger servers more.
      warmUp: 20_000,
      check: requireSameBodies(database)
    })
    for (const name of requests) rows.push(requestRow(kinds[name], taken[name].flat()))
    const resident = (name: Contestant) => median(memory.map(each => each[name]))
    rows.push([
      'memory after that',
      ...names.map(name => inMb(resident(name))),
      goal('at most 1.3 × Fastify', resident('ours') <= 1.3 * resident('fastify'))
    ])
  }
  if (only.includes('start')) {
    const { logging, ...starters } = sides
    const rounds = Math.min(duration.rounds, 7)
    for (const [title, max, env] of startKinds)
      rows.push(startRow(title, max, await measureStarts(starters, scenarios.list, rounds, env)))
  }
  return rows
}

const requestRow = ({ title, max }: { title: string; max: number }, rounds: readonly Taken<Contestant>[]) => {
  // Ratios within a round, since other work of the machine affects both sides alike.
  const ratios = (name: Contestant) => rounds.map(taken => taken[name] / taken.bare)
  const spread = (values: readonly number[]) => {
    const [middle, lower, upper] = [0.5, 0.25, 0.75].map(part => quantile(values, part).toFixed(2))
    return `${middle} (${lower} to ${upper})`
  }
  return [
    title,
    inUs(median(rounds.map(({ bare }) => bare))),
    ...names.slice(1).map(name => spread(ratios(name))),
    goal(`at most ${max}`, Number(median(ratios('ours')).toFixed(2)) <= max)
  ]
}

const startKinds = [
  ['start, with a compile cache', 1.5, {}],
  ['start, without', 2.5, { NODE_DISABLE_COMPILE_CACHE: '1' }]
] as const

const startRow = (title: string, max: number, rounds: readonly Taken<Exclude<Contestant, 'logging'>>[]) => [
  title,
  ...(['bare', 'fastify', 'glue', 'ours'] as const).map(name => inMs(median(rounds.map(taken => taken[name])))),
  '',
  goal(`at most ${max} × Fastify`, median(rounds.map(({ ours, fastify }) => ours / fastify)) <= max)
]

/** Otherwise the comparison would mean nothing. Headers and error messages may differ. */
const requireSameBodies = (database: Database) => async (servers: Record<Contestant, Server>) => {
  for (const { request, status } of Object.values(scenariosOf(database))) {
    const content = async (name: Contestant) => {
      const [head = '', body = ''] = (await servers[name].send(request)).split('\r\n\r\n')
      return head.split(' ', 2)[1] + (status < 400 ? ` ${body}` : '')
    }
    const different = new Set(await Promise.all(names.map(content)))
    if (different.size > 1) throw new Error(`different responses to ${request}:\n${[...different].join('\n')}`)
  }
}
