import type { Store } from '@contract-first/fastify'
import type { PetStore } from './pets.ts'

/** The tables of the Animal Store, one for each resource. */
export interface Tables {
  readonly pets: PetStore
}

export type AnimalStore = Store & Tables
