import fp from 'fastify-plugin'
import type { Limits } from '../../../packages/fastify/src/contract/contract.ts'
import { faultOf } from '../../../packages/fastify/src/http/faults.ts'

export * from '../../../packages/fastify/src/http/faults.ts'
export const httpFaults = fp(async (app, { limits }: { limits: Limits }) => {
  app.addHook('onRequest', ({ raw }, _reply, done) => done(faultOf(raw, limits)))
})
