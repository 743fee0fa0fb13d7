import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { backUp } from '../packages/fastify/src/store/sqlite/backup.ts'
import { openDatabase } from '../packages/fastify/src/store/sqlite/database.ts'
import { migrate } from '../packages/fastify/src/store/sqlite/migrations.ts'
import { animalSchema } from '../src/store/sqlite/schema.ts'
import {
  addLarge,
  backup,
  createMany,
  damageIndex,
  fileDigestOf,
  idsIn,
  look,
  migrations,
  newDatabase,
  noOthers,
  restore,
  startInterrupted,
  unheard
} from './backups.ts'
import { isLong } from './extent.ts'
import { projectFolder, resultOf, run, scriptPath, startServer } from './start-server.ts'

t.test('backup', async t => {
  t.test('during creates: a consistent copy, with everything that was acknowledged before', async t => {
    const cwd = t.testdir()
    look(newDatabase(cwd, 0), db => addLarge(db, 12))
    const server = await startServer(t, { cwd, env: { LOG_LEVEL: 'fatal' } })
    const load = createMany(server, 16)
    for (const name of ['one.db', 'two.db']) {
      await load.atLeast(load.acknowledged.length + 100)
      const before = [...load.acknowledged]
      const { code, stdout, stderr } = await backup(t, cwd, [name])
      t.equal(stderr, '')
      t.equal(code, 0)
      const meanwhile = load.acknowledged.slice(before.length)
      t.comment(`${before.length} acknowledged before, ${meanwhile.length} meanwhile`)
      t.ok(meanwhile.length > 0, 'the service kept responding')

      const path = join(cwd, name)
      t.equal(statSync(path).mode & 0o777, 0o600)
      t.strictSame(
        readdirSync(cwd).filter(file => file.startsWith('.') || file.startsWith(`${name}-`)),
        [],
        'one file, and nothing left over'
      )
      const ids = idsIn(path)
      // Ids are assigned in the order of commits, so those of a consistent copy have no gap.
      t.equal(ids.at(-1), ids.length)
      t.equal(Math.max(...before) <= ids.length, true, 'no earlier animal is missing')
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
    t.equal(new Set(load.acknowledged).size, load.acknowledged.length)

    t.comment('after the service was killed, the contents of its log are in the copy')
    server.process.kill('SIGKILL')
    await server.ended
    const path = join(cwd, 'data', 'animals.db')
    t.ok(existsSync(`${path}-wal`))
    t.equal((await backup(t, cwd, ['three.db'])).code, 0)
    t.equal(idsIn(join(cwd, 'three.db')).length, 12 + load.acknowledged.length)
    t.strictSame(readdirSync(join(cwd, 'data')), ['animals.db'], 'as after a clean shutdown')
  })

  t.test('a large log: its contents are in the copy', async t => {
    const cwd = t.testdir()
    const path = newDatabase(cwd, 10)
    // An open reader: no checkpoint can move the log into the database.
    const reader = new DatabaseSync(path)
    t.teardown(() => reader.close())
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM pets').get()
    const db = openDatabase(path, animalSchema)
    t.teardown(() => db.close())
    for (let i = 0; i < 10; i++) addLarge(db, 1)
    t.ok(statSync(`${path}-wal`).size > 10_000_000)
    const before = fileDigestOf(path)
    const { code, stdout } = await backup(t, cwd, ['copy.db'])
    t.equal(code, 0)
    t.match(stdout, '  animals   20\n')
    t.equal(idsIn(join(cwd, 'copy.db')).length, 20)
    t.equal(fileDigestOf(path), before, 'the database itself is unchanged')
  })

  t.test('a database of an older version is copied unchanged', async t => {
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
    t.strictSame(counts, { animals: 0 }, 'without tables of later versions')
  })

  t.test('through npm, as documented', async t => {
    const cwd = t.testdir()
    const env = { DATABASE_URL: `sqlite:${newDatabase(cwd, 3)}` }
    const words = ['run', '-s', 'backup', '--', join(cwd, 'copy.db')]
    t.equal((await run(t, 'npm', words, { cwd: projectFolder, env }).ended).code, 0)
    t.strictSame(idsIn(join(cwd, 'copy.db')), [1, 2, 3])
  })

  t.test('no file is overwritten, above all none of the database', async t => {
    const cwd = t.testdir({ 'there.db': 'precious', folder: {} })
    const path = newDatabase(cwd, 3)
    symlinkSync(join(cwd, 'nowhere'), join(cwd, 'dangling.db'))
    symlinkSync('data', join(cwd, 'link'))
    const before = fileDigestOf(path)
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
    t.equal(fileDigestOf(path), before)
    t.equal(readFileSync(join(cwd, 'there.db'), 'utf8'), 'precious')
  })

  t.test('a damaged or foreign database is not backed up', async t => {
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

  t.test('without a database: an error with its path, and none is created', async t => {
    const cwd = t.testdir()
    const missing = await backup(t, cwd, ['copy.db'])
    t.equal(missing.code, 1)
    t.match(missing.stderr, /^There is no database data\/animals\.db; set DATABASE_URL .*\n$/)
    const memory = await backup(t, cwd, ['copy.db'], { DATABASE_URL: 'sqlite::memory:' })
    t.equal(memory.code, 1)
    t.match(memory.stderr, /^DATABASE_URL is sqlite::memory:.*\n$/)
    for (const run of [backup, restore]) {
      const { code, stderr } = await run(t, cwd, ['copy.db'], { DATABASE_URL: 'postgres://me:secret@one/animals' })
      t.equal(code, 1)
      t.match(
        stderr,
        /^DATABASE_URL is postgres:\/\/me@one\/animals: pg_dump and pg_restore of PostgreSQL back up .*\n$/
      )
    }
    const faulty = await backup(t, cwd, ['copy.db'], { DATABASE_URL: 'x', PORT: 'x' })
    t.equal(faulty.code, 1)
    t.match(faulty.stderr, /^PORT is "x".*\nDATABASE_URL is "x"/)
    t.strictSame(readdirSync(cwd), [])
  })

  t.test('other arguments print the usage', async t => {
    const cwd = t.testdir()
    newDatabase(cwd, 1)
    for (const words of [[], ['one.db', 'two.db'], ['--force', 'one.db']]) {
      t.match(await backup(t, cwd, words), {
        code: 2,
        stdout: '',
        stderr: /^(?:Unknown option '--force'.*\n\n)?Usage: npm run backup -- FILE\n/
      })
    }
    t.strictSame(readdirSync(cwd), ['data'])
  })

  t.test('interrupted: no partial file is left', async t => {
    const cwd = t.testdir()
    look(newDatabase(cwd, 0), db => addLarge(db, 12))
    for (const [signal, copy] of [
      ['SIGINT', 'not begun'],
      ['SIGTERM', 'complete'],
      ...(isLong ? ([['SIGHUP', 'not begun']] as const) : [])
    ] as const) {
      const running = startInterrupted(t, cwd, ['backup', 'copy.db'], { signal, copy })
      t.strictSame(await resultOf(running), { code: 1, stdout: '', stderr: 'No backup was made: interrupted\n' })
      t.strictSame(readdirSync(cwd), ['data'])
    }
  })

  t.test('a file size limit: no partial file is left', async t => {
    const cwd = t.testdir()
    look(newDatabase(cwd, 0), db => addLarge(db, 4))
    // dash counts 512 bytes, bash 1024.
    const limited = 'ulimit -f 2000; exec "$0" "$@"'
    const args = ['-c', limited, process.execPath, scriptPath('src/main.js'), 'backup', 'copy.db']
    const { code, stdout, stderr } = await resultOf(run(t, 'sh', args, { cwd }))
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(stderr, /^No backup was made: .+\n$/)
    t.strictSame(readdirSync(cwd), ['data'])
  })

  // A small file system in the command's own mount namespace, if that is allowed.
  const inSmallFolder = ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=1m none small && exec "$0" "$@"']
  const cwd = t.testdir({ small: {} })
  const canMount = spawnSync('unshare', [...inSmallFolder, 'true'], { cwd }).status === 0

  t.test(
    'a disk that is too small is not filled',
    canMount ? {} : { skip: 'no file system may be mounted here' },
    async t => {
      const cwd = t.testdir({ small: {} })
      look(newDatabase(cwd, 0), db => addLarge(db, 4))
      const args = [...inSmallFolder, process.execPath, scriptPath('src/main.js'), 'backup', 'small/copy.db']
      const { code, stderr } = await resultOf(run(t, 'unshare', args, { cwd }))
      t.equal(code, 1)
      t.match(stderr, /^No backup was made: the copy needs \d+ bytes, and the file system of .*small has \d+ left\n$/)
    }
  )
})

t.test('a copy that fails after SQLite has ended its transaction reports its own error', async t => {
  const cwd = t.testdir()
  const path = newDatabase(cwd, 1)
  let source: DatabaseSync | undefined
  const { exec } = DatabaseSync.prototype
  t.intercept(DatabaseSync.prototype, 'exec', {
    value(this: DatabaseSync, sql: string) {
      if (sql === 'BEGIN') source ??= this
      return exec.call(this, sql)
    }
  })
  const fail = (what: string) => {
    if (what !== 'copying') return
    source?.exec('ROLLBACK')
    throw new Error('the disk has failed')
  }
  const run = backUp(path, join(cwd, 'copy.db'), { schema: animalSchema, signal: unheard, show: fail })
  await t.rejects(run, { message: 'the disk has failed' })
})

t.test('files left by a killed command are removed by the next one, and nothing else', async t => {
  const cwd = t.testdir()
  newDatabase(cwd, 1)
  const options = { signal: 'SIGKILL', copy: 'complete' } as const
  await startInterrupted(t, cwd, ['backup', 'copy.db'], options).ended
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
  // Left by a container, whose name is gone, and by a process whose id another process now has.
  const old = [left.replace(/-(\d+-\w+)$/, '-gone-$1'), left.replace(/-\d+-\w+$/, `-${process.pid}-abcdef`)]
  const hoursAgo = (hours: number) => Date.now() / 1000 - 3600 * hours
  for (const [i, name] of [...old, others[1] ?? ''].entries()) {
    mkdirSync(join(cwd, name), { recursive: true })
    writeFileSync(join(cwd, name, 'copy.db'), '')
    const file = i < 2 ? hoursAgo(25) : hoursAgo(23)
    utimesSync(join(cwd, name, 'copy.db'), file, file)
    utimesSync(join(cwd, name), hoursAgo(26), hoursAgo(26))
  }
  t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
  t.strictSame(readdirSync(cwd).toSorted(), [...others, 'copy.db', 'data'].toSorted())
})
