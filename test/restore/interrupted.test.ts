import { copyFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { addLarge, backup, fileDigestOf, idsIn, look, newDatabase, startInterrupted } from '../backups.ts'
import { resultOf, run, scriptPath } from '../start-server.ts'
import { onlyTraced, restoreKilledAt } from './killed.ts'

t.test('interrupted: the existing database stays', async t => {
  const cwd = t.testdir()
  const path = newDatabase(cwd, 1)
  copyFileSync(path, join(cwd, 'large.db'))
  look(join(cwd, 'large.db'), db => addLarge(db, 12))
  const options = { signal: 'SIGINT', copy: 'not begun' } as const
  const running = startInterrupted(t, cwd, ['restore', 'large.db', '--replace'], options)
  t.strictSame(await resultOf(running), { code: 1, stdout: '', stderr: 'Nothing was restored: interrupted\n' })
  t.strictSame(readdirSync(join(cwd, 'data')), ['animals.db'])
  t.strictSame(idsIn(path), [1])
})

// At any other step: killed.full.test.ts.
t.test('killed before the exchange, restore leaves the old database, and can be repeated', onlyTraced, async t => {
  const killedAt = await restoreKilledAt(t)
  t.ok(await killedAt('rename', 1))
})

t.test('if the exchange fails, the database and its other files are unchanged', onlyTraced, async t => {
  const cwd = t.testdir()
  const path = newDatabase(cwd, 3)
  t.equal((await backup(t, cwd, ['copy.db'])).code, 0)
  truncateSync(path)
  writeFileSync(`${path}-wal`, 'log')
  const before = fileDigestOf(path)
  // The first rename moves the log, the second would be the exchange.
  const inject = ['-e', 'trace=rename', '-e', 'inject=rename:error=EBUSY:when=2']
  const args = ['-f', '-qq', '-o', '/dev/null', ...inject, process.execPath, scriptPath('src/main.js'), 'restore']
  const { code, stderr } = await resultOf(run(t, 'strace', [...args, 'copy.db', '--replace'], { cwd }))
  t.equal(code, 1)
  t.match(stderr, /^Nothing was restored: EBUSY: /)
  t.strictSame(readdirSync(join(cwd, 'data')), ['animals.db', 'animals.db-wal'])
  t.equal(fileDigestOf(path), before)
  t.equal(readFileSync(`${path}-wal`, 'utf8'), 'log')
})

t.test('the copy is synced before it is renamed, and the folder before it is reported', onlyTraced, async t => {
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
})
