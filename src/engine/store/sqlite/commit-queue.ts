import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type StoreFigures, StoreUnavailable } from '../store.ts'
import type { DatabaseFiles } from './database.ts'
import { type Versions, versionStays, writeAnew } from './migrations.ts'
import { isBusy, isUnavailable, mayHaveWritten } from './result-codes.ts'

export interface CommitQueueOptions {
  /** How long writes wait for another process's lock; then all that wait are rejected. */
  busyDeadlineMs?: number | undefined
  /** Waiting writes at most; further ones are rejected. */
  maxPending?: number | undefined
}

interface Write {
  apply: () => unknown
  resolve: (result: unknown) => void
  reject: (reason: unknown) => void
}

// Limits how long one transaction blocks the event loop.
const MAX_BATCH = 500

const MAX_RETRY_DELAY_MS = 10

const truncateLog = (db: DatabaseSync) => db.exec('PRAGMA wal_checkpoint(TRUNCATE)')

/**
 * Commits all writes of one turn of the event loop together: flushing to the disk is most of a write's cost.
 * Promises settle after COMMIT, so that their result is durable.
 */
export class CommitQueue {
  readonly #db: DatabaseSync
  readonly #begin: StatementSync
  readonly #end: StatementSync
  readonly #files: DatabaseFiles
  readonly #checkVersion: () => void
  /** Each overwrites what must not be read after a crash. */
  readonly #erasers: readonly (() => void)[]
  readonly #busyDeadlineMs: number
  readonly #maxPending: number
  readonly #batchSizes: number[] = new Array(MAX_BATCH + 1).fill(0)
  #failedCommits = 0
  #pending: Write[] = []
  #scheduled = false
  #busySince: number | undefined
  #retryDelayMs = 1
  #drained: (() => void) | undefined
  #closing = false

  constructor(
    db: DatabaseSync,
    files: DatabaseFiles,
    schema: Versions,
    { busyDeadlineMs = 2000, maxPending = 10_000 }: CommitQueueOptions = {}
  ) {
    this.#db = db
    // IMMEDIATE: fails here, before any row, if another process holds the lock.
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#end = db.prepare('COMMIT')
    this.#files = files
    this.#checkVersion = versionStays(db, schema)
    this.#erasers = [() => writeAnew(db, schema), () => truncateLog(db)]
    this.#busyDeadlineMs = busyDeadlineMs
    this.#maxPending = maxPending
  }

  /**
   * What `apply` returns, once its effect is on the disk. `apply` runs a single statement, and may run again.
   * @throws StoreUnavailable, or what `apply` throws when the row itself is at fault
   */
  run<T>(apply: () => T): Promise<T> {
    if (this.#closing) return Promise.reject(new StoreUnavailable('the store is closed'))
    if (this.#pending.length >= this.#maxPending) {
      return Promise.reject(new StoreUnavailable(`${this.#maxPending} writes are waiting already`))
    }
    return new Promise((resolve, reject) => {
      this.#pending.push({ apply, resolve: resolve as Write['resolve'], reject })
      if (!this.#scheduled) this.#scheduleFlush()
    })
  }

  figures(): StoreFigures {
    return { batchSizes: this.#batchSizes, failedCommits: this.#failedCommits, pending: this.#pending.length }
  }

  /** Rejects further writes and waits for those accepted. */
  close(): Promise<void> {
    this.#closing = true
    return new Promise(resolve => {
      if (this.#pending.length === 0) resolve()
      else this.#drained = resolve
    })
  }

  #scheduleFlush(): void {
    this.#scheduled = true
    setImmediate(this.#flush)
  }

  #flush = (): void => {
    const batch = this.#pending.slice(0, MAX_BATCH)
    try {
      const settle = this.#commit(batch)
      this.#pending.splice(0, batch.length)
      ;(this.#batchSizes[batch.length] as number)++
      for (const tell of settle) tell()
    } catch (cause) {
      if (isBusy(cause) && this.#mayWait()) {
        setTimeout(this.#flush, this.#retryDelayMs)
        this.#retryDelayMs = Math.min(this.#retryDelayMs * 2, MAX_RETRY_DELAY_MS)
        return
      }
      this.#failedCommits++
      this.#refuse(isBusy(cause) ? this.#pending.length : batch.length, cause)
    }
    this.#busySince = undefined
    this.#retryDelayMs = 1
    this.#scheduled = false
    if (this.#pending.length > 0) this.#scheduleFlush()
    else this.#drained?.()
  }

  #commit(batch: readonly Write[]): (() => void)[] {
    this.#files.check()
    this.#begin.run()
    try {
      this.#checkVersion()
      const settle = batch.map(write => this.#apply(write))
      this.#end.run()
      return settle
    } catch (error) {
      // After some errors, SQLite has rolled back already.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      if (mayHaveWritten(error)) this.#eraseFromLog()
      throw error
    }
  }

  // If COMMIT fails to sync the log, its rows are complete in it: nobody reads them now, but after a crash they would count
  // as committed. A further transaction overwrites them, even if its own sync fails. If the log has just been restarted,
  // SQLite syncs its header before any row; but then it can be truncated without a sync. Later commits are safe: a system
  // may treat what it failed to sync as synced, but SQLite writes all of it again.
  #eraseFromLog(): void {
    for (const erase of this.#erasers) {
      try {
        erase()
        return
      } catch {
        // The reported error is that of the COMMIT.
      }
    }
  }

  // A row that violates a constraint is rolled back alone; the transaction stays open for the others.
  #apply({ apply, resolve, reject }: Write): () => void {
    try {
      const result = apply()
      return () => resolve(result)
    } catch (error) {
      if (isUnavailable(error) || !this.#db.isTransaction) throw error
      return () => reject(error)
    }
  }

  #mayWait(): boolean {
    const now = performance.now()
    this.#busySince ??= now
    return now - this.#busySince < this.#busyDeadlineMs
  }

  #refuse(count: number, cause: unknown): void {
    const error =
      cause instanceof StoreUnavailable ? cause : new StoreUnavailable('the database cannot be written now', { cause })
    for (const { reject } of this.#pending.splice(0, count)) reject(error)
  }
}
