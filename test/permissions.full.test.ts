import { join } from 'node:path'
import t from 'tap'
import { idsIn } from './backups.ts'
import { namesSetting, onlyWithoutPrivileges, prepare } from './permissions.ts'

t.test('a missing permission is named, whichever it is', onlyWithoutPrivileges, async t => {
  const { cwd, path, refused, withMode } = await prepare(t)
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
  for (const [name, mode, noBackup, noRestore] of cases)
    await withMode(name, mode, async () => {
      if (noBackup !== undefined) t.match(await refused('backup', ['new.db']), noBackup)
      t.match(await refused('restore', ['copy.db', '--replace']), noRestore)
    })
  const env = { DATABASE_URL: `sqlite:${join(cwd, 'locked', 'a.db')}` }
  await withMode('locked', 0, async () => {
    t.match(await refused('backup', ['locked/new.db']), /EACCES: .*locked[^;]*\n$/)
    t.match(await refused('restore', ['locked/new.db']), /EACCES: .*'locked\/new\.db'\n$/)

    // Likewise for commands that open the database, and for a missing folder.
    for (const script of ['server', 'keys'])
      for (const [url, production] of [
        [`sqlite:${join(cwd, 'locked', 'a.db')}`, 'development'],
        [`sqlite:${join(cwd, 'locked', 'new', 'a.db')}`, 'development'],
        [`sqlite:${join(cwd, 'locked', 'a.db')}`, 'production']
      ] as const) {
        const env = { DATABASE_URL: url, NODE_ENV: production }
        const said = await refused(script, script === 'keys' ? ['issue'] : [], env)
        t.match(said, namesSetting, `${script} ${url} ${production}`)
      }
    t.match(await refused('restore', ['copy.db'], env), /EACCES: .*'; DATABASE_URL names/)
  })
  await withMode('locked', 0o500, async () => {
    t.match(await refused('restore', ['copy.db'], env), /EACCES: .*'; DATABASE_URL names/)
  })
  t.strictSame(idsIn(path), [1, 2, 3])
})
