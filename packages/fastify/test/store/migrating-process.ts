// node migrating-process.ts <path>: migrates, and never leaves the second step.
import { writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { migrate } from '../../src/store/sqlite/migrations.ts'
import { schema } from '../fixture-store.ts'

const db = new DatabaseSync(process.argv[2] ?? '')
db.exec('PRAGMA journal_mode = WAL')
db.function('stay', () => {
  writeSync(1, 'in the second step\n')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  return null
})
migrate(db, {
  ...schema,
  migrations: ['CREATE TABLE a (x)', 'INSERT INTO a VALUES (1); CREATE TABLE b (y); INSERT INTO a SELECT stay()']
})
