import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { LoadError, shellWord } from '@contract-first/document'
import { ContractError, Report } from '../problems.ts'
import { type Command, UsageError } from './command.ts'
import { refusedLines, warningLines } from './generate.ts'

export const newCommand: Command = {
  summary: 'make a project that serves a contract',
  takesWords: true,
  options: {
    contract: { type: 'string' },
    packages: { type: 'string' },
    'skip-refused': { type: 'boolean', default: false }
  },
  usage: typed => `Usage: ${typed} ${typed.startsWith('npm run ') ? '-- ' : ''}DIR --contract FILE [--skip-refused]

Makes a project in DIR, a new or empty folder, that serves the OpenAPI document in FILE: each operation responds with an
example until you write it.

  --contract FILE    the OpenAPI document
  --skip-refused     respond 501 to operations that are not supported, instead of refusing the whole contract
  --packages FOLDER  take the engine, the generator and the contract check from archives in this folder, made by
                     npm pack, instead of from the registry
  --help             this text`,

  run: async ({ contract, packages, 'skip-refused': skipRefused }, [dir, ...others]) => {
    if (dir === undefined || others.length > 0) throw new UsageError('one folder is expected')
    if (typeof contract !== 'string') throw new UsageError('--contract is missing')
    if (statSync(contract, { throwIfNoEntry: false })?.isFile() !== true)
      throw new LoadError([`${contract}: there is no such file`])
    const [{ isFree, makeProject }, { Outcome }] = await Promise.all([
      import('../new/new-project.ts'),
      import('../generate.ts')
    ])
    if (!isFree(dir)) throw new LoadError([`${dir}: it is not an empty folder; name a new one`])

    // Messages name the contract, not its copy.
    const report = new Report(dirname(contract))
    const outcome = skipRefused ? new Outcome() : undefined
    const archives = typeof packages === 'string' ? archivesIn(packages) : new Map<string, string>()
    // In a folder of its own first: if the contract is refused, nothing is left behind.
    const temporary = mkdtempSync(join(tmpdir(), 'new-'))
    try {
      const folder = join(temporary, 'project')
      const name = packageNameOf(basename(resolve(dir)))
      const project = { folder, name, contract, skipRefused: skipRefused === true, versions: versionsWith(archives) }
      await makeProject(project, report, outcome).catch(error => {
        if (skipRefused === true || !(error instanceof ContractError)) throw error
        throw new LoadError([error.message, 'With --skip-refused, the operations that need this respond 501.'])
      })
      if (archives.size > 0) mkdirSync(join(folder, 'packages'))
      for (const file of archives.values()) copyFileSync(file, join(folder, 'packages', basename(file)))
      cpSync(folder, dir, { recursive: true })
    } finally {
      rmSync(temporary, { recursive: true, force: true })
    }
    const isLocked = await lockDependencies(dir, typeof packages === 'string' ? packages : undefined)
    if (outcome !== undefined && outcome.refused.length > 0)
      for (const line of refusedLines(outcome)) console.error(line)
    const warnings = warningLines(report)
    for (const line of warnings.slice(0, shownWarnings)) console.error(line)
    if (warnings.length > shownWarnings)
      console.error(`There are ${warnings.length} warnings; npm run generate lists them all.`)
    const place = relative('', dir) || '.'
    console.log(`${place} serves ${contract}. Run and test it:

  cd ${shellWord(place)}
  npm ${isLocked ? 'ci' : 'install'} && npm start
  npm test

README.md says how to go on.`)
    return 0
  }
}

// More would push the next steps off the screen.
const shownWarnings = 5

const ownPackages = [
  '@contract-first/fastify',
  '@contract-first/generator',
  '@contract-first/check',
  '@contract-first/document',
  '@contract-first/formats'
]

/** The archives of our packages in a folder. */
const archivesIn = (folder: string): Map<string, string> => {
  const files = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(folder) : []
  return new Map(
    ownPackages.map(name => {
      const prefix = `${name.slice(1).replace('/', '-')}-`
      const file = files.find(each => each.startsWith(prefix) && /^\d.*\.tgz$/.test(each.slice(prefix.length)))
      if (file === undefined) throw new LoadError([`${folder}: there is no archive of ${name}, which npm pack makes`])
      return [name, join(folder, file)]
    })
  )
}

/** What a project depends on: our packages in the generator's own version, and what they are tested with. */
const versionsWith = (archives: ReadonlyMap<string, string>): Record<string, string> => {
  const manifest = readFileSync(new URL(import.meta.resolve('@contract-first/generator/package.json')), 'utf8')
  const { version, dependencies, devDependencies } = JSON.parse(manifest)
  const own = ownPackages.map(name => {
    const archive = archives.get(name)
    return [name, archive === undefined ? `^${version}` : `file:packages/${basename(archive)}`]
  })
  return { ...dependencies, ...devDependencies, ...Object.fromEntries(own) }
}

const packageNameOf = (folder: string) =>
  folder
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50) || 'service'

/**
 * Writes package-lock.json, so that everybody gets the same versions. Returns whether that worked; if not, prints why. A folder of
 * archives keeps the file for the next project, for which npm then takes one second instead of ten.
 */
const lockDependencies = async (folder: string, archives: string | undefined): Promise<boolean> => {
  const lock = join(folder, lockFile)
  const kept = archives && join(archives, lockFile)
  if (kept && existsSync(kept)) copyFileSync(kept, lock)
  else console.error('npm is choosing the versions of all dependencies')
  const args = ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const child = spawn('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  const errors = text(child.stderr)
  const reason = await once(child, 'close').then(
    async ([code]) => (code === 0 ? undefined : ((await errors).split('\n', 1)[0] ?? '')),
    (error: Error) => error.message
  )
  if (reason === undefined) {
    if (kept) copyFileSync(lock, kept)
    return true
  }
  rmSync(lock, { force: true })
  console.error(`There is no package-lock.json yet, as npm could not make it: ${reason}`)
  return false
}

const lockFile = 'package-lock.json'
