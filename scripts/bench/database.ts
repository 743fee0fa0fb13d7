import { copyFileSync } from 'node:fs'
import { PetStatus } from '../../generated/request-schemas.ts'
import { animalStore } from '../../src/animal-store.ts'
import type { Show } from '../../src/engine/commands/progress.ts'
import { issueKey } from '../../src/engine/store/issue-key.ts'
import { openDatabase } from '../../src/engine/store/sqlite/database.ts'
import type { Pet } from '../../src/store/pets.ts'
import { animalSchema } from '../../src/store/sqlite/schema.ts'

export interface Database {
  path: string
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
    insert.run(`Animal ${i}`, (i * 7) % 1000, statuses[i % 3] as string)
  }
  db.exec('COMMIT')
  // Moves the log into the file, so that copying the file alone is enough.
  db.close()
  return { path, key, animals }
}

export const copyOf = (database: Database, path: string): Database => {
  copyFileSync(database.path, path)
  return { ...database, path }
}
