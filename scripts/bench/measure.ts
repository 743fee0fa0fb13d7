import { type Load, loads, type Scenario } from './loads.ts'
import type { Server } from './servers.ts'

export interface Extent {
  rounds: number
  /** To each server in each round. */
  requests: number
}

/** A figure of each server in one round. */
export type Taken<Side extends string> = Record<Side, number>

/** How each server is started. */
export type Sides<Side extends string> = Readonly<Record<Side, (env?: Record<string, string>) => Promise<Server>>>

export interface Case {
  scenario: Scenario
  load: Load
}

interface Measurement<Name extends string, Side extends string> extends Extent {
  cases: Readonly<Record<Name, Case>>
  /** All are sent before any is measured: code that has served only one kind is faster than it will be later. */
  scenarios: readonly Scenario[]
  /** Requests of each of these scenarios. */
  warmUp: number
  check?: (servers: Record<Side, Server>) => Promise<void>
}

/**
 * Measures all servers at once. `taken` is the CPU time per request, in microseconds: the rounds of each of the processes, as
 * the same code is a little faster or slower in each process that runs it. `turns` of the event loop per request are those
 * of all rounds, and `memory` the resident bytes of each process at its end.
 */
export const measureRequests = async <Side extends string, Name extends string>(
  sides: Sides<Side>,
  { cases, scenarios, warmUp, rounds, requests, check }: Measurement<Name, Side>
) => {
  const names = Object.keys(sides) as Side[]
  const all = Object.entries(cases) as [Name, Case][]
  const taken = recordOf(Object.keys(cases) as Name[], () => [] as Taken<Side>[][])
  const turns = recordOf(Object.keys(cases) as Name[], () => [] as Taken<Side>[])
  const memory: Taken<Side>[] = []
  for (let first = 0; all.length > 0 && first < rounds; first += roundsOfProcess) {
    const ofProcess = Math.min(roundsOfProcess, rounds - first)
    const servers = await startAll(sides, first)
    await check?.(servers)
    await warm(servers, scenarios, (warmUp * ofProcess) / roundsOfProcess)
    for (const [name] of all) taken[name].push([])
    for (let round = 0; round < ofProcess; round++)
      for (const [name, each] of all) {
        const costs = await inTurn(names, round, side => costPerRequest(servers[side], each, requests))
        taken[name].at(-1)?.push(recordOf(names, side => costs[side].cpuUs))
        turns[name].push(recordOf(names, side => costs[side].turns))
      }
    memory.push(await inTurn(names, first, async name => (await servers[name].usage()).residentBytes))
    for (const name of names) await servers[name].end()
  }
  return { taken, turns, memory }
}

const roundsOfProcess = 10

export const startAll = <Side extends string>(sides: Sides<Side>, round: number) =>
  inTurn(Object.keys(sides) as Side[], round, name => sides[name]())

export const warm = async (servers: Record<string, Server>, scenarios: readonly Scenario[], requests: number) => {
  for (const scenario of scenarios)
    for (const { port } of Object.values(servers)) await loads.batches.send(port, scenario, requests)
}

/** Without what the connections cost: that of the first request of each, which another load sends alone, is subtracted. */
export const costPerRequest = async (server: Server, { scenario, load }: Case, requests: number) => {
  const cost = async (count: number) => {
    const before = await server.usage()
    await load.send(server.port, scenario, count)
    const after = await server.usage()
    return { cpuUs: after.cpuUs - before.cpuUs, turns: after.turns - before.turns }
  }
  const ofConnections = await cost(load.connections)
  const ofAll = await cost(load.connections + requests)
  const perRequest = (figure: 'cpuUs' | 'turns') => (ofAll[figure] - ofConnections[figure]) / requests
  return { cpuUs: perRequest('cpuUs'), turns: perRequest('turns') }
}

/** CPU time from the start to the first response, in microseconds; the first start only fills the compile cache. */
export const measureStarts = async <Side extends string>(
  sides: Sides<Side>,
  { request }: Scenario,
  rounds: number,
  env: Record<string, string> = {}
): Promise<Taken<Side>[]> => {
  const measure = async (name: Side) => {
    const server = await sides[name](env)
    await server.send(request)
    const { cpuUs } = await server.usage()
    await server.end()
    return cpuUs
  }
  const all: Taken<Side>[] = []
  for (let round = 0; rounds > 0 && round <= rounds; round++)
    all.push(await inTurn(Object.keys(sides) as Side[], round, measure))
  return all.slice(1)
}

/** Runs the sides in the order of a round: each is first equally often, and follows each neighbour as often as it precedes it. */
export const inTurn = async <Side extends string, Value>(
  names: readonly Side[],
  round: number,
  take: (name: Side) => Promise<Value>
): Promise<Record<Side, Value>> => {
  const first = round % names.length
  const order = [...names.slice(first), ...names.slice(0, first)]
  const taken = {} as Record<Side, Value>
  for (const name of Math.floor(round / names.length) % 2 === 0 ? order : order.toReversed())
    taken[name] = await take(name)
  return taken
}

export const recordOf = <Key extends string, Value>(keys: readonly Key[], value: (key: Key) => Value) =>
  Object.fromEntries(keys.map(key => [key, value(key)])) as Record<Key, Value>

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export const quantile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = part * (sorted.length - 1)
  const [below = Number.NaN, above = Number.NaN] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]]
  return below + (above - below) * (at % 1)
}
