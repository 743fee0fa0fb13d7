import t from 'tap'
import { extent } from '../../../../test/extent.ts'
import { engineTables, postgresTables } from '../../src/index.ts'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { newDatabase } from './new-database.ts'
import { creation, definitions } from './orders.ts'
import { tableSuite } from './tables.suite.ts'

const schema = {
  applicationId: 0x4f726465,
  migrations: [engineTables, creation.postgres],
  tables: (access: Parameters<typeof postgresTables>[0]) => postgresTables(access, definitions)
}

t.test('in PostgreSQL', async t =>
  tableSuite(t, async t => openPostgres(schema, { url: await newDatabase(t) }), extent(50, 500))
)
