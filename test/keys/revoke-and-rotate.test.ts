import { join } from 'node:path'
import t from 'tap'
import { digestOf, isApiKey, keyIdOf } from '../../packages/fastify/src/api-keys/api-key.ts'
import { openSqliteStore } from '../open-store.ts'
import { dayMs, fixKeys, issued, keys, openStore } from './commands.ts'

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
