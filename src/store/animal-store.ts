import type { Store, TablesOf } from '@contract-first/fastify'
import { pets } from './pets.ts'

/** The tables of the Animal Store, one for each resource. */
export const definitions = { pets }

export type Tables = TablesOf<typeof definitions>
export type AnimalStore = Store & Tables
