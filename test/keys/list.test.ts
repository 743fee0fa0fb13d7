import { join } from 'node:path'
import t from 'tap'
import { digestOf } from '../../packages/fastify/src/api-keys/api-key.ts'
import { issueKey } from '../../packages/fastify/src/store/issue-key.ts'
import { openSqliteStore } from '../open-store.ts'
import { run, scriptPath } from '../start-server.ts'
import { issued, keys } from './commands.ts'

t.test('list: a non-blocking pipe and a slow reader get all of it', async t => {
  const cwd = t.testdir()
  const store = openSqliteStore({ path: join(cwd, 'data', 'animals.db') })
  // More than a pipe holds.
  await Promise.all(Array.from({ length: 1500 }, () => issueKey(store.keys)))
  await store.close()
  // Node makes its own pipes non-blocking, and the command shares this one.
  const other = `process.stdout.write(''); require('fs').writeFileSync('ready', ''); setInterval(() => {}, 1000)`
  const script = `{ "$0" -e "$1" & until [ -e ready ]; do sleep 0.1; done; "$0" "$2" keys list; code=$?; kill $!; echo "exit code $code" >&2; } | { sleep 1; wc -l; }`
  const running = run(t, 'sh', ['-c', script, process.execPath, other, scriptPath('src/main.js')], { cwd })
  t.equal((await running.ended).code, 0)
  t.equal(running.output().stderr, 'exit code 0\n')
  t.equal(Number(running.output().stdout), 1501)
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
