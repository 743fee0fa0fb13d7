import { newApiKey } from '../../packages/fastify/src/api-keys/api-key.ts'
import { cursorAfter } from '../../packages/fastify/src/operations/cursor.ts'
import type { Database } from './database.ts'
import type { Scenario } from './load.ts'

/** The requests that are measured. */
export const scenariosOf = ({ key, animals }: Database) => {
  const { raw, post } = requestsWith(key)
  const page = (line: string): Scenario => ({ request: raw(line), status: 200 })
  return {
    list: page('GET /v1/pets'),
    'list-100': page('GET /v1/pets?limit=100'),
    // The last page that has a next one, and an early page whose request has the same form.
    'last-page': page(`GET /v1/pets?${after(animals - 21)}`),
    'early-page': page(`GET /v1/pets?${after(animals / 10)}`),
    get: page(`GET /v1/pets/${Math.ceil(animals / 2)}`),
    create: { request: post('{"name":"Rex","categoryId":42,"status":"pending"}'), status: 201 },
    // In the form of a key, so that only the store can reject it.
    'refused-key': { request: raw('GET /v1/pets', newApiKey()), status: 401 }
  }
}

/** Further requests to which the floor must respond as the service does, or it would be the floor of something else. */
export const comparedRequests = ({ key, animals }: Database): Buffer[] => {
  const { raw, post } = requestsWith(key)
  return [
    raw('GET /v1/pets?limit=1&status=sold'),
    raw(`GET /v1/pets?status=sold&${after(animals - 21)}&limit=100`),
    raw('GET /v1/pets?limit=0'),
    raw('GET /v1/pets?limit=101'),
    raw('GET /v1/pets?limit=020'),
    raw('GET /v1/pets?limit=5&limit=5'),
    raw('GET /v1/pets?status=lost'),
    raw('GET /v1/pets?cursor=AAAAAAAAAAA'),
    raw('GET /v1/pets?colour=red'),
    raw('GET /v1/pets', `${key}x`),
    raw('GET /v1/pets', ''),
    raw('GET /v1/pets/1'),
    raw('GET /v1/pets/9223372036854775807'),
    raw('GET /v1/pets/9223372036854775808'),
    raw('GET /v1/pets/-1'),
    raw('GET /v1/pets/01'),
    raw('GET /v1/pets/1?limit=1'),
    raw('GET /v1/pets/1/2'),
    raw('GET /v1/birds'),
    raw('TRACE /v1/pets/1'),
    post('{"name":"Rex","categoryId":9223372036854775807}'),
    post('{"name":"Rex","categoryId":9223372036854775808}'),
    post('{"name":"Rex","categoryId":1.5}'),
    post('{"name":"Rex","categoryId":"1"}'),
    post('{"name":"","categoryId":1}'),
    post(`{"name":"${'🐈'.repeat(255)}","categoryId":1e2}`),
    post(`{"name":"${'x'.repeat(256)}","categoryId":1}`),
    post('{"name":"a\\u0000b","categoryId":1}'),
    post('{"name":"\\ud800","categoryId":1}'),
    post('{"name":"Rex","categoryId":1,"status":"lost"}'),
    post('{"name":"Rex","categoryId":1,"id":5}'),
    post('{"categoryId":1}'),
    post('[]'),
    post('{'),
    post(`"${'x'.repeat(65_535)}"`)
  ]
}

const requestsWith = (key: string) => {
  const raw = (line: string, withKey = key, fields: string[] = [], body = ''): Buffer =>
    Buffer.from(
      [`${line} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${withKey}`, ...fields, '', body].join('\r\n')
    )
  const post = (body: string) =>
    raw('POST /v1/pets', key, ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`], body)
  return { raw, post }
}

const after = (id: number) => `cursor=${cursorAfter(BigInt(id))}`
