import { join } from 'node:path'
import type { Show } from '../../packages/fastify/src/commands/progress.ts'
import { copyOf, type Database } from './database.ts'
import { goals, verdicts } from './goals.ts'
import { loadAutocannon } from './loads.ts'
import {
  type Extent,
  measureRequests,
  measureStarts,
  median,
  quantile,
  recordOf,
  type Sides,
  type Taken
} from './measure.ts'
import type { Figure } from './options.ts'
import { inMb, inMs, inUs } from './report.ts'
import { casesOf, scenariosOf } from './scenarios.ts'
import { type Server, startPeer, startService } from './servers.ts'

/** What is compared, each as a process of its own with its own copy of the database. */
export const contestants = {
  bare: 'bare node:http',
  fastify: 'Fastify by hand',
  glue: 'fastify-openapi-glue',
  ours: 'ours',
  logging: 'ours, log at info'
} as const
export type Contestant = keyof typeof contestants
const names = Object.keys(contestants) as Contestant[]

export const sidesOf = (database: Database, folder: string, show: Show): Sides<Contestant> =>
  recordOf(names, name => (env = {}) => {
    show(`starting ${contestants[name]}`)
    const { url } = copyOf(database, join(folder, `${name}.db`))
    if (name !== 'ours' && name !== 'logging') return startPeer(name, url, { env })
    return startService(url, { env: name === 'logging' ? { ...env, LOG_LEVEL: 'info' } : env })
  })

/** A table of the CPU time of all servers per request and per start, and of their memory. */
export const compare = async (
  database: Database,
  folder: string,
  only: readonly Figure[],
  extent: Extent,
  show: Show
): Promise<string[][]> => {
  const sides = sidesOf(database, folder, show)
  const scenarios = scenariosOf(database)
  const rows = [['', 'turns per request', ...Object.values(contestants), 'goals of ours']]
  const requests = only.filter(name => name !== 'start')
  if (requests.length > 0) {
    loadAutocannon()
    const cases = casesOf(database, requests)
    const { taken, turns, memory } = await measureRequests(sides, {
      ...extent,
      cases,
      scenarios: Object.values(scenarios),
      // With one kind of request, ratios do not change from 20,000 requests on, and are higher by a third between 10,000
      // and 20,000: what V8 has not optimized yet, and the threads in which it does, cost the larger servers more.
      warmUp: 20_000,
      check: requireSameBodies(database)
    })
    for (const [title, { name }] of Object.entries(cases)) {
      const inTurns = (side: Contestant) => median((turns[title] ?? []).map(each => each[side])).toFixed(2)
      const of = `${inTurns('fastify')}; ours ${inTurns('ours')}`
      rows.push(rowOf(title, of, goals.requests[name], (taken[title] ?? []).flat(), inUs))
    }
    rows.push(rowOf('memory after that', '', goals.memory, memory, inMb))
  }
  if (only.includes('start')) {
    const { logging, ...starters } = sides
    const rounds = Math.min(extent.rounds, 7)
    const kinds = [
      ['start, with a compile cache', goals.start.cached, {}],
      ['start, without', goals.start.uncached, { NODE_DISABLE_COMPILE_CACHE: '1' }]
    ] as const
    for (const [title, max, env] of kinds)
      rows.push(rowOf(title, '', max, await measureStarts(starters, scenarios.list, rounds, env), inMs))
  }
  return rows
}

type Figures = Taken<Exclude<Contestant, 'logging'>> & { logging?: number }

/** The figure of Fastify by hand, and those of the others in multiples of it. */
const rowOf = (
  title: string,
  turns: string,
  max: number,
  rounds: readonly Figures[],
  text: (figure: number) => string
) => {
  // Within a round, since other work of the machine affects all alike.
  const ratio = (figure: (figures: Figures) => number) => rounds.map(each => figure(each) / each.fastify)
  const ours = ratio(each => each.ours)
  const logging = ratio(each => each.logging ?? Number.NaN)
  const hasLog = rounds.some(each => each.logging !== undefined)
  return [
    title,
    turns,
    spread(ratio(each => each.bare)),
    text(median(rounds.map(each => each.fastify))),
    spread(ratio(each => each.glue)),
    spread(ours),
    hasLog ? spread(logging) : '',
    verdicts(max, {
      ratio: median(ours),
      toGlue: median(rounds.map(each => each.ours / each.glue)),
      ...(hasLog && { log: median(logging.map((each, i) => each - (ours[i] ?? 0))) })
    })
  ]
}

const spread = (values: readonly number[]) => {
  const [middle, lower, upper] = [0.5, 0.25, 0.75].map(part => quantile(values, part).toFixed(2))
  return `${middle} (${lower} to ${upper})`
}

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
