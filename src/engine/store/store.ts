import type { KeyStore } from './keys.ts'

export interface Store {
  readonly keys: KeyStore

  /**
   * Resolves if the store can be used now: it can be read, and its data are where they were when it was opened.
   * Cheap enough to be asked every second.
   * @throws StoreUnavailable, whose message is for operators
   */
  check(): Promise<void>

  /**
   * Whether nothing has ever been stored in it, as in one that opening it has just made.
   * @throws StoreUnavailable when the store cannot be read now
   */
  isNew(): boolean

  /** What has happened since it was opened, for metrics. */
  figures(): StoreFigures

  /**
   * Waits for what was accepted to be answered, then lets go of everything. Safe to repeat.
   * From the call on writes, and once it resolves reads, throw StoreUnavailable.
   */
  close(): Promise<void>
}

export interface StoreFigures {
  /** How many commits there were of each number of writes, at that index. */
  readonly batchSizes: readonly number[]
  /** Commits that failed, and with them their writes; waiting for another process's lock is no failure. */
  readonly failedCommits: number
  /** Writes that wait for their commit now. */
  readonly pending: number
}

/**
 * The store cannot do it now (locked, full, gone); later it may. Nothing of the call has taken effect, also after a
 * crash of the process. Only where the disk itself fails, what it holds after a loss of power is not known.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}
