import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { digestOf, isApiKey } from '../src/api-key.ts'
import { issueKey } from '../src/keys.ts'
import { openSqliteStore } from '../src/store/sqlite/sqlite.ts'
import { StoreUnavailable } from '../src/store/store.ts'
import { projectFolder, run, scriptPath } from './start-server.ts'

/** Runs the command to its end. */
const keys = async (t: Test, cwd: string, words: string[], env: Record<string, string> = {}) => {
  const command = run(t, process.execPath, [scriptPath('src/keys.ts'), ...words], { cwd, env })
  const { code } = await command.ended
  return { code, ...command.output() }
}

t.test('an issued key is valid, and only its digest is kept', async t => {
  const store = openSqliteStore({ path: ':memory:' })
  t.teardown(() => store.close())
  const added: Uint8Array[] = []
  const key = await issueKey({
    ...store.keys,
    add: async digest => {
      added.push(digest)
      await store.keys.add(digest)
    }
  })
  t.ok(isApiKey(key))
  t.strictSame(
    added.map(each => Buffer.from(each)),
    [Buffer.from(digestOf(key))]
  )
  t.ok(store.keys.has(digestOf(key)))
})

t.test('a key that could not be stored is not handed out', async t => {
  const store = openSqliteStore({ path: ':memory:' })
  await store.close()
  await t.rejects(issueKey(store.keys), StoreUnavailable)
})

t.test('issue: prints the key and nothing else, so that a script can take it', async t => {
  const cwd = t.testdir()
  const seen = new Set<string>()
  for (let i = 0; i < 2; i++) {
    const { code, stdout, stderr } = await keys(t, cwd, ['issue'])
    t.equal(code, 0)
    t.ok(isApiKey(stdout.trimEnd()))
    t.match(stdout, /^\S+\n$/)
    t.equal(stderr, 'Keep it: it is shown this once.\n')
    seen.add(stdout.trimEnd())
  }
  t.equal(seen.size, 2)
  const path = join(cwd, 'data', 'animals.db')
  t.equal(statSync(path).mode & 0o077, 0, 'for its owner only')
  const store = openSqliteStore({ path })
  t.teardown(() => store.close())
  for (const key of seen) t.ok(store.keys.has(digestOf(key)))
})

t.test('issue through npm, as the texts say it', async t => {
  const cwd = t.testdir()
  const env = { DATABASE_URL: `sqlite:${join(cwd, 'a.db')}` }
  const command = run(t, 'npm', ['run', '-s', 'keys', '--', 'issue'], { cwd: projectFolder, env })
  t.equal((await command.ended).code, 0)
  t.ok(isApiKey(command.output().stdout.trimEnd()))
})

t.test('any other words get the usage, and create nothing', async t => {
  const cwd = t.testdir()
  for (const words of [[], ['list'], ['issue', 'two'], ['--help'], ['']]) {
    const { code, stdout, stderr } = await keys(t, cwd, words)
    t.equal(code, 2)
    t.equal(stdout, '')
    t.equal(stderr, 'Usage: npm run keys -- issue\n')
  }
  t.notOk(existsSync(join(cwd, 'data')))
})

t.test('no key is issued where it would be of no use', async t => {
  const cwd = t.testdir({ 'text.db': 'x'.repeat(5000) })
  const memory = await keys(t, cwd, ['issue'], { DATABASE_URL: 'sqlite::memory:' })
  t.equal(memory.code, 2)
  t.equal(memory.stdout, '')
  t.match(memory.stderr, /memory/)

  const faulty = await keys(t, cwd, ['issue'], { DATABASE_URL: 'x', PORT: 'x' })
  t.equal(faulty.code, 1)
  t.equal(faulty.stdout, '')
  t.match(faulty.stderr, /^PORT is "x".*\nDATABASE_URL is "x"/)

  const text = await keys(t, cwd, ['issue'], { DATABASE_URL: 'sqlite:text.db' })
  t.equal(text.code, 1)
  t.equal(text.stdout, '')
  t.match(text.stderr, /^No key was issued: cannot open the database text\.db: file is not a database\n$/)

  writeFileSync(join(cwd, 'file'), '')
  const noFolder = await keys(t, cwd, ['issue'], { DATABASE_URL: 'sqlite:file/a.db' })
  t.equal(noFolder.code, 1)
  t.match(noFolder.stderr, /^No key was issued: cannot open the database file\/a\.db: .+\n$/)
})
