import { type ContractConfig, fastifyRoutes } from '@contract-first/check'

// Modules are loaded only by the check that needs them: the service and the generator take longer than a comparison.
export const config: ContractConfig = {
  contract: 'openapi/petstore.yaml',
  releases: 'openapi/releases',
  generated: async () => (await import('@contract-first/generator')).staleFiles(),
  routes: async contract => {
    const [{ animalStore }, { checkedRoutes }] = await Promise.all([
      import('./src/animal-store.ts'),
      import('@contract-first/fastify')
    ])
    return fastifyRoutes(await checkedRoutes(animalStore, { yaml: contract, json: 'generated/openapi.json' }))
  },
  // Frontends install what is generated: to them another name is a break.
  failOn: 'sdk'
}
