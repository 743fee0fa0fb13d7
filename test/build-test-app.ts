import type { AppOptions } from '@contract-first/fastify'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { newApiKey } from '../packages/fastify/src/api-keys/api-key.ts'
import { record } from '../packages/fastify/test/contract-seen.ts'
import { closedWith, watch } from '../packages/fastify/test/watch.ts'
import { animalStore } from '../src/animal-store.ts'
import type { AnimalStore } from '../src/store/animal-store.ts'
import { newStore } from './open-store.ts'
import { petstore } from './petstore.ts'

const apiKey = newApiKey('ast')
/** The header with a key that is valid in every app of `buildTestApp`. */
export const withKey = { authorization: `Bearer ${apiKey}` }

export type AnimalStoreOptions = AppOptions & { store: AnimalStore }

/**
 * The service with a new, empty store, closed with the test; a store that is passed in stays open. Its responses are
 * checked against the contract (`watch`). Its date is long before any removal date.
 */
export const buildTestApp = async (t: Test, options: Partial<AnimalStoreOptions> = {}): Promise<FastifyInstance> => {
  const store = options.store ?? (await newStore(t))
  const app = await animalStore.build({
    now: () => 0,
    ...options,
    store,
    apiKeys: [apiKey, ...(options.apiKeys ?? [])]
  })
  closedWith(t, app)
  // A response of a mock does not show that the service can send it.
  watch(t, app, petstore, options.mock === undefined ? record : undefined)
  return app
}
