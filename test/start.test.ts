import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import t from 'tap'
import { projectFolder } from './start-server.ts'

const text = (file: string) => readFileSync(join(projectFolder, file), 'utf8')
const started = 'src/main.js'
const check = 'packages/check/bin/contract.js'
const generator = 'packages/generator/bin/generator.js'

t.test(
  'what starts the programs can be parsed by a Node.js without TypeScript support, and links to nothing',
  async t => {
    for (const file of [started, check, generator]) {
      // Parsed as an async function, since a script may not await.
      const body = text(file).replace(/^#!.*/, '').replaceAll('import.meta', 'undefined')
      t.ok(new Script(`async () => {${body}\n}`), `${file} has no types and no imports that are hoisted`)
    }
  }
)

t.test('what starts the Animal Store finds packages without npm, from any folder', async t => {
  const { status, stdout } = spawnSync('env', ['-u', 'NODE_OPTIONS', process.execPath, join(projectFolder, started)], {
    cwd: t.testdir(),
    encoding: 'utf8'
  })
  t.strictSame({ status, stdout }, { status: 2, stdout: '' })
})

/** Runs a program with a Node.js that reports another version. */
const runWith = (folder: string, version: string, program: string) => {
  const disguise = join(folder, `${version}.cjs`)
  const { status, stdout, stderr } = spawnSync(
    'env',
    ['-u', 'NODE_OPTIONS', process.execPath, '--require', disguise, program, '--help'],
    { cwd: projectFolder, encoding: 'utf8' }
  )
  return { status, stdout, stderr }
}

t.test('a Node.js that is too old is refused with a line that says which is needed, and how to run it', async t => {
  const versions = ['20.20.2', '25.9.0', '23.11.1']
  const disguise = (version: string) =>
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  const folder = t.testdir(Object.fromEntries(versions.map(version => [`${version}.cjs`, disguise(version)])))
  for (const version of ['20.20.2', '25.9.0']) {
    t.strictSame(runWith(folder, version, started), {
      status: 1,
      stdout: '',
      stderr:
        `Node.js 26 or newer is needed, but this is ${version}: after npm ci, npx node src/main.js ` +
        'runs it with the Node.js that the project brings, as npm start and npm run do.\n'
    })
    t.match(runWith(folder, version, generator), { status: 1, stdout: '', stderr: /^Node\.js 26 or newer is needed, / })
  }
  t.strictSame(runWith(folder, '23.11.1', check), {
    status: 3,
    stdout: '',
    stderr:
      'Node.js 24 or newer is needed, but this is 23.11.1: ' +
      'npx contract runs the check with the Node.js of the project, if it has one.\n'
  })
  t.equal(runWith(folder, '25.9.0', check).status, 0)
})

t.test('the required version is that of package.json', async t => {
  for (const [manifest, script] of [
    ['package.json', started],
    ['packages/generator/package.json', generator],
    ['packages/check/package.json', check]
  ] as const) {
    const [, oldest] = /oldest = (\d+)/.exec(text(script)) ?? []
    t.equal(JSON.parse(text(manifest)).engines.node, `>=${oldest}`)
  }
})
