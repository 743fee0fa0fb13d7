import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AnyOperation } from '@animal-store/engine'
import { contract } from '../src/contract.ts'
import { service } from '../src/service.ts'

const key = 'a-key-of-the-tests-with-more-than-32-letters'
const headers = { authorization: `Bearer ${key}` }

/** The service with an empty store in memory. */
const start = async (t: TestContext) => {
  const store = await service.openStore({ path: ':memory:' })
  const app = await service.build({ store, apiKeys: [key] })
  t.after(async () => {
    await app.close()
    await store.close()
  })
  return app
}

// Those that can be called without parameters.
const gets = Object.values<AnyOperation>(contract.operations).filter(
  ({ method, path, input }) =>
    method === 'GET' &&
    !path.includes('{') &&
    ![input.query, input.headers, input.cookies].some(each => each && 'required' in each)
)

test('GET operations respond with what the contract declares', async t => {
  const app = await start(t)
  for (const { operationId, path } of gets) {
    const { statusCode, payload } = await app.inject({ url: contract.basePath + path, headers })
    assert.ok(statusCode < 500 || statusCode === 501, `${operationId}: ${statusCode} ${payload}`)
  }
})

test('operations that need a credential are refused without one', async t => {
  const app = await start(t)
  const isPublic = ({ security }: AnyOperation) =>
    security.length === 0 || security.some(schemes => Object.keys(schemes).length === 0)
  for (const { operationId, path } of gets.filter(each => !isPublic(each))) {
    const { statusCode } = await app.inject({ url: contract.basePath + path })
    assert.equal(statusCode, 401, operationId)
  }
})

test('what the contract does not have is not found', async t => {
  const app = await start(t)
  const { statusCode } = await app.inject({ url: `${contract.basePath}/no/such/path/as/this`, headers })
  // Where the contract asks for credentials, those who have none are not told what exists.
  assert.ok(statusCode === 404 || statusCode === 401, String(statusCode))
})
