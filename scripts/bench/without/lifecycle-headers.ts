import fp from 'fastify-plugin'

export * from '../../../packages/fastify/src/operations/lifecycle.ts'

/** Sets none, nor looks whether those that the contract requires are there. */
export const lifecycleHeaders = fp(async app => {
  app.addHook('onRoute', route => {
    delete route.onSend
  })
})
