import { KeyUses, type KnownKey, knownKey } from '../key-uses.ts'
import { KEY_COLUMNS, type Key, type KeyStore, type NewKey, toKey, valuesOf } from '../keys.ts'
import { NOW_MS, type Row } from './schema.ts'
import type { Statements } from './statements.ts'

// How long changes by other nodes may go unnoticed, apart from the time of a lookup, and how long a key that was used before
// stays valid while the database cannot be read.
const FRESH_MS = 500
// Bounds the memory; nothing is lost, since a key in use is looked up again every half second anyway.
const MAX_KNOWN = 10_000

/** A key as looked up, with the time of the lookup by this process's `performance.now()` and by the database. */
interface LookedUp extends KnownKey {
  readonly checkedMs: number
  readonly checkedAt: number
}

const digestForm = /^[\da-f]{64}$/

export class PostgresKeys implements KeyStore {
  readonly #statements: Statements
  readonly #byDigest: (values: { digest: string }) => Promise<Row[]>
  readonly #uses: KeyUses
  #known = new Map<string, LookedUp>()

  constructor(statements: Statements) {
    this.#statements = statements
    this.#byDigest = statements.select(
      { digest: 'text' },
      `SELECT id, expires_at, last_used_at, ${NOW_MS} AS now
       FROM keys WHERE digest = decode(q.digest, 'hex') AND revoked_at IS NULL`,
      'primary'
    )
    this.#uses = new KeyUses(uses =>
      statements.write(
        `UPDATE keys SET last_used_at = used.at FROM unnest($1::text[], $2::bigint[]) AS used(id, at) WHERE keys.id = used.id`,
        [uses.map(([id]) => id), uses.map(([, at]) => at)]
      )
    )
  }

  async now(): Promise<number> {
    const [row] = await this.#statements.read(`SELECT ${NOW_MS}`)
    return Number(row?.[0])
  }

  use(digest: string, at?: number): string | undefined | Promise<string | undefined> {
    const known = this.#known.get(digest)
    if (known !== undefined && performance.now() - known.checkedMs < FRESH_MS) return this.#judge(known, at)
    return digestForm.test(digest) ? this.#lookUp(digest, at) : undefined
  }

  // Without an index, since only the start asks. It reads up to the first valid key; with a million invalid ones, 0.15 s.
  async hasValid(at: number): Promise<boolean> {
    const rows = await this.#statements.read(
      'SELECT 1 FROM keys WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1) LIMIT 1',
      [at]
    )
    return rows.length > 0
  }

  async list(): Promise<Key[]> {
    return (await this.#statements.read(`SELECT ${KEY_COLUMNS} FROM keys ORDER BY created_at NULLS FIRST, id`)).map(
      toKey
    )
  }

  async add(digest: string, key: NewKey): Promise<void> {
    await this.#statements.write(
      `INSERT INTO keys (digest, id, name, created_at, lifetime_ms, expires_at)
       VALUES (decode($1, 'hex'), $2, $3, $4, $5, $6)`,
      [digest, ...valuesOf(key)]
    )
  }

  expire(id: string, at: number): Promise<Key | undefined> {
    return this.#change('expires_at = least($1, expires_at)', id, at)
  }

  revoke(id: string, at: number): Promise<Key | undefined> {
    return this.#change('revoked_at = coalesce(revoked_at, $1)', id, at)
  }

  /** Writes the collected uses; later uses are not recorded. */
  close(): Promise<void> {
    this.#known.clear()
    return this.#uses.close()
  }

  #judge(key: LookedUp, at = Math.trunc(key.checkedAt + performance.now() - key.checkedMs)): string | undefined {
    return this.#uses.judge(key, at)
  }

  async #lookUp(digest: string, at: number | undefined): Promise<string | undefined> {
    const all = this.#known
    const checkedMs = performance.now()
    const [row] = await this.#byDigest({ digest })
    if (row === undefined) {
      all.delete(digest)
      return undefined
    }
    const [id, expiresAt, lastUsedAt, checkedAt] = row
    // A use that is not written yet counts, too.
    const known = knownKey(id, expiresAt, all.get(digest)?.notedAt ?? lastUsedAt)
    const key = { ...known, checkedMs, checkedAt: Number(checkedAt) }
    // If it differs, keys have changed meanwhile.
    if (all === this.#known) {
      if (all.size >= MAX_KNOWN) all.clear()
      all.set(digest, key)
    }
    return this.#judge(key, at)
  }

  async #change(what: string, id: string, at: number): Promise<Key | undefined> {
    const [row] = await this.#statements.write(`UPDATE keys SET ${what} WHERE id = $2 RETURNING ${KEY_COLUMNS}`, [
      at,
      id
    ])
    this.#known = new Map()
    return row && toKey(row)
  }
}
