import fp from 'fastify-plugin'
import { faultOf } from '../../../packages/fastify/src/http/faults.ts'
import type { Limits } from '../../../packages/fastify/src/operations/contract.ts'

export * from '../../../packages/fastify/src/http/faults.ts'
export const httpFaults = fp(async (app, { limits }: { limits: Limits }) => {
  app.addHook('onRequest', ({ raw }, _reply, done) => done(faultOf(raw, limits)))
})
