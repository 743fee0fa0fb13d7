import type { TestContext } from 'node:test'
import { type AnyOperation, sampleCredentials, type Verify } from '@contract-first/fastify'
import { contract } from '../src/contract.ts'
import { service } from '../src/service.ts'

/** Accepts every credential, with the scopes that the operation requires. */
const acceptAll: Verify = (_scheme, _credential, scopes) => ({ id: 'tester', scopes })

type Called = Pick<AnyOperation, 'method' | 'basePath' | 'path' | 'security'>

/** Starts the service with an empty store in memory, without a port. Returns a function that calls an operation. */
export const start = async (t: TestContext, verifiers = acceptAll) => {
  const store = await service.openStore({ path: ':memory:' })
  const app = await service.build({ store, verifiers })
  t.after(async () => {
    await app.close()
    await store.close()
  })
  return (
    { method, basePath = contract.basePath, path, security }: Called,
    credentials = sampleCredentials(contract, { security })
  ) => {
    const url = basePath + path.replaceAll(/\{[^}]*\}/g, '1')
    return app.inject({ method: method as 'GET', url, ...credentials })
  }
}
