import { spawnSync } from 'node:child_process'
import t from 'tap'
import manifest from '../../package.json' with { type: 'json' }
import { childEnvironment, projectFolder } from '../start-server.ts'

// Every command explains itself when asked, and does not begin with invalid arguments.

const commands = Object.entries(manifest.scripts).flatMap(([name, script]) => {
  const [, line] =
    /\bnode (?:--\S+ )*((?:src|scripts|packages\/\w+\/(?:bin|trials))\/\S+\.[jt]s(?: \w+)?)$/.exec(script) ?? []
  return line === undefined ? [] : [{ name, line }]
})
const others = ['src/main.js', 'src/main.js ready', 'packages/generator/bin/generator.js']

const run = (line: string, ...args: string[]) => {
  const env = { ...childEnvironment, DATABASE_URL: 'sqlite::memory:' }
  return spawnSync(process.execPath, [...line.split(' '), ...args], {
    cwd: projectFolder,
    env,
    encoding: 'utf8',
    timeout: 60_000
  })
}

t.test('the commands are found', async t => {
  const names = commands.map(({ name }) => name)
  for (const name of ['start', 'dev', 'demo', 'mock', 'lint', 'keys', 'bench', 'contract'])
    t.ok(names.includes(name), name)
})

for (const { name, line } of [...commands, ...others.map(line => ({ name: line, line }))])
  t.test(`${name}: --help prints the usage and nothing else; an unknown option is refused, with the usage`, async t => {
    t.match(run(line, '--help'), { status: 0, stdout: /^usage: /i, stderr: '' })
    const { status, stdout, stderr } = run(line, '--no-such-option')
    t.equal(status, 2)
    t.equal(stdout, '')
    t.match(stderr, /usage: |--help/i)
  })

t.test('a command of a command prints the usage as well', async t => {
  t.match(run('src/main.js keys issue', '--help'), { status: 0, stdout: /^Usage: npm run keys/ })
  for (const command of ['new', 'generate', 'mock'])
    t.match(run('packages/generator/bin/generator.js', command, '--help'), { status: 0, stdout: /^Usage: / })
})

t.test('commands that listen refuse an invalid PORT', async t => {
  const withPort = (...words: string[]) =>
    spawnSync(process.execPath, words, {
      cwd: projectFolder,
      env: { ...childEnvironment, DATABASE_URL: 'sqlite::memory:', PORT: '70000' },
      encoding: 'utf8',
      timeout: 60_000
    })
  t.match(withPort('src/main.js', 'server'), {
    status: 1,
    stderr: /^PORT is "70000", but must be a number from 0 to 65535/
  })
  t.match(withPort('scripts/demo.ts'), { status: 1, stderr: /^PORT is "70000", but must be a number from 0 to 65535/ })
  t.match(withPort('packages/generator/bin/generator.js', 'mock', 'openapi/petstore.yaml'), {
    status: 2,
    stderr: /^PORT must be/
  })
})
