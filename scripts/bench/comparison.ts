import { join } from 'node:path'
import { type Show, withProgress } from '../../packages/fastify/src/commands/progress.ts'
import type { HttpResponse } from './client.ts'
import { copyOf, type Database } from './database.ts'
import { type Duration, inTurn, quantile, ratioOf, roundsOfProcesses, type Spread, sample } from './measure.ts'
import { comparedRequests, scenariosOf } from './scenarios.ts'
import { type Server, startFloor, startPeer, startService, warmUpOf } from './servers.ts'

/** What is compared, each as a process of its own with its own copy of the database. */
export const contestants = {
  bare: { title: 'bare node:http', start: (database: Database, options = {}) => startPeer('bare', database, options) },
  equal: { title: 'node:http with equal features', start: (database: Database) => startFloor(database, 'in-batches') },
  fastify: {
    title: 'Fastify by hand',
    start: (database: Database, options = {}) => startPeer('fastify', database, options)
  },
  glue: {
    title: 'fastify-openapi-glue',
    start: (database: Database, options = {}) => startPeer('glue', database, options)
  },
  ours: { title: 'ours', start: (database: Database, options = {}) => startService(database, 'silent', options) },
  'ours-info': {
    title: 'ours, log at info',
    start: (database: Database, options = {}) => startService(database, 'info', options)
  }
} as const
export type Contestant = keyof typeof contestants

type Servers = Record<Contestant, Server>

export const names = Object.keys(contestants) as Contestant[]

/** What is measured. The goals are those of ours without log lines, to the bare server. */
export const kinds = [
  { name: 'list', title: 'list of 20', max: 1.05 },
  { name: 'list-100', title: 'list of 100', max: 1.1 },
  { name: 'get', title: 'one animal', max: 1.25 },
  { name: 'create', title: 'create', max: 1.25 },
  { name: 'refused-key', title: 'refused key', max: 1.2 }
] as const
export type Kind = (typeof kinds)[number]

export interface Figures {
  /** In microseconds. */
  cpu: number
  /** To that of the bare server. */
  ratio: Spread
}

export interface Requests {
  kinds: { kind: Kind; figures: Record<Contestant, Figures> }[]
  /** Resident bytes after that. */
  memory: Record<Contestant, number>
}

/** CPU of all servers per request, and their memory. */
export const measureRequests = async (
  database: Database,
  folder: string,
  measured: readonly Kind[],
  { rounds, seconds }: Duration
): Promise<Requests> => {
  const scenarios = scenariosOf(database)
  const ofEach = <Value>(value: (name: Contestant) => Value) =>
    Object.fromEntries(names.map(name => [name, value(name)])) as Record<Contestant, Value>
  const taken = new Map(measured.map(kind => [kind, ofEach(() => [] as number[])]))
  const memory = ofEach(() => [] as number[])
  for (const ofProcess of roundsOfProcesses(rounds)) {
    const servers = await withProgress(show => startAll(database, folder, ofProcess, show))
    for (let round = 0; round < ofProcess; round++)
      for (const [kind, figures] of taken)
        for (const name of inTurn(names, round)) {
          const subject = { server: servers[name], scenario: scenarios[kind.name] }
          figures[name].push((await sample(subject, seconds)).cpuUsPerRequest)
        }
    for (const name of names) {
      memory[name].push((await servers[name].usage()).residentBytes)
      await servers[name].end()
    }
  }
  return {
    kinds: [...taken].map(([kind, figures]) => ({ kind, figures: figuresOf(figures) })),
    memory: ofEach(name => quantile(memory[name], 0.5))
  }
}

/**
 * How many more requests these need before they are measured than variants of the same code do: what V8 has not optimized
 * yet, and the threads in which it does, cost the larger servers more. With one kind of request, ratios do not change from
 * 20,000 requests on, and are higher by a third between 10,000 and 20,000.
 */
const steady = 10

/** All servers, warmed up. */
const startAll = async (database: Database, folder: string, rounds: number, show: Show): Promise<Servers> => {
  const servers = {} as Servers
  for (const name of names) {
    show(`starting ${contestants[name].title}`)
    servers[name] = await contestants[name].start(copyOf(database, join(folder, `${name}.db`)))
  }
  show('comparing their responses')
  await requireSameResponses(servers.ours, servers.equal, database)
  await requireSameBodies(servers, database)
  // All kinds of requests before any is measured: code that has served only one kind is faster than it will be later.
  for (const [scenario, each] of Object.entries(scenariosOf(database)))
    for (const name of names) {
      show(`warming up: ${scenario}`)
      await servers[name].load(each, { requests: steady * warmUpOf(rounds) })
    }
  show('measuring')
  return servers
}

const figuresOf = <Name extends string>(taken: Record<Name, number[]>, base = 'bare' as Name) =>
  Object.fromEntries(
    (Object.entries(taken) as [Name, number[]][]).map(([name, values]) => [
      name,
      { cpu: quantile(values, 0.5), ratio: ratioOf(values, taken[base]) }
    ])
  ) as Record<Name, Figures>

export const starters = ['bare', 'fastify', 'glue', 'ours'] as const
export type Starter = (typeof starters)[number]

/** The goals are those of ours, to Fastify by hand. */
export const startKinds = [
  { isWarm: true, title: 'start, with a compile cache', max: 1.5 },
  { isWarm: false, title: 'start, without', max: 2.5 }
] as const

export interface Starts {
  kind: (typeof startKinds)[number]
  figures: Record<Starter, Figures>
}

/** CPU from the start to the first response, in milliseconds, beside that of Fastify by hand. */
export const measureStarts = async (database: Database, kind: Starts['kind'], rounds: number): Promise<Starts> => {
  const taken = Object.fromEntries(starters.map(name => [name, [] as number[]])) as Record<Starter, number[]>
  const { list } = scenariosOf(database)
  // Before the first round, to fill the compile cache.
  for (let round = kind.isWarm ? -1 : 0; round < rounds; round++)
    for (const name of inTurn(starters, Math.max(round, 0))) {
      const env = kind.isWarm ? {} : { NODE_DISABLE_COMPILE_CACHE: '1' }
      const server = await contestants[name].start(database, { env })
      await server.send(list.request)
      if (round >= 0) taken[name].push((await server.usage()).cpuUs / 1000)
      await server.end()
    }
  return { kind, figures: figuresOf<Starter>(taken, 'fastify') }
}

/**
 * Checks that both respond alike, to measured requests byte for byte; otherwise the floor's cost would mean nothing.
 * @throws Error with the first difference
 */
export const requireSameResponses = async (service: Server, floor: Server, database: Database) => {
  for (const { request } of Object.values(scenariosOf(database)))
    await requireSame(service, floor, request, response => response)
  // The message of an error may differ, its code may not.
  const verdict = ({ status, body }: HttpResponse) => [status, status < 400 ? body : JSON.parse(body).code]
  for (const request of comparedRequests(database)) await requireSame(service, floor, request, verdict)
}

/** What the others respond to measured requests; their headers and messages are their own. */
const requireSameBodies = async ({ ours, ...others }: Servers, database: Database) => {
  const { create, ...reads } = scenariosOf(database)
  const content = ({ status, body }: HttpResponse) => [status, status < 400 ? body : undefined]
  const withoutId = ({ status, body }: HttpResponse) => [status, { ...JSON.parse(body), id: 0 }]
  for (const other of Object.values(others)) {
    for (const { request } of Object.values(reads)) await requireSame(ours, other, request, content)
    await requireSame(ours, other, create.request, withoutId)
  }
}

const requireSame = async (one: Server, other: Server, request: Buffer, view: (response: HttpResponse) => unknown) => {
  const [ours = '', theirs = ''] = [await one.send(request), await other.send(request)].map(response =>
    JSON.stringify(view(response), null, 2)
  )
  if (ours === theirs) return
  throw new Error(`${request.toString('utf8', 0, 300)}\nThe service responds\n${ours}\nbut another server\n${theirs}`)
}
