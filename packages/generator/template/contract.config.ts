import { type ContractConfig, fastifyRoutes } from '@contract-first/check'
import { checkedRoutes } from '@contract-first/fastify'
import { staleFiles } from '@contract-first/generator'

/**
 * What `npm run contract -- check` compares with the contract: generated files, routes, and the last release.
 */
export const config: ContractConfig = {
  contract: 'openapi/openapi.yaml',
  generated: () => staleFiles(),
  routes: async () => {
    const { service } = await import('./src/service.ts')
    const published = { yaml: 'openapi/openapi.yaml', json: 'generated/openapi.json' }
    return fastifyRoutes(await checkedRoutes(service, published))
  }
}
