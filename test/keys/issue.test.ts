import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { digestOf, isApiKey, keyIdOf } from '../../packages/fastify/src/api-keys/api-key.ts'
import { issueKey } from '../../packages/fastify/src/store/issue-key.ts'
import { StoreUnavailable } from '../../packages/fastify/src/store/store.ts'
import { commandHere } from '../command-here.ts'
import { openSqliteStore } from '../open-store.ts'
import { projectFolder, resultOf, run, scriptPath } from '../start-server.ts'
import { dayMs, fixKeys, issued, keys, openStore, startKeys } from './commands.ts'

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
  const issues = [() => resultOf(startKeys(t, cwd, ['issue'])), () => keys(t, cwd, ['issue'])]
  for (const [index, issue] of issues.entries()) {
    const { code, stdout, stderr } = await issue()
    t.equal(code, 0)
    const key = stdout.trimEnd()
    t.ok(isApiKey(key))
    t.equal(stdout, `${key}\n`)
    const said = `Key ${keyIdOf(digestOf(key))} (unnamed), valid until revoked. Keep it: it is not shown again.\n`
    t.equal(stderr, index === 0 ? isNew + said : said)
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
const full = 'ENOSPC: no space left on device, write'

/** Runs the command with output to a full disk. */
const keysUnheard = async (t: Test, cwd: string, words: string[]) => {
  const file = openSync('/dev/full', 'w')
  try {
    const { code, stderr } = await commandHere(t, ['keys', ...words], { cwd, stdout: file })
    return { code, stderr }
  } finally {
    closeSync(file)
  }
}

t.test('a full disk: a key that cannot be printed makes the command fail', noRoom, async t => {
  const cwd = t.testdir()
  const { id } = await issued(t, cwd, '--name', 'web')
  for (const words of [['list'], ['list', '--json'], ['--help']]) {
    const message = `The command failed: ${full}\n`
    t.strictSame(await keysUnheard(t, cwd, words), { code: 1, stderr: message })
  }
  t.comment('revoke prints nothing that anybody needs')
  t.equal((await keysUnheard(t, cwd, ['revoke', id])).code, 0)
})

const unheard = {
  'a full disk': (t: Test, cwd: string) =>
    run(t, 'sh', ['-c', '"$0" "$@" > /dev/full', process.execPath, scriptPath('src/main.js'), 'keys', 'issue'], {
      cwd
    }),
  'a closed pipe': (t: Test, cwd: string) => {
    const running = startKeys(t, cwd, ['issue'])
    running.process.stdout.destroy()
    return running
  }
}

for (const [where, issueUnheard] of Object.entries(unheard))
  t.test(`${where}: a key that nobody has seen is not valid`, where === 'a full disk' ? noRoom : {}, async t => {
    const cwd = t.testdir()
    const { code, stderr } = await resultOf(issueUnheard(t, cwd))
    t.equal(code, 1)
    const found = await openStore(t, cwd).keys.list()
    t.match(found, [{ name: 'unnamed', revokedAt: /^\d+$/ }])
    const reason = where === 'a full disk' ? full : 'EPIPE: broken pipe, write'
    t.match(stderr, `\nThe new key ${found[0]?.id} could not be printed, so it was revoked: ${reason}\n`)
  })

t.test('a full disk: a key that cannot be replaced stays valid', noRoom, async t => {
  const cwd = t.testdir()
  const old = await issued(t, cwd, '--name', 'web')
  for (const words of [[], ['--grace', '0']]) {
    const { code, stderr } = await keysUnheard(t, cwd, ['rotate', old.id, ...words])
    t.equal(code, 1)
    t.match(stderr, new RegExp(`^The new key [\\da-f]{12} could not be printed, so it was revoked: ${full}\n$`))
  }
  const store = openStore(t, cwd)
  t.match(await store.keys.list(), [{ id: old.id, expiresAt: undefined, revokedAt: undefined }, {}, {}])
  t.equal(await store.keys.hasValid(Date.now()), true)
  await store.keys.revoke(old.id, Date.now())
  t.equal(await store.keys.hasValid(Date.now()), false, 'and no other key')
})

t.test('issue: a key that could neither be printed nor revoked is named', noRoom, async t => {
  const cwd = t.testdir()
  const { id: first } = await issued(t, cwd)
  fixKeys(cwd)
  const { code, stderr } = await keysUnheard(t, cwd, ['issue'])
  t.equal(code, 1)
  const id = (await openStore(t, cwd).keys.list()).find(({ id }) => id !== first)?.id
  t.match(
    stderr,
    `The new key ${id} could not be printed, but is valid; revoke it with npm run keys -- revoke ${id}: ENO`
  )
})
