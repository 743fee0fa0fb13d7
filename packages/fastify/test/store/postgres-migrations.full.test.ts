import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import t, { type Test } from 'tap'
import { freePort } from '../../../../test/free-port.ts'
import { openPostgres, type PostgresOptions } from '../../src/store/postgres/postgres.ts'
import { engineTables, type PostgresSchema } from '../../src/store/postgres/schema.ts'
import { newDatabase } from './new-database.ts'
import { startPostgres } from './postgres-server.ts'

const schemaOf = (...steps: string[]): PostgresSchema => ({
  applicationId: 0x5468696e,
  migrations: [engineTables, ...steps],
  tables: () => ({})
})
const things = 'CREATE TABLE things (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY)'

/** Opens a store, closed with the test, and returns the versions it was migrated to. */
const open = async (t: Test, schema: PostgresSchema, options: PostgresOptions) => {
  const versions: number[] = []
  const store = await openPostgres(schema, { ...options, onMigration: version => versions.push(version) })
  t.teardown(() => store.close())
  return versions
}

const rowsOf = async (url: string, sql: string): Promise<unknown[]> => {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query(sql)
  await client.end()
  return rows
}

const tablesOf = (url: string) =>
  rowsOf(url, 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()')

t.test('if ten nodes start at once on an empty database, exactly one migrates it', async t => {
  const url = await newDatabase(t)
  const schema = schemaOf(things)
  const each = await Promise.all(Array.from({ length: 10 }, () => open(t, schema, { url })))
  t.strictSame(each.flat(), [1, 2])
  t.strictSame(await rowsOf(url, 'SELECT application_id, version FROM schema_version'), [
    { application_id: schema.applicationId, version: 2 }
  ])
  t.strictSame(await open(t, schemaOf(things, 'INSERT INTO things DEFAULT VALUES'), { url }), [3])
  t.strictSame(await rowsOf(url, 'SELECT id FROM things'), [{ id: '1' }], 'only missing migrations are applied')
})

// Errors that waiting cannot fix are reported at once.
const startupDeadlineMs = 1_000_000

t.test('a program that is too old, or of another service, is refused', async t => {
  const url = await newDatabase(t)
  await open(t, schemaOf(things), { url })
  const beginning = `cannot open the database ${url}: `
  await t.rejects(open(t, schemaOf(), { url, startupDeadlineMs }), {
    message: `${beginning}its version 2 is newer than this program, which supports up to 1`
  })
  await t.rejects(open(t, { ...schemaOf(things), applicationId: 1 }, { url, startupDeadlineMs }), {
    message: `${beginning}it belongs to another service`
  })
})

t.test('a migration that fails leaves nothing behind', async t => {
  const url = await newDatabase(t)
  await t.rejects(open(t, schemaOf(things, 'CREATE TABLE others (); DROP TABLE unknown'), { url, startupDeadlineMs }), {
    message: `cannot open the database ${url}: migration 3 failed: table "unknown" does not exist`
  })
  t.strictSame(await tablesOf(url), [])
  await rowsOf(url, 'CREATE TABLE keys (of_another_program int)')
  await t.rejects(open(t, schemaOf(), { url, startupDeadlineMs }), {
    message: /migration 1 failed: relation "keys" already exists/
  })
  t.strictSame(await tablesOf(url), [{ name: 'keys' }])
})

t.test('a database that accepts advisory locks but ignores them is refused, and gets no tables', async t => {
  // Stands in for such an engine: functions that shadow those of PostgreSQL.
  const ignoring = await newDatabase(t)
  const ofLocks = ['pg_advisory_xact_lock', 'pg_advisory_xact_lock_shared', 'pg_try_advisory_xact_lock']
  for (const name of ofLocks)
    await rowsOf(ignoring, `CREATE FUNCTION ${name}(int, int) RETURNS boolean LANGUAGE sql AS 'SELECT true'`)
  const url = ignoring.replace(/search_path%3D(\w+)/, '$&,pg_catalog')
  await t.rejects(open(t, schemaOf(things), { url, startupDeadlineMs }), {
    message: `cannot open the database ${url}: it accepts advisory locks but ignores them, so pages could skip what nodes add meanwhile`
  })
  t.strictSame(await tablesOf(ignoring), [])

  // Another engine might keep them without showing them.
  const silent = await newDatabase(t)
  await rowsOf(silent, 'CREATE VIEW pg_locks AS SELECT * FROM pg_catalog.pg_locks WHERE false')
  const shadowed = silent.replace(/search_path%3D(\w+)/, '$&,pg_catalog')
  t.strictSame(await open(t, schemaOf(things), { url: shadowed }), [1, 2])
})

t.test('a migration has no time limit, and other nodes wait for it', async t => {
  const url = await newDatabase(t)
  // Longer than any other statement may take.
  const schema = schemaOf(things, 'SELECT pg_sleep(3.5)')
  const each = await Promise.all([1, 2].map(() => open(t, schema, { url, startupDeadlineMs: 0 })))
  t.strictSame(each.flat(), [1, 2, 3])
})

t.test('a start waits for an unavailable database, but not forever', async t => {
  const server = await startPostgres()
  t.teardown(() => server.remove())
  await server.stop()
  const opening = open(t, schemaOf(), { url: server.url, startupDeadlineMs: 60_000 })
  await delay(300)
  await server.start()
  t.strictSame(await opening, [1])

  const ports = [await freePort(), await freePort()]
  for (const [host, known] of [
    [`127.0.0.1:${ports[0]}`, /ECONNREFUSED/],
    [`localhost:${ports[0]}`, /ECONNREFUSED/],
    [`127.0.0.1:${ports[0]},127.0.0.1:${ports[1]}`, /ECONNREFUSED/]
  ] as const) {
    const url = `postgres://shop:s%40cret@${host}/animals`
    const { message } = (await open(t, schemaOf(), { url, startupDeadlineMs: 200 }).catch(error => error)) as Error
    t.ok(message.startsWith(`cannot open the database postgres://shop@${host}/animals: `), message)
    t.match(message, known)
    t.notMatch(message, 'cret')
  }
})
