import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { backUp, restore as restoreFrom } from '../src/engine/store/sqlite/backup.ts'
import { openDatabase } from '../src/engine/store/sqlite/database.ts'
import { migrate } from '../src/engine/store/sqlite/migrations.ts'
import { animalSchema } from '../src/store/sqlite/schema.ts'
import {
  ask,
  projectFolder,
  type Running,
  resultOf,
  run,
  type Server,
  scriptPath,
  startServer
} from './start-server.ts'

const { migrations } = animalSchema

const command = (t: Test, script: string, cwd: string, words: string[], env: Record<string, string> = {}): Running =>
  run(t, process.execPath, [scriptPath(`src/${script}.ts`), ...words], { cwd, env })

const backup = (t: Test, cwd: string, words: string[], env?: Record<string, string>) =>
  resultOf(command(t, 'backup', cwd, words, env))
const restore = (t: Test, cwd: string, words: string[], env?: Record<string, string>) =>
  resultOf(command(t, 'restore', cwd, words, env))

/** In the folder's `data`, as the service has it by default. */
const newDatabase = (cwd: string, animals: number): string => {
  const path = join(cwd, 'data', 'animals.db')
  const db = openDatabase(path, animalSchema)
  addAnimals(db, animals)
  db.close()
  return path
}

const addAnimals = (db: DatabaseSync, animals: number) => {
  const insert = db.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, 1, 'sold')")
  db.exec('BEGIN')
  for (let i = 1; i <= animals; i++) insert.run(`Animal ${i}`)
  db.exec('COMMIT')
}

/** Of what nobody interrupts. */
const unheard = new AbortController().signal

const look = <T>(path: string, work: (db: DatabaseSync) => T): T => {
  const db = new DatabaseSync(path, { timeout: 60_000 })
  try {
    return work(db)
  } finally {
    db.close()
  }
}

const idsIn = (path: string) =>
  look(path, db => db.prepare('SELECT id FROM pets ORDER BY id').all()).map(row => Number(row.id))
const digestOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')

const create = async (server: Server, key: string | undefined, name: string) => {
  const body = JSON.stringify({ name, categoryId: 1 })
  const { status, text } = await ask(server, key, '/v1/pets', { method: 'POST', body })
  return { status, id: Number(JSON.parse(text).id) }
}

const end = async (server: Server) => {
  server.process.kill('SIGTERM')
  await server.ended
}

/** Creates in the given number of connections until told to stop; finds the id of each animal as it is acknowledged. */
const createMany = (server: Server, connections: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const acknowledged: number[] = []
  let isOver = false
  let wake = () => {}
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' }
  const createOne = () =>
    new Promise<void>((resolve, reject) => {
      const req = request(`${server.origin}/v1/pets`, { method: 'POST', agent, headers }, async res => {
        const body = await text(res)
        if (res.statusCode === 201) acknowledged.push(JSON.parse(body).id)
        else t.fail(`${res.statusCode} ${body}`)
        wake()
        resolve()
      })
      req.on('error', reject).end('{"name":"Rex","categoryId":1}')
    })
  const workers = Array.from({ length: connections }, async () => {
    while (!isOver) await createOne()
  })
  return {
    acknowledged,
    atLeast: async (count: number) => {
      while (acknowledged.length < count)
        await new Promise<void>(resolve => {
          wake = resolve
        })
    },
    stop: async () => {
      isOver = true
      await Promise.all(workers)
      agent.destroy()
    }
  }
}

/** What is said of further tables, in which these tests keep nothing. */
const noOthers = Object.keys(animalSchema.counted)
  .filter(word => word !== 'animals')
  .map(word => `  ${word.padEnd(10)}0\n`)
  .join('')

t.test('backup', async t => {
  t.test('while the service takes creates: all of one moment, and nothing acknowledged before is missing', async t => {
    const cwd = t.testdir()
    newDatabase(cwd, 200_000)
    const server = await startServer(t, { cwd, env: { LOG_LEVEL: 'fatal' } })
    const load = createMany(server, 16)
    for (const name of ['one.db', 'two.db']) {
      await load.atLeast(load.acknowledged.length + 300)
      const before = [...load.acknowledged]
      const { code, stdout, stderr } = await backup(t, cwd, [name])
      t.equal(stderr, '')
      t.equal(code, 0)
      const meanwhile = load.acknowledged.slice(before.length)
      t.comment(`${before.length} acknowledged before, ${meanwhile.length} meanwhile`)
      t.ok(meanwhile.length > 0, 'the service has gone on')

      const path = join(cwd, name)
      t.equal(statSync(path).mode & 0o777, 0o600)
      t.strictSame(
        readdirSync(cwd).filter(file => file.startsWith('.') || file.startsWith(`${name}-`)),
        [],
        'one file, and nothing left over'
      )
      const ids = idsIn(path)
      // Ids are given in the order of the commits, so those of one moment have no gap.
      t.equal(ids.at(-1), ids.length)
      t.equal(Math.max(...before) <= ids.length, true, 'none of those from before is missing')
      look(path, db => {
        t.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok')
        t.equal(db.prepare('PRAGMA journal_mode').get()?.journal_mode, 'delete', 'reading it adds no file')
      })
      t.strictSame(
        stdout,
        `  backup    ${path}
  animals   ${ids.length}
${noOthers}  keys      1
  version   ${migrations.length}
  bytes     ${statSync(path).size}
`
      )
    }
    await load.stop()
    await end(server)
    t.equal(new Set(load.acknowledged).size, load.acknowledged.length)
  })

  t.test('of a log that has grown large: what it holds is in the one file', async t => {
    const cwd = t.testdir()
    const path = newDatabase(cwd, 10)
    // A reader that stays where it is: nothing can be moved from the log into the database.
    const reader = new DatabaseSync(path)
    t.teardown(() => reader.close())
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM pets').get()
    const db = openDatabase(path, animalSchema)
    t.teardown(() => db.close())
    for (let i = 0; i < 10; i++) addAnimals(db, 30_000)
    t.ok(statSync(`${path}-wal`).size > 10_000_000)
    const before = digestOf(path)
    const { code, stdout } = await backup(t, cwd, ['copy.db'])
    t.equal(code, 0)
    t.match(stdout, '  animals   300010\n')
    t.equal(idsIn(join(cwd, 'copy.db')).length, 300_010)
    t.equal(digestOf(path), before, 'the database itself is as it was')
  })

  t.test('of a service that was killed: what its log holds is in the copy', async t => {
    const cwd = t.testdir()
    const server = await startServer(t, { cwd })
    for (const name of ['Rex', 'Bello']) await create(server, server.key, name)
    server.process.kill('SIGKILL')
    await server.ended
    t.ok(existsSync(join(cwd, 'data', 'animals.db-wal')))
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    t.strictSame(idsIn(join(cwd, 'copy.db')), [1, 2])
    t.strictSame(readdirSync(join(cwd, 'data')), ['animals.db'], 'as an orderly end leaves it')
  })

  t.test('a database of an older version is copied as it is', async t => {
    const cwd = t.testdir()
    look(join(cwd, 'old.db'), db => migrate(db, { ...animalSchema, migrations: migrations.slice(0, 1) }))
    const { code, stdout } = await backup(t, cwd, ['copy.db'], { DATABASE_URL: 'sqlite:old.db' })
    t.equal(code, 0)
    t.match(stdout, '  version   1\n')

    const newer = {
      ...animalSchema,
      migrations: [...migrations, 'CREATE TABLE owners (id INTEGER PRIMARY KEY) STRICT']
    }
    const schema = { ...newer, counted: { ...animalSchema.counted, owners: 'owners' } }
    const { signal } = new AbortController()
    const { counts } = await backUp(join(cwd, 'old.db'), join(cwd, 'of-a-newer-program.db'), { schema, signal })
    t.strictSame(counts, { animals: 0 }, 'without the tables that it does not have yet')
  })

  t.test('through npm, as the texts say it', async t => {
    const cwd = t.testdir()
    const env = { DATABASE_URL: `sqlite:${newDatabase(cwd, 3)}` }
    const words = ['run', '-s', 'backup', '--', join(cwd, 'copy.db')]
    t.equal((await run(t, 'npm', words, { cwd: projectFolder, env }).ended).code, 0)
    t.strictSame(idsIn(join(cwd, 'copy.db')), [1, 2, 3])
  })

  t.test('no file is overwritten, least of all one of the database', async t => {
    const cwd = t.testdir({ 'there.db': 'precious', folder: {} })
    const path = newDatabase(cwd, 3)
    symlinkSync(join(cwd, 'nowhere'), join(cwd, 'dangling.db'))
    symlinkSync('data', join(cwd, 'link'))
    const before = digestOf(path)
    const refused = {
      'there.db': 'exists already',
      folder: 'exists already',
      'dangling.db': 'exists already',
      'data/animals.db': 'belongs to the database itself',
      'link/../data/animals.db': 'belongs to the database itself',
      'link/animals.db-wal': 'belongs to the database itself',
      'data/animals.db-shm': 'belongs to the database itself',
      'data/animals.db-journal': 'belongs to the database itself',
      'nowhere/copy.db': 'there is no folder'
    }
    for (const [file, reason] of Object.entries(refused))
      await t.rejects(backUp(path, join(cwd, file), { schema: animalSchema, signal: unheard }), {
        message: new RegExp(reason)
      })
    const { code, stdout, stderr } = await backup(t, cwd, ['there.db'])
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(stderr, /^No backup was made: .*there\.db exists already.*\n$/)
    t.strictSame(readdirSync(cwd).toSorted(), ['dangling.db', 'data', 'folder', 'link', 'there.db'])
    t.strictSame(readdirSync(join(cwd, 'data')), ['animals.db'])
    t.equal(digestOf(path), before)
    t.equal(readFileSync(join(cwd, 'there.db'), 'utf8'), 'precious')
  })

  t.test('what is not a whole database of ours is not called a backup', async t => {
    const cwd = t.testdir({ 'text.db': 'These are my notes. '.repeat(500), 'empty.db': '' })
    look(join(cwd, 'foreign.db'), db => db.exec('CREATE TABLE notes (text TEXT)'))
    copyFileSync(newDatabase(cwd, 5000), join(cwd, 'newer.db'))
    look(join(cwd, 'newer.db'), db => db.exec(`PRAGMA user_version = ${migrations.length + 1}`))
    copyFileSync(join(cwd, 'data', 'animals.db'), join(cwd, 'cut.db'))
    truncateSync(join(cwd, 'cut.db'), 40_000)
    damageIndex(join(cwd, 'data', 'animals.db'), join(cwd, 'damaged.db'))
    const files = readdirSync(cwd)
    const refused = {
      'text.db': /file is not a database/,
      'empty.db': /it is empty/,
      'foreign.db': /it belongs to another program/,
      'newer.db': /its version \d+ is newer than this program/,
      'cut.db': /malformed/,
      'damaged.db': /damaged\.db is damaged: .*index pets_by_status/
    }
    for (const [file, reason] of Object.entries(refused)) {
      await t.rejects(backUp(join(cwd, file), join(cwd, 'copy.db'), { schema: animalSchema, signal: unheard }), {
        message: reason
      })
      t.strictSame(readdirSync(cwd), files)
    }
    const { code, stdout, stderr } = await backup(t, cwd, ['copy.db'], { DATABASE_URL: 'sqlite:damaged.db' })
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(stderr, /^No backup was made: .*\/damaged\.db is damaged: .*\n$/)
    t.strictSame(readdirSync(cwd), files)
  })

  t.test('no database: it says which one was meant, and makes none', async t => {
    const cwd = t.testdir()
    const missing = await backup(t, cwd, ['copy.db'])
    t.equal(missing.code, 1)
    t.match(missing.stderr, /^There is no database data\/animals\.db; DATABASE_URL .*\n$/)
    const memory = await backup(t, cwd, ['copy.db'], { DATABASE_URL: 'sqlite::memory:' })
    t.equal(memory.code, 1)
    t.match(memory.stderr, /^DATABASE_URL is sqlite::memory:.*\n$/)
    const faulty = await backup(t, cwd, ['copy.db'], { DATABASE_URL: 'x', PORT: 'x' })
    t.equal(faulty.code, 1)
    t.match(faulty.stderr, /^PORT is "x".*\nDATABASE_URL is "x"/)
    t.strictSame(readdirSync(cwd), [])
  })

  t.test('any other words get the usage', async t => {
    const cwd = t.testdir()
    newDatabase(cwd, 1)
    for (const words of [[], ['one.db', 'two.db'], ['--force', 'one.db']]) {
      t.strictSame(await backup(t, cwd, words), { code: 2, stdout: '', stderr: 'Usage: npm run backup -- FILE\n' })
    }
    t.strictSame(readdirSync(cwd), ['data'])
  })

  t.test('interrupted: no part of a file is left', async t => {
    const cwd = t.testdir()
    makeLarge(newDatabase(cwd, 1))
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      const running = command(t, 'backup', cwd, ['copy.db'])
      await interrupt(running, cwd, signal)
      t.strictSame(await resultOf(running), { code: 1, stdout: '', stderr: 'No backup was made: interrupted\n' })
      t.strictSame(readdirSync(cwd), ['data'])
    }
  })

  t.test('a file that may not grow so far: no part of it is left', async t => {
    const cwd = t.testdir()
    newDatabase(cwd, 100_000)
    // dash counts 512 bytes, bash 1024.
    const limited = 'ulimit -f 2000; exec "$0" "$@"'
    const args = ['-c', limited, process.execPath, scriptPath('src/backup.ts'), 'copy.db']
    const { code, stdout, stderr } = await resultOf(run(t, 'sh', args, { cwd }))
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(stderr, /^No backup was made: .+\n$/)
    t.strictSame(readdirSync(cwd), ['data'])
  })

  // A small file system in a name space of the command's own, where that is allowed.
  const inSmallFolder = ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=1m none small && exec "$0" "$@"']
  const cwd = t.testdir({ small: {} })
  const canMount = spawnSync('unshare', [...inSmallFolder, 'true'], { cwd }).status === 0

  t.test(
    'a disk that is too small is not filled',
    canMount ? {} : { skip: 'no file system may be mounted here' },
    async t => {
      const cwd = t.testdir({ small: {} })
      newDatabase(cwd, 100_000)
      const args = [...inSmallFolder, process.execPath, scriptPath('src/backup.ts'), 'small/copy.db']
      const { code, stderr } = await resultOf(run(t, 'unshare', args, { cwd }))
      t.equal(code, 1)
      t.match(stderr, /^No backup was made: the copy takes \d+ bytes, and the file system of .*small has \d+ left\n$/)
    }
  )
})

/** Writes a copy whose index of the states lacks a row; all else is in order. */
const damageIndex = (path: string, copy: string) => {
  copyFileSync(path, copy)
  // A writable schema lets a row be added without its entry in the index.
  const db = new DatabaseSync(copy, { defensive: false })
  db.exec('PRAGMA journal_mode = DELETE; PRAGMA writable_schema = ON')
  const index = db.prepare("SELECT * FROM sqlite_schema WHERE name = 'pets_by_status'").get()
  db.exec("DELETE FROM sqlite_schema WHERE name = 'pets_by_status'")
  db.close()
  const without = new DatabaseSync(copy, { defensive: false })
  addAnimals(without, 1)
  without.exec('PRAGMA writable_schema = ON')
  without
    .prepare('INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)')
    .run(...['type', 'name', 'tbl_name', 'rootpage', 'sql'].map(column => index?.[column] ?? null))
  without.close()
}

/** So large that copying it takes a while. */
const makeLarge = (path: string) =>
  look(path, db => {
    db.exec('PRAGMA synchronous = OFF; BEGIN')
    const insert = db.prepare(
      "INSERT INTO pets (name, category_id, status) VALUES (printf('%.*c', 1000000, 'x'), 1, 'sold')"
    )
    for (let i = 0; i < 200; i++) insert.run()
    db.exec('COMMIT')
  })

/** Sends the signal as soon as something has been begun in the folder. */
const interrupt = async ({ process }: Running, folder: string, signal: NodeJS.Signals) => {
  while (!readdirSync(folder).some(file => file.startsWith('.partial-')) && process.exitCode === null) await nextTurn()
  process.kill(signal)
}

t.test('restore', async t => {
  t.test('the service serves what was backed up; ids go on, and what was revoked since stays so', async t => {
    const cwd = t.testdir()
    const first = await startServer(t, { cwd })
    const { key } = first
    const issued = await resultOf(command(t, 'keys', cwd, ['issue', '--name', 'web']))
    const web = issued.stdout.trim()
    for (const name of ['Rex', 'Bello 🐕']) t.equal((await create(first, key, name)).status, 201)
    const expected = await ask(first, key, '/v1/pets')
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    const since = await create(first, key, 'Mia')
    t.equal(since.id, 3)
    const { stdout: list } = await resultOf(command(t, 'keys', cwd, ['list', '--json']))
    const { id } = JSON.parse(list).find((each: { name: string }) => each.name === 'web')
    t.equal((await resultOf(command(t, 'keys', cwd, ['revoke', id]))).code, 0)
    await end(first)

    const backedUp = digestOf(join(cwd, 'copy.db'))
    const { code, stdout, stderr } = await restore(t, cwd, ['copy.db', '--replace'])
    t.equal(stderr, '')
    t.equal(code, 0)
    t.equal(digestOf(join(cwd, 'copy.db')), backedUp, 'the backup stays as it is')
    const [, kept = ''] = / {2}replaced {2}(.+)\n/.exec(stdout) ?? []
    t.match(stdout, `  database  ${join(cwd, 'data', 'animals.db')}\n  animals   2\n${noOthers}  keys      2\n`)
    t.strictSame(idsIn(kept), [1, 2, 3], 'what was replaced is kept')

    const second = await startServer(t, { cwd })
    t.equal(second.key, undefined)
    t.equal((await ask(second, key, '/v1/pets')).text, expected.text)
    t.equal((await create(second, key, 'Minka')).id, 4, 'an id that was given since is not given again')
    t.equal((await ask(second, web, '/v1/pets')).status, 401, 'nor is the key valid again that was revoked since')
    await end(second)
  })

  t.test('where there was nothing: it says what cannot be known any more', async t => {
    const cwd = t.testdir()
    const path = newDatabase(cwd, 3)
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    renameSync(path, join(cwd, 'lost.db'))
    const env = { DATABASE_URL: 'sqlite:some/new/place.db' }
    const { code, stdout, stderr } = await restore(t, cwd, ['copy.db'], env)
    t.equal(code, 0)
    t.notMatch(stdout, 'replaced')
    t.equal(
      stderr,
      `Ids given since the backup will be given again: there is no database that could be read.
Keys issued since the backup are gone, and keys revoked since are valid again: there is no database that could be read.
npm run keys -- list shows the keys.
`
    )
    t.strictSame(readdirSync(join(cwd, 'some', 'new')), ['place.db'])
    t.equal(statSync(join(cwd, 'some', 'new', 'place.db')).mode & 0o777, 0o600)
    const server = await startServer(t, { cwd, env })
    t.equal((await create(server, server.key, 'Rex')).id, 4)
  })

  t.test('of an older version: the next start brings it to the newest', async t => {
    const cwd = t.testdir()
    look(join(cwd, 'old.db'), db => {
      migrate(db, { ...animalSchema, migrations: migrations.slice(0, 1) })
      addAnimals(db, 3)
    })
    newDatabase(cwd, 5)
    const { code, stdout, stderr } = await restore(t, cwd, ['old.db', '--replace'])
    t.equal(code, 0)
    t.match(stdout, '  version   1\n')
    t.match(stderr, `the replaced database has version ${migrations.length}, the backup 1`)
    t.notMatch(stderr, 'Ids given')
    const server = await startServer(t, { cwd })
    t.equal((await create(server, server.key, 'Rex')).id, 6, 'ids are known in every version')
  })

  t.test('keys issued since the backup go on, and are named', async t => {
    const cwd = t.testdir()
    newDatabase(cwd, 1)
    const keys = (...words: string[]) => resultOf(command(t, 'keys', cwd, words))
    const idOf = async (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 12)
    const first = (await keys('issue', '--name', 'web')).stdout.trim()
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    const second = (await keys('rotate', await idOf(first), '--grace', '0')).stdout.trim()
    const third = (await keys('issue', '--name', 'for a day', '--expires', '1d')).stdout.trim()
    const fourth = (await keys('issue', '--name', 'short-lived')).stdout.trim()
    t.equal((await keys('revoke', await idOf(fourth))).code, 0)
    const { stdout: list } = await keys('list', '--json')

    const { code, stdout, stderr } = await restore(t, cwd, ['copy.db', '--replace'])
    t.equal(code, 0)
    t.equal(stderr, '')
    t.match(stdout, '  keys      4\n')
    const [, named = ''] =
      /\nKeys issued since the backup, which go on: 3\.\nnpm run keys -- revoke ID .*\n([\s\S]+)$/.exec(stdout) ?? []
    const expected = { [second]: 'web', [third]: 'for a day', [fourth]: 'short-lived' }
    const lines = await Promise.all(
      Object.entries(expected).map(async ([key, name]) => `  ${await idOf(key)}  ${name}`)
    )
    t.strictSame(named.trimEnd().split('\n').toSorted(), lines.toSorted())
    t.equal((await keys('list', '--json')).stdout, list, 'with all that is known of them')

    const server = await startServer(t, { cwd })
    t.equal(server.key, undefined)
    const status = async (key: string) => (await ask(server, key, '/v1/pets')).status
    t.strictSame(
      [await status(first), await status(second), await status(third), await status(fourth)],
      [401, 200, 200, 401]
    )
  })

  t.test('of another version: keys issued since cannot be taken over, and are named', async t => {
    const cwd = t.testdir()
    const path = newDatabase(cwd, 1)
    look(join(cwd, 'old.db'), db => migrate(db, { ...animalSchema, migrations: migrations.slice(0, 1) }))
    const insert = (db: DatabaseSync, number: number) =>
      db.prepare('INSERT INTO keys (digest) VALUES (?)').run(digest(number))
    const digest = (number: number) => new Uint8Array(32).fill(number)
    look(join(cwd, 'old.db'), db => insert(db, 1))
    look(path, db => {
      const issue = db.prepare('INSERT INTO keys (digest, id, name) VALUES (?, ?, ?)')
      issue.run(digest(1), 'a', 'in the backup')
      issue.run(digest(2), 'b', 'web\r\u001b[2K')
    })
    const older = await restore(t, cwd, ['old.db', '--replace'])
    t.equal(older.code, 0)
    t.equal(
      older.stderr,
      `Keys issued since the backup are gone, and keys revoked since are valid again: the replaced database has version ${migrations.length}, the backup 1.
npm run keys -- list shows the keys.
Keys that are gone: 1.
  b  web??[2K
`
    )
    newDatabase(join(cwd, 'new'), 1)
    const newer = await restore(t, cwd, ['new/data/animals.db', '--replace'])
    t.match(
      newer.stderr,
      /the replaced database has version 1, .*\n.*\nKeys that are gone: 1\.\n {2}010101010101 {2}unnamed\n$/
    )
  })

  t.test('of a time before the first animal: ids go on all the same', async t => {
    const cwd = t.testdir()
    const path = newDatabase(cwd, 0)
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    look(path, db => addAnimals(db, 7))
    t.strictSame((await restore(t, cwd, ['copy.db', '--replace'])).stderr, '')
    const server = await startServer(t, { cwd })
    t.equal((await create(server, server.key, 'Rex')).id, 8)
  })

  t.test('a later backup than what is there: nothing of it is taken back', async t => {
    const cwd = t.testdir()
    const path = newDatabase(cwd, 2)
    look(path, db => {
      const insert = db.prepare('INSERT INTO keys (digest, id, name, revoked_at, expires_at) VALUES (?, ?, ?, ?, ?)')
      insert.run(new Uint8Array(32).fill(1), 'a', 'revoked in the backup', null, null)
      insert.run(new Uint8Array(32).fill(2), 'b', 'shortened in the backup', null, 3000)
      insert.run(new Uint8Array(32).fill(3), 'c', 'shortened since', null, 1000)
      insert.run(new Uint8Array(32).fill(4), 'd', 'revoked in both', 1000, null)
    })
    copyFileSync(path, join(cwd, 'later.db'))
    look(join(cwd, 'later.db'), db => {
      addAnimals(db, 3)
      db.exec(`UPDATE keys SET revoked_at = 2000 WHERE id IN ('a', 'd');
        UPDATE keys SET expires_at = 2000 WHERE id = 'b'; UPDATE keys SET expires_at = NULL WHERE id = 'c'`)
    })
    t.equal((await restore(t, cwd, ['later.db', '--replace'])).code, 0)
    look(path, db => {
      t.equal(db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'pets'").get()?.seq, 5)
      t.strictSame(
        db
          .prepare('SELECT id, revoked_at, expires_at FROM keys ORDER BY id')
          .all()
          .map(row => Object.values(row)),
        [
          ['a', 2000, null],
          ['b', null, 2000],
          ['c', null, 1000],
          ['d', 2000, null]
        ]
      )
    })
  })

  t.test('a database that is there is not replaced unasked', async t => {
    const cwd = t.testdir()
    const path = newDatabase(cwd, 3)
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    const before = digestOf(path)
    const { code, stdout, stderr } = await restore(t, cwd, ['copy.db'])
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(stderr, /^Nothing was restored: .*animals\.db is there already; .*--replace.*\n$/)
    t.equal(digestOf(path), before)

    // A log without its database belongs to one that is gone; beside another it would be taken for that one's.
    renameSync(path, `${path}-wal`)
    const beside = await restore(t, cwd, ['copy.db'])
    t.equal(beside.code, 1)
    t.match(beside.stderr, /animals\.db-wal is there already/)
    const { stdout: done } = await restore(t, cwd, ['copy.db', '--replace'])
    const [, kept = ''] = / {2}replaced {2}(.+)\n/.exec(done) ?? []
    t.equal(digestOf(`${kept}-wal`), before)
    t.strictSame(idsIn(path), [1, 2, 3])
  })

  t.test('while the service has it open it is not replaced, and the service goes on', async t => {
    const cwd = t.testdir()
    const server = await startServer(t, { cwd })
    await create(server, server.key, 'Rex')
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    const { code, stdout, stderr } = await restore(t, cwd, ['copy.db', '--replace'])
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(stderr, /^Nothing was restored: .*animals\.db cannot be replaced: it is in use; end the service first\n$/)
    t.equal((await create(server, server.key, 'Bello')).status, 201)
    await end(server)
    t.strictSame(readdirSync(join(cwd, 'data')), ['animals.db'])
    t.strictSame(idsIn(join(cwd, 'data', 'animals.db')), [1, 2])
  })

  t.test('a damaged database is replaced too, and kept with what lies beside it', async t => {
    const cwd = t.testdir()
    const path = newDatabase(cwd, 3)
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    for (const damage of ['no database. '.repeat(1000), '']) {
      writeFileSync(path, damage)
      writeFileSync(`${path}-wal`, 'log')
      const { code, stdout, stderr } = await restore(t, cwd, ['copy.db', '--replace'])
      t.equal(code, 0)
      t.match(stderr, /^Ids given since/)
      const [, kept = ''] = / {2}replaced {2}(.+)\n/.exec(stdout) ?? []
      t.equal(readFileSync(kept, 'utf8'), damage)
      if (damage === '') t.equal(readFileSync(`${kept}-wal`, 'utf8'), 'log')
      t.equal(existsSync(`${path}-wal`), false)
      t.strictSame(idsIn(path), [1, 2, 3])
      for (const file of readdirSync(join(cwd, 'data')))
        if (file !== 'animals.db') renameSync(join(cwd, 'data', file), join(cwd, `${damage.length} ${file}`))
    }
  })

  t.test("another program's database and a folder are not replaced", async t => {
    const cwd = t.testdir({ folder: {} })
    newDatabase(cwd, 1)
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    look(join(cwd, 'foreign.db'), db => db.exec('CREATE TABLE notes (text TEXT)'))
    const before = digestOf(join(cwd, 'foreign.db'))
    for (const [file, reason] of Object.entries({
      'foreign.db': 'belongs to another program',
      folder: 'is a folder'
    })) {
      const options = { schema: animalSchema, replace: true, signal: unheard }
      await t.rejects(restoreFrom(join(cwd, 'copy.db'), join(cwd, file), options), {
        message: new RegExp(`${file} cannot be replaced: it ${reason}$`)
      })
    }
    t.equal(digestOf(join(cwd, 'foreign.db')), before)
    t.strictSame(readdirSync(cwd).toSorted(), ['copy.db', 'data', 'folder', 'foreign.db'])
  })

  t.test('what is no whole backup of ours is refused, and nothing is replaced', async t => {
    const cwd = t.testdir({ 'text.db': 'These are my notes. '.repeat(500), 'empty.db': '', folder: {} })
    const path = newDatabase(cwd, 5000)
    look(join(cwd, 'foreign.db'), db => db.exec('CREATE TABLE notes (text TEXT)'))
    t.equal((await backup(t, cwd, ['newer.db'])).code, 0)
    copyFileSync(join(cwd, 'newer.db'), join(cwd, 'cut.db'))
    truncateSync(join(cwd, 'cut.db'), 40_000)
    look(join(cwd, 'newer.db'), db => db.exec(`PRAGMA user_version = ${migrations.length + 1}`))
    damageIndex(path, join(cwd, 'damaged.db'))
    const refused = {
      'text.db': /text\.db cannot be used: file is not a database/,
      'empty.db': /empty\.db cannot be used: it is empty/,
      'foreign.db': /foreign\.db cannot be used: it belongs to another program/,
      'newer.db': /newer\.db cannot be used: its version \d+ is newer than this program/,
      'cut.db': /cut\.db cannot be used: database disk image is malformed/,
      'damaged.db': /damaged\.db is damaged: .*index pets_by_status/,
      'missing.db': /there is no file .*missing\.db/,
      'data/animals.db': /data\/animals\.db is the database itself/,
      'linked.db': /linked\.db is the database itself/,
      pipe: /pipe cannot be used: it is no file/,
      folder: /folder cannot be used: it is a folder/
    }
    linkSync(path, join(cwd, 'linked.db'))
    spawnSync('mkfifo', [join(cwd, 'pipe')])
    for (const [file, reason] of Object.entries(refused)) {
      const options = { schema: animalSchema, replace: true, signal: unheard }
      await t.rejects(restoreFrom(join(cwd, file), path, options), { message: reason })
      t.strictSame(readdirSync(join(cwd, 'data')), ['animals.db'])
    }
    const { code, stdout, stderr } = await restore(t, cwd, ['damaged.db', '--replace'])
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(stderr, /^Nothing was restored: .*\/damaged\.db is damaged: .*\n$/)
    t.equal(idsIn(path).length, 5000)
  })

  t.test('what is restored belongs to whom the replaced one belonged, with its mode', async t => {
    const cwd = t.testdir()
    const path = newDatabase(cwd, 1)
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    chmodSync(path, 0o640)
    const isRoot = process.getuid?.() === 0
    if (isRoot) chownSync(path, 1234, 5678)
    t.equal((await restore(t, cwd, ['copy.db', '--replace'])).code, 0)
    const { mode, uid, gid } = statSync(path)
    t.equal(mode & 0o777, 0o640)
    if (!isRoot) return
    t.strictSame([uid, gid], [1234, 5678])
    mkdirSync(join(cwd, 'new'))
    chownSync(join(cwd, 'new'), 1234, 5678)
    t.equal((await restore(t, cwd, ['copy.db'], { DATABASE_URL: 'sqlite:new/a.db' })).code, 0)
    t.equal(statSync(join(cwd, 'new', 'a.db')).uid, 1234, 'or to whom the folder belongs')
  })

  t.test('through a link, which stays one', async t => {
    const cwd = t.testdir({ disk: {} })
    const path = newDatabase(cwd, 3)
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    renameSync(path, join(cwd, 'disk', 'a.db'))
    symlinkSync(join(cwd, 'disk', 'a.db'), path)
    look(path, db => addAnimals(db, 1))
    t.equal((await restore(t, cwd, ['copy.db', '--replace'])).code, 0)
    t.strictSame(idsIn(join(cwd, 'disk', 'a.db')), [1, 2, 3])
    t.strictSame(idsIn(path), [1, 2, 3])
    t.strictSame(readdirSync(join(cwd, 'data')), ['animals.db'])
  })

  t.test('interrupted: what was there stays', async t => {
    const cwd = t.testdir()
    const path = newDatabase(cwd, 1)
    copyFileSync(path, join(cwd, 'large.db'))
    makeLarge(join(cwd, 'large.db'))
    const running = command(t, 'restore', cwd, ['large.db', '--replace'])
    await interrupt(running, join(cwd, 'data'), 'SIGINT')
    t.strictSame(await resultOf(running), { code: 1, stdout: '', stderr: 'Nothing was restored: interrupted\n' })
    t.strictSame(readdirSync(join(cwd, 'data')), ['animals.db'])
    t.strictSame(idsIn(path), [1])
  })

  t.test('any other words get the usage', async t => {
    const cwd = t.testdir()
    for (const words of [['--replace'], ['one.db', 'two.db'], ['--force', 'one.db']]) {
      const usage = 'Usage: npm run restore -- FILE [--replace]\n'
      t.strictSame(await restore(t, cwd, words), { code: 2, stdout: '', stderr: usage })
    }
    const memory = await restore(t, cwd, ['a.db'], { DATABASE_URL: 'sqlite::memory:' })
    t.equal(memory.code, 1)
    t.match(memory.stderr, /^DATABASE_URL is sqlite::memory:.*\n$/)
    t.strictSame(readdirSync(cwd), [])
  })

  t.test('through npm, as the texts say it', async t => {
    const cwd = t.testdir()
    const env = { DATABASE_URL: `sqlite:${newDatabase(cwd, 3)}` }
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    const words = ['run', '-s', 'restore', '--', join(cwd, 'copy.db'), '--replace']
    t.equal((await run(t, 'npm', words, { cwd: projectFolder, env }).ended).code, 0)
    t.strictSame(idsIn(join(cwd, 'data', 'animals.db')), [1, 2, 3])
  })
})

// Root may read and write everything, so that a process of its own has to go without that.
const withoutPrivileges = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []
const [setpriv = 'true', ...bounds] = withoutPrivileges
const canDrop = spawnSync(setpriv, [...bounds, 'true']).status === 0

t.test(
  'where a right is missing, it is said which',
  canDrop ? {} : { skip: 'root cannot do without its privileges here' },
  async t => {
    const cwd = t.testdir({ locked: {} })
    const path = newDatabase(cwd, 3)
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    const refused = async (script: string, words: string[], env: Record<string, string> = {}) => {
      const [first = '', ...args] = [...withoutPrivileges, process.execPath, scriptPath(`src/${script}.ts`), ...words]
      const { code, stdout, stderr } = await resultOf(run(t, first, args, { cwd, env }))
      t.strictSame({ code, stdout }, { code: 1, stdout: '' })
      return stderr
    }
    const cases: [name: string, mode: number, backup: RegExp | undefined, restore: RegExp][] = [
      [
        'data/animals.db',
        0,
        /data\/animals\.db cannot be used: .*: EACCES: .*'data\/animals\.db'; DATABASE_URL names/,
        /animals\.db cannot be replaced: .*: EACCES: .*animals\.db'; DATABASE_URL names/
      ],
      [
        'data',
        0o500,
        /data\/animals\.db cannot be used: .*: EACCES: .*'data'; DATABASE_URL names/,
        /animals\.db cannot be replaced: .*: EACCES: .*\/data'; DATABASE_URL names/
      ],
      [
        'data',
        0,
        /EACCES: .*'data\/animals\.db'; DATABASE_URL names/,
        /EACCES: .*'data\/animals\.db'; DATABASE_URL names/
      ],
      ['copy.db', 0, undefined, /copy\.db cannot be used: .*: EACCES: .*'copy\.db'\n$/],
      [
        'data/animals.db',
        0o400,
        undefined,
        /animals\.db cannot be replaced: .*: EACCES: .*animals\.db'; DATABASE_URL names/
      ]
    ]
    for (const [name, mode, noBackup, noRestore] of cases) {
      const { mode: before } = statSync(join(cwd, name))
      chmodSync(join(cwd, name), mode)
      if (noBackup !== undefined) t.match(await refused('backup', ['new.db']), noBackup)
      t.match(await refused('restore', ['copy.db', '--replace']), noRestore)
      chmodSync(join(cwd, name), before)
    }
    chmodSync(join(cwd, 'locked'), 0)
    t.match(await refused('backup', ['locked/new.db']), /EACCES: .*locked[^;]*\n$/)
    t.match(await refused('restore', ['locked/new.db']), /EACCES: .*'locked\/new\.db'\n$/)

    // The same for those that open the database itself, and for a folder that is still to be made.
    for (const script of ['server', 'keys'])
      for (const [url, production] of [
        [`sqlite:${join(cwd, 'locked', 'a.db')}`, 'development'],
        [`sqlite:${join(cwd, 'locked', 'new', 'a.db')}`, 'development'],
        [`sqlite:${join(cwd, 'locked', 'a.db')}`, 'production']
      ] as const) {
        const env = { DATABASE_URL: url, NODE_ENV: production, PORT: '0' }
        const said = await refused(script, script === 'keys' ? ['issue'] : [], env)
        t.match(said, /EACCES: .*'; DATABASE_URL names the database: [^\n]+\n$/, `${script} ${url} ${production}`)
      }
    const env = { DATABASE_URL: `sqlite:${join(cwd, 'locked', 'a.db')}` }
    t.match(await refused('restore', ['copy.db'], env), /EACCES: .*'; DATABASE_URL names/)
    chmodSync(join(cwd, 'locked'), 0o500)
    t.match(await refused('restore', ['copy.db'], env), /EACCES: .*'; DATABASE_URL names/)
    chmodSync(join(cwd, 'locked'), 0o700)
    t.strictSame(idsIn(path), [1, 2, 3])
  }
)

t.test('what a killed command has left is removed by the next one there, and nothing else', async t => {
  const cwd = t.testdir()
  makeLarge(newDatabase(cwd, 1))
  const killed = command(t, 'backup', cwd, ['copy.db'])
  await interrupt(killed, cwd, 'SIGKILL')
  await killed.ended
  const [left = '', ...more] = readdirSync(cwd).filter(name => name !== 'data')
  t.strictSame(more, [])
  t.match(left, /^\.partial-/)
  const others = [
    left.replace(/-\d+-(\w+)$/, `-${process.pid}-$1`),
    left.replace(/-(\d+-\w+)$/, '-elsewhere-$1'),
    '.partial-',
    '.partial-work',
    `${left}.bak`
  ]
  for (const name of others) mkdirSync(join(cwd, name))
  t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
  t.strictSame(readdirSync(cwd).toSorted(), [...others, 'copy.db', 'data'].toSorted())
})

const canTrace = spawnSync('strace', ['true'], { stdio: 'ignore' }).status === 0

t.test(
  'killed at any step, restore leaves the one database or the other, and can be done again',
  canTrace ? {} : { skip: 'there is no strace here, or it may not trace' },
  async t => {
    const cwd = t.testdir()
    const path = newDatabase(cwd, 3)
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    look(path, db => addAnimals(db, 2))
    copyFileSync(path, join(cwd, 'before.db'))
    const killedAt = async (call: string, time: number) => {
      const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:signal=KILL:when=${time}`]
      const args = ['-f', '-qq', '-o', '/dev/null', ...inject, process.execPath, scriptPath('src/restore.ts')]
      const { code } = await run(t, 'strace', [...args, 'copy.db', '--replace'], { cwd }).ended
      return code !== 0
    }
    for (const call of ['mkdir', 'chmod', 'unlink', 'fsync', 'link', 'rename', 'rmdir']) {
      for (let time = 1; ; time++) {
        rmSync(join(cwd, 'data'), { recursive: true })
        mkdirSync(join(cwd, 'data'))
        copyFileSync(join(cwd, 'before.db'), path)
        if (!(await killedAt(call, time))) break
        const { length } = idsIn(path)
        t.ok(length === 5 || length === 3, `${call} ${time}: ${length} animals`)
        look(path, db => t.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok'))
        const again = await restoreFrom(join(cwd, 'copy.db'), path, {
          schema: animalSchema,
          replace: true,
          signal: unheard
        })
        t.equal(again.idsForgotten, undefined)
        t.strictSame(idsIn(path), [1, 2, 3])
        t.strictSame(
          readdirSync(join(cwd, 'data')).filter(name => name.startsWith('.partial-')),
          []
        )
      }
    }
  }
)

t.test(
  'what cannot be exchanged stays as it was, with what lies beside it',
  canTrace ? {} : { skip: 'there is no strace here, or it may not trace' },
  async t => {
    const cwd = t.testdir()
    const path = newDatabase(cwd, 3)
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    truncateSync(path)
    writeFileSync(`${path}-wal`, 'log')
    const before = digestOf(path)
    // The first moves the log, the second would be the exchange.
    const inject = ['-e', 'trace=rename', '-e', 'inject=rename:error=EBUSY:when=2']
    const args = ['-f', '-qq', '-o', '/dev/null', ...inject, process.execPath, scriptPath('src/restore.ts')]
    const { code, stderr } = await resultOf(run(t, 'strace', [...args, 'copy.db', '--replace'], { cwd }))
    t.equal(code, 1)
    t.match(stderr, /^Nothing was restored: EBUSY: /)
    t.strictSame(readdirSync(join(cwd, 'data')), ['animals.db', 'animals.db-wal'])
    t.equal(digestOf(path), before)
    t.equal(readFileSync(`${path}-wal`, 'utf8'), 'log')
  }
)

t.test(
  'what is copied is on the disk before it has its name, and the name before it is called done',
  canTrace ? {} : { skip: 'there is no strace here, or it may not trace' },
  async t => {
    const cwd = t.testdir()
    const path = newDatabase(cwd, 100)
    const traced = async (script: string, words: string[]) => {
      const options = ['-f', '-y', '-o', 'trace', '-e', 'trace=fsync,link,linkat,rename,renameat,renameat2,write']
      const args = [...options, process.execPath, scriptPath(`src/${script}.ts`), ...words]
      const { code, stderr } = await resultOf(run(t, 'strace', args, { cwd }))
      t.strictSame({ code, stderr }, { code: 0, stderr: '' })
      return readFileSync(join(cwd, 'trace'), 'utf8').split('\n')
    }
    const order = (lines: string[], ...steps: RegExp[]) => {
      let at = -1
      for (const step of steps) {
        at = lines.findIndex((line, index) => index > at && step.test(line))
        t.ok(at >= 0, `${step} in its turn`)
      }
    }
    const copySynced = /fsync\(\d+<[^>]*\/\.partial-[^/]+\/copy\.db>\)/
    order(
      await traced('backup', ['copy.db']),
      copySynced,
      new RegExp(`(link|rename)\\w*\\(.*copy\\.db".*"${cwd}/copy\\.db"`),
      new RegExp(`fsync\\(\\d+<${cwd}>\\)`),
      /write\(1<.*backup/
    )
    order(
      await traced('restore', ['copy.db', '--replace']),
      copySynced,
      new RegExp(`link\\w*\\(.*"${path}", .*animals\\.db\\.replaced-`),
      new RegExp(`rename\\w*\\(.*copy\\.db".*"${path}"`),
      new RegExp(`fsync\\(\\d+<${join(cwd, 'data')}>\\)`),
      /write\(1<.*database/
    )
  }
)
