import { ApiError, type HandlerContext, type Handlers, pageOf } from '@contract-first/fastify'
import { operations } from '../../generated/operations.ts'
import type { PetStore } from '../store/pets.ts'

export interface PetNeeds extends HandlerContext {
  pets: PetStore
}

export const petHandlers = ({ pets, isGone }: PetNeeds) =>
  ({
    listPets: async ({ query }) => pageOf(query, page => pets.list(page)),

    createPet: async ({ body, once }) => {
      const pet = await pets.create(body, once)
      return { status: 201, body: pet, headers: isGone(operations.getPet) ? {} : { Location: `pets/${pet.id}` } }
    },

    getPet: async ({ params: { petId } }) => {
      const pet = await pets.get(petId)
      if (pet === undefined) throw new ApiError(404, 'pet_not_found', `No pet has id ${petId}.`)
      return { status: 200, body: pet }
    }
  }) satisfies Handlers<typeof operations, 'animals'>
