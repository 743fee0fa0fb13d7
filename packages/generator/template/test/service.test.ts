import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnyOperation } from '@contract-first/fastify'
import { contract } from '../src/contract.ts'
import { start } from './start.ts'

const none = { headers: {}, query: {} }
const operations = Object.values<AnyOperation>(contract.operations)
const isPublic = ({ security }: AnyOperation) =>
  security.length === 0 || security.some(schemes => Object.keys(schemes).length === 0)
const isScoped = ({ security }: AnyOperation) =>
  security.every(schemes => Object.values(schemes).some(scopes => scopes.length > 0))
const secured = operations.filter(each => !isPublic(each))
const scoped = secured.filter(isScoped)
const callable = operations.filter(
  ({ method, path, input }) =>
    method === 'GET' &&
    !path.includes('{') &&
    ![input.query, input.headers, input.cookies].some(each => each && 'required' in each)
)

test('GET operations without required parameters respond with what the contract declares', async t => {
  const call = await start(t)
  for (const operation of callable) {
    const { statusCode, payload } = await call(operation)
    assert.ok(statusCode < 500 || statusCode === 501, `${operation.operationId}: ${statusCode} ${payload}`)
  }
})

test('operations that require a credential refuse requests without one: 401', async t => {
  const call = await start(t)
  for (const operation of secured) {
    const { statusCode, headers } = await call(operation, none)
    assert.equal(statusCode, 401, operation.operationId)
    assert.ok(headers['www-authenticate'], operation.operationId)
  }
})

test('operations that require a credential refuse one that is not valid: 401', async t => {
  const call = await start(t, () => undefined)
  for (const operation of secured) assert.equal((await call(operation)).statusCode, 401, operation.operationId)
})

test('operations that demand scopes refuse clients without them: 403', async t => {
  const call = await start(t, () => ({ id: 'tester', scopes: [] }))
  for (const operation of scoped) assert.equal((await call(operation)).statusCode, 403, operation.operationId)
})

test('what the contract does not have is not found: 404', async t => {
  const call = await start(t)
  const security = secured[0]?.security ?? []
  const { statusCode } = await call({ method: 'GET', path: '/no/such/path/as/this', security })
  assert.equal(statusCode, 404)
})
