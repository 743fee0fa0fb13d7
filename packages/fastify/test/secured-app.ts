import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { type AppOptions, buildApp } from '../src/app.ts'
import type { Verifiers } from '../src/index.ts'
import { derivedContract } from './derived-contract.ts'
import { openFixtureStore } from './fixture-store.ts'
import { closedWith } from './watch.ts'

/** A contract whose operations differ in what they require: one for each entry, at `/NAME`. */
export const securedContract = (requirements: Readonly<Record<string, string>>) => `openapi: 3.1.0
info: { title: Secured, version: 1.0.0 }
servers: [{ url: v1 }]
security: [{ inHeader: [] }]
paths:
${Object.entries(requirements)
  .map(
    ([name, security]) => `  /${name}:
    get:
      operationId: ${name}
      ${security}
      parameters: [{ name: page, in: query, schema: { type: integer } }]
      responses: { '200': { description: Who, content: { application/json: { schema: {} } } } }
`
  )
  .join('')}components:
  securitySchemes:
    bearer: { type: http, scheme: bearer }
    basic: { type: http, scheme: basic }
    inHeader: { type: apiKey, in: header, name: X-Key }
    inQuery: { type: apiKey, in: query, name: key }
    inCookie: { type: apiKey, in: cookie, name: sid }
    oauth: { type: oauth2, flows: {} }
    openId: { type: openIdConnect, openIdConnectUrl: 'https://id.example' }
    tls: { type: mutualTLS }
`

/** An app with such a contract; each operation responds with the client's principals. */
export const securedApp = async (
  t: Test,
  requirements: Readonly<Record<string, string>>,
  verifiers: Verifiers | undefined,
  { handling, ...options }: Partial<AppOptions> & { handling?: (page: number) => void } = {}
): Promise<FastifyInstance> => {
  const { contract } = await derivedContract(t, securedContract(requirements))
  const handler = async ({ principal, principals, query }: Record<string, object>) => {
    handling?.((query as { page?: number }).page ?? 0)
    return { status: 200, body: { principal: principal ?? null, principals, query } }
  }
  const handlers = Object.fromEntries(Object.keys(contract.operations).map(id => [id, handler]))
  const store = options.store ?? openFixtureStore()
  const app = await buildApp({ realm: 'things', ...options, contract, store, handlers: handlers as never, verifiers })
  closedWith(t, app, options.store === undefined ? store : undefined)
  return app
}
