import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import t, { type Test } from 'tap'
import { type CopyEnd, copyAll } from '../packages/fastify/src/store/copy.ts'
import { withPostgres } from '../packages/fastify/src/store/postgres/copy-end.ts'
import { openPostgres } from '../packages/fastify/src/store/postgres/postgres.ts'
import { fromSqlite, intoSqlite } from '../packages/fastify/src/store/sqlite/copy-end.ts'
import { openDatabase } from '../packages/fastify/src/store/sqlite/database.ts'
import { openStore } from '../packages/fastify/src/store/sqlite/sqlite.ts'
import { newDatabase, serverUrl } from '../packages/fastify/test/store/new-database.ts'
import { animalPostgresSchema } from '../src/store/postgres/schema.ts'
import { animalSchema } from '../src/store/sqlite/schema.ts'
import { newPet } from './animals.ts'
import { command, migrations, unheard } from './backups.ts'
import { resultOf, run as runProcess, scriptPath, sendRequest, startServer } from './start-server.ts'

const copy = (t: Test, cwd: string, words: string[]) => resultOf(command(t, 'copy', cwd, words))

/** A service's file with animals, keys and idempotency keys; the rows with the highest ids have been deleted. */
const fill = (cwd: string, animals: number, name = 'a.db'): string => {
  const db = openDatabase(join(cwd, name), animalSchema)
  const run = (sql: string, ...values: (string | bigint | Uint8Array | null)[]) => db.prepare(sql).run(...values)
  db.exec('BEGIN')
  for (let i = 1n; i <= animals; i++)
    run(
      "INSERT INTO pets (name, category_id, status) VALUES (?, ?, 'sold')",
      `Ännchen "${i}", \\🐈 {NULL}`,
      i % 2n === 0n ? 2n ** 63n - 1n : -(2n ** 63n)
    )
  run('INSERT INTO pets (id, name, category_id, status) VALUES (?, ?, 0, ?)', 2n ** 52n, '', 'available')
  run('INSERT INTO pets (id, name, category_id, status) VALUES (?, ?, 0, ?)', 2n ** 53n - 10n, 'gone', 'available')
  run('DELETE FROM pets WHERE id = ?', 2n ** 53n - 10n)
  run('INSERT INTO keys VALUES (?, ?, ?, 1, 2, 3, 4, 5)', new Uint8Array(32), 'one', 'web')
  run(
    'INSERT INTO keys (digest, id, name) VALUES (?, ?, ?)',
    Uint8Array.from({ length: 32 }, (_, i) => 255 - i),
    'two',
    'é'
  )
  // In PostgreSQL's usual order, a comes before B.
  for (const [i, key] of ['B', 'a', 'é', 'Z "', ''].entries())
    run('INSERT INTO idempotency_keys VALUES (?, ?, ?, ?, ?)', 'one', key, new Uint8Array(32), BigInt(i + 1), 1n)
  db.exec('COMMIT')
  db.close()
  return `sqlite:${name}`
}

const query = async (url: string, text: string) => {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query({ text, rowMode: 'array' })
  await client.end()
  return rows
}

const inFile = <T>(path: string, work: (db: DatabaseSync) => T): T => {
  const db = new DatabaseSync(path)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

const rowsOf = (path: string) =>
  inFile(path, db =>
    ['pets', 'keys', 'idempotency_keys', 'sqlite_sequence'].map(table => {
      const all = db.prepare(`SELECT * FROM ${table}`)
      all.setReadBigInts(true)
      return all.all()
    })
  )

t.test('copy: from SQLite to PostgreSQL and back, everything is kept', async t => {
  const cwd = t.testdir()
  const from = fill(cwd, 20_000)
  const url = await newDatabase(t)
  const there = await copy(t, cwd, [from, url])
  t.match(there, { code: 0, stderr: '' })
  t.match(
    there.stdout,
    /^ {2}idempotency_keys {2}5 rows, SHA-256 [\da-f]{64}\n {2}keys +2 rows, [\s\S]*\n {2}pets +20001 rows/m
  )
  t.match(there.stdout, `  from              ${join(cwd, 'a.db')}\n  to                ${url}\n`)
  const back = await copy(t, cwd, [url, 'sqlite:b.db'])
  t.match(back, { code: 0, stderr: '' })
  t.strictSame(back.stdout.match(/[\da-f]{64}/g), there.stdout.match(/[\da-f]{64}/g))
  t.strictSame(rowsOf(join(cwd, 'b.db')), rowsOf(join(cwd, 'a.db')))

  t.comment('again: nothing is left to do')
  t.match((await copy(t, cwd, [from, url])).stdout, '20001 rows, 20001 of them from before')

  t.comment('the next id is greater than all that were ever assigned')
  const pet = newPet({ status: 'sold' })
  for (const store of [
    await openPostgres(animalPostgresSchema, { url }),
    openStore(animalSchema, { path: join(cwd, 'b.db') })
  ]) {
    t.equal((await store.pets.create(pet)).id, 2n ** 53n - 9n)
    await store.close()
  }
})

t.test('copy: a database in which no id was assigned', async t => {
  const cwd = t.testdir()
  openDatabase(join(cwd, 'a.db'), animalSchema).close()
  const url = await newDatabase(t)
  t.match(await copy(t, cwd, ['sqlite:a.db', url]), { code: 0 })
  t.match(await copy(t, cwd, [url, 'sqlite:b.db']), { code: 0, stdout: /pets +0 rows/ })
  const store = await openPostgres(animalPostgresSchema, { url })
  t.equal(await store.isNew(), true)
  t.equal((await store.pets.create(newPet())).id, 1n)
  await store.close()
})

t.test('copy: the service continues on the other database, with its keys', async t => {
  const cwd = t.testdir()
  const url = await newDatabase(t)
  const pet = { method: 'POST', body: '{"name":"Rex","categoryId":9007199254740993}' }
  let [env, key] = [{ DATABASE_URL: 'sqlite:a.db' }, '']
  for (const [i, next] of [url, 'sqlite:b.db', 'none'].entries()) {
    const server = await startServer(t, { cwd, env })
    key ||= server.key ?? ''
    t.match((await sendRequest(server, key, '/v1/pets', pet)).text, `"id":${i + 1},`)
    server.process.kill('SIGTERM')
    await server.ended
    if (next !== 'none') t.match(await copy(t, cwd, [env.DATABASE_URL, next]), { code: 0, stderr: '' })
    env = { DATABASE_URL: next }
  }
})

t.test('copy: killed halfway to PostgreSQL, the same command continues', async t => {
  const cwd = t.testdir()
  const from = fill(cwd, 20_000)
  const url = await newDatabase(t)
  await (await openPostgres(animalPostgresSchema, { url })).close()
  const gate = new pg.Client(url)
  t.teardown(() => gate.end())
  await gate.connect()
  await gate.query(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NEW; END $$;
    CREATE TRIGGER wait BEFORE INSERT ON pets FOR EACH ROW WHEN (NEW.id = 10500) EXECUTE FUNCTION wait();
    SELECT pg_advisory_lock(4711)`)
  const reached = async (condition: string) => {
    while ((await gate.query(condition)).rows.length === 0) await delay(20)
  }
  const waits = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted"

  const killed = command(t, 'copy', cwd, [from, url])
  await reached(waits)
  killed.process.kill('SIGKILL')
  await killed.ended
  t.strictSame(await query(url, 'SELECT count(*)::int FROM pets'), [[10_000]])

  t.comment('the insert of the killed command is still in progress; the next command waits for its end')
  const next = command(t, 'copy', cwd, [from, url])
  await reached(
    "SELECT 1 FROM pg_stat_activity WHERE application_name = 'copy' AND query LIKE '%pg_advisory_lock%' AND wait_event = 'advisory'"
  )
  await gate.query('SELECT pg_advisory_unlock(4711)')
  const result = await resultOf(next)
  t.match(result, { code: 0, stderr: '' })
  t.match(result.stdout, /pets +20001 rows, 1[01]000 of them from before/)

  t.comment('Ctrl-C, while PostgreSQL does not respond')
  await gate.query('TRUNCATE pets; SELECT pg_advisory_lock(4711)')
  const interrupted = command(t, 'copy', cwd, [from, url])
  await reached(waits)
  for (let i = 0; i < 2; i++) interrupted.process.kill('SIGINT')
  const { code, signal } = await interrupted.ended
  t.strictSame(interrupted.output(), {
    stdout: '',
    stderr: 'The copy is not complete: interrupted. Run the same command again to continue after the last copied row.\n'
  })
  // On a busy machine the second signal may come so late that Node.js, which is ending, no longer handles it.
  t.ok(code === 1 || signal === 'SIGINT', `code ${code}, signal ${signal}`)
  await gate.query('SELECT pg_advisory_unlock(4711)')
  t.match(await copy(t, cwd, [from, url]), { code: 0, stderr: '' })
})

t.test('copy: killed halfway to SQLite, the same command continues', async t => {
  const cwd = t.testdir()
  const url = await newDatabase(t)
  t.match(await copy(t, cwd, [fill(cwd, 20_000), url]), { code: 0 })
  const path = join(cwd, 'b.db')
  const db = openDatabase(path, animalSchema)
  t.teardown(() => db.close())
  // Never ends.
  db.exec(`CREATE TRIGGER wait BEFORE INSERT ON pets WHEN NEW.id = 10500 BEGIN
    SELECT count(*) FROM (WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n); END`)
  const count = db.prepare('SELECT count(*) AS n FROM pets')
  const killed = command(t, 'copy', cwd, [url, 'sqlite:b.db'])
  while (count.get()?.n !== 10_000) await delay(20)
  killed.process.kill('SIGKILL')
  await killed.ended
  db.exec('DROP TRIGGER wait')
  const result = await copy(t, cwd, [url, 'sqlite:b.db'])
  t.match(result, { code: 0, stderr: '' })
  t.match(result.stdout, /pets +20001 rows, 10000 of them from before/)
})

t.test('copy: from file to file, it can be interrupted, too', async t => {
  const cwd = t.testdir()
  fill(cwd, 20_000)
  const path = join(cwd, 'b.db')
  const copyFile = (signal: AbortSignal) =>
    fromSqlite(join(cwd, 'a.db'), animalSchema, source =>
      intoSqlite(path, animalSchema, target => copyAll(source, target, { signal }))
    )
  const controller = new AbortController()
  setImmediate(() => controller.abort(new Error('interrupted')))
  await t.rejects(copyFile(controller.signal), { message: 'interrupted' })
  t.match(
    inFile(path, db => db.prepare('SELECT count(*) AS n FROM pets').get()),
    { n: 0 }
  )
  await copyFile(unheard)
  t.strictSame(rowsOf(path), rowsOf(join(cwd, 'a.db')))
})

t.test('copy: the comparison finds a row that the target has changed', async t => {
  const cwd = t.testdir()
  const from = fill(cwd, 2500)
  const url = await newDatabase(t)
  await (await openPostgres(animalPostgresSchema, { url })).close()
  await query(
    url,
    `CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN NEW.name = 'Bello'; RETURN NEW; END $$;
     CREATE TRIGGER spoil BEFORE INSERT ON pets FOR EACH ROW WHEN (NEW.id = 1234) EXECUTE FUNCTION spoil()`
  )
  const { code, stdout, stderr } = await copy(t, cwd, [from, url])
  t.equal(code, 1)
  t.equal(stdout, '')
  t.match(
    stderr,
    /^The copy is not complete: pets differs, first at id 1234: .*a\.db has 2501 rows with the digest \w{64}, and postgres:.* 2501 rows with the digest \w{64}\.\n$/
  )
})

t.test('copy: a target with other rows than those of an earlier run is refused', async t => {
  const cwd = t.testdir()
  const from = fill(cwd, 2500)
  const url = await newDatabase(t)
  t.match(await copy(t, cwd, [from, url]), { code: 0 })
  const changes = {
    "UPDATE pets SET name = 'Bello' WHERE id = 2345": 'in pets at id 2345',
    'DELETE FROM pets WHERE id = 17': 'in pets at id 18',
    "INSERT INTO keys (digest, id, name) VALUES (sha256('x'), 'x', 'x')": 'in keys at digest x2d711642',
    "INSERT INTO pets (name, category_id, status) VALUES ('x', 1, 'x')": `in pets at id ${2n ** 53n - 9n}`
  }
  for (const [change, where] of Object.entries(changes)) {
    const other = await newDatabase(t)
    t.match(await copy(t, cwd, [from, other]), { code: 0 })
    await query(other, change)
    const { code, stderr } = await copy(t, cwd, [from, other])
    t.equal(code, 1)
    t.match(stderr, 'The copy is not complete: ')
    t.match(stderr, where)
    t.match(stderr, ': copy into a new database.\n')
  }
})

t.test('copy: a source that is written to during the copy is reported', async t => {
  const cwd = t.testdir()
  const url = await newDatabase(t)
  t.match(await copy(t, cwd, [fill(cwd, 1500), url]), { code: 0 })
  const changes = {
    "UPDATE keys SET last_used_at = 99 WHERE id = 'one'": 'keys',
    "INSERT INTO pets (name, category_id, status) VALUES ('x', 1, 'x')": 'pets',
    "DELETE FROM idempotency_keys WHERE key = 'a'": 'idempotency_keys',
    "INSERT INTO pets (name, category_id, status) VALUES ('y', 1, 'y'); DELETE FROM pets WHERE name = 'y'": 'pets'
  }
  const options = { signal: unheard }
  for (const [change, table] of Object.entries(changes)) {
    const path = join(cwd, `${Object.keys(changes).indexOf(change)}.db`)
    const run = withPostgres(animalPostgresSchema, { url, isTarget: false, ...options }, source =>
      intoSqlite(path, animalSchema, target => {
        let isChanged = false
        const changing: CopyEnd = {
          ...source,
          batches: async function* (table, size) {
            yield* source.batches(table, size)
            // The last table; then the comparison begins.
            if (table.name === 'pets' && !isChanged) await query(url, change)
            isChanged ||= table.name === 'pets'
          }
        }
        return copyAll(changing, target, options)
      })
    )
    await t.rejects(run, { name: 'Mismatch', message: `was written meanwhile, in ${table}: stop what writes to it` })
  }
})

t.test('copy: columns of all types, and tables that differ', async t => {
  const url = await newDatabase(t)
  const cwd = t.testdir()
  const schemas = (sqlite: string, postgres: string) => ({
    sqlite: { ...animalSchema, migrations: [...migrations, sqlite] },
    postgres: { ...animalPostgresSchema, migrations: [...animalPostgresSchema.migrations, postgres] }
  })
  const { sqlite, postgres } = schemas(
    'CREATE TABLE many (a INTEGER, b REAL, c BLOB, d TEXT, e INTEGER, f TEXT, g TEXT, "Order" INTEGER, PRIMARY KEY (d, a)) STRICT',
    'CREATE TABLE many (a int, b float8, c bytea, d varchar(9), e boolean, f text, g json, "Order" smallint, PRIMARY KEY (d, a))'
  )
  const [a, b] = [join(cwd, 'a.db'), join(cwd, 'b.db')]
  const db = openDatabase(a, sqlite)
  db.exec(`INSERT INTO many VALUES (1, 0.1, x'00ff', 'B', 1, NULL, '[1,{"a":9007199254740993}]', -7), (-2, -1e300, x'', 'a', 0, '', '{ }', NULL),
    (3, NULL, NULL, 'a', NULL, 'x', NULL, 1)`)
  const before = db.prepare('SELECT * FROM many').all()
  db.close()
  const options = { signal: unheard }
  await fromSqlite(a, sqlite, source =>
    withPostgres(postgres, { url, isTarget: true, ...options }, async target => {
      t.match(await copyAll(source, target, options), [{}, {}, { table: 'many', rows: 3 }, {}])
    })
  )
  t.strictSame(await query(url, 'SELECT b, c, e FROM many WHERE a = 1'), [[0.1, Buffer.of(0, 255), true]])
  await withPostgres(postgres, { url, isTarget: false, ...options }, source =>
    intoSqlite(b, sqlite, async target => {
      await copyAll(source, target, options)
    })
  )
  t.strictSame(
    inFile(b, db => db.prepare('SELECT * FROM many').all()),
    before
  )

  const refused: [string, string, RegExp][] = [
    ['CREATE TABLE x (a INTEGER PRIMARY KEY)', 'SELECT', /the tables differ: .*\.db has x \(a; key: a\)$/],
    ['SELECT 1', 'CREATE TABLE x (a int)', /the tables differ: postgres:.* has x \(a; key: \)$/],
    ['CREATE TABLE x (a INTEGER)', 'CREATE TABLE x (a int)', /the table x has no primary key$/],
    ['CREATE TABLE x (a TEXT PRIMARY KEY)', 'CREATE TABLE x (a json, PRIMARY KEY (a))', /migration \d+ failed: .*json/],
    [
      'CREATE TABLE x (a TEXT PRIMARY KEY)',
      'CREATE TABLE x (a uuid PRIMARY KEY)',
      /x\.a has the type uuid, which cannot be copied; it can if it is one of bigint, .*, json, /
    ],
    [
      'CREATE TABLE zz (a INTEGER PRIMARY KEY, b TEXT)',
      "CREATE TABLE zz (a int PRIMARY KEY, b jsonb); INSERT INTO keys (digest, id, name) VALUES (sha256(''), 'a', 'a')",
      // Refused before any row is copied, since keys would differ, too.
      /^zz\.b has the type jsonb, which cannot be copied/
    ]
  ]
  for (const [i, [first, second, message]] of refused.entries()) {
    const { sqlite, postgres } = schemas(first, second)
    const path = join(cwd, `refused-${i}.db`)
    openDatabase(path, sqlite).close()
    const url = await newDatabase(t)
    const run = fromSqlite(path, sqlite, source =>
      withPostgres(postgres, { url, isTarget: true, ...options }, target => copyAll(source, target, options))
    )
    await t.rejects(run, { message })
  }
})

t.test('copy: the file of the source stays as it is, to the byte, and nobody else can open it meanwhile', async t => {
  const cwd = t.testdir()
  const from = fill(cwd, 3)
  const path = join(cwd, 'a.db')
  for (const mode of ['wal', 'delete']) {
    inFile(path, db => db.exec(`PRAGMA journal_mode = ${mode}`))
    const before = readFileSync(path)
    await fromSqlite(path, animalSchema, async () => {
      t.throws(() => inFile(path, db => db.exec('SELECT * FROM pets')), { message: 'database is locked' }, mode)
    })
    t.match(await copy(t, cwd, [from, `sqlite:${mode}.db`]), { code: 0, stderr: '' })
    t.ok(readFileSync(path).equals(before), mode)
    t.strictSame(
      readdirSync(cwd).filter(name => name.startsWith('a.db')),
      ['a.db']
    )
  }
})

// Mounts in the command's own namespace, if that is allowed.
const readOnly = ['-rm', 'sh', '-c', 'mount --bind data data && mount -o remount,ro,bind data && exec "$0" "$@"']
const canMount = spawnSync('unshare', [...readOnly, 'true'], { cwd: t.testdir({ data: {} }) }).status === 0

t.test(
  'copy, backup, restore: from a read-only file system, unless a service may have the database open',
  canMount ? {} : { skip: 'no file system may be mounted here' },
  async t => {
    const cwd = t.testdir({ data: {} })
    fill(join(cwd, 'data'), 3, 'animals.db')
    const path = join(cwd, 'data', 'animals.db')
    inFile(path, db => db.exec('PRAGMA journal_mode = WAL'))
    const run = async (script: string, words: string[], env = {}) =>
      resultOf(
        runProcess(t, 'unshare', [...readOnly, process.execPath, scriptPath('src/main.js'), script, ...words], {
          cwd,
          env
        })
      )
    t.match(await run('copy', ['sqlite:data/animals.db', 'sqlite:b.db']), { code: 0, stderr: '' })
    t.strictSame(rowsOf(join(cwd, 'b.db')), rowsOf(path))
    t.match(await run('backup', ['c.db']), { code: 0, stderr: '' })
    t.match(await run('restore', ['data/animals.db'], { DATABASE_URL: 'sqlite:d.db' }), { code: 0 })
    t.strictSame(rowsOf(join(cwd, 'd.db')), rowsOf(path))

    const service = openStore(animalSchema, { path })
    for (const [script, words] of [
      ['copy', ['sqlite:data/animals.db', 'sqlite:e.db']],
      ['backup', ['e.db']]
    ] as const)
      t.match(await run(script, [...words]), {
        code: 1,
        stderr: /there is .*animals\.db-wal, and the file system is read-only: stop the service/
      })
    await service.close()
  }
)

t.test('copy: what cannot be copied is refused, and no password is printed', async t => {
  const cwd = t.testdir({ 'text.db': 'These are my notes.', 'empty.db': '' })
  const from = fill(cwd, 3)
  inFile(join(cwd, 'old.db'), db =>
    db.exec(`${migrations[0]}; PRAGMA user_version = 1; PRAGMA application_id = ${animalSchema.applicationId}`)
  )
  const [url, empty] = [await newDatabase(t), await newDatabase(t)]
  await query(empty, 'SELECT 1')
  const old = await newDatabase(t)
  await query(
    old,
    `CREATE TABLE schema_version (application_id int, version int); INSERT INTO schema_version VALUES (${animalSchema.applicationId}, 0)`
  )
  const foreign = await newDatabase(t)
  await query(
    foreign,
    'CREATE TABLE schema_version (application_id int, version int); INSERT INTO schema_version VALUES (1, 1)'
  )
  const secret = (text: string) => text.replace('://postgres@', '://postgres:secret@')
  const nowhere = 'postgres://someone:secret@127.0.0.1:1/animals'
  const none = new URL(secret(await serverUrl()))
  none.pathname = '/nowhere'
  const refused: [string[], number, RegExp][] = [
    [[], 2, /^Usage: npm run copy -- FROM_URL TO_URL/],
    [[from], 2, /^Usage/],
    [[from, url, url], 2, /^Usage/],
    [['--force', from, url], 2, /^Unknown option '--force'.*\n\nUsage/s],
    [[from, from], 2, /^FROM_URL and TO_URL are the same database\.\n$/],
    [[from, 'sqlite:./a.db'], 2, /are the same database/],
    [[url, url], 2, /are the same database/],
    [['sqlite::memory:', url], 2, /^sqlite::memory: is lost/],
    [[from, 'sqlite::memory:'], 2, /^sqlite::memory: is lost/],
    [[from, 'mysql://me:secret@one/animals'], 2, /^"mysql:\/\/me@one\/animals" must be sqlite:PATH or/],
    [[from, 'postgres://me:se/secret@one/animals'], 2, / of the password are not percent-encoded\.\n/],
    [['sqlite:none.db', url], 1, /^There is no database .*none\.db\.\n$/],
    [['sqlite:text.db', url], 1, /^Nothing was copied: text\.db cannot be used: file is not a database\n$/],
    [['sqlite:empty.db', url], 1, /^Nothing was copied: empty\.db cannot be used: it is empty\n$/],
    [
      ['sqlite:old.db', url],
      1,
      /^Nothing was copied: .*old\.db has version 1, but this program needs \d: start the service/
    ],
    [[secret(empty), 'sqlite:b.db'], 1, /^Nothing was copied: postgres:.*: there is no store in this database\n$/],
    [[foreign, 'sqlite:b.db'], 1, /: it belongs to another service\n$/],
    [[from, foreign], 1, /: it belongs to another service\n$/],
    [[from, nowhere], 1, /^Nothing was copied: postgres:\/\/someone@127\.0\.0\.1:1\/animals: .*ECONNREFUSED/],
    [[from, none.href], 1, /^Nothing was copied: postgres:.*: database "nowhere" does not exist\n$/]
  ]
  for (const [words, code, message] of refused) {
    const result = await copy(t, cwd, words)
    t.match(result, { code, stdout: '' }, words.join(' '))
    t.match(result.stderr, message)
    t.notMatch(result.stderr, /secret/)
  }
  t.strictSame(
    await query(url, 'SELECT count(*)::int FROM pg_class WHERE relnamespace = current_schema()::regnamespace'),
    [[0]]
  )

  t.comment('a source that is in use')
  const server = await startServer(t, { cwd, env: { DATABASE_URL: from } })
  t.match(await copy(t, cwd, [from, url]), {
    code: 1,
    stderr: /^Nothing was copied: .*a\.db is in use: stop the service first\n$/
  })
  t.equal((await sendRequest(server, undefined, '/v1/pets')).status, 401)
  server.process.kill('SIGTERM')
  await server.ended
  t.match(await copy(t, cwd, [from, url]), { code: 0 })
})
