import { join } from 'node:path'
import t from 'tap'
import { extent } from '../../../../test/extent.ts'
import { openStore } from '../../src/store/sqlite/sqlite.ts'
import { schema as fixtureSchema } from '../fixture-store.ts'
import { schema } from './orders.ts'
import { tableSuite } from './tables.suite.ts'

t.test('a table that is missing is refused at the start, with the migrations that create it', async t => {
  const open = () => openStore({ ...schema, migrations: fixtureSchema.migrations }, { path: ':memory:' })
  t.throws(open, { message: /^the definition of orders does not fit: no such table: orders\. / })
  t.throws(open, { message: /"placed-at" INTEGER NOT NULL,.* "is_paid" boolean NOT NULL DEFAULT false,/s })
})

t.test('in SQLite', async t =>
  tableSuite(t, t => openStore(schema, { path: join(t.testdir(), 'orders.db') }), extent(100, 2000))
)
