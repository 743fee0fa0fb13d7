import type { TableAccess } from '@contract-first/fastify'
import type { Pet, PetStore } from '../pets.ts'

type PetRow = [id: bigint, name: string, categoryId: bigint, status: Pet['status']]

const toPet = (row: PetRow): Pet => ({ id: row[0], name: row[1], categoryId: row[2], status: row[3] })

const SELECT = 'SELECT id, name, category_id, status FROM pets'

// `?+0`: with a bare parameter as LIMIT, SQLite plans the statement on every call (+4 µs, a third of a list of 20).
const PAGE = 'ORDER BY id LIMIT ?+0'

export const sqlitePets = ({ prepare, read, insert }: TableAccess): PetStore => {
  const byId = prepare(`${SELECT} WHERE id = ?`)
  const page = prepare(`${SELECT} WHERE id > ? ${PAGE}`)
  const pageOfStatus = prepare(`${SELECT} WHERE status = ? AND id > ? ${PAGE}`)
  const insertPet = prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)')

  return {
    list: ({ after, limit, status }) =>
      read(() => {
        const rows = status === undefined ? page.all(after, limit) : pageOfStatus.all(status, after, limit)
        return (rows as unknown as PetRow[]).map(toPet)
      }),

    get: id =>
      read(() => {
        const row = byId.get(id) as unknown as PetRow | undefined
        return row && toPet(row)
      }),

    create: async ({ name, categoryId, status }, once) => {
      const run = () => insertPet.run(name, categoryId, status).lastInsertRowid as bigint
      return { id: await insert(run, once), name, categoryId, status }
    }
  }
}
