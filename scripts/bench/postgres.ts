import { type Show, withProgress } from '../../packages/fastify/src/commands/progress.ts'
import { requireSameResponses } from './comparison.ts'
import { prepareSchemas } from './database.ts'
import { compare, type Duration } from './measure.ts'
import { loadAverage, print, row } from './print.ts'
import { scenariosOf } from './scenarios.ts'
import { startFloor, startService, warmUpOf } from './servers.ts'

const names = ['list', 'get', 'create'] as const

/** The service and the floor in PostgreSQL, and what it costs a floor to send a query for each request. */
export const benchPostgres = async (url: string, animals: number, duration: Duration) => {
  const { service, floor, each, scenarios } = await withProgress(show => start(url, animals, duration.rounds, show))
  print('\nCPU per request      service       floor   ratio  middle half     goal')
  for (const name of names) {
    const [a, b] = [service, floor].map(server => ({ server, scenario: scenarios[name] }))
    if (a && b) print(row(name, await compare('cpuUsPerRequest', a, b, duration), 1.3))
  }
  print('\n                  in batches    one each')
  for (const name of names) {
    const [a, b] = [floor, each].map(server => ({ server, scenario: scenarios[name] }))
    if (a && b) print(row(name, await compare('cpuUsPerRequest', a, b, duration), 0.5))
  }
  print(`\nAt the end: ${loadAverage()}`)
  await Promise.all([service, floor, each].map(server => server.end()))
}

const start = async (url: string, animals: number, rounds: number, show: Show) => {
  const [database, floorDatabase] = await prepareSchemas(url, animals, show)
  show('starting the servers')
  const service = await startService(database, 'info')
  const floor = await startFloor(floorDatabase, 'in-batches')
  const each = await startFloor(floorDatabase, 'one-query-each')
  await requireSameResponses(service, floor, database)
  const scenarios = scenariosOf(database)
  for (const [name, scenario] of Object.entries(scenarios)) {
    show(`warming up: ${name}`)
    for (const server of [service, floor, each]) await server.load(scenario, { requests: warmUpOf(rounds) })
  }
  return { service, floor, each, scenarios }
}
