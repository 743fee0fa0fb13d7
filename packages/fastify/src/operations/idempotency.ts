import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type AnyOperation, ContractNotServed, idempotencyHeader, isRepeatable } from '../contract/contract.ts'
import type { Once } from '../store/idempotency.ts'
import type { Store } from '../store/store.ts'

/**
 * The key and fingerprint of a valid request, `undefined` if it has no key. Two requests are the same if parameters and
 * body have the same values; their spelling does not matter.
 */
export const onceReader = (operation: AnyOperation): ((request: FastifyRequest) => Once | undefined) | undefined => {
  if (!isRepeatable(operation)) return undefined
  const { operationId } = operation
  return ({ headers, keyId: owner, params, query, body }) => {
    const key = headers[idempotencyHeader]
    if (key === undefined || owner === undefined) return undefined
    const fingerprint = hash('sha256', canonicalJson([operationId, params, query, body]))
    // An object has no text of its own: its `toString` may be what a client has sent.
    return { owner, key: typeof key === 'object' ? canonicalJson(key) : String(key), fingerprint }
  }
}

/** With sorted names and exact integers. */
const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson)}]`
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' ? JSON.stringify(value) : String(value)
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${canonicalJson(each)}`)}}`
}

/** @throws ContractNotServed naming the first operation whose header Idempotency-Key would have no effect */
export const refuseUnkeptKeys = (entries: readonly AnyOperation[], { keepsIdempotencyKeys }: Store): void => {
  const operation = entries.find(isRepeatable)
  if (operation !== undefined && !keepsIdempotencyKeys)
    throw new ContractNotServed(
      `${operation.operationId} declares the header Idempotency-Key, but the database has no table for these keys: add idempotencyTable to its migrations`
    )
}
