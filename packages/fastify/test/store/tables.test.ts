import { join } from 'node:path'
import t from 'tap'
import { extent } from '../../../../test/extent.ts'
import { sqliteTables } from '../../src/index.ts'
import type { Schema } from '../../src/store/sqlite/schema.ts'
import { openStore } from '../../src/store/sqlite/sqlite.ts'
import type { TablesOf } from '../../src/store/table.ts'
import { schema as fixtureSchema } from '../fixture-store.ts'
import { creation, definitions, tableSuite } from './tables.suite.ts'

export const schema: Schema<TablesOf<typeof definitions>> = {
  ...fixtureSchema,
  migrations: [...fixtureSchema.migrations, creation.sqlite],
  tables: access => sqliteTables(access, definitions)
}

t.test('a table that is missing is refused at the start, with the migrations that create it', async t => {
  const open = () => openStore({ ...schema, migrations: fixtureSchema.migrations }, { path: ':memory:' })
  t.throws(open, { message: /^the definition of orders does not fit: no such table: orders\. / })
  t.throws(open, { message: /"placed_at" INTEGER NOT NULL,.* "is_paid" boolean NOT NULL DEFAULT false,/s })
})

t.test('in SQLite', async t =>
  tableSuite(t, t => openStore(schema, { path: join(t.testdir(), 'orders.db') }), extent(100, 2000))
)
