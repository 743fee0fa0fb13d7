import { operations } from '../../generated/operations.ts'
import {
  ApiError,
  cursorAfter,
  type HandlerContext,
  type Handlers,
  invalidRequest,
  positionOf
} from '../engine/index.ts'
import type { PetStore } from '../store/pets.ts'

export interface PetNeeds extends HandlerContext {
  pets: PetStore
}

export const petHandlers = ({ pets, isGone }: PetNeeds) =>
  ({
    listPets: async ({ query: { limit, status, cursor } }) => {
      const after = cursor === undefined ? 0n : positionOf(cursor)
      if (after === undefined) throw invalidRequest('query parameter cursor was not issued by this service.')
      // One more than requested shows whether there is a next page.
      const found = await pets.list({ after, limit: limit + 1, status })
      const last = found[limit - 1]
      if (found.length <= limit || last === undefined) return { status: 200, body: found }
      found.pop()
      return { status: 200, body: found, headers: { Link: nextPage({ cursor: cursorAfter(last.id), limit, status }) } }
    },

    createPet: async ({ body }) => {
      const pet = await pets.create(body)
      return { status: 201, body: pet, headers: isGone(operations.getPet) ? {} : { Location: `pets/${pet.id}` } }
    },

    getPet: async ({ params: { petId } }) => {
      const pet = await pets.get(petId)
      if (pet === undefined) throw new ApiError(404, 'pet_not_found', `No pet has id ${petId}.`)
      return { status: 200, body: pet }
    }
  }) satisfies Handlers<typeof operations, 'animals'>

// A query-only reference (RFC 3986, section 5.2.2) works behind any path prefix.
const nextPage = (query: { cursor: string; limit: number; status: string | undefined }) => {
  const { status, ...page } = query
  const filter = status === undefined ? '' : `&status=${status}`
  return `<?cursor=${page.cursor}&limit=${page.limit}${filter}>; rel="next"`
}
