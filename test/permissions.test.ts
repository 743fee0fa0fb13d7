import { join } from 'node:path'
import t from 'tap'
import { namesSetting, onlyWithoutPrivileges, prepare } from './permissions.ts'

// With other files and modes: permissions.full.test.ts.
t.test('a missing permission is named', onlyWithoutPrivileges, async t => {
  const { cwd, refused, withMode } = await prepare(t)
  await withMode('data/animals.db', 0, async () => {
    const reason = /data\/animals\.db cannot be used: .*: EACCES: .*'data\/animals\.db'; DATABASE_URL names/
    t.match(await refused('backup', ['new.db']), reason)
  })
  await withMode('data', 0o500, async () => {
    const reason = /animals\.db cannot be replaced: .*: EACCES: .*\/data'; DATABASE_URL names/
    t.match(await refused('restore', ['copy.db', '--replace']), reason)
  })
  await withMode('locked', 0, async () => {
    const env = { DATABASE_URL: `sqlite:${join(cwd, 'locked', 'a.db')}` }
    t.match(await refused('server', [], env), namesSetting)
    t.match(await refused('keys', ['issue'], env), namesSetting)
  })
})
