import type { Scenario } from './client.ts'
import type { Server } from './servers.ts'

export interface Duration {
  rounds: number
  /** Of each server in each round. */
  seconds: number
}

/** A figure of each server in one round. */
export type Taken<Side extends string> = Record<Side, number>

/** How each server is started. */
export type Sides<Side extends string> = Readonly<Record<Side, (env?: Record<string, string>) => Promise<Server>>>

interface Measurement<Name extends string, Side extends string> extends Duration {
  scenarios: Readonly<Record<Name, Scenario>>
  /** The scenarios to measure. All are sent before: code that has served only one kind is faster than it will be later. */
  only: readonly Name[]
  /** Requests of each kind before any is measured. */
  warmUp: number
  check?: (servers: Record<Side, Server>) => Promise<void>
}

/**
 * CPU time per request, in microseconds, of all servers at once: the rounds of each of the processes, as the same code is a
 * little faster or slower in each process that runs it. And the resident bytes of each process at its end.
 */
export const measureRequests = async <Side extends string, Name extends string>(
  sides: Sides<Side>,
  { scenarios, only, warmUp, rounds, seconds, check }: Measurement<Name, Side>
) => {
  const names = Object.keys(sides) as Side[]
  const taken = recordOf(only, () => [] as Taken<Side>[][])
  const memory: Taken<Side>[] = []
  for (let first = 0; only.length > 0 && first < rounds; first += roundsOfProcess) {
    const ofProcess = Math.min(roundsOfProcess, rounds - first)
    const servers = await inTurn(names, first, name => sides[name]())
    await check?.(servers)
    for (const scenario of Object.values<Scenario>(scenarios))
      for (const name of names) await servers[name].load(scenario, { requests: (warmUp * ofProcess) / roundsOfProcess })
    for (const name of only) taken[name].push([])
    for (let round = 0; round < ofProcess; round++)
      for (const kind of only) {
        const measure = (name: Side) => cpuUsPerRequest(servers[name], scenarios[kind], seconds)
        taken[kind].at(-1)?.push(await inTurn(names, round, measure))
      }
    memory.push(await inTurn(names, first, async name => (await servers[name].usage()).residentBytes))
    for (const name of names) await servers[name].end()
  }
  return { taken, memory }
}

const roundsOfProcess = 10

const cpuUsPerRequest = async (server: Server, scenario: Scenario, seconds: number): Promise<number> => {
  const before = await server.usage()
  const requests = await server.load(scenario, { ms: seconds * 1000 })
  return ((await server.usage()).cpuUs - before.cpuUs) / requests
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
const inTurn = async <Side extends string, Value>(
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
