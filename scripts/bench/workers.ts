import { join } from 'node:path'
import { copyOf, type Database } from './database.ts'
import { type Duration, quantile, type Sample, sample } from './measure.ts'
import { scenariosOf } from './scenarios.ts'
import { startWorkers } from './servers.ts'

const names = ['list', 'get', 'create'] as const

/**
 * Measures the service with one process and with two, in turn. Here the load generator sleeps while it has nothing to do,
 * since it uses the same cores.
 */
export const measureWorkers = async (database: Database, folder: string, { rounds, seconds }: Duration) => {
  const services = await Promise.all(
    [1, 2].map(async workers => {
      const copy = copyOf(database, join(folder, `workers-${workers}.db`))
      return { workers, server: await startWorkers(copy, workers), samples: new Map<string, Sample[]>() }
    })
  )
  const scenarios = scenariosOf(database)
  for (const { server } of services) for (const name of names) await server.load(scenarios[name], { requests: 4_000 })
  for (let round = 0; round < rounds; round++)
    for (const { server, samples } of round % 2 === 0 ? services : services.toReversed())
      for (const name of names) {
        const taken = await sample({ server, scenario: scenarios[name] }, seconds)
        samples.set(name, [...(samples.get(name) ?? []), taken])
      }
  await Promise.all(services.map(({ server }) => server.end()))
  return names.map(name => ({
    name,
    figures: services.map(({ workers, samples }) => figuresOf(workers, samples.get(name) ?? []))
  }))
}

/** The medians of all rounds. */
const figuresOf = (workers: number, samples: readonly Sample[]): Sample & { workers: number } => {
  const median = (figure: keyof Sample) =>
    quantile(
      samples.map(each => each[figure]),
      0.5
    )
  return {
    workers,
    cpuUsPerRequest: median('cpuUsPerRequest'),
    generatorUsPerRequest: median('generatorUsPerRequest'),
    requestsPerSecond: median('requestsPerSecond')
  }
}
