import { join } from 'node:path'
import type { Show } from '../../src/engine/commands/progress.ts'
import type { HttpResponse } from './client.ts'
import { copyOf, type Database } from './database.ts'
import { type Duration, inTurn, quantile, ratioOf, type Spread, sample } from './measure.ts'
import { comparedRequests, scenariosOf } from './scenarios.ts'
import { type Server, startFloor, startPeer, startService } from './servers.ts'

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

export type Servers = Record<Contestant, Server>

export const names = Object.keys(contestants) as Contestant[]

/** All servers, warmed up. */
export const startAll = async (database: Database, folder: string, warmUp: number, show: Show): Promise<Servers> => {
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
      await servers[name].load(each, { requests: warmUp })
    }
  return servers
}

export interface Figures {
  /** In microseconds. */
  cpu: number
  /** To that of the bare server. */
  ratio: Spread
}

/** CPU of all servers per request of this kind. */
export const measureAll = async (
  servers: Servers,
  scenario: ReturnType<typeof scenariosOf>['get'],
  { rounds, seconds }: Duration
): Promise<Record<Contestant, Figures>> => {
  const taken = Object.fromEntries(names.map(name => [name, [] as number[]])) as Record<Contestant, number[]>
  for (let round = 0; round < rounds; round++)
    for (const name of inTurn(names, round))
      taken[name].push((await sample({ server: servers[name], scenario }, seconds)).cpuUsPerRequest)
  return figuresOf(taken)
}

const figuresOf = <Name extends string>(taken: Record<Name, number[]>, base = 'bare' as Name) =>
  Object.fromEntries(
    (Object.entries(taken) as [Name, number[]][]).map(([name, values]) => [
      name,
      { cpu: quantile(values, 0.5), ratio: ratioOf(values, taken[base]) }
    ])
  ) as Record<Name, Figures>

const starters = ['bare', 'fastify', 'glue', 'ours'] as const
export type Starter = (typeof starters)[number]

/** CPU from the start to the first response, in milliseconds, beside that of Fastify by hand. */
export const measureStarts = async (database: Database, rounds: number, isWarm: boolean) => {
  const taken = Object.fromEntries(starters.map(name => [name, [] as number[]])) as Record<Starter, number[]>
  const { list } = scenariosOf(database)
  // Before the first round, to fill the compile cache.
  for (let round = isWarm ? -1 : 0; round < rounds; round++)
    for (const name of inTurn(starters, Math.max(round, 0))) {
      const env = isWarm ? {} : { NODE_DISABLE_COMPILE_CACHE: '1' }
      const server = await contestants[name].start(database, { env })
      await server.send(list.request)
      if (round >= 0) taken[name].push((await server.usage()).cpuUs / 1000)
      await server.end()
    }
  return figuresOf(taken, 'fastify')
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
