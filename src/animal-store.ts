import { readFileSync } from 'node:fs'
import { basePath, limits, operations, securitySchemes } from '../generated/operations.ts'
import { type AppOptions, buildApp } from './engine/app.ts'
import type { Contract } from './engine/operations/contract.ts'
import { isGoneBy } from './engine/operations/lifecycle.ts'
import { petHandlers } from './routes/pets.ts'
import type { AnimalStore } from './store/pets.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url))

export const contract = {
  basePath,
  limits,
  operations,
  securitySchemes,
  documents: {
    yaml: read('openapi/petstore.yaml'),
    json: read('generated/openapi.json'),
    changelog: read('generated/CHANGELOG.md')
  }
} satisfies Contract

export interface AnimalStoreOptions extends AppOptions {
  store: AnimalStore
}

/** The app of the Animal Store: its contract, and a handler for each operation. */
export const buildAnimalStore = (options: AnimalStoreOptions) =>
  buildApp({
    ...options,
    realm: 'animal-store',
    contract,
    handlers: petHandlers({ pets: options.store.pets, isGone: isGoneBy(options) })
  })
