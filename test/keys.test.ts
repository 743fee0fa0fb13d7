import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { digestOf, isApiKey, keyIdOf, newApiKey } from '../packages/fastify/src/api-keys/api-key.ts'
import { issueKey } from '../packages/fastify/src/store/issue-key.ts'
import { StoreUnavailable } from '../packages/fastify/src/store/store.ts'
import { startProcess } from '../packages/fastify/test/store/processes.ts'
import { animalStore } from '../src/animal-store.ts'
import { openSqliteStore } from './open-store.ts'
import { projectFolder, run, scriptPath, sendRequest, startServer } from './start-server.ts'

/** Runs the command to its end. */
const keys = async (t: Test, cwd: string, words: string[], env: Record<string, string> = {}) => {
  const command = run(t, process.execPath, [scriptPath('src/main.js'), 'keys', ...words], { cwd, env })
  const { code } = await command.ended
  return { code, ...command.output() }
}

/** A key issued by the command, and its id. */
const issued = async (t: Test, cwd: string, ...words: string[]) => {
  const { code, stdout, stderr } = await keys(t, cwd, ['issue', ...words])
  t.equal(code, 0)
  const key = stdout.trimEnd()
  return { key, id: keyIdOf(digestOf(key)), stdout, stderr }
}

const openStore = (t: Test, cwd: string) => {
  const store = openSqliteStore({ path: join(cwd, 'data', 'animals.db') })
  t.teardown(() => store.close())
  return store
}

const dayMs = 86_400_000

t.test('an issued key is valid, and only its digest is kept', async t => {
  const store = openSqliteStore({ path: ':memory:' })
  t.teardown(() => store.close())
  const added: unknown[] = []
  const now = Date.UTC(2026, 10, 20)
  const keeping = {
    ...store.keys,
    add: async (...args: Parameters<typeof store.keys.add>) => {
      added.push(args)
      await store.keys.add(...args)
    }
  }
  const key = await issueKey(keeping, { name: 'web', lifetimeMs: dayMs, now })
  t.ok(isApiKey(key))
  const digest = digestOf(key)
  const id = keyIdOf(digest)
  t.strictSame(added, [[digest, { id, name: 'web', createdAt: now, lifetimeMs: dayMs, expiresAt: now + dayMs }]])
  t.equal(store.keys.use(digest, now), id)
})

t.test('a key that could not be stored is not handed out', async t => {
  const store = openSqliteStore({ path: ':memory:' })
  await store.close()
  await t.rejects(issueKey(store.keys), StoreUnavailable)
})

t.test('issue: prints the key and nothing else, so that a script can take it', async t => {
  const cwd = t.testdir()
  const seen = new Set<string>()
  const isNew = `The database ${join(cwd, 'data', 'animals.db')} is new; if another was meant, set DATABASE_URL.\n`
  for (const first of [isNew, '']) {
    const { key, id, stdout, stderr } = await issued(t, cwd)
    t.ok(isApiKey(key))
    t.equal(stdout, `${key}\n`)
    t.equal(stderr, `${first}Key ${id} (unnamed), valid until revoked. Keep it: it is not shown again.\n`)
    seen.add(key)
  }
  t.equal(seen.size, 2)
  t.equal(statSync(join(cwd, 'data', 'animals.db')).mode & 0o077, 0, 'accessible to its owner only')
  const store = openStore(t, cwd)
  for (const key of seen) t.equal(store.keys.use(digestOf(key), Date.now()), keyIdOf(digestOf(key)))
})

t.test('issue: a name, and a time after which the key expires', async t => {
  const cwd = t.testdir()
  const before = Date.now()
  const { id, stderr } = await issued(t, cwd, '--name', 'web shop "Käthe" 🐈', '--expires', '90d')
  const others = [await issued(t, cwd, '--expires=12h'), await issued(t, cwd, '--expires', '30m', '--name=app')]
  const after = Date.now()
  const found = await openStore(t, cwd).keys.list()
  t.match(stderr, /\nKey [\da-f]{12} \(web shop "Käthe" 🐈\), valid until \d{4}-\d\d-\d\d \d\d:\d\d UTC\. Keep it/)
  const expected = [
    { id, name: 'web shop "Käthe" 🐈', lifetimeMs: 90 * dayMs },
    { id: others[0]?.id, name: 'unnamed', lifetimeMs: dayMs / 2 },
    { id: others[1]?.id, name: 'app', lifetimeMs: 30 * 60_000 }
  ]
  t.match(found, expected)
  for (const { createdAt = 0, expiresAt = 0, lifetimeMs = 0 } of found) {
    t.ok(before <= createdAt && createdAt <= after)
    t.equal(expiresAt, createdAt + lifetimeMs)
  }
})

t.test('issue through npm, as documented', async t => {
  const cwd = t.testdir()
  const env = { DATABASE_URL: `sqlite:${join(cwd, 'a.db')}` }
  const command = run(t, 'sh', ['-c', 'KEY=$(npm run -s keys -- issue --name web); echo "[$KEY]"'], {
    cwd: projectFolder,
    env
  })
  t.equal((await command.ended).code, 0)
  t.ok(isApiKey(command.output().stdout.trimEnd().slice(1, -1)))
  t.notMatch(command.output().stderr, /npm has printed/)

  const verbose = run(t, 'npm', ['run', 'keys', '--', 'issue'], { cwd: projectFolder, env })
  t.equal((await verbose.ended).code, 0)
  t.match(verbose.output().stdout, /^\n> .*\n> .*\n\nast_live_\w+\n$/)
  t.match(verbose.output().stderr, 'npm has printed its own lines to stdout before the key; npm run -s keys')
})

const noRoom = existsSync('/dev/full') ? {} : { skip: 'this system has no /dev/full' }

/** Runs the command with output that cannot be written: to a full disk, or to a closed pipe. */
const unheard = {
  'a full disk': async (t: Test, cwd: string, words: string[]) => {
    const command = ['-c', '"$0" "$@" > /dev/full', process.execPath, scriptPath('src/main.js'), 'keys', ...words]
    const running = run(t, 'sh', command, { cwd })
    return { code: (await running.ended).code, stderr: running.output().stderr }
  },
  'a closed pipe': async (t: Test, cwd: string, words: string[]) => {
    const running = run(t, process.execPath, [scriptPath('src/main.js'), 'keys', ...words], { cwd })
    running.process.stdout.destroy()
    return { code: (await running.ended).code, stderr: running.output().stderr }
  }
}

for (const [where, keysUnheard] of Object.entries(unheard)) {
  const reason = where === 'a full disk' ? 'ENOSPC: no space left on device, write' : 'EPIPE: broken pipe, write'
  const options = where === 'a full disk' ? noRoom : {}

  t.test(`${where}: a key that cannot be printed makes the command fail`, options, async t => {
    const cwd = t.testdir()
    const { id } = await issued(t, cwd, '--name', 'web')
    for (const words of [['list'], ['list', '--json'], ['--help']]) {
      const message = `The command failed: ${reason}\n`
      t.strictSame(await keysUnheard(t, cwd, words), { code: 1, stderr: message })
    }
    t.comment('revoke prints nothing that anybody needs')
    t.equal((await keysUnheard(t, cwd, ['revoke', id])).code, 0)
  })

  t.test(`${where}: a key that nobody has seen is not valid`, options, async t => {
    const cwd = t.testdir()
    const { code, stderr } = await keysUnheard(t, cwd, ['issue', '--name', 'web'])
    t.equal(code, 1)
    const found = await openStore(t, cwd).keys.list()
    t.match(found, [{ name: 'web', revokedAt: /^\d+$/ }])
    t.match(stderr, `\nThe new key ${found[0]?.id} could not be printed, so it was revoked: ${reason}\n`)
  })

  t.test(`${where}: a key that cannot be replaced stays valid`, options, async t => {
    const cwd = t.testdir()
    const old = await issued(t, cwd, '--name', 'web')
    for (const words of [[], ['--grace', '0']]) {
      const { code, stderr } = await keysUnheard(t, cwd, ['rotate', old.id, ...words])
      t.equal(code, 1)
      t.match(stderr, new RegExp(`^The new key [\\da-f]{12} could not be printed, so it was revoked: ${reason}\n$`))
    }
    const store = openStore(t, cwd)
    t.match(await store.keys.list(), [{ id: old.id, expiresAt: undefined, revokedAt: undefined }, {}, {}])
    t.equal(await store.keys.hasValid(Date.now()), true)
    await store.keys.revoke(old.id, Date.now())
    t.equal(await store.keys.hasValid(Date.now()), false, 'and no other key')
  })
}

/** Lets keys be added, but not changed. */
const fixKeys = (cwd: string) => {
  const db = new DatabaseSync(join(cwd, 'data', 'animals.db'))
  db.exec("CREATE TRIGGER fixed BEFORE UPDATE ON keys BEGIN SELECT raise(ABORT, 'no change'); END")
  db.close()
}

t.test('rotate: when the old key cannot be expired, the new one is valid, and the exit code is not 0', async t => {
  const cwd = t.testdir()
  const old = await issued(t, cwd)
  fixKeys(cwd)
  for (const words of [[], ['--grace', '0']]) {
    const { code, stdout, stderr } = await keys(t, cwd, ['rotate', old.id, ...words])
    t.equal(code, 1)
    t.ok(isApiKey(stdout.trimEnd()))
    t.match(
      stderr,
      `\nThe old key ${old.id} stays valid until revoked with npm run keys -- revoke ${old.id}: no change\n`
    )
  }
})

t.test('issue: a key that could neither be printed nor revoked is named', noRoom, async t => {
  const cwd = t.testdir()
  const { id: first } = await issued(t, cwd)
  fixKeys(cwd)
  const { code, stderr } = await unheard['a full disk'](t, cwd, ['issue'])
  t.equal(code, 1)
  const id = (await openStore(t, cwd).keys.list()).find(({ id }) => id !== first)?.id
  t.match(
    stderr,
    `The new key ${id} could not be printed, but is valid; revoke it with npm run keys -- revoke ${id}: ENO`
  )
})

t.test('list: a non-blocking pipe and a slow reader get all of it', async t => {
  const cwd = t.testdir()
  const store = openSqliteStore({ path: join(cwd, 'data', 'animals.db') })
  await Promise.all(Array.from({ length: 5000 }, () => issueKey(store.keys)))
  await store.close()
  // Node makes its own pipes non-blocking, and the command shares this one.
  const other = `process.stdout.write(''); require('fs').writeFileSync('ready', ''); setInterval(() => {}, 1000)`
  const script = `{ "$0" -e "$1" & until [ -e ready ]; do sleep 0.1; done; "$0" "$2" keys list; code=$?; kill $!; echo "exit code $code" >&2; } | { sleep 3; wc -l; }`
  const running = run(t, 'sh', ['-c', script, process.execPath, other, scriptPath('src/main.js')], { cwd })
  t.equal((await running.ended).code, 0)
  t.equal(running.output().stderr, 'exit code 0\n')
  t.equal(Number(running.output().stdout), 5001)
})

t.test('list: the details of all keys, for people and for programs, but never a key', async t => {
  const cwd = t.testdir()
  const [web, app, lost] = [
    await issued(t, cwd, '--name', 'web', '--expires', '90d'),
    await issued(t, cwd, '--name', 'an app'),
    await issued(t, cwd, '--name', 'lost')
  ]
  const store = openSqliteStore({ path: join(cwd, 'data', 'animals.db') })
  const times: [string, string | undefined][] = [
    [web.key, '2026-11-20T09:15:59.999Z'],
    [app.key, undefined]
  ]
  for (const [key, time] of times) if (time !== undefined) store.keys.use(digestOf(key), Date.parse(time))
  await store.keys.expire(app.id, Date.UTC(2026, 0, 2, 3, 4, 5))
  await store.keys.revoke(lost.id, Date.UTC(2026, 10, 20))
  await store.close()

  const json = await keys(t, cwd, ['list', '--json'])
  t.equal(json.code, 0)
  t.equal(json.stderr, '')
  const entries = JSON.parse(json.stdout)
  const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
  t.match(entries, [
    { id: web.id, name: 'web', state: 'valid', createdAt: iso, expiresAt: iso, lastUsedAt: '2026-11-20T09:15:59.999Z' },
    { id: app.id, name: 'an app', state: 'expired', createdAt: iso, expiresAt: '2026-01-02T03:04:05.000Z' },
    { id: lost.id, name: 'lost', state: 'revoked', createdAt: iso, revokedAt: '2026-11-20T00:00:00.000Z' }
  ])
  const members = ['id', 'name', 'state', 'createdAt', 'expiresAt', 'revokedAt', 'lastUsedAt']
  for (const entry of entries) t.strictSame(Object.keys(entry), members)
  t.strictSame([entries[0].revokedAt, entries[1].lastUsedAt, entries[2].expiresAt], [null, null, null])

  const { code, stdout, stderr } = await keys(t, cwd, ['list'])
  t.equal(code, 0)
  t.equal(stderr, '')
  const minute = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d`
  const lines = stdout.trimEnd().split('\n')
  const expected = [
    /^ID {12}STATE {4}CREATED \(UTC\) {5}END {15}LAST USED {9}NAME$/,
    new RegExp(`^${web.id}  valid    ${minute}  ${minute}  2026-11-20 09:15  web$`),
    new RegExp(`^${app.id}  expired  ${minute}  2026-01-02 03:04  never             an app$`),
    new RegExp(`^${lost.id}  revoked  ${minute}  2026-11-20 00:00  never             lost$`)
  ]
  t.equal(lines.length, expected.length)
  for (const [index, line] of lines.entries()) t.match(line, expected[index])
  for (const { key } of [web, app, lost]) t.notOk((json.stdout + stdout).includes(key.slice(9)))
})

t.test('list: no keys at all', async t => {
  const cwd = t.testdir()
  await openSqliteStore({ path: join(cwd, 'data', 'animals.db') }).close()
  t.strictSame(await keys(t, cwd, ['list']), { code: 0, stdout: '', stderr: 'No key has been issued.\n' })
  t.strictSame(await keys(t, cwd, ['list', '--json']), { code: 0, stdout: '[]\n', stderr: '' })
})

t.test('revoke: the key is no longer valid; a second time prints the same', async t => {
  const cwd = t.testdir()
  const [{ key, id }, other] = [await issued(t, cwd, '--name', 'web'), await issued(t, cwd)]
  const outputs = [await keys(t, cwd, ['revoke', id]), await keys(t, cwd, ['revoke', id])]
  for (const { code, stdout, stderr } of outputs) {
    t.equal(code, 0)
    t.equal(stdout, '')
    t.match(stderr, new RegExp(`^Key ${id} \\(web\\) was revoked at \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC\\.\n$`))
  }
  const store = openStore(t, cwd)
  t.equal(store.keys.use(digestOf(key), Date.now()), undefined)
  t.equal(store.keys.use(digestOf(other.key), Date.now()), other.id)
})

t.test('rotate: a new key like the old one, which stays valid for a while', async t => {
  const cwd = t.testdir()
  const old = await issued(t, cwd, '--name', 'web', '--expires', '90d')
  await issued(t, cwd, '--name', 'web')
  let successor = ''
  for (const [words, graceMs] of [
    [['--grace', '7d'], 7 * dayMs],
    [[], dayMs]
  ] as const) {
    const before = Date.now()
    const { code, stdout, stderr } = await keys(t, cwd, ['rotate', old.id, ...words])
    const after = Date.now()
    t.equal(code, 0)
    const key = stdout.trimEnd()
    t.ok(isApiKey(key))
    t.equal(stdout, `${key}\n`)
    const [first, second, third] = stderr.split('\n')
    t.match(
      first,
      new RegExp(`^Key ${keyIdOf(digestOf(key))} \\(web\\), valid until .* Keep it: it is not shown again`)
    )
    t.match(
      second,
      new RegExp(`^The old key ${old.id} is valid until .* UTC; npm run keys -- revoke ${old.id} revokes it`)
    )
    const again = `It had been rotated before: newer keys of its name and lifetime are ${successor}; revoke those`
    t.ok(successor === '' ? third === '' : third?.startsWith(again))
    successor = keyIdOf(digestOf(key))
    const store = openSqliteStore({ path: join(cwd, 'data', 'animals.db') })
    const found = await store.keys.list()
    await store.close()
    t.match(found.at(-1), { id: keyIdOf(digestOf(key)), name: 'web', lifetimeMs: 90 * dayMs })
    const { expiresAt = 0 } = found.find(({ id }) => id === old.id) ?? {}
    t.ok(before + graceMs <= expiresAt && expiresAt <= after + graceMs, `the old key ends ${graceMs} ms later`)
  }

  t.comment('and the next key has the original lifetime, not what is left of it')
  const { stdout } = await keys(t, cwd, ['rotate', old.id])
  const last = (await openStore(t, cwd).keys.list()).find(({ id }) => id === keyIdOf(digestOf(stdout.trimEnd())))
  t.equal(last?.expiresAt, (last?.createdAt ?? 0) + 90 * dayMs)
})

t.test('rotate: without grace the old key expires at once, and permanently', async t => {
  const cwd = t.testdir()
  const old = await issued(t, cwd, '--name', 'web')
  const { code, stdout, stderr } = await keys(t, cwd, ['rotate', old.id, '--grace', '0'])
  t.equal(code, 0)
  t.match(stderr, new RegExp(`\\(web\\), valid until revoked.*\nThe old key ${old.id} is no longer valid\\.\n$`))
  const store = openStore(t, cwd)
  t.equal(store.keys.use(digestOf(old.key), Date.now()), undefined)
  t.equal(store.keys.use(digestOf(stdout.trimEnd()), Date.now()), keyIdOf(digestOf(stdout.trimEnd())))
})

t.test('rotate: never extends the validity of the old key', async t => {
  const cwd = t.testdir()
  const old = await issued(t, cwd, '--expires', '30m')
  await keys(t, cwd, ['rotate', old.id, '--grace', '7d'])
  const store = openSqliteStore({ path: join(cwd, 'data', 'animals.db') })
  const [{ expiresAt, createdAt = 0 } = {}] = await store.keys.list()
  t.equal(expiresAt, createdAt + 30 * 60_000)
  await store.keys.expire(old.id, createdAt)
  await store.close()
  t.comment('an expired key can still be rotated')
  const { code, stderr } = await keys(t, cwd, ['rotate', old.id])
  t.equal(code, 0)
  t.match(stderr, `The old key ${old.id} is no longer valid.\n`)
})

t.test('rotate: a revoked key cannot be rotated', async t => {
  const cwd = t.testdir()
  const { id } = await issued(t, cwd, '--name', "Käthe's")
  await keys(t, cwd, ['revoke', id])
  const { code, stdout, stderr } = await keys(t, cwd, ['rotate', id])
  t.equal(code, 1)
  t.equal(stdout, '')
  t.equal(stderr, `Key ${id} is revoked; npm run keys -- issue --name 'Käthe'\\''s' makes another of that name.\n`)
  t.equal((await openStore(t, cwd).keys.list()).length, 1)
})

t.test('an unknown id: exit code 1, and no key in the message', async t => {
  const cwd = t.testdir()
  const { key, id } = await issued(t, cwd)
  for (const verb of ['revoke', 'rotate']) {
    for (const [word, message] of [
      ['0123456789ab', 'No issued key has the id 0123456789ab; npm run keys -- list shows the ids.\n'],
      ['', 'No issued key has the id ; npm run keys -- list shows the ids.\n'],
      [key, `That is a key, not an id; its id is ${id}.\n`],
      [`${key}x`, 'No issued key has the id ast_live_…; npm run keys -- list shows the ids.\n'],
      [`env:${id}`, `env:${id} is a key of API_KEYS: remove it there, and restart the service.\n`]
    ] as const) {
      t.strictSame(await keys(t, cwd, [verb, word]), { code: 1, stdout: '', stderr: message })
    }
  }
  const store = openStore(t, cwd)
  t.equal((await store.keys.list()).length, 1)
  t.equal(store.keys.use(digestOf(key), Date.now()), id)
})

t.test('invalid arguments get a clear message and exit code 2, and create nothing', async t => {
  const cwd = t.testdir()
  const key = newApiKey(animalStore.keyPrefix)
  const misused: [words: string[], reason: string][] = [
    [[], ''],
    [[''], 'Unknown command.'],
    [['constructor'], 'Unknown command.'],
    [[key], 'Unknown command.'],
    ...['two', key].map((word): [string[], string] => [
      ['issue', word],
      'issue takes only options; quote a name that contains spaces.'
    ]),
    ...['--json', `--${key}`, `--${key}=x`, `-${key}`].map((word): [string[], string] => [
      ['issue', word],
      'issue has no such option.'
    ]),
    [['issue', '--name'], "Option '--name <value>' argument missing"],
    [['issue', '--name', `-${key}`], "use '--name=-XYZ'."],
    [['list', 'x'], 'list takes only options;'],
    [['list', `--json=${key}`], "Option '--json' does not take an argument"],
    [['revoke'], 'revoke needs one ID, not 0.'],
    [['revoke', key, 'b'], 'revoke needs one ID, not 2.'],
    [['revoke', 'a', '--grace', '1d'], 'revoke has no such option.'],
    [['rotate'], 'rotate needs one ID, not 0.']
  ]
  for (const [words, reason] of misused) {
    const { code, stdout, stderr } = await keys(t, cwd, words)
    t.equal(code, 2, words.join(' '))
    t.equal(stdout, '')
    const [first = '', second] = stderr.split('\nUsage: npm run keys -- COMMAND')
    if (reason === '') t.match(first, /^Usage: npm run keys -- COMMAND/)
    else t.match(first, reason)
    t.equal(second !== undefined, reason !== '')
    t.notOk(stderr.includes(key))
  }
  const faulty: [words: string[], message: string][] = [
    ...['90', '0d', '-1d', '1.5h', '1w', '', '100000d'].map((time): [string[], string] => [
      ['issue', `--expires=${time}`],
      '--expires must be a time such as 90d, 12h or 30m.'
    ]),
    ...['1', '0d'].map((time): [string[], string] => [
      ['rotate', 'a', `--grace=${time}`],
      '--grace must be 0, or a time such as 90d, 12h or 30m.'
    ]),
    ...['', 'x'.repeat(65), '\u001b[31m', 'a\u202eb', '\u2028'].map((name): [string[], string] => [
      ['issue', '--name', name],
      '--name must be 1 to 64 characters without control characters.'
    ]),
    [['issue', '--name', `web ${key}`], '--name must not contain a key.']
  ]
  for (const [words, message] of faulty)
    t.strictSame(await keys(t, cwd, words), { code: 2, stdout: '', stderr: `${message}\n` })
  t.strictSame(readdirSync(cwd), [])
})

t.test('--help lists commands and options', async t => {
  const { code, stdout, stderr } = await keys(t, t.testdir(), ['--help'])
  t.equal(code, 0)
  t.equal(stderr, '')
  for (const word of ['issue', 'list', 'revoke', 'rotate', '--expires', '--grace', '90d']) t.match(stdout, word)
})

t.test('list, revoke and rotate create no database', async t => {
  const cwd = t.testdir()
  for (const words of [['list'], ['list', '--json'], ['revoke', 'a'], ['rotate', 'a']]) {
    t.strictSame(await keys(t, cwd, words), {
      code: 1,
      stdout: '',
      stderr: `There is no database ${join(cwd, 'data', 'animals.db')}; set DATABASE_URL to the one to open.\n`
    })
  }
  t.strictSame(readdirSync(cwd), [])
})

t.test('a database that cannot be accessed is not reported as missing', async t => {
  const cwd = t.testdir({ loop: t.fixture('symlink', 'loop') })
  const { code, stderr } = await keys(t, cwd, ['list'], { DATABASE_URL: 'sqlite:loop/a.db' })
  t.equal(code, 1)
  t.match(stderr, /^The command failed: ELOOP: .*, stat '\/.*\/loop\/a\.db'\n$/)
})

t.test('no key is issued if it could not be used', async t => {
  const cwd = t.testdir({ 'text.db': 'x'.repeat(5000) })
  for (const words of [['issue'], ['revoke', 'a']]) {
    const memory = await keys(t, cwd, words, { DATABASE_URL: 'sqlite::memory:' })
    t.equal(memory.code, 2)
    t.equal(memory.stdout, '')
    t.match(memory.stderr, /memory/)

    const faulty = await keys(t, cwd, words, { DATABASE_URL: 'x', PORT: 'x' })
    t.equal(faulty.code, 1)
    t.equal(faulty.stdout, '')
    t.match(faulty.stderr, /^PORT is "x".*\nDATABASE_URL is "x"/)

    const text = await keys(t, cwd, words, { DATABASE_URL: 'sqlite:text.db' })
    t.equal(text.code, 1)
    t.equal(text.stdout, '')
    t.match(text.stderr, /^The command failed: cannot open the database \/.*\/text\.db: file is not a database\n$/)
  }
  writeFileSync(join(cwd, 'file'), '')
  const noFolder = await keys(t, cwd, ['issue'], { DATABASE_URL: 'sqlite:file/a.db' })
  t.equal(noFolder.code, 1)
  t.match(noFolder.stderr, /^The command failed: cannot open the database \/.*\/file\/a\.db: .+\n$/)
  if (existsSync('/proc/self')) {
    const noPlace = await keys(t, cwd, ['issue'], { DATABASE_URL: 'sqlite:/proc/x/y/a.db' })
    t.equal(noPlace.code, 1)
    t.match(
      noPlace.stderr,
      /^The command failed: cannot open the database \/proc\/x\/y\/a\.db: ENOENT.* '\/proc\/x'\n$/
    )
  }
})

t.test('a database that another process has locked is reported as such', async t => {
  const cwd = t.testdir()
  const { id } = await issued(t, cwd)
  const locking = startProcess(t, 'locking-process.ts', [join(cwd, 'data', 'animals.db')])
  t.equal(await locking.line(), 'locked')
  for (const words of [['issue'], ['revoke', id], ['rotate', id]]) {
    t.strictSame(await keys(t, cwd, words), {
      code: 1,
      stdout: '',
      stderr: 'The command failed: the database cannot be written now (database is locked)\n'
    })
  }
  t.equal((await keys(t, cwd, ['list'])).code, 0)
})

t.test('a running service: a key is valid as soon as it is issued, and refused soon after it is revoked', async t => {
  const cwd = t.testdir()
  const server = await startServer(t, { cwd })
  const { key, id } = await issued(t, cwd, '--name', 'web')
  const statusOf = async (key: string | undefined) => (await sendRequest(server, key, '/v1/pets')).status
  t.equal(await statusOf(key), 200)

  // Requests go on all the time, so that the service has the key cached.
  const revoking = keys(t, cwd, ['revoke', id]).then(({ code }) => {
    t.equal(code, 0)
    return performance.now()
  })
  let isRevoked = false
  revoking.then(() => {
    isRevoked = true
  })
  let status: number
  do {
    status = await statusOf(key)
  } while (status === 200)
  const refusedAt = performance.now()
  t.equal(status, 401)
  const ms = refusedAt - (await revoking)
  t.comment(`refused ${ms.toFixed(0)} ms after the command was done, ${isRevoked ? '' : 'before it said so'}`)
  for (let i = 0; i < 5; i++) t.equal(await statusOf(key), 401)
  t.equal(await statusOf(server.key), 200, 'all other requests are unaffected')

  const { stdout: next } = await keys(t, cwd, ['rotate', keyIdOf(digestOf(server.key ?? '')), '--grace', '1h'])
  t.equal(await statusOf(next.trimEnd()), 200)
  t.equal(await statusOf(server.key), 200)
})

t.test('the key of the first start has a name, and its use is recorded at shutdown', async t => {
  const cwd = t.testdir()
  const server = await startServer(t, { cwd })
  const before = Date.now()
  t.equal((await sendRequest(server, server.key, '/v1/pets')).status, 200)
  server.process.kill('SIGTERM')
  t.equal((await server.ended).code, 0)
  const [first, ...others] = JSON.parse((await keys(t, cwd, ['list', '--json'])).stdout)
  t.strictSame(others, [])
  t.match(first, { id: keyIdOf(digestOf(server.key ?? '')), name: 'first key', state: 'valid', expiresAt: null })
  t.ok(Date.parse(first.lastUsedAt) >= before)
})

t.test('if all keys are expired or revoked, the start is refused', async t => {
  const cwd = t.testdir()
  const [one, two] = [await issued(t, cwd, '--expires', '30m'), await issued(t, cwd)]
  const store = openSqliteStore({ path: join(cwd, 'data', 'animals.db') })
  await store.keys.expire(one.id, 0)
  await store.close()
  const production = { PORT: '0', NODE_ENV: 'production' }
  const start = () => run(t, process.execPath, [scriptPath('src/main.js'), 'server'], { cwd, env: production })
  const good = start()
  await good.printed(/the Animal Store is running/i)
  good.process.kill('SIGTERM')
  await good.ended

  await keys(t, cwd, ['revoke', two.id])
  const refused = start()
  t.equal((await refused.ended).code, 1)
  t.strictSame(refused.output(), {
    stdout: '',
    stderr:
      `All API keys in ${join(cwd, 'data', 'animals.db')} are expired or revoked (npm run keys -- list), so nobody could call the service: ` +
      'run npm run keys -- issue, or set API_KEYS.\n'
  })

  const server = await startServer(t, { cwd })
  t.equal((await sendRequest(server, server.key, '/v1/pets')).status, 200)
})

t.test('nothing that the service writes contains a key, wherever a client sends one', async t => {
  const cwd = t.testdir()
  const configured = newApiKey(animalStore.keyPrefix)
  const env = { LOG_LEVEL: 'trace', API_KEYS: configured }
  const good = await issued(t, cwd, '--name', 'web')
  const revoked = await issued(t, cwd, '--name', 'lost')
  const expired = await issued(t, cwd, '--name', 'old')
  const unknown = newApiKey(animalStore.keyPrefix)
  const mistyped = unknown.slice(0, 20) + (unknown[20] === 'a' ? 'b' : 'a') + unknown.slice(21)
  const server = await startServer(t, { cwd, env })
  const commands = [
    await keys(t, cwd, ['revoke', revoked.id]),
    await keys(t, cwd, ['rotate', expired.id, '--grace', '0']),
    await keys(t, cwd, ['list']),
    await keys(t, cwd, ['list', '--json'])
  ]
  const rotated = commands[1]?.stdout.trimEnd() ?? ''
  t.ok(isApiKey(rotated))
  // This command prints the key on purpose.
  Object.assign(commands[1] ?? {}, { stdout: '' })

  /** Everything received on a new connection. */
  const exchange = async (lines: string[], body = '') => {
    const socket = connect({ host: '127.0.0.1', port: server.port })
    socket.on('error', () => {})
    const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
    socket.end([...lines, ...length, 'Connection: close', '', body].join('\r\n'))
    return text(socket)
  }
  const all = [good.key, revoked.key, expired.key, rotated, configured, unknown, mistyped]
  const responses: string[] = []
  for (const key of all) {
    const bearer = `Authorization: Bearer ${key}`
    const json = 'Content-Type: application/json'
    const host = 'Host: 127.0.0.1'
    for (const path of [
      '/v1/pets',
      '/v1/pets/1',
      '/v1/pets/x',
      '/v1/store/orders',
      '/v1/dogs',
      '/v1/%ff',
      '/',
      '/docs/'
    ])
      responses.push(await exchange([`GET ${path} HTTP/1.1`, host, bearer]))
    for (const query of [`access_token=${key}`, `${key}=1`, `limit=${key}`, `status=${key}`, `cursor=${key}`, key]) {
      responses.push(await exchange([`GET /v1/pets?${query} HTTP/1.1`, host, bearer]))
      responses.push(await exchange([`GET /v1/pets?${query} HTTP/1.1`, host, `Authorization: Bearer ${configured}`]))
      responses.push(await exchange([`GET /?${query} HTTP/1.1`, host]))
      responses.push(await exchange([`GET /docs/?${query} HTTP/1.1`, host]))
    }
    for (const path of [`/v1/pets/${key}`, `/v1/${key}`, `/${key}`, `/v1/%ff${key}`])
      responses.push(await exchange([`GET ${path} HTTP/1.1`, host, `Authorization: Bearer ${configured}`]))
    for (const field of [
      `Authorization: Basic ${key}`,
      `Authorization: ${key}`,
      `Authorization: Bearer ${key} ${key}`,
      `Authorization: Bearer${key}`,
      `X-API-Key: ${key}`,
      `X-Request-Id: ${key}`,
      `Traceparent: ${key}`,
      `Cookie: key=${key}`,
      `${key}: 1`,
      `Host: ${key}`,
      `Expect: ${key}`,
      `Content-Type: ${key}`,
      `Bad Field ${key}`,
      `Transfer-Encoding: ${key}`
    ])
      responses.push(await exchange(['POST /v1/pets HTTP/1.1', host, field]))
    for (const body of [
      key,
      `{"${key}`,
      `{"${key}": 1}`,
      `{"name": 1, "categoryId": "${key}"}`,
      `{"name": "Rex", "categoryId": 1, "status": "${key}"}`,
      `{"name": "Rex", "categoryId": 1, "apiKey": "${key}"}`,
      `{"name": "${key}", "categoryId": ${key}}`
    ])
      responses.push(
        await exchange(['POST /v1/pets HTTP/1.1', host, `Authorization: Bearer ${configured}`, json], body),
        await exchange(['POST /v1/pets HTTP/1.1', host, bearer, `Content-Type: ${key}`], body)
      )
    for (const line of [
      `${key} /v1/pets HTTP/1.1`,
      `GET ${key} HTTP/1.1`,
      `GET /v1/pets ${key}`,
      `GET /v1/${key} HTTP/2.0`
    ])
      responses.push(await exchange([line, host, bearer]))
  }
  t.ok(
    responses.every(each => /^HTTP\/1\.1 [2345]/.test(each)),
    'each of them got a response'
  )
  for (const status of [200, 400, 401, 404, 415, 417])
    t.ok(
      responses.some(each => each.startsWith(`HTTP/1.1 ${status} `)),
      `some with ${status}`
    )
  const [, operators = ''] = await server.printed(/"operators":"(http:[^"]+)"/)
  const pages: string[] = []
  for (const page of ['metrics', 'livez', 'readyz', good.key, `metrics?${good.key}`]) {
    const headers = { authorization: `Bearer ${good.key}`, 'x-request-id': good.key }
    const response = await fetch(`${operators}/${page}`, { headers })
    pages.push(JSON.stringify([...response.headers]), await response.text())
  }
  t.match(pages.join('\n'), good.id, 'the id is logged')

  const folder = join(cwd, 'data')
  const files = () => readdirSync(folder).map(name => readFileSync(join(folder, name), 'latin1'))
  const whileRunning = files()
  t.equal(whileRunning.length, 3, 'the database, its log and its index')
  server.process.kill('SIGTERM')
  t.equal((await server.ended).code, 0)

  const everything = {
    stdout: server.output().stdout,
    stderr: server.output().stderr,
    responses: responses.join('\n'),
    pages: pages.join('\n'),
    files: [...whileRunning, ...files()].join('\n'),
    commands: JSON.stringify([commands, good.stderr, revoked.stderr, expired.stderr])
  }
  for (const key of all) {
    const random = key.slice('ast_live_'.length)
    for (const [where, written] of Object.entries(everything)) {
      // Each half as well, in case something was cut off.
      for (const part of [random.slice(0, 18), random.slice(18)])
        if (written.includes(part))
          t.fail(`${where}: ${written.slice(Math.max(0, written.indexOf(part) - 300)).slice(0, 600)}`)
    }
  }
})
