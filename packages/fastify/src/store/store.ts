import type { KeyStore } from './keys.ts'

/** What every service's store has beside the service's tables. */
export interface Store {
  readonly keys: KeyStore

  /** Whether writes can be made safe to repeat: the schema has the table of idempotency keys. */
  readonly keepsIdempotencyKeys: boolean

  /**
   * Resolves if the store can be read, and its files are still those that were opened; with PostgreSQL, if the database can
   * be written, and no statement failed within the last second or is taking longer than that. Cheap enough for every second.
   * @throws StoreUnavailable, whose message `/readyz` shows
   */
  check(): Promise<void>

  /**
   * Whether nothing has ever been stored in it.
   * @throws StoreUnavailable if the store cannot be read now
   */
  isNew(): Promise<boolean>

  /** Metrics since it was opened. */
  figures(): StoreFigures

  /**
   * Finishes accepted writes, then closes everything. Safe to repeat.
   * Writes throw StoreUnavailable from the call on, reads once it resolves.
   */
  close(): Promise<void>
}

/** What to call while a store is opened and used. */
export interface StoreEvents {
  /** Called for each version that the database is migrated to; a new one has version 0. */
  onMigration?: ((version: number) => void) | undefined
  /** Called whenever the replica cannot be read, so that reads go to the primary. */
  onReplicaFailure?: ((error: unknown) => void) | undefined
  /** Called when it can be read again. */
  onReplicaReturn?: (() => void) | undefined
}

export interface StoreFigures {
  /** The number of commits with each number of writes, at that index. */
  readonly batchSizes: readonly number[]
  /** Failed commits, without waits for another process's lock. */
  readonly failedCommits: number
  /** Writes that are waiting for their commit. */
  readonly pending: number
  /** Reads that went to the primary because the replica could not be read. */
  readonly fallbacks?: number
}

/**
 * The store cannot do it now (locked, full, gone), but perhaps later. With SQLite, the call has had no effect, even after a
 * crash of the process; only if the disk itself fails is its content after a power loss unknown. With PostgreSQL, a write
 * may have been stored if the connection was lost or the server did not respond in time; `Once` makes it safe to repeat.
 *
 * The message is the reason, for operators; it names no host, user or file. Those are in its cause, for the log.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}
