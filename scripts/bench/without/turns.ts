import fp from 'fastify-plugin'
import { faultOf } from '../../../src/engine/http/faults.ts'
import type { Limits } from '../../../src/engine/operations/contract.ts'

export * from '../../../src/engine/http/faults.ts'
export const httpFaults = fp(async (app, { limits }: { limits: Limits }) => {
  app.addHook('onRequest', ({ raw }, _reply, done) => done(faultOf(raw, limits)))
})
