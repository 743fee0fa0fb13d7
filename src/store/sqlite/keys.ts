import type { DatabaseSync } from 'node:sqlite'
import type { KeyStore } from '../keys.ts'
import type { CommitQueue } from './commit-queue.ts'
import { readFailure } from './result-codes.ts'

export const sqliteKeys = (db: DatabaseSync, queue: CommitQueue): KeyStore => {
  const byDigest = db.prepare('SELECT 1 FROM keys WHERE digest = ?')
  const any = db.prepare('SELECT 1 FROM keys LIMIT 1')
  const insert = db.prepare('INSERT INTO keys (digest) VALUES (?) ON CONFLICT (digest) DO NOTHING')

  return {
    has(digest: Uint8Array): boolean {
      try {
        return byDigest.get(digest) !== undefined
      } catch (error) {
        throw readFailure(error)
      }
    },

    isEmpty(): boolean {
      try {
        return any.get() === undefined
      } catch (error) {
        throw readFailure(error)
      }
    },

    async add(digest: Uint8Array): Promise<void> {
      // The caller may use its buffer again before the turn ends.
      const own = digest.slice()
      await queue.run(() => insert.run(own))
    }
  }
}
