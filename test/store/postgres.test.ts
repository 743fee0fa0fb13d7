import t, { type Test } from 'tap'
import { openPostgres } from '../../src/engine/store/postgres/postgres.ts'
import type { AnimalStore } from '../../src/store/animal-store.ts'
import { animalPostgresSchema } from '../../src/store/postgres/schema.ts'
import { keySuite } from '../engine/store/keys.suite.ts'
import { newDatabase } from '../engine/store/new-database.ts'
import { storeSuite } from './pets.suite.ts'

const openStore = async (t: Test): Promise<AnimalStore> =>
  openPostgres(animalPostgresSchema, { url: await newDatabase(t) })

t.test('in PostgreSQL', async t => {
  storeSuite(t, openStore)
  keySuite(t, openStore)
})
