import type { KeyStore } from './keys.ts'
import type { PetStore } from './pets.ts'

export interface Store {
  readonly pets: PetStore
  readonly keys: KeyStore

  /**
   * Waits for what was accepted to be answered, then lets go of everything. Safe to repeat.
   * From the call on writes, and once it resolves reads, throw StoreUnavailable.
   */
  close(): Promise<void>
}

/** The store cannot do it now (locked, full, gone); later it may. Nothing of the call has taken effect. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}
