import fp from 'fastify-plugin'

export * from '../../../packages/fastify/src/security/auth.ts'
export const auth = fp(async app => {
  app.decorateRequest('keyId', 'anyone')
  app.decorateRequest('refusedKeyId', undefined)
})
