import { newApiKey } from '../../packages/fastify/src/api-keys/api-key.ts'
import type { Database } from './database.ts'
import { type Load, loads, type Scenario } from './loads.ts'

export const titles = {
  list: 'list of 20',
  'list-100': 'list of 100',
  get: 'one animal',
  create: 'create',
  'refused-key': 'refused key'
} as const
export type ScenarioName = keyof typeof titles
export const scenarioNames = Object.keys(titles) as ScenarioName[]

/** The requests that are measured. */
export const scenariosOf = ({ key, animals }: Database): Record<ScenarioName, Scenario> => {
  const request = (line: string, withKey = key, fields = '', body = '') =>
    Buffer.from(`${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${withKey}\r\n${fields}\r\n${body}`)
  const body = '{"name":"Rex","categoryId":42,"status":"pending"}'
  const fields = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  return {
    list: { request: request('GET /v1/pets'), status: 200 },
    'list-100': { request: request('GET /v1/pets?limit=100'), status: 200 },
    get: { request: request(`GET /v1/pets/${Math.ceil(animals / 2)}`), status: 200 },
    create: { request: request('POST /v1/pets', key, fields, body), status: 201 },
    // In the form of a key, so that only the store can reject it.
    'refused-key': { request: request('GET /v1/pets', newApiKey(key.split('_')[0])), status: 401 }
  }
}

/** Each of these requests in each of these ways, by the title of its row. */
export const casesOf = (
  database: Database,
  names: readonly ScenarioName[],
  ways: readonly Load[] = Object.values(loads)
) => {
  const scenarios = scenariosOf(database)
  return Object.fromEntries(
    names.flatMap(name =>
      ways.map(load => [`${titles[name]}: ${load.title}`, { name, scenario: scenarios[name], load }] as const)
    )
  )
}
