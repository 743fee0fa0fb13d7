import type { DatabaseSync } from 'node:sqlite'
import { KeyReused, LIFETIME_MS, type Once, OnceAtATime, sweepExpired } from '../idempotency.ts'
import type { CommitQueue } from './commit-queue.ts'
import { prepareWith } from './prepare.ts'

// 4 ms of the event loop with a million keys.
const MAX_STEP = 100

const statements = (db: DatabaseSync) => {
  const prepare = (sql: string) => prepareWith(db, sql, { readBigInts: true, returnArrays: true })
  return {
    find: prepare('SELECT id, fingerprint = unhex(?) FROM idempotency_keys WHERE owner = ? AND key = ?'),
    keep: prepare(
      'INSERT INTO idempotency_keys (owner, key, fingerprint, id, created_at) VALUES (?, ?, unhex(?), ?, ?)'
    ),
    anyBefore: prepare('SELECT 1 FROM idempotency_keys WHERE created_at < ? LIMIT 1'),
    removeBefore: prepare(`DELETE FROM idempotency_keys WHERE (owner, key) IN
      (SELECT owner, key FROM idempotency_keys WHERE created_at < ? ORDER BY created_at LIMIT ${MAX_STEP})`)
  }
}

/** Inserts rows, each with its idempotency key if it has one, and sweeps expired keys. */
export class IdempotencyKeys {
  readonly #queue: CommitQueue
  readonly #sql: ReturnType<typeof statements> | undefined
  readonly #running = new OnceAtATime()
  readonly #sweeper: ReturnType<typeof sweepExpired> | undefined

  constructor(db: DatabaseSync, queue: CommitQueue) {
    this.#queue = queue
    const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'idempotency_keys'").get()
    if (table === undefined) return
    const sql = statements(db)
    this.#sql = sql
    this.#sweeper = sweepExpired(() => this.#removeExpired(sql))
  }

  /** Whether the schema has their table. */
  get areKept(): boolean {
    return this.#sql !== undefined
  }

  /** As `TableAccess.insert`. */
  insert(run: () => bigint, once?: Once): Promise<bigint> {
    if (once === undefined) return this.#queue.run(run)
    return this.#running.run(once, () => this.#queue.run(() => this.#insertOnce(run, once)))
  }

  /** As `TableAccess.transaction`, of which the key is a part. */
  transaction<T>(change: () => T, once?: Once): Promise<T> {
    const whole = once === undefined ? change : () => this.#insertOnce(change, once)
    return this.#running.run(once, () => this.#queue.run(this.#queue.atomic(whole)))
  }

  close(): void {
    this.#sweeper?.stop()
  }

  // The key is inserted last, and cannot fail alone: so a row that violates a constraint leaves no key behind.
  #insertOnce<T>(run: () => T, { owner, key, fingerprint }: Once): T {
    if (this.#sql === undefined) throw new Error('a write with an idempotency key needs the table of these keys')
    const { find, keep } = this.#sql
    const known = find.get(fingerprint, owner, key) as unknown as [id: bigint, isSame: bigint] | undefined
    if (known !== undefined) {
      if (known[1] === 0n) throw new KeyReused('the key has been used for another request')
      return known[0] as T
    }
    const id = run()
    keep.run(owner, key, fingerprint, id as bigint, Date.now())
    return id
  }

  async #removeExpired({ anyBefore, removeBefore }: ReturnType<typeof statements>): Promise<number> {
    // All processes that have the file open are on this machine, and have its clock.
    const before = Date.now() - LIFETIME_MS
    // Reading takes no lock.
    if (anyBefore.get(before) === undefined) return 0
    return this.#queue.run(() => Number(removeBefore.run(before).changes))
  }
}
