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

/** `url` has the form of DATABASE_URL. */
export const openAnimals = (url: string) => {
  const db = new DatabaseSync(url.replace(/^sqlite:/, ''), { timeout: 5_000 })
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  const prepare = (sql: string) => {
    const statement = db.prepare(sql)
    statement.setReadBigInts(true)
    statement.setReturnArrays(true)
    return statement
  }
  const columns = 'id, name, category_id, status'
  const byId = prepare(`SELECT ${columns} FROM pets WHERE id = ?`)
  const page = prepare(`SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT ?+0`)
  const insert = prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)')
  // Read only once, so a key that is revoked stays valid until the process ends.
  const digests = new Set(
    prepare('SELECT hex(digest) FROM keys')
      .all()
      .map(row => `${Object.values(row)[0]}`.toLowerCase())
  )

  return {
    isKey: (authorization: string | undefined) =>
      authorization?.startsWith(bearer) === true && digests.has(hash('sha256', authorization.slice(bearer.length))),

    /** A page, and the `Link` to the next one. */
    list: (cursor: string | undefined, limit: number): { found: Animal[]; link?: string } => {
      const after = cursor === undefined ? 0n : Buffer.from(cursor, 'base64url').readBigInt64BE()
      const found = (page.all(after, limit + 1) as unknown as Row[]).map(toAnimal)
      if (found.length <= limit) return { found }
      found.pop()
      return { found, link: linkAfter(found.at(-1)?.id ?? 0n, limit) }
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

const linkAfter = (last: bigint, limit: number): string => {
  const cursor = Buffer.allocUnsafe(8)
  cursor.writeBigInt64BE(last)
  return `<?cursor=${cursor.toString('base64url')}&limit=${limit}>; rel="next"`
}

const bearer = 'Bearer '
const toAnimal = ([id, name, categoryId, status]: Row): Animal => ({ id, name, categoryId, status })

/** Commits everything added in a turn of the event loop together. */
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
