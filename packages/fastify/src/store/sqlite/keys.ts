import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { KeyUses, type KnownKey, knownKey } from '../key-uses.ts'
import { KEY_COLUMNS, type Key, type KeyStore, type NewKey, toKey, valuesOf } from '../keys.ts'
import type { CommitQueue } from './commit-queue.ts'
import type { DatabaseFiles } from './database.ts'
import { prepareWith } from './prepare.ts'
import type { Reads } from './reads.ts'

// How long changes of other processes may go unnoticed, and how long a key that was used before stays valid while the
// store cannot be read.
const CHECK_INTERVAL_MS = 250

const MAX_UNKNOWN = 1_000

const statements = (db: DatabaseSync) => {
  const prepare = (sql: string) => prepareWith(db, sql, { returnArrays: true })
  return {
    dataVersion: prepare('PRAGMA data_version'),
    byDigest: prepare('SELECT id, expires_at, last_used_at FROM keys WHERE digest = unhex(?) AND revoked_at IS NULL'),
    anyValid: prepare('SELECT 1 FROM keys WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?) LIMIT 1'),
    all: prepare(`SELECT ${KEY_COLUMNS} FROM keys ORDER BY created_at, id`),
    insert: prepare(
      'INSERT INTO keys (digest, id, name, created_at, lifetime_ms, expires_at) VALUES (unhex(?), ?, ?, ?, ?, ?)'
    ),
    setExpiry: prepare(
      `UPDATE keys SET expires_at = min(given.at, coalesce(expires_at, given.at)) FROM (SELECT ? AS at) AS given
       WHERE id = ? RETURNING ${KEY_COLUMNS}`
    ),
    setRevoked: prepare(`UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? RETURNING ${KEY_COLUMNS}`),
    setUses: prepare(
      'UPDATE keys SET last_used_at = used.value->>1 FROM json_each(?) AS used WHERE keys.id = used.value->>0'
    )
  }
}

export class SqliteKeys implements KeyStore {
  readonly #sql: ReturnType<typeof statements>
  readonly #queue: CommitQueue
  readonly #files: DatabaseFiles
  readonly #reads: Reads
  readonly #uses: KeyUses
  // A lookup in the file takes 3 µs, twice as long as the rest of checking a key. So what it finds is kept until another
  // process writes anything, even that a key is unknown. Nobody can have tried a key before another process issued it, so
  // such a key is valid at once.
  readonly #known = new Map<string, KnownKey>()
  readonly #unknown = new Set<string>()
  #version: unknown
  #checkedAt = Number.NEGATIVE_INFINITY
  #closing = false

  constructor(db: DatabaseSync, queue: CommitQueue, files: DatabaseFiles, reads: Reads) {
    this.#sql = statements(db)
    this.#queue = queue
    this.#files = files
    this.#reads = reads
    this.#uses = new KeyUses(uses => queue.run(() => this.#sql.setUses.run(JSON.stringify(uses))))
  }

  async now(): Promise<number> {
    return Date.now()
  }

  use(digest: string, at = Date.now()): string | undefined {
    this.#forgetChanges()
    const known = this.#known.get(digest)
    if (known === undefined && this.#unknown.has(digest)) return undefined
    return this.#uses.judge(known ?? this.#lookUp(digest), at)
  }

  async hasValid(at: number): Promise<boolean> {
    return this.#reads.run(() => this.#sql.anyValid.get(at) !== undefined)
  }

  async list(): Promise<Key[]> {
    return this.#reads.run(() => (this.#sql.all.all() as unknown as unknown[][]).map(toKey))
  }

  async add(digest: string, key: NewKey): Promise<void> {
    await this.#queue.run(() => {
      this.#forget()
      this.#sql.insert.run(digest, ...valuesOf(key))
    })
  }

  expire(id: string, at: number): Promise<Key | undefined> {
    return this.#change(this.#sql.setExpiry, id, at)
  }

  revoke(id: string, at: number): Promise<Key | undefined> {
    return this.#change(this.#sql.setRevoked, id, at)
  }

  /** Queues the collected uses; later uses are not recorded. */
  close(): void {
    this.#closing = true
    void this.#uses.close()
  }

  #forgetChanges(): void {
    const now = performance.now()
    if (now - this.#checkedAt < CHECK_INTERVAL_MS && !this.#closing) return
    this.#files.check()
    // Changes with each commit of any other connection; our own commits clear the cache.
    const [current] = this.#reads.run(() => this.#sql.dataVersion.get()) as unknown as [number]
    if (current !== this.#version) this.#forget()
    this.#version = current
    this.#checkedAt = now
  }

  #lookUp(digest: string): KnownKey | undefined {
    const row = this.#reads.run(() => this.#sql.byDigest.get(digest)) as unknown as
      | Parameters<typeof knownKey>
      | undefined
    if (row === undefined) {
      // Guesses must not fill the memory.
      if (this.#unknown.size === MAX_UNKNOWN) this.#unknown.clear()
      this.#unknown.add(digest)
      return undefined
    }
    const key = knownKey(...row)
    this.#known.set(digest, key)
    return key
  }

  #forget(): void {
    this.#known.clear()
    this.#unknown.clear()
  }

  #change(statement: StatementSync, id: string, at: number): Promise<Key | undefined> {
    return this.#queue.run(() => {
      this.#forget()
      const row = statement.get(at, id) as unknown as unknown[] | undefined
      return row && toKey(row)
    })
  }
}
