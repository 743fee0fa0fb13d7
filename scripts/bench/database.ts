import { copyFileSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Show } from '../../packages/fastify/src/commands/progress.ts'
import { projectFolder, startService } from './servers.ts'

export interface Database {
  /** In the form of DATABASE_URL. */
  url: string
  path: string
  /** A valid API key. */
  key: string
  animals: number
}

const statuses = ['available', 'pending', 'sold'] as const

/** A new database with this many animals; the service of a checkout creates its tables and its key. */
export const prepareDatabase = async (
  path: string,
  animals: number,
  show: Show = () => {},
  checkout = projectFolder
): Promise<Database> => {
  const url = `sqlite:${path}`
  const service = await startService(url, { checkout })
  await service.end()
  const [, key] = /API key +(\S+)/.exec(service.printed) ?? []
  if (key === undefined) throw new Error(`the service in ${checkout} printed no new API key:\n${service.printed}`)

  const db = new DatabaseSync(path)
  const insert = db.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)')
  db.exec('BEGIN')
  for (let i = 1; i <= animals; i++) {
    if (i % 10_000 === 1) show(`adding animals: ${Math.floor((100 * i) / animals)} %`)
    insert.run(`Animal ${i}`, (i * 7) % 1000, statuses[i % 3] ?? '')
  }
  db.exec('COMMIT')
  // Moves the log into the file, so that copying the file alone is enough.
  db.close()
  return { url, path, key, animals }
}

export const copyOf = (database: Database, path: string): Database => {
  // The log of a former copy would be applied to the new one.
  for (const file of [`${path}-wal`, `${path}-shm`]) rmSync(file, { force: true })
  copyFileSync(database.path, path)
  return { ...database, path, url: `sqlite:${path}` }
}
