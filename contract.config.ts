import { readFileSync } from 'node:fs'
import type { FastifyContextConfig } from 'fastify'
import type { ContractConfig } from './scripts/contract/config.ts'
import { fastifyRoutes } from './scripts/contract/routes/fastify.ts'
import type { JsonSchema, RegisteredOperation } from './scripts/contract/routes/static.ts'
import type { AnyOperation } from './src/engine/index.ts'

// Modules are loaded only by the check that needs them: the service and the generator take longer than a comparison.
const generated = async (contract: string) => {
  const [{ generate }, { differences }] = await Promise.all([
    import('./scripts/generate/generate.ts'),
    import('./scripts/generate/freshness.ts')
  ])
  return differences('generated', await generate(contract))
}

const routes = async (contract: string) => {
  const [{ animalStore }, { newApiKey }] = await Promise.all([
    import('./src/animal-store.ts'),
    import('./src/engine/operations/api-key.ts')
  ])
  const apiKey = newApiKey('ast')
  const store = await animalStore.openStore({ path: ':memory:' })
  try {
    return await fastifyRoutes({
      build: () => animalStore.build({ store, apiKeys: [apiKey] }),
      operationOf: ({ config }) => {
        const { operation } = (config ?? {}) as FastifyContextConfig
        return operation && registeredAs(operation)
      },
      headers: { authorization: `Bearer ${apiKey}` },
      notInContract: ['GET /', 'GET /docs*', 'GET /openapi.yaml', 'GET /openapi.json', 'GET /changelog.md'],
      served: [
        { path: '/openapi.yaml', file: contract },
        { path: '/openapi.json', file: 'generated/openapi.json' }
      ].map(each => ({ ...each, fileBytes: readFileSync(each.file) }))
    })
  } finally {
    store.close()
  }
}

/** A generated entry in the words of no framework. */
const registeredAs = ({ input, bodyRequired, responses, security }: AnyOperation): RegisteredOperation => ({
  parameters: {
    query: { ...input.query },
    ...(input.params && { path: { ...input.params } }),
    ...(input.headers && { header: { ...input.headers } })
  },
  ...(input.body && { body: { required: bodyRequired, content: json(input.body) } }),
  responses: Object.fromEntries(
    Object.entries(responses).map(([status, { headers, body }]) => [
      status,
      { headers: headers as RegisteredOperation['responses'][string]['headers'], content: json(body) }
    ])
  ),
  security
})

const json = (schema: object | undefined): Record<string, JsonSchema> =>
  schema === undefined ? {} : { 'application/json': schema as JsonSchema }

export const config: ContractConfig = {
  contract: 'openapi/petstore.yaml',
  releases: 'openapi/releases',
  generated,
  routes,
  // Frontends install what is generated: to them another name is a break.
  failOn: 'sdk'
}
