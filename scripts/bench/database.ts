import { copyFileSync, rmSync } from 'node:fs'
import { PetStatus } from '../../generated/request-schemas.ts'
import type { Show } from '../../packages/fastify/src/commands/progress.ts'
import { issueKey } from '../../packages/fastify/src/store/issue-key.ts'
import type { DatabaseLocation } from '../../packages/fastify/src/store/location.ts'
import { Connections } from '../../packages/fastify/src/store/postgres/connections.ts'
import { openDatabase } from '../../packages/fastify/src/store/sqlite/database.ts'
import { animalStore } from '../../src/animal-store.ts'
import type { NewPet, Pet } from '../../src/store/pets.ts'
import { animalSchema } from '../../src/store/sqlite/schema.ts'

export interface Database {
  /** As DATABASE_URL has it. */
  url: string
  /** A valid API key. */
  key: string
  animals: number
}

const statuses: readonly Pet['status'][] = PetStatus.enum

/** A new database with this many animals and one key. */
export const prepareDatabase = async (path: string, animals: number, show: Show = () => {}): Promise<Database> => {
  const store = await animalStore.openStore({ path })
  const key = await issueKey(store.keys)
  await store.close()

  const db = openDatabase(path, animalSchema)
  const insert = db.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)')
  db.exec('BEGIN')
  for (let i = 1; i <= animals; i++) {
    if (i % 10_000 === 1) show(`adding animals: ${Math.floor((100 * i) / animals)} %`)
    const { name, categoryId, status } = numbered(i)
    insert.run(name, categoryId, status)
  }
  db.exec('COMMIT')
  // Moves the log into the file, so that copying the file alone is enough.
  db.close()
  return { url: `sqlite:${path}`, key, animals }
}

export const copyOf = (database: Database, path: string): Database => {
  // The log of a former copy would be applied to the new one.
  for (const file of [`${path}-wal`, `${path}-shm`]) rmSync(file, { force: true })
  copyFileSync(locationOf(database.url).path ?? '', path)
  return { ...database, url: `sqlite:${path}` }
}

export const locationOf = (url: string): DatabaseLocation =>
  url.startsWith('sqlite:') ? { path: url.slice('sqlite:'.length) } : { url }

/** The same twice, in new schemas of a PostgreSQL database, which take the place of older ones; both have the same key. */
export const prepareSchemas = async (server: string, animals: number, show: Show): Promise<[Database, Database]> => {
  const admin = new Connections({ url: server, max: 1, writable: true })
  const first = await prepareSchema(admin, server, 'bench_service', animals, show)
  const second = await prepareSchema(admin, server, 'bench_floor', animals, show)
  await admin.run('INSERT INTO bench_floor.keys SELECT * FROM bench_service.keys')
  await admin.close()
  return [first, { ...second, key: first.key }]
}

const prepareSchema = async (
  admin: Connections,
  server: string,
  schema: string,
  animals: number,
  show: Show
): Promise<Database> => {
  await admin.run(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
  await admin.run(`CREATE SCHEMA ${schema}`)
  const url = new URL(server)
  url.searchParams.set('options', `-c search_path=${schema}`)
  const store = await animalStore.openStore({ url: url.href })
  const key = await issueKey(store.keys)
  const atOnce = 5_000
  for (let first = 1; first <= animals; first += atOnce) {
    show(`adding animals: ${Math.floor((100 * first) / animals)} %`)
    await Promise.all(
      Array.from({ length: Math.min(atOnce, animals - first + 1) }, (_, i) => store.pets.create(numbered(first + i)))
    )
  }
  await store.close()
  await admin.run(`ANALYZE ${schema}.pets`)
  return { url: url.href, key, animals }
}

// What else animals have is as the database has it by default.
const numbered = (i: number) =>
  ({
    name: `Animal ${i}`,
    categoryId: BigInt((i * 7) % 1000),
    status: statuses[i % 3] as Pet['status']
  }) as NewPet
