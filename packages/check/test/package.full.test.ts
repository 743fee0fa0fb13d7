import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isLong } from '../../../test/extent.ts'
import {
  copyOfRepository,
  dependenciesOf,
  elsewhere,
  environment,
  inProject,
  npm,
  oldestNode,
  packInstalled,
  packOwn
} from '../../../test/installing.ts'
import { animals } from './contract-command.ts'

const workspace = 'packages/check'
const tarballs = Object.values(packOwn('check'))
const [tarball = ''] = tarballs

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...args], { cwd, encoding: 'utf8' })

/** What the first line of its README that begins so reports of another team's contract, in a folder. */
const reportOf = (folder: string, beginning: string, env: NodeJS.ProcessEnv) => {
  git(folder, 'init', '--quiet', '--initial-branch=main')
  writeFileSync(join(folder, 'openapi.yaml'), animals())
  git(folder, 'add', 'openapi.yaml')
  git(folder, 'commit', '--quiet', '--message=first')
  git(folder, 'update-ref', 'refs/remotes/origin/main', 'HEAD')
  writeFileSync(join(folder, 'openapi.yaml'), animals({ version: '2.0.0', maximum: 50 }))
  const readme = readFileSync(inProject('packages/check/README.md'), 'utf8').split('\n')
  const line = readme.find(each => each.startsWith(beginning)) ?? ''
  const { status, stdout } = spawnSync('sh', ['-c', line], { cwd: folder, encoding: 'utf8', env })
  return { status, stdout }
}
const report = {
  status: 1,
  stdout:
    /^openapi\.yaml, compared with origin\/main:openapi\.yaml\n\nGET \/pets\n {2}BREAKING +query parameter limit: /
}

t.test('package: it contains compiled files, documents, and nothing else', async t => {
  const files = execFileSync('tar', ['--list', '--file', tarball], { encoding: 'utf8' }).trim().split('\n')
  const others = files.filter(name => !/^package\/dist\/(?:[a-z-]+\/)*[a-z-]+(?:\.d\.ts|\.js)$/.test(name))
  t.strictSame(others.toSorted(), [
    'package/CHANGELOG.md',
    'package/LICENSE',
    'package/README.md',
    'package/bin/contract.js',
    'package/package.json'
  ])
  const scripts = files.filter(name => /\/dist\/.*\.js$/.test(name))
  t.ok(scripts.length > 50)
  t.strictSame(files.filter(name => name.endsWith('.d.ts')).length, scripts.length)
})

t.test('package: installed in an empty folder, command, library and types work', async t => {
  const folder = elsewhere()
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  npm(folder, 'install', '--offline', ...tarballs, ...packInstalled(...dependenciesOf(workspace)))
  writeFileSync(join(folder, 'old.yaml'), animals())
  writeFileSync(join(folder, 'openapi.yaml'), animals({ version: '2.0.0', maximum: 50 }))
  writeFileSync(
    join(folder, 'library.js'),
    `import { compareContracts, LoadError } from '@contract-first/check'
const { findings, level, version } = compareContracts('old.yaml', 'openapi.yaml', { today: '2026-11-20' })
const document = { openapi: '3.0.3', info: { title: 'A', version: '1.0.0' }, paths: {} }
const same = compareContracts(document, document)
try { compareContracts('gone.yaml', document) } catch (error) { console.log(error instanceof LoadError) }
console.log(JSON.stringify([findings.map(({ place, witness }) => [place, witness]), level, version.next, same.level]))`
  )

  const all = { 'Node.js 26': process.execPath, ...(isLong && { 'Node.js 24': oldestNode(24) }) }
  for (const [name, node] of Object.entries(all)) {
    await t.test(name, async t => {
      const run = (command: string, ...args: string[]) => {
        const { status, stdout, stderr } = spawnSync(command, args, {
          cwd: folder,
          encoding: 'utf8',
          env: environment(node)
        })
        return { status, stdout, stderr }
      }
      t.match(run('node', '--version').stdout, name === 'Node.js 24' ? /^v24\./ : /^v26\./)
      const contract = join(folder, 'node_modules/.bin/contract')
      t.match(run(contract, '--version'), { status: 0, stdout: /^\d+\.\d+\.\d+\n$/, stderr: /^$/ })
      t.match(run(contract, 'check', 'changes', '--against', 'old.yaml', '--today', '2026-11-20'), {
        status: 1,
        stdout: /^openapi\.yaml, compared with old\.yaml\n\nGET \/pets\n {2}BREAKING +query parameter limit: /,
        stderr: /^$/
      })
      t.strictSame(run('node', 'library.js'), {
        status: 0,
        stdout: 'true\n[[["GET /pets query parameter limit",51]],"breaking","2.0.0","none"]\n',
        stderr: ''
      })
    })
  }

  t.match(reportOf(folder, 'npx contract check changes', environment()), report, 'its README')

  writeFileSync(
    join(folder, 'library.ts'),
    `import { compareContracts, type Comparison, type ContractConfig, type Finding, fastifyRoutes } from '@contract-first/check'
export const config: ContractConfig = { generated: () => [], routes: () => fastifyRoutes({ build: async () => { throw new Error() }, operationOf: () => undefined }) }
const { findings }: Comparison = compareContracts('a', 'b', { strict: true })
export const level: 'breaking' | 'undecided' | 'compatible' | undefined = (findings[0] as Finding | undefined)?.level
// @ts-expect-error
compareContracts('a', 'b', { stricter: true })`
  )
  const types = spawnSync(
    process.execPath,
    [
      inProject('node_modules/typescript/bin/tsc'),
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      'library.ts'
    ],
    { cwd: folder, encoding: 'utf8' }
  )
  t.strictSame({ status: types.status, stdout: types.stdout }, { status: 0, stdout: '' })
})

const long = isLong ? {} : { skip: 'installs from a clone; npm run test:long has it' }
t.test('package: the command in its README works in a folder of another team, from a clone', long, async t => {
  const repository = copyOfRepository(workspace, 'packages/document', 'packages/formats', 'packages/sources.js')
  git(repository, 'init', '--quiet', '--initial-branch=main')
  git(repository, 'add', '.')
  git(repository, 'commit', '--quiet', '--message=all')

  // npm's cache has what `npm ci` fetched for this repository.
  const env = { ...environment(), ANIMAL_STORE: `file://${repository}`, npm_config_prefer_offline: 'true' }
  t.match(reportOf(elsewhere(), 'git clone', env), report)
})
