import { defineTable, type TableOf } from '@contract-first/fastify'
import type { components } from '../../generated/types-bigint.ts'

export type Pet = components['schemas']['Pet']
export type NewPet = Omit<Pet, 'id'>

// `status` has no list of values: the contract has it, and nothing reaches the store unchecked.
export const pets = defineTable<Pet>()({
  name: 'pets',
  columns: { id: 'bigint', name: 'text', categoryId: 'bigint', status: 'text' },
  filters: ['status']
})

export type PetStore = TableOf<typeof pets>
