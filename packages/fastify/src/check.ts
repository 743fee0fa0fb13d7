import { readFileSync } from 'node:fs'
import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import type { AnyHeaders, AnyOperation } from './contract/contract.ts'
import type { Contents, ObjectSchema, Schema } from './contract/schema.ts'
import { docsPrefixOf } from './docs/urls.ts'
import type { ContractPluginOptions } from './plugin.ts'
import { sampleCredentials } from './security/sample-credentials.ts'
import type { Verify } from './security/verifiers.ts'
import type { Service } from './service.ts'

/** An operation as a route was registered with it, in the words of OpenAPI. */
export interface RegisteredOperation {
  parameters: { name: string; in: string; required: boolean; schema: Schema }[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, { headers: AnyHeaders; content: Content }>
  security: AnyOperation['security']
}
type Content = Record<string, { schema: Schema }>

/** What the contract check needs to compare a service's routes with its contract: the options of its `fastifyRoutes`. */
export interface CheckedRoutes {
  build(): Promise<FastifyInstance>
  operationOf(route: { config?: unknown }): RegisteredOperation | undefined
  headers: Record<string, string>
  query: Record<string, string>
  contract?: string
  notInContract: string[]
  served: { path: string; file: string; fileBytes: Buffer }[]
}

/** Described in the package's entry, which loads it when it is first used. */
export const checkedRoutes = async (
  served: Service | Pick<ContractPluginOptions, 'contract' | 'handlers' | 'errors'>,
  files?: { yaml: string; json: string }
): Promise<CheckedRoutes> => {
  const isService = 'openStore' in served
  const contract = isService ? await served.contract() : served.contract
  const prefix = docsPrefixOf(contract)
  const isSecured = ({ security }: AnyOperation) => security.some(each => Object.keys(each).length > 0)
  const secured = Object.values<AnyOperation>(contract.operations).find(isSecured)
  const published =
    files === undefined
      ? []
      : [
          { path: `${prefix}/openapi.yaml`, file: files.yaml },
          { path: `${prefix}/openapi.json`, file: files.json }
        ]
  // Only authenticated requests show which operations exist.
  const verifiers: Verify = (_scheme, _credential, scopes) => ({ id: 'check', scopes })
  return {
    build: async () => {
      if (!isService) {
        const [{ fastify }, { contractPlugin }] = await Promise.all([import('fastify'), import('./plugin.ts')])
        const app = fastify()
        await app.register(contractPlugin, { ...served, verifiers })
        return app
      }
      const store = await served.openStore({ path: ':memory:' })
      const app = await served.build({ store, verifiers })
      app.addHook('onClose', () => store.close())
      return app
    },
    operationOf: ({ config }) => {
      const { operation } = (config ?? {}) as FastifyContextConfig
      return operation && registeredAs(operation)
    },
    ...sampleCredentials(contract, secured ?? { security: [] }),
    // Only the written contract has what the generator has replaced by stand-ins.
    ...(files !== undefined &&
      'x-not-implemented' in JSON.parse(contract.documents.json.toString()) && { contract: files.json }),
    notInContract: (isService ? ['/', '/docs*', '/openapi.yaml', '/openapi.json', '/changelog.md'] : []).map(
      each => `GET ${prefix}${each}`
    ),
    served: published.map(each => ({ ...each, fileBytes: readFileSync(each.file) }))
  }
}

const registeredAs = ({ input, bodies, bodyRequired, responses, security }: AnyOperation): RegisteredOperation => ({
  parameters: [
    ...parametersIn('query', input.query),
    ...parametersIn('path', input.params),
    ...parametersIn('header', input.headers),
    ...parametersIn('cookie', input.cookies)
  ],
  ...((input.body || bodies) && { requestBody: { required: bodyRequired, content: contentOf(input.body, bodies) } }),
  responses: Object.fromEntries(
    Object.entries(responses).map(([status, { headers, body, contents }]) => [
      status,
      { headers, content: contentOf(body, contents) }
    ])
  ),
  security
})

const parametersIn = (where: string, { properties, required }: ObjectSchema = { properties: {} }) =>
  Object.entries(properties).map(([name, schema]) => {
    const isRequired = Array.isArray(required) && required.includes(name)
    return { name, in: where, required: isRequired, schema }
  })

const contentOf = (body: Schema | undefined, contents: Contents | undefined): Content => {
  const byType = contents ? Object.entries(contents).map(([type, { schema }]) => [type, schema] as const) : []
  const all = body === undefined ? byType : [...byType, ['application/json', body] as const]
  return Object.fromEntries(all.map(([type, schema = {}]) => [type, { schema }]))
}
