import {
  type Contract,
  createService,
  idempotencyTable,
  keysTable,
  type Service,
  type Verify
} from '@contract-first/fastify'
import type { AnyHandler } from '../../../fastify/src/operations/handlers.ts'

/** A service of any contract, which keeps nothing. The compiler cannot know what its handlers return: the engine checks it. */
export const serviceOf = (
  contract: Contract,
  { handlers, verify }: { handlers: Readonly<Record<string, AnyHandler>>; verify: Verify }
): Service =>
  createService({
    name: 'service',
    realm: 'service',
    databasePath: ':memory:',
    schema: { applicationId: 0x54726961, migrations: [keysTable, idempotencyTable], counted: {}, tables: () => ({}) },
    load: async () => ({ contract, handlers: () => handlers as never, verifiers: () => verify })
  })
