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
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { restore as restoreFrom } from '../packages/fastify/src/store/sqlite/backup.ts'
import { migrate } from '../packages/fastify/src/store/sqlite/migrations.ts'
import { animalSchema } from '../src/store/sqlite/schema.ts'
import {
  addAnimals,
  backup,
  command,
  create,
  damageIndex,
  digestOf,
  end,
  idsIn,
  interrupt,
  look,
  makeLarge,
  migrations,
  newDatabase,
  noOthers,
  restore,
  unheard
} from './backups.ts'
import { projectFolder, resultOf, run, scriptPath, sendRequest, startServer } from './start-server.ts'

t.test('restore', async t => {
  t.test('the service serves the backup; ids continue, and keys revoked since stay revoked', async t => {
    const cwd = t.testdir()
    const first = await startServer(t, { cwd })
    const { key } = first
    const issued = await resultOf(command(t, 'keys', cwd, ['issue', '--name', 'web']))
    const web = issued.stdout.trim()
    for (const name of ['Rex', 'Bello 🐕']) t.equal((await create(first, key, name)).status, 201)
    const expected = await sendRequest(first, key, '/v1/pets')
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
    t.equal(digestOf(join(cwd, 'copy.db')), backedUp, 'the backup is unchanged')
    const [, kept = ''] = / {2}replaced {2}(.+)\n/.exec(stdout) ?? []
    t.match(stdout, `  database  ${join(cwd, 'data', 'animals.db')}\n  animals   2\n${noOthers}  keys      2\n`)
    t.strictSame(idsIn(kept), [1, 2, 3], 'the replaced database is kept')

    const second = await startServer(t, { cwd })
    t.equal(second.key, undefined)
    t.equal((await sendRequest(second, key, '/v1/pets')).text, expected.text)
    t.equal((await create(second, key, 'Minka')).id, 4, 'an id assigned since the backup is not assigned again')
    t.equal((await sendRequest(second, web, '/v1/pets')).status, 401, 'nor is a key revoked since then valid again')
    await end(second)
  })

  t.test('without a previous database: it prints what it cannot know', async t => {
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
      `Ids assigned since the backup will be assigned again: there is no readable database.
Keys issued since the backup are lost, and keys revoked since are valid again: there is no readable database.
npm run keys -- list shows the keys.
`
    )
    t.strictSame(readdirSync(join(cwd, 'some', 'new')), ['place.db'])
    t.equal(statSync(join(cwd, 'some', 'new', 'place.db')).mode & 0o777, 0o600)
    const server = await startServer(t, { cwd, env })
    t.equal((await create(server, server.key, 'Rex')).id, 4)
  })

  t.test('a backup of an older version: the next start migrates it', async t => {
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
    t.equal((await create(server, server.key, 'Rex')).id, 6, 'ids can be read in every version')
  })

  t.test('keys issued since the backup stay valid, and are named', async t => {
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
      /\nKeys issued since the backup, which stay valid: 3\.\nTo revoke one: npm run keys -- revoke ID\n([\s\S]+)$/.exec(
        stdout
      ) ?? []
    const expected = { [second]: 'web', [third]: 'for a day', [fourth]: 'short-lived' }
    const lines = await Promise.all(
      Object.entries(expected).map(async ([key, name]) => `  ${await idOf(key)}  ${name}`)
    )
    t.strictSame(named.trimEnd().split('\n').toSorted(), lines.toSorted())
    t.equal((await keys('list', '--json')).stdout, list, 'with all their data')

    const server = await startServer(t, { cwd })
    t.equal(server.key, undefined)
    const status = async (key: string) => (await sendRequest(server, key, '/v1/pets')).status
    t.strictSame(
      [await status(first), await status(second), await status(third), await status(fourth)],
      [401, 200, 200, 401]
    )
  })

  t.test('a database of another version: keys issued since the backup are lost, and are named', async t => {
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
      `Keys issued since the backup are lost, and keys revoked since are valid again: the replaced database has version ${migrations.length}, the backup 1.
npm run keys -- list shows the keys.
Lost keys: 1.
  b  web??[2K
`
    )
    newDatabase(join(cwd, 'new'), 1)
    const newer = await restore(t, cwd, ['new/data/animals.db', '--replace'])
    t.match(newer.stderr, /the replaced database has version 1, .*\n.*\nLost keys: 1\.\n {2}010101010101 {2}unnamed\n$/)
  })

  t.test('a backup from before the first animal: ids continue as well', async t => {
    const cwd = t.testdir()
    const path = newDatabase(cwd, 0)
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    look(path, db => addAnimals(db, 7))
    t.strictSame((await restore(t, cwd, ['copy.db', '--replace'])).stderr, '')
    const server = await startServer(t, { cwd })
    t.equal((await create(server, server.key, 'Rex')).id, 8)
  })

  t.test('a backup newer than the database: none of its changes are undone', async t => {
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

  t.test('an existing database is replaced only with --replace', async t => {
    const cwd = t.testdir()
    const path = newDatabase(cwd, 3)
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    const before = digestOf(path)
    const { code, stdout, stderr } = await restore(t, cwd, ['copy.db'])
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(stderr, /^Nothing was restored: .*animals\.db exists already; .*--replace.*\n$/)
    t.equal(digestOf(path), before)

    // A log without its database is left from a deleted one; SQLite would apply it to any database of this name.
    renameSync(path, `${path}-wal`)
    const beside = await restore(t, cwd, ['copy.db'])
    t.equal(beside.code, 1)
    t.match(beside.stderr, /animals\.db-wal exists already/)
    const { stdout: done } = await restore(t, cwd, ['copy.db', '--replace'])
    const [, kept = ''] = / {2}replaced {2}(.+)\n/.exec(done) ?? []
    t.equal(digestOf(`${kept}-wal`), before)
    t.strictSame(idsIn(path), [1, 2, 3])
  })

  t.test('a database that the service has open is not replaced, and the service goes on', async t => {
    const cwd = t.testdir()
    const server = await startServer(t, { cwd })
    await create(server, server.key, 'Rex')
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    const { code, stdout, stderr } = await restore(t, cwd, ['copy.db', '--replace'])
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(stderr, /^Nothing was restored: .*animals\.db cannot be replaced: it is in use; stop the service first\n$/)
    t.equal((await create(server, server.key, 'Bello')).status, 201)
    await end(server)
    t.strictSame(readdirSync(join(cwd, 'data')), ['animals.db'])
    t.strictSame(idsIn(join(cwd, 'data', 'animals.db')), [1, 2])
  })

  t.test('a damaged database is replaced, too, and kept with its log and index', async t => {
    const cwd = t.testdir()
    const path = newDatabase(cwd, 3)
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    for (const damage of ['no database. '.repeat(1000), '']) {
      writeFileSync(path, damage)
      writeFileSync(`${path}-wal`, 'log')
      const { code, stdout, stderr } = await restore(t, cwd, ['copy.db', '--replace'])
      t.equal(code, 0)
      t.match(stderr, /^Ids assigned since/)
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

  t.test('a damaged or foreign backup is refused, and nothing is replaced', async t => {
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
      pipe: /pipe cannot be used: it is not a file/,
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

  t.test('the restored database has the owner and the mode of the replaced one', async t => {
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
    t.equal(statSync(join(cwd, 'new', 'a.db')).uid, 1234, 'or the owner of the folder')
  })

  t.test('through a symbolic link, which is kept', async t => {
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

  t.test('interrupted: the existing database stays', async t => {
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

  t.test('other arguments print the usage', async t => {
    const cwd = t.testdir()
    for (const words of [['--replace'], ['one.db', 'two.db'], ['--force', 'one.db']]) {
      const stderr = /^(?:Unknown option '--force'.*\n\n)?Usage: npm run restore -- FILE \[--replace\]\n/
      t.match(await restore(t, cwd, words), { code: 2, stdout: '', stderr })
    }
    const memory = await restore(t, cwd, ['a.db'], { DATABASE_URL: 'sqlite::memory:' })
    t.equal(memory.code, 1)
    t.match(memory.stderr, /^DATABASE_URL is sqlite::memory:.*\n$/)
    t.strictSame(readdirSync(cwd), [])
  })

  t.test('through npm, as documented', async t => {
    const cwd = t.testdir()
    const env = { DATABASE_URL: `sqlite:${newDatabase(cwd, 3)}` }
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    const words = ['run', '-s', 'restore', '--', join(cwd, 'copy.db'), '--replace']
    t.equal((await run(t, 'npm', words, { cwd: projectFolder, env }).ended).code, 0)
    t.strictSame(idsIn(join(cwd, 'data', 'animals.db')), [1, 2, 3])
  })
})

// Root can read and write everything, so a process without its privileges is needed.
const withoutPrivileges = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []
const [setpriv = 'true', ...bounds] = withoutPrivileges
const canDrop = spawnSync(setpriv, [...bounds, 'true']).status === 0

t.test('a missing permission is named', canDrop ? {} : { skip: 'root cannot drop its privileges here' }, async t => {
  const cwd = t.testdir({ locked: {} })
  const path = newDatabase(cwd, 3)
  t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
  const refused = async (script: string, words: string[], env: Record<string, string> = {}) => {
    const [first = '', ...args] = [...withoutPrivileges, process.execPath, scriptPath('src/main.js'), script, ...words]
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

  // Likewise for commands that open the database, and for a missing folder.
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
})

const canTrace = spawnSync('strace', ['true'], { stdio: 'ignore' }).status === 0

t.test(
  'killed at any step, restore leaves the old or the new database, and can be repeated',
  canTrace ? {} : { skip: 'needs strace, and permission to use it' },
  async t => {
    const cwd = t.testdir()
    const path = newDatabase(cwd, 3)
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    look(path, db => addAnimals(db, 2))
    copyFileSync(path, join(cwd, 'before.db'))
    const killedAt = async (call: string, time: number) => {
      const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:signal=KILL:when=${time}`]
      const args = ['-f', '-qq', '-o', '/dev/null', ...inject, process.execPath, scriptPath('src/main.js'), 'restore']
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
        t.equal(again.idsLost, undefined)
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
  'if the exchange fails, the database and its other files are unchanged',
  canTrace ? {} : { skip: 'needs strace, and permission to use it' },
  async t => {
    const cwd = t.testdir()
    const path = newDatabase(cwd, 3)
    t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
    truncateSync(path)
    writeFileSync(`${path}-wal`, 'log')
    const before = digestOf(path)
    // The first rename moves the log, the second would be the exchange.
    const inject = ['-e', 'trace=rename', '-e', 'inject=rename:error=EBUSY:when=2']
    const args = ['-f', '-qq', '-o', '/dev/null', ...inject, process.execPath, scriptPath('src/main.js'), 'restore']
    const { code, stderr } = await resultOf(run(t, 'strace', [...args, 'copy.db', '--replace'], { cwd }))
    t.equal(code, 1)
    t.match(stderr, /^Nothing was restored: EBUSY: /)
    t.strictSame(readdirSync(join(cwd, 'data')), ['animals.db', 'animals.db-wal'])
    t.equal(digestOf(path), before)
    t.equal(readFileSync(`${path}-wal`, 'utf8'), 'log')
  }
)

t.test(
  'the copy is synced before it is renamed, and the folder before it is reported',
  canTrace ? {} : { skip: 'needs strace, and permission to use it' },
  async t => {
    const cwd = t.testdir()
    const path = newDatabase(cwd, 100)
    const traced = async (script: string, words: string[]) => {
      const options = ['-f', '-y', '-o', 'trace', '-e', 'trace=fsync,link,linkat,rename,renameat,renameat2,write']
      const args = [...options, process.execPath, scriptPath('src/main.js'), script, ...words]
      const { code, stderr } = await resultOf(run(t, 'strace', args, { cwd }))
      t.strictSame({ code, stderr }, { code: 0, stderr: '' })
      return readFileSync(join(cwd, 'trace'), 'utf8').split('\n')
    }
    const order = (lines: string[], ...steps: RegExp[]) => {
      let at = -1
      for (const step of steps) {
        at = lines.findIndex((line, index) => index > at && step.test(line))
        t.ok(at >= 0, `${step} in this order`)
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
