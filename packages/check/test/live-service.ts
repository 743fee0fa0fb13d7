import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { readDocument } from '../../document/src/document.ts'
import { checkLive, type LiveOptions } from '../src/live/live.ts'

export const contract = `
openapi: 3.1.0
info:
  title: Things
  version: 1.0.0
  description: A method that is not allowed gets a 405.
servers: [{ url: /api }]
security: [{ key: [] }]
paths:
  /things:
    get:
      parameters:
        - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 10 } }
        - { name: kind, in: query, schema: { enum: [a, b] } }
        - { name: X-Trace, in: header, schema: { type: integer } }
      responses:
        '200':
          description: All
          headers:
            X-Total: { required: true, schema: { type: integer, minimum: 0 } }
          content:
            application/json:
              schema: { type: array, items: { $ref: '#/components/schemas/Thing' } }
        4XX: { $ref: '#/components/responses/Error' }
    post:
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              properties:
                size: { type: integer, format: int64 }
                kind: { enum: [a, b] }
              required: [size]
              additionalProperties: false
      responses:
        '201':
          description: Made
          headers: { Location: { schema: { type: string } } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
        '400': { $ref: '#/components/responses/Error' }
        '401': { $ref: '#/components/responses/Error' }
        '415': { $ref: '#/components/responses/Error' }
  /things/{thingId}:
    parameters:
      - { name: thingId, in: path, required: true, schema: { type: integer, minimum: 1 } }
    get:
      deprecated: true
      x-deprecated-since: 2026-01-01
      x-sunset: 2030-01-01
      responses:
        '200':
          description: One
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
        default: { $ref: '#/components/responses/Error' }
    delete:
      responses:
        '204': { description: Gone }
        default: { $ref: '#/components/responses/Error' }
components:
  securitySchemes:
    key: { type: http, scheme: bearer }
  responses:
    Error:
      description: Wrong
      content:
        application/json:
          schema:
            type: object
            properties: { error: { type: string } }
            required: [error]
  schemas:
    Thing:
      type: object
      properties:
        id: { type: integer, minimum: 1 }
        size: { type: integer, format: int64 }
        kind: { enum: [a, b] }
      required: [id, size]
`

export interface ServiceResponse {
  status: number
  headers: Record<string, string>
  body: string
}
export interface ServiceRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: string
}
export type Service = (request: ServiceRequest) => ServiceResponse | undefined

export const key = 'right-key'
export const failing = (status: number, headers: Record<string, string> = {}): ServiceResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ error: 'It is wrong.' })
})
export const giving = (status: number, body: string, headers: Record<string, string> = {}): ServiceResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body
})

/** A service that conforms to the contract. */
export const goodService = (): Service => {
  const things = new Map<string, string>()
  const lifecycle = { deprecation: '@1767225600', sunset: 'Tue, 01 Jan 2030 00:00:00 GMT' }
  const allowed: Record<string, string> = { '/things': 'GET, POST', '/things/{}': 'GET, DELETE' }
  return ({ method, path, query, headers, body }) => {
    const [, id] = /^\/api\/things\/([^/]+)$/.exec(path) ?? []
    const allow = path === '/api/things' ? allowed['/things'] : id === undefined ? undefined : allowed['/things/{}']
    if (allow === undefined) return failing(404)
    const announced = id !== undefined && method === 'GET' ? lifecycle : {}
    if (!allow.split(', ').includes(method)) return failing(405, { allow })
    if (headers.authorization !== `Bearer ${key}`) return failing(401, { 'www-authenticate': 'Bearer', ...announced })
    if (id !== undefined) {
      if (!/^[1-9]\d*$/.test(id)) return failing(400, announced)
      const thing = things.get(id)
      if (thing === undefined) return failing(404, announced)
      if (method === 'DELETE') things.delete(id)
      return method === 'DELETE' ? { status: 204, headers: {}, body: '' } : giving(200, thing, announced)
    }
    if (method !== 'POST') {
      const { limit = '5', kind = 'a' } = Object.fromEntries(query)
      const isRight =
        /^(?:[1-9]|10)$/.test(limit) && /^[ab]$/.test(kind) && /^-?\d+$/.test(String(headers['x-trace'] ?? 0))
      if (!isRight) return failing(400)
      const all = [...things.values()].filter(each => !query.has('kind') || each.includes(`"kind":"${kind}"`))
      return giving(200, `[${all.slice(0, Number(limit)).join()}]`, { 'x-total': String(all.length) })
    }
    if (headers['content-type'] !== 'application/json') return failing(415)
    const [, size, , kind] = /^\{"size":(-?\d+)(,"kind":"([ab])")?\}$/.exec(body) ?? []
    if (size === undefined || BigInt.asIntN(64, BigInt(size)) !== BigInt(size)) return failing(400)
    const number = String(things.size + 1)
    const thing = `{"id":${number},"size":${size}${kind === undefined ? '' : `,"kind":"${kind}"`}}`
    things.set(number, thing)
    return giving(201, thing, { location: `things/${number}` })
  }
}

/** A server for the duration of a test, and the requests it received. */
export const listen = async (t: Test, service: Service) => {
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url = '', headers } = request
    requests.push(`${method} ${url} ${headers.authorization} ${headers['content-type']} ${body}`)
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const made = service({ method, path: pathname, query: searchParams, headers, body })
    if (made === undefined) return
    response.writeHead(made.status, made.headers).end(method === 'HEAD' ? undefined : made.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

export const document = readDocument(contract, 'things.yaml')
export const run = (url: string, options: Partial<LiveOptions> = {}) =>
  checkLive(document, { url, keys: [key], timeoutMs: 60_000, ...options })

export const isList = ({ method, path }: ServiceRequest) => method === 'GET' && path === '/api/things'
