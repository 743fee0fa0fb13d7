import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Batches, type Waiting } from '../batches.ts'
import { type StoreFigures, StoreUnavailable } from '../store.ts'
import type { DatabaseFiles } from './database.ts'
import { type Versions, versionStays, writeUnchanged } from './migrations.ts'
import type { Reads } from './reads.ts'
import { isBusy, isUnavailable, mayHaveWritten } from './result-codes.ts'

export interface CommitQueueOptions {
  /** How long writes wait for another process's lock before all of them are rejected. */
  busyDeadlineMs?: number | undefined
  /** The most writes that may wait; further ones are rejected. */
  maxPending?: number | undefined
}

type Write = Waiting<() => unknown, unknown>

// Limits how long one transaction blocks the event loop.
const MAX_BATCH = 500

const MAX_RETRY_DELAY_MS = 10

const truncateLog = (db: DatabaseSync) => db.exec('PRAGMA wal_checkpoint(TRUNCATE)')

/**
 * Commits all writes of one or two turns of the event loop together: flushing to the disk is most of a write's cost.
 * Promises settle after COMMIT, so that their result is durable.
 */
export class CommitQueue {
  readonly #db: DatabaseSync
  readonly #begin: StatementSync
  readonly #end: StatementSync
  readonly #files: DatabaseFiles
  readonly #checkVersion: () => void
  readonly #reads: Reads
  /** Each overwrites rows that must not be read after a crash. */
  readonly #erasers: readonly (() => void)[]
  readonly #busyDeadlineMs: number
  readonly #batches: Batches<() => unknown, unknown>

  constructor(
    db: DatabaseSync,
    files: DatabaseFiles,
    schema: Versions,
    reads: Reads,
    { busyDeadlineMs = 2000, maxPending = 10_000 }: CommitQueueOptions = {}
  ) {
    this.#db = db
    // IMMEDIATE: fails here, before any row, if another process holds the lock.
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#end = db.prepare('COMMIT')
    this.#files = files
    this.#checkVersion = versionStays(db, schema)
    this.#reads = reads
    this.#erasers = [() => writeUnchanged(db, schema), () => truncateLog(db)]
    this.#busyDeadlineMs = busyDeadlineMs
    this.#batches = new Batches(batch => this.#flush(batch), { size: MAX_BATCH, maxPending })
  }

  /**
   * What `apply` returns, once its effect is durable. `apply` must run a single statement, and may be called again.
   * @throws StoreUnavailable, or what `apply` throws if the row itself is invalid
   */
  run<T>(apply: () => T): Promise<T> {
    return this.#batches.run(apply) as Promise<T>
  }

  /** Makes of several statements one for `run`: if `change` throws, none of them has an effect. */
  atomic<T>(change: () => T): () => T {
    return () => {
      // 3 µs, half of what an insert takes, which is why not every write has one.
      this.#db.exec('SAVEPOINT change')
      try {
        const result = change()
        this.#db.exec('RELEASE change')
        return result
      } catch (error) {
        if (this.#db.isTransaction) this.#db.exec('ROLLBACK TO change; RELEASE change')
        throw error
      }
    }
  }

  figures(): StoreFigures {
    const { sizes, failed, pending } = this.#batches
    return { batchSizes: sizes, failedCommits: failed, pending }
  }

  /** Rejects further writes and waits for those accepted. */
  close(): Promise<void> {
    return this.#batches.close()
  }

  async #flush(batch: Write[]): Promise<void> {
    const begunMs = performance.now()
    for (let retryDelayMs = 1; ; retryDelayMs = Math.min(retryDelayMs * 2, MAX_RETRY_DELAY_MS)) {
      try {
        for (const settle of this.#commit(batch)) settle()
        return
      } catch (cause) {
        if (!isBusy(cause)) throw unavailable(cause)
        if (performance.now() - begunMs >= this.#busyDeadlineMs) {
          this.#batches.rejectWaiting(unavailable(cause))
          throw unavailable(cause)
        }
        await new Promise(resolve => setTimeout(resolve, retryDelayMs))
        this.#batches.fill(batch)
      }
    }
  }

  #commit(batch: readonly Write[]): (() => void)[] {
    this.#files.check()
    this.#reads.end()
    this.#begin.run()
    try {
      this.#checkVersion()
      const settlements = batch.map(write => this.#apply(write))
      this.#end.run()
      return settlements
    } catch (error) {
      // After some errors, SQLite has rolled back already.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      if (mayHaveWritten(error)) this.#eraseFromLog()
      throw error
    }
  }

  // If COMMIT fails to sync the log, its rows are complete there: nobody reads them now, but after a crash they would count
  // as committed. Another transaction overwrites them, even if its own sync fails. If the log has just been restarted,
  // SQLite syncs its header before any row; but then it can be truncated without a sync. Later commits are safe: a system
  // may treat what it failed to sync as synced, but SQLite writes all of it again.
  #eraseFromLog(): void {
    for (const erase of this.#erasers) {
      try {
        erase()
        return
      } catch {
        // The error of the COMMIT is reported instead.
      }
    }
  }

  // A row that violates a constraint is rolled back alone; the transaction stays open for the others.
  #apply({ query: apply, resolve, reject }: Write): () => void {
    try {
      const result = apply()
      return () => resolve(result)
    } catch (error) {
      if (isUnavailable(error) || !this.#db.isTransaction) throw error
      return () => reject(error)
    }
  }
}

const unavailable = (cause: unknown) =>
  cause instanceof StoreUnavailable ? cause : new StoreUnavailable('the database cannot be written now', { cause })
