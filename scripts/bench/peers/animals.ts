import { hash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'

// The store of the servers that are written by hand: the least that they need, and the same for all of them.

export interface Animal {
  id: bigint
  name: string
  categoryId: bigint | number
  status: string
}
export type NewAnimal = Omit<Animal, 'id'>
type Row = [id: bigint, name: string, categoryId: bigint, status: string]

/** `url` as DATABASE_URL has it. */
export const openAnimals = (url: string) => {
  const db = new DatabaseSync(url.replace(/^sqlite:/, ''), { timeout: 5_000 })
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  const prepare = (sql: string) => db.prepare(sql, { readBigInts: true, returnArrays: true })
  const columns = 'id, name, category_id, status'
  const byId = prepare(`SELECT ${columns} FROM pets WHERE id = ?`)
  const page = prepare(`SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT ?+0`)
  const pageOfStatus = prepare(`SELECT ${columns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?+0`)
  const insert = prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)')
  // Read once: a key that is revoked stays valid until the process ends.
  const digests = new Set(
    prepare('SELECT hex(digest) FROM keys')
      .all()
      .map(row => `${Object.values(row)[0]}`.toLowerCase())
  )

  return {
    isKey: (authorization: string | undefined) =>
      authorization?.startsWith(bearer) === true && digests.has(hash('sha256', authorization.slice(bearer.length))),

    list: (after: bigint, limit: number, status: string | undefined): Animal[] => {
      const rows = status === undefined ? page.all(after, limit) : pageOfStatus.all(status, after, limit)
      return (rows as unknown as Row[]).map(toAnimal)
    },

    get: (id: number): Animal | undefined => {
      const row = byId.get(id) as unknown as Row | undefined
      return row && toAnimal(row)
    },

    create: committingTogether(db, ({ name, categoryId, status }: NewAnimal) => {
      const id = insert.run(name, categoryId, status).lastInsertRowid as bigint
      return { id, name, categoryId, status }
    })
  }
}
export type Animals = ReturnType<typeof openAnimals>

export const keyRefused = { code: 'api_key_invalid', message: 'The API key is not valid.', status: 401 }
export const challenge = 'Bearer realm="animal-store", error="invalid_token"'

/** The id before a page. */
export const positionOf = (cursor: string): bigint => Buffer.from(cursor, 'base64url').readBigInt64BE()

/** The `Link` to the page after these animals. */
export const linkAfter = (last: bigint, limit: number, status: string | undefined): string => {
  const cursor = Buffer.allocUnsafe(8)
  cursor.writeBigInt64BE(last)
  const filter = status === undefined ? '' : `&status=${status}`
  return `<?cursor=${cursor.toString('base64url')}&limit=${limit}${filter}>; rel="next"`
}

const bearer = 'Bearer '
const toAnimal = ([id, name, categoryId, status]: Row): Animal => ({ id, name, categoryId, status })

/** One commit for all that is added in a turn of the event loop. */
const committingTogether = <Item, Result>(db: DatabaseSync, add: (item: Item) => Result) => {
  let waiting: { item: Item; resolve: (result: Result) => void; reject: (reason: unknown) => void }[] = []
  const commit = () => {
    const batch = waiting
    waiting = []
    try {
      db.exec('BEGIN IMMEDIATE')
      const results = batch.map(({ item }) => add(item))
      db.exec('COMMIT')
      for (const [i, { resolve }] of batch.entries()) resolve(results[i] as Result)
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      for (const { reject } of batch) reject(error)
    }
  }
  return (item: Item) =>
    new Promise<Result>((resolve, reject) => {
      if (waiting.push({ item, resolve, reject }) === 1) setImmediate(commit)
    })
}
