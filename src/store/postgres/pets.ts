import type { PostgresAccess } from '@contract-first/fastify'
import type { Pet, PetStore } from '../pets.ts'

type PetRow = readonly [id: bigint, name: string, categoryId: bigint, status: Pet['status']]

const toPet = (row: readonly unknown[]): Pet => {
  const [id, name, categoryId, status] = row as PetRow
  return { id, name, categoryId, status }
}

const SELECT = 'SELECT id, name, category_id, status FROM pets'

// A comparison of rows: for `status = … AND id > …`, PostgreSQL walks the primary key and drops all rows that do not match.
const OF_STATUS = `(status, id) > (q.status, q.after) AND (status, id) <= (q.status, ${Number.MAX_SAFE_INTEGER})`

export const postgresPets = ({ select, insert }: PostgresAccess): PetStore => {
  const byId = select({ id: 'bigint' }, `${SELECT} WHERE id = q.id`, 'present')
  const page = select({ after: 'bigint', count: 'bigint' }, `${SELECT} WHERE id > q.after ORDER BY id LIMIT q.count`)
  const pageOfStatus = select(
    { status: 'text', after: 'bigint', count: 'bigint' },
    `${SELECT} WHERE ${OF_STATUS} ORDER BY status, id LIMIT q.count`
  )
  const insertPet = insert('pets', { name: 'text', category_id: 'bigint', status: 'text' })

  return {
    list: async ({ after, limit: count, status }) => {
      const rows = await (status === undefined ? page({ after, count }) : pageOfStatus({ status, after, count }))
      return rows.map(toPet)
    },

    get: async id => {
      const [row] = await byId({ id })
      return row && toPet(row)
    },

    create: async ({ name, categoryId, status }, once) => ({
      id: await insertPet({ name, category_id: categoryId, status }, once),
      name,
      categoryId,
      status
    })
  }
}
