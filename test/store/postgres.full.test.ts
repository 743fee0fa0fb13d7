import t, { type Test } from 'tap'
import { keySuite } from '../../packages/fastify/test/store/keys.suite.ts'
import { newDatabase } from '../../packages/fastify/test/store/new-database.ts'
import { openPostgresStore } from '../open-store.ts'
import { storeSuite } from './pets.suite.ts'

const openStore = async (t: Test) => openPostgresStore({ url: await newDatabase(t) })

const databases = new WeakMap<Test, Promise<string>>()

/** A store in the test's own database. */
const openAgain = async (t: Test) => {
  const database = databases.get(t) ?? newDatabase(t)
  databases.set(t, database)
  return openPostgresStore({ url: await database })
}

t.test('in PostgreSQL', async t => {
  storeSuite(t, openAgain, openAgain)
  keySuite(t, openStore)
})
