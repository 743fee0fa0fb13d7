import { spawnSync } from 'node:child_process'
import t, { type Test } from 'tap'
import manifest from '../../package.json' with { type: 'json' }
import { commandHere } from '../command-here.ts'
import { childEnvironment, projectFolder } from '../start-server.ts'

// Every command explains itself when asked, and does not begin with invalid arguments.

const commands = Object.entries(manifest.scripts).flatMap(([name, script]) => {
  const [, line] =
    /\bnode (?:--\S+ )*((?:src|scripts|packages\/\w+\/(?:bin|trials))\/\S+\.[jt]s(?: \w+)?)$/.exec(script) ?? []
  return line === undefined ? [] : [{ name, line }]
})
const others = ['src/main.js', 'src/main.js ready', 'packages/generator/bin/generator.js']

interface Result {
  status: number | null
  stdout: string
  stderr: string
}

/** In this process, if the service does not start with it: a process for each of them would take most of the time. */
const run = async (t: Test, line: string, ...args: string[]): Promise<Result> => {
  const [program, ...words] = line.split(' ')
  const env = { ...childEnvironment, DATABASE_URL: 'sqlite::memory:' }
  if (program === 'src/main.js' && words.length > 0 && words[0] !== 'server') {
    const { code: status, ...output } = await commandHere(t, [...words, ...args], { cwd: projectFolder, env })
    return { status, ...output }
  }
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
    t.match(await run(t, line, '--help'), { status: 0, stdout: /^usage: /i, stderr: '' })
    const { status, stdout, stderr } = await run(t, line, '--no-such-option')
    t.equal(status, 2)
    t.equal(stdout, '')
    t.match(stderr, /usage: |--help/i)
  })

t.test('a command of a command prints the usage as well', async t => {
  t.match(await run(t, 'src/main.js keys issue', '--help'), { status: 0, stdout: /^Usage: npm run keys/ })
  t.match(await run(t, 'packages/generator/bin/generator.js new', '--help'), { status: 0, stdout: /^Usage: / })
})

// The service's is refused in test/server.test.ts.
t.test('commands that listen refuse an invalid PORT', async t => {
  const withPort = (...words: string[]) =>
    spawnSync(process.execPath, words, {
      cwd: projectFolder,
      env: { ...childEnvironment, PORT: '70000' },
      encoding: 'utf8',
      timeout: 60_000
    })
  t.match(withPort('scripts/demo.ts'), { status: 1, stderr: /^PORT is "70000", but must be a number from 0 to 65535/ })
  t.match(withPort('packages/generator/bin/generator.js', 'mock', 'openapi/petstore.yaml'), {
    status: 2,
    stderr: /^PORT must be/
  })
})
