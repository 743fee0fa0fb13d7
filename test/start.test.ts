import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import t from 'tap'
import { projectFolder } from './start-server.ts'

const text = (file: string) => readFileSync(join(projectFolder, file), 'utf8')
const started = 'src/main.js'
const check = 'packages/check/bin/contract.js'
const generator = 'packages/generator/bin/generator.js'
const template = 'packages/generator/template/src/main.js'

t.test(
  'what starts the programs can be parsed by a Node.js without TypeScript support, and links to nothing',
  async t => {
    for (const file of [started, check, generator, template]) {
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
  const versions = ['20.20.2', '22.22.0', '23.11.1', '24.10.0', '22.23.0', '25.0.0']
  const disguise = (version: string) =>
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  const folder = t.testdir(Object.fromEntries(versions.map(version => [`${version}.cjs`, disguise(version)])))
  const npmCi = 'after npm ci, npx node src/main.js runs it with the Node.js that the project brings, as npm start and'
  const ways = [
    [started, 1, `${npmCi} npm run do.`],
    [template, 1, 'after npm ci, npm start runs the service with the Node.js that the project brings.'],
    [generator, 1, 'npx -p node@26 -p @contract-first/generator generator runs it with another.'],
    [check, 3, 'npx contract runs the check with the Node.js of the project, if it has one.']
  ] as const
  for (const [program, status, way] of ways)
    for (const version of versions.slice(0, 4)) {
      const stderr = `Node.js 22.23, 24.11 or newer is needed, but this is ${version}: ${way}\n`
      t.strictSame(runWith(folder, version, program), { status, stdout: '', stderr }, program)
    }
  for (const version of versions.slice(4)) t.equal(runWith(folder, version, check).status, 0, version)
})

t.test('the required versions are those of each package.json', async t => {
  const [node] = new Set(
    [started, check, generator, template].map(file => /^const oldest = .*$/m.exec(text(file))?.[0])
  )
  t.equal(node, 'const oldest = { 22: 23, 24: 11 }')
  for (const manifest of globSync('{.,packages/*,packages/generator/template}/package.json', { cwd: projectFolder }))
    t.equal(JSON.parse(text(manifest)).engines.node, '^22.23.0 || >=24.11.0', manifest)
})
