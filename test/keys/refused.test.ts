import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { newApiKey } from '../../packages/fastify/src/api-keys/api-key.ts'
import { startProcess } from '../../packages/fastify/test/store/processes.ts'
import { animalStore } from '../../src/animal-store.ts'
import { issued, keys } from './commands.ts'

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
