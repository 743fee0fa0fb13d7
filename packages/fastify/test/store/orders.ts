import { createTable, defineTable, type Once, type Store, sqliteTables, type TablesOf } from '../../src/index.ts'
import type { Schema } from '../../src/store/sqlite/schema.ts'
import { schema as fixtureSchema } from '../fixture-store.ts'

export interface Order {
  id: bigint
  /** A name that a table of the engine has, too. */
  owner: string
  'placed-at': string
  /** A name that SQL has a use for. */
  group: number
  total: number
  isPaid: boolean
  discount: number | null
  note?: string
  tags: bigint[]
  address?: { street: string; plot: bigint; size: number; parts: { plot: bigint | null; n: number[] }[] }
}

interface Line {
  id: bigint
  orderId: bigint
  n: bigint
  quantity: number
}

const orders = defineTable<Order>()({
  name: 'orders',
  columns: {
    id: 'bigint',
    owner: 'text',
    'placed-at': 'timestamp',
    group: { type: 'integer', default: 7, check: '"group" <> 13' },
    total: 'real',
    isPaid: { type: 'boolean', default: false },
    discount: { type: 'real', nullable: true },
    note: { type: 'text', optional: true },
    tags: { type: 'json', bigints: ['tags'] },
    address: { type: 'json', optional: true, bigints: ['plot'] }
  },
  filters: ['isPaid', 'note'],
  orders: ['owner', '-placed-at', 'placed-at', '-id', 'isPaid', '-group', 'total']
})

const lines = defineTable<Line>()({
  name: 'order_lines',
  columns: {
    id: 'bigint',
    orderId: 'bigint',
    n: 'bigint',
    quantity: { type: 'integer', check: 'quantity > 0' }
  },
  filters: ['orderId']
})

export const definitions = { orders, lines }
const created = [createTable(orders), createTable(lines)]
/** Creates the tables, in each database. */
export const creation = {
  sqlite: created.map(({ sqlite }) => sqlite).join('\n'),
  postgres: created.map(({ postgres }) => postgres).join('\n')
}

export type OrderStore = Store & TablesOf<typeof definitions>
export type NewOrder = Omit<Order, 'id'>

export const order: NewOrder = {
  owner: 'Ann',
  'placed-at': '2026-11-27T10:00:00.123Z',
  group: 1,
  total: 1.5,
  isPaid: false,
  discount: null,
  tags: []
}

/** The tables in SQLite. */
export const schema: Schema<TablesOf<typeof definitions>> = {
  ...fixtureSchema,
  migrations: [...fixtureSchema.migrations, creation.sqlite],
  tables: access => sqliteTables(access, definitions)
}

/** An order with a line of each quantity, in one transaction. */
export const createWithLines = (store: OrderStore, quantities: readonly number[], once?: Once): Promise<bigint> =>
  store.transaction(function* (tx) {
    const { id } = yield* tx.orders.create(order)
    for (const quantity of quantities) yield* tx.lines.create({ orderId: id, n: 2n ** 60n, quantity })
    return id
  }, once)
