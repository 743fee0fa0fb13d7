import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { digestOf, keyIdOf, newApiKey } from '../../packages/fastify/src/api-keys/api-key.ts'
import { migrate } from '../../packages/fastify/src/store/sqlite/migrations.ts'
import { startProcess } from '../../packages/fastify/test/store/processes.ts'
import { animalSchema } from '../../src/store/sqlite/schema.ts'
import { extent } from '../extent.ts'
import { openSqliteStore } from '../open-store.ts'

const { migrations } = animalSchema

const creatingProcess = new URL('creating-process.ts', import.meta.url)

const at = Date.UTC(2026, 10, 20)

const newPath = (t: Test) => join(t.testdir(), 'pets.db')

const look = <T>(path: string, work: (db: DatabaseSync) => T): T => {
  const db = new DatabaseSync(path)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

t.test(
  'from every version, several processes can start at once: all data is migrated once, and none is lost',
  async t => {
    for (let from = 1; from < migrations.length; from++) {
      const path = newPath(t)
      const digests = [1, 2, 3].map(byte => new Uint8Array(32).fill(byte))
      look(path, db => {
        migrate(db, { ...animalSchema, migrations: migrations.slice(0, from) })
        const pets = db.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, 1, 'sold')")
        for (const name of ['Rex', 'Bello', 'Mia']) pets.run(name)
        if (from === 1) for (const digest of digests) db.prepare('INSERT INTO keys (digest) VALUES (?)').run(digest)
      })
      const children = Array.from({ length: extent(3, 6) }, () => startProcess(t, creatingProcess, [path]))
      const ids = await Promise.all(children.map(child => child.line()))
      t.strictSame(
        ids.toSorted(),
        children.map((_, index) => String(4 + index))
      )
      for (const child of children) t.equal(await child.exitCode, 0)

      const store = openSqliteStore({ path })
      t.teardown(() => store.close())
      const pets = await store.pets.list({ after: 0n, limit: 3 })
      t.strictSame(
        pets.map(pet => pet.name),
        ['Rex', 'Bello', 'Mia']
      )
      if (from > 1) continue
      for (const digest of digests) t.type(store.keys.use(Buffer.from(digest).toString('hex'), Date.now()), 'string')
    }
  }
)

t.test('keys of the version that stored only digests stay valid', async t => {
  const path = newPath(t)
  const old = new DatabaseSync(path)
  migrate(old, { ...animalSchema, migrations: migrations.slice(0, 1) })
  const keys = Array.from({ length: 5 }, () => newApiKey())
  for (const each of keys) old.prepare('INSERT INTO keys (digest) VALUES (unhex(?))').run(digestOf(each))
  old.exec("INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'sold')")
  t.equal(old.prepare('PRAGMA user_version').get()?.user_version, 1)
  old.close()

  const store = openSqliteStore({ path })
  t.teardown(() => store.close())
  for (const each of keys) t.equal(store.keys.use(digestOf(each), at), keyIdOf(digestOf(each)))
  t.equal(store.keys.use(digestOf(newApiKey()), at), undefined)
  const unknown = { createdAt: undefined, lifetimeMs: undefined, expiresAt: undefined }
  t.strictSame(
    await store.keys.list(),
    keys
      .map(each => keyIdOf(digestOf(each)))
      .sort()
      .map(id => ({ id, name: 'unnamed', ...unknown, revokedAt: undefined, lastUsedAt: undefined }))
  )
  t.match(await store.pets.get(1n), { name: 'Rex' })
  await store.keys.revoke(keyIdOf(digestOf(keys[0] ?? '')), at)
  t.equal(store.keys.use(digestOf(keys[0] ?? ''), at), undefined)
})
