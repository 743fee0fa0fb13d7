// All packages have one version, as a project gets them together, and what the generator writes runs on the engine that it was
// tested with.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import type { Step } from '@contract-first/check'
import { verdict } from '@contract-first/check/internals'
import { packages } from './packages.ts'

const changelogOf = (name: string) => `packages/${name}/CHANGELOG.md`

// What the headings of "Unreleased" call for: the contract check decides about contracts in the same way.
const steps: Record<string, Step> = {
  Breaking: 'major',
  Added: 'minor',
  Deprecated: 'minor',
  Fixed: 'patch',
  Security: 'patch'
}
const title = '## Unreleased\n'

const fail = (message: string): never => {
  console.error(message)
  process.exit(1)
}

interface Manifest {
  name?: string
  version?: string
  [dependencies: string]: unknown
}
const manifestAt = (path: string): Manifest => JSON.parse(readFileSync(path, 'utf8'))

const stepOf = (name: string): Step[] => {
  const sections = readFileSync(changelogOf(name), 'utf8').split(/^(?=## )/m)
  const section = sections.find(each => each.startsWith(title)) ?? ''
  return [...section.matchAll(/^### (.*)$/gm)].map(
    ([, heading = '']) =>
      steps[heading] ?? fail(`${changelogOf(name)}: ### ${heading} is none of ${Object.keys(steps).join(', ')}`)
  )
}

const nextVersion = (current: string): string => {
  const called = packages.flatMap(stepOf)
  if (called.length === 0)
    fail('There is nothing to release: no CHANGELOG.md has a section "## Unreleased" with entries.')
  // The first release has the version that the packages have already.
  if (!/^## \d/m.test(readFileSync(changelogOf(packages[0]), 'utf8'))) return current
  const step = (['major', 'minor', 'patch'] as const).find(each => called.includes(each)) ?? 'none'
  return verdict(step, current, current).next ?? fail(`${current} is not a semantic version`)
}

const isOwn = (name: string | undefined) => name?.startsWith('@contract-first/') === true

/** A manifest, or an entry of the lock file, with this version of the packages, where it is one or needs one. */
const withVersion = (manifest: Manifest, version: string): Manifest => {
  const ranges = (value: unknown) =>
    Object.fromEntries(
      Object.entries(value as object).map(([name, range]) => [name, isOwn(name) ? `^${version}` : range])
    )
  return {
    ...Object.fromEntries(
      Object.entries(manifest).map(([key, value]) => [key, /^(?:dev)?dependencies$/i.test(key) ? ranges(value) : value])
    ),
    ...(isOwn(manifest.name) && { version })
  }
}

const writeJson = (path: string, value: unknown) => writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`)

const prepare = () => {
  const version = nextVersion(String(manifestAt('packages/fastify/package.json').version))
  for (const path of ['package.json', ...packages.map(name => `packages/${name}/package.json`)])
    writeJson(path, withVersion(manifestAt(path), version))
  const lock = manifestAt('package-lock.json') as { packages: Record<string, Manifest> }
  const entries = Object.entries(lock.packages).map(([path, entry]) => [path, withVersion(entry, version)])
  writeJson('package-lock.json', { ...lock, packages: Object.fromEntries(entries) })

  const released = `## ${version} - ${new Date().toISOString().slice(0, 10)}\n`
  for (const name of packages) {
    const text = readFileSync(changelogOf(name), 'utf8')
    const changed = text.includes(`\n${title}`)
      ? text.replace(title, released)
      : text.replace('\n## ', `\n${released}\nNothing but the version has changed.\n\n## `)
    writeFileSync(changelogOf(name), changed)
  }
  console.log(
    `The packages are ${version}. When this is on the main branch:\n\n  git tag v${version} && git push origin v${version}`
  )
}

const npm = (args: string[], output: 'inherit' | 'pipe') =>
  spawnSync('npm', args, { encoding: 'utf8', stdio: ['inherit', output, output] })

/** On the page of a registry, only URLs lead anywhere: to the repository, if the manifest names it, as it is at this version. */
const linkReadme = (name: string, { version, repository }: Manifest) => {
  const [, url] = /"git\+(https:.*)\.git"/.exec(JSON.stringify(repository ?? '')) ?? []
  if (url === undefined) return
  const readme = `packages/${name}/README.md`
  const here = `${url}/blob/v${version}/${readme}`
  const absolute = (_: string, target: string) => `](${new URL(target, here)})`
  writeFileSync(readme, readFileSync(readme, 'utf8').replaceAll(/\]\((?!https?:|#)([^)]*)\)/g, absolute))
}

/** Can be repeated after a failure. */
const publish = (options: string[]) => {
  for (const name of packages) {
    const manifest = manifestAt(`packages/${name}/package.json`)
    const { version } = manifest
    linkReadme(name, manifest)
    if (!readFileSync(changelogOf(name), 'utf8').includes(`# Changelog\n\n## ${version} - `))
      fail(`${changelogOf(name)} does not begin with ${version}: npm run release comes first`)
    const isThere = npm(['view', `@contract-first/${name}@${version}`, 'version'], 'pipe').stdout.trim() === version
    if (isThere) console.log(`@contract-first/${name}@${version} is published already`)
    else if (npm(['publish', '--workspace', `packages/${name}`, ...options], 'inherit').status !== 0) process.exit(1)
  }
}

const usage = `Usage: npm run release [-- publish [OPTIONS OF NPM]]

Gives the packages their next version, as their changelogs call for, or publishes what the registry does not have.`

const [command, ...options] = process.argv.slice(2)
if (command === undefined) prepare()
else if (command === 'publish') publish(options)
else if (command === '--help') console.log(usage)
else {
  console.error(usage)
  process.exitCode = 2
}
