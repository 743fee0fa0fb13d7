import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { packages } from './packages.ts'

/** A folder with the packages of this repository, as npm would publish them: packed anew only when they have changed. */
const packed = (): string | undefined => {
  const cache = 'node_modules/.cache/packages'
  const folder = `${cache}/${digestOfSources()}`
  if (existsSync(folder)) return folder
  rmSync(cache, { recursive: true, force: true })
  mkdirSync(cache, { recursive: true })
  const temporary = mkdtempSync(`${cache}/`)
  // Each after those that it needs, so that it compiles nothing but itself.
  for (const [index, name] of packages.entries()) {
    console.error(`packing @contract-first/${name}, ${index + 1} of ${packages.length}`)
    const command = ['pack', '--silent', '--pack-destination', temporary, '--workspace', `packages/${name}`]
    const { error, status } = spawnSync('npm', command, { stdio: ['ignore', 'ignore', 'inherit'] })
    if (status === 0) continue
    console.error(`it could not be packed: npm pack ${error ? `does not start: ${error.message}` : 'failed'}`)
    return undefined
  }
  renameSync(temporary, folder)
  return folder
}

const digestOfSources = (): string => {
  const hash = createHash('sha256')
  // The lock file names the compiler.
  const others = ['package-lock.json', 'tsconfig.json', 'tsconfig.package.json']
  const isOther = (name: string) => ['dist', 'node_modules', 'test', 'trials'].includes(name)
  for (const entry of globSync('packages/**', { withFileTypes: true, exclude: ({ name }) => isOther(name) }))
    if (entry.isFile()) others.push(`${entry.parentPath}/${entry.name}`)
  for (const path of others.toSorted()) hash.update(`${path}\0`).update(readFileSync(path)).update('\0')
  return hash.digest('hex').slice(0, 20)
}

const args = process.argv.slice(2)
const isRequest = args.some(each => /^--contract(?:=|$)/.test(each)) && !args.includes('--help')
const isReady = !isRequest || args.some(each => /^--packages(?:=|$)/.test(each))
const folder = isReady ? undefined : packed()
if (isReady || folder !== undefined) {
  process.argv.splice(2, Infinity, 'new', ...args, ...(folder ? ['--packages', folder] : []))
  await import(import.meta.resolve('../packages/generator/bin/generator.js'))
} else process.exitCode = 1
