import type { DatabaseSync } from 'node:sqlite'
import type { Key, KeyStore, NewKey } from '../keys.ts'
import type { CommitQueue } from './commit-queue.ts'
import type { DatabaseFiles } from './database.ts'
import { readFailure } from './result-codes.ts'

export interface SqliteKeys extends KeyStore {
  /** Queues the collected uses; later uses are not recorded. */
  close(): void
}

/** What `use` needs of a key. */
interface KnownKey {
  readonly id: string
  readonly expiresAt: number
  notedAt: number
}

// How long changes of other processes may go unnoticed, and how long a key that was used before stays valid while the
// store cannot be read.
const CHECK_INTERVAL_MS = 250

// A use sooner after the last one is not written.
const USE_PRECISION_MS = 60_000
// How long uses of all keys are collected, to be written together.
const USE_DELAY_MS = 10_000
// Limits how long one write of them blocks the event loop (6 ms); the next follows its commit.
const MAX_USES = 2000

type KeyRow = [
  id: string,
  name: string,
  createdAt: number | null,
  lifetimeMs: number | null,
  expiresAt: number | null,
  revokedAt: number | null,
  lastUsedAt: number | null
]

const toKey = ([id, name, createdAt, lifetimeMs, expiresAt, revokedAt, lastUsedAt]: KeyRow): Key => ({
  id,
  name,
  createdAt: createdAt ?? undefined,
  lifetimeMs: lifetimeMs ?? undefined,
  expiresAt: expiresAt ?? undefined,
  revokedAt: revokedAt ?? undefined,
  lastUsedAt: lastUsedAt ?? undefined
})

const COLUMNS = 'id, name, created_at, lifetime_ms, expires_at, revoked_at, last_used_at'

export const sqliteKeys = (db: DatabaseSync, queue: CommitQueue, files: DatabaseFiles): SqliteKeys => {
  const prepare = (sql: string) => db.prepare(sql, { returnArrays: true })
  const dataVersion = prepare('PRAGMA data_version')
  const byDigest = prepare(
    'SELECT id, expires_at, last_used_at FROM keys WHERE digest = unhex(?) AND revoked_at IS NULL'
  )
  const anyValid = prepare(
    'SELECT 1 FROM keys WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?) LIMIT 1'
  )
  const all = prepare(`SELECT ${COLUMNS} FROM keys ORDER BY created_at, id`)
  const insert = prepare(
    'INSERT INTO keys (digest, id, name, created_at, lifetime_ms, expires_at) VALUES (unhex(?), ?, ?, ?, ?, ?)'
  )
  const setExpiry = prepare(
    `UPDATE keys SET expires_at = min(?1, coalesce(expires_at, ?1)) WHERE id = ?2 RETURNING ${COLUMNS}`
  )
  const setRevoked = prepare(`UPDATE keys SET revoked_at = coalesce(revoked_at, ?1) WHERE id = ?2 RETURNING ${COLUMNS}`)
  const setUses = prepare(
    'UPDATE keys SET last_used_at = used.value->>1 FROM json_each(?) AS used WHERE keys.id = used.value->>0'
  )

  // A lookup in the file takes 3 µs, twice as much as the rest of checking a key. So valid keys are cached until another
  // process writes anything; unknown ones are not, so that a new key is valid at once and nobody can fill the memory.
  const known = new Map<string, KnownKey>()
  let version: unknown
  let checkedAt = Number.NEGATIVE_INFINITY
  let closing = false

  const forgetChanges = () => {
    const now = performance.now()
    if (now - checkedAt < CHECK_INTERVAL_MS && !closing) return
    files.check()
    // Changes with each commit of any other connection; our own clear the cache.
    const [current] = dataVersion.get() as unknown as [number]
    if (current !== version) known.clear()
    version = current
    checkedAt = now
  }

  const lookUp = (digest: string): KnownKey | undefined => {
    const row = byDigest.get(digest) as unknown as [string, number | null, number | null] | undefined
    if (row === undefined) return undefined
    const [id, expiresAt, lastUsedAt] = row
    const key = {
      id,
      expiresAt: expiresAt ?? Number.POSITIVE_INFINITY,
      notedAt: lastUsedAt ?? Number.NEGATIVE_INFINITY
    }
    known.set(digest, key)
    return key
  }

  const uses = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  const writeLater = () => {
    if (!closing) timer ??= setTimeout(writeUses, USE_DELAY_MS, MAX_USES).unref()
  }
  const writeUses = async (most: number) => {
    clearTimeout(timer)
    timer = undefined
    while (uses.size > 0) {
      const written: [id: string, at: number][] = []
      for (const use of uses) {
        uses.delete(use[0])
        if (written.push(use) === most) break
      }
      try {
        await queue.run(() => setUses.run(JSON.stringify(written)))
      } catch {
        // No request waits for it, and other writes report the failure.
        for (const [id, at] of written) if (!uses.has(id)) uses.set(id, at)
        return writeLater()
      }
    }
  }

  const change = (statement: typeof setExpiry, id: string, at: number) =>
    queue.run(() => {
      known.clear()
      const row = statement.get(at, id) as unknown as KeyRow | undefined
      return row && toKey(row)
    })

  return {
    use(digest: string, at: number): string | undefined {
      try {
        forgetChanges()
        const key = known.get(digest) ?? lookUp(digest)
        if (key === undefined || at >= key.expiresAt) return undefined
        // The clock may have been set back.
        if (Math.abs(at - key.notedAt) >= USE_PRECISION_MS) {
          key.notedAt = at
          uses.set(key.id, at)
          writeLater()
        }
        return key.id
      } catch (error) {
        throw readFailure(error)
      }
    },

    hasValid(at: number): boolean {
      try {
        return anyValid.get(at) !== undefined
      } catch (error) {
        throw readFailure(error)
      }
    },

    async list(): Promise<Key[]> {
      try {
        return (all.all() as unknown as KeyRow[]).map(toKey)
      } catch (error) {
        throw readFailure(error)
      }
    },

    async add(digest: string, { id, name, createdAt, lifetimeMs, expiresAt }: NewKey): Promise<void> {
      await queue.run(() => insert.run(digest, id, name, createdAt ?? null, lifetimeMs ?? null, expiresAt ?? null))
    },

    expire: (id, at) => change(setExpiry, id, at),
    revoke: (id, at) => change(setRevoked, id, at),

    close() {
      closing = true
      // All in one write: the queue accepts no more, and nothing waits for the event loop now.
      writeUses(Number.POSITIVE_INFINITY)
    }
  }
}
