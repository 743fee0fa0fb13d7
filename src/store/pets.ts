import type { Once } from '@contract-first/fastify'
import type { components } from '../../generated/types-bigint.ts'

export type Pet = components['schemas']['Pet']
export type NewPet = Omit<Pet, 'id'>

/** Where a page begins, how long it is, and which pets are on it. */
export interface PetPage {
  /** Only pets with a larger id; 0 begins at the first. */
  after: bigint
  /** At least 1. */
  limit: number
  status?: Pet['status'] | undefined
}

export interface PetStore {
  /**
   * Pets by ascending id. The cost depends on `limit`, not on how many pets there are.
   * @throws StoreUnavailable if the store cannot be read now
   */
  list(page: PetPage): Promise<Pet[]>

  /** The pet, or `undefined` if no pet has this id, which may be any 64-bit integer. */
  get(id: bigint): Promise<Pet | undefined>

  /**
   * The pet with its new id, once it is on the disk: it survives crashes of the process and of the system.
   * Ids begin at 1, only grow, to at most 2^53 - 1, and are never assigned twice, even after a delete or a failed create.
   * With `once`, safe to repeat for at least 24 hours: the pet is added the first time only. Without, each call adds a pet.
   * @throws StoreUnavailable if the pet could not be stored; then it is not, except as StoreUnavailable describes
   * @throws KeyReused if another request had this key
   * @throws InProgress while the first request with this key has no result
   */
  create(pet: NewPet, once?: Once): Promise<Pet>
}
