import fp from 'fastify-plugin'

export * from '../../../src/engine/operations/auth.ts'
export const auth = fp(async app => {
  app.decorateRequest('keyId', 'anyone')
  app.decorateRequest('refusedKeyId', undefined)
})
