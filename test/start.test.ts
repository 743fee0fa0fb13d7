import { spawnSync } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Script } from 'node:vm'
import t from 'tap'
import { projectFolder } from './start-server.ts'

const text = (file: string) => readFileSync(join(projectFolder, file), 'utf8')
const linksIn = (folder: string) =>
  readdirSync(join(projectFolder, folder))
    .map(name => `${folder}/${name}`)
    .filter(path => lstatSync(join(projectFolder, path)).isSymbolicLink())
const started = [...linksIn('src'), ...linksIn('scripts')]
const check = 'packages/check/bin/contract.js'

t.test('every program of an npm script can be parsed by a Node.js without TypeScript support', async t => {
  const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> }
  const programs = Object.values(scripts).flatMap(script => script.match(/(?<= )(?:src|scripts)\/\S+\.ts/g) ?? [])
  t.strictSame(
    programs.filter(program => !started.includes(program)),
    []
  )
  for (const link of started) {
    const file = realpathSync(join(projectFolder, link))
    t.ok(new Script(readFileSync(file, 'utf8')), `${link} leads to a script without types, imports or exports`)
    const { type } = JSON.parse(readFileSync(join(dirname(file), 'package.json'), 'utf8'))
    t.equal(type, undefined, 'which is parsed as CommonJS whatever its name')
    t.notOk(readlinkSync(join(projectFolder, link)).startsWith('/'))
  }
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
  for (const program of started)
    for (const version of ['20.20.2', '25.9.0'])
      t.strictSame(runWith(folder, version, program), {
        status: 1,
        stdout: '',
        stderr:
          `Node.js 26 or newer is needed, but this is ${version}: after npm ci, npx node ${program} ` +
          'runs it with the Node.js that the project brings, as npm start and npm run do.\n'
      })
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
    ['package.json', 'src/start/start.ts'],
    ['packages/check/package.json', check]
  ] as const) {
    const [, oldest] = /oldest = (\d+)/.exec(text(script)) ?? []
    t.equal(JSON.parse(text(manifest)).engines.node, `>=${oldest}`)
  }
})
