import { newApiKey } from '../../src/engine/operations/api-key.ts'
import { cursorAfter } from '../../src/engine/operations/cursor.ts'
import type { Database } from './database.ts'
import type { Asked } from './load.ts'

export const scenariosOf = ({ key, animals }: Database) => {
  const ask = (line: string, withKey = key, fields: string[] = [], body = ''): Buffer =>
    Buffer.from(
      [`${line} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${withKey}`, ...fields, '', body].join('\r\n')
    )
  const post = (body: string) =>
    ask('POST /v1/pets', key, ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`], body)
  const page = (line: string): Asked => ({ request: ask(line), status: 200 })
  const after = (id: number) => `cursor=${cursorAfter(BigInt(id))}`

  return {
    measured: {
      list: page('GET /v1/pets'),
      'list-100': page('GET /v1/pets?limit=100'),
      // The last that has a next one, and another that is asked for in the same words.
      'last-page': page(`GET /v1/pets?${after(animals - 21)}`),
      'early-page': page(`GET /v1/pets?${after(animals / 10)}`),
      get: page(`GET /v1/pets/${Math.ceil(animals / 2)}`),
      create: { request: post('{"name":"Rex","categoryId":42,"status":"pending"}'), status: 201 },
      // It has the form of a key, so that only the store can tell that it is none.
      'refused-key': { request: ask('GET /v1/pets', newApiKey()), status: 401 }
    },
    /** Further requests that the floor has to judge as the service does, or it would be a floor for something else. */
    judged: [
      ask('GET /v1/pets?limit=1&status=sold'),
      ask(`GET /v1/pets?status=sold&${after(animals - 21)}&limit=100`),
      ask('GET /v1/pets?limit=0'),
      ask('GET /v1/pets?limit=101'),
      ask('GET /v1/pets?limit=020'),
      ask('GET /v1/pets?limit=5&limit=5'),
      ask('GET /v1/pets?status=lost'),
      ask('GET /v1/pets?cursor=AAAAAAAAAAA'),
      ask('GET /v1/pets?colour=red'),
      ask('GET /v1/pets', `${key}x`),
      ask('GET /v1/pets', ''),
      ask('GET /v1/pets/1'),
      ask('GET /v1/pets/9223372036854775807'),
      ask('GET /v1/pets/9223372036854775808'),
      ask('GET /v1/pets/-1'),
      ask('GET /v1/pets/01'),
      ask('GET /v1/pets/1?limit=1'),
      ask('GET /v1/pets/1/2'),
      ask('GET /v1/birds'),
      ask('TRACE /v1/pets/1'),
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
}
