import fp from 'fastify-plugin'

export * from '../../../src/engine/security/auth.ts'
export const auth = fp(async app => {
  app.decorateRequest('keyId', 'anyone')
  app.decorateRequest('refusedKeyId', undefined)
})
