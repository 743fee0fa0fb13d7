import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { readFailure } from './result-codes.ts'

/**
 * Under load, the reads of one turn of the event loop share a transaction: a transaction takes three system calls, 2.5 µs,
 * four fifths of finding a row. So a read does not see what another process has committed since the turn's first read; but
 * then its request began before that was acknowledged. It does see what this process commits.
 */
export class Reads {
  readonly #db: DatabaseSync
  readonly #begin: StatementSync
  readonly #rollback: StatementSync
  #inThisTurn = 0
  /** Whether the previous turn had several reads: for a single one, a shared transaction costs more than its own. */
  #isShared = false
  #isOpen = false

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#begin = db.prepare('BEGIN')
    this.#rollback = db.prepare('ROLLBACK')
  }

  /**
   * What `query` returns.
   * @throws StoreUnavailable if the store cannot be read now, or what `query` throws
   */
  run<T>(query: () => T): T {
    if (this.#inThisTurn++ === 0) setImmediate(this.#endTurn)
    try {
      if (this.#isShared && !this.#isOpen) {
        this.#begin.run()
        this.#isOpen = true
      }
      return query()
    } catch (error) {
      this.end()
      throw readFailure(error)
    }
  }

  /** Ends the transaction, if there is one; the next read begins another. */
  end(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    // After some errors, SQLite has rolled back already; after others, COMMIT would fail.
    if (this.#db.isTransaction) this.#rollback.run()
  }

  readonly #endTurn = (): void => {
    this.end()
    this.#isShared = this.#inThisTurn > 1
    this.#inThisTurn = 0
  }
}
