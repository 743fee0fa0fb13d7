import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { elsewhere, environment, inProject } from './installing.ts'

interface Manifest {
  name: string
  version: string
}
interface Packed {
  manifest: Manifest
  /** Prints its archive. */
  archive: readonly [command: string, ...args: string[]]
}

/** The packages that the lock file names, by name; those for other systems have no archive. */
const locked = () => {
  const lock = readFileSync(inProject('package-lock.json'), 'utf8')
  const { packages } = JSON.parse(lock) as { packages: Record<string, Partial<Manifest> & { link?: boolean }> }
  const found = Object.entries(packages).flatMap(([path, { link, ...entry }]): Packed[] => {
    const [, name] = /.*node_modules\/(.+)$/.exec(path) ?? []
    if (link || name === undefined) return []
    const folder = inProject(path)
    const file = join(folder, 'package.json')
    const manifest = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { name, ...entry }
    return [{ manifest, archive: ['tar', '-cC', dirname(folder), '--exclude=node_modules', basename(folder)] }]
  })
  return Map.groupBy(found, ({ manifest }) => manifest.name)
}

/**
 * npm with a registry that has only the packages that are installed here: installing works as for
 * others, and needs no network.
 */
export const npmOffline = async () => {
  const registry = createServer(serving(locked())).listen(0, '127.0.0.1')
  await once(registry, 'listening')
  t.teardown(() => {
    registry.closeAllConnections()
    registry.close()
  })
  const env = {
    ...environment(),
    npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}`,
    npm_config_cache: elsewhere(),
    npm_config_audit: 'false',
    npm_config_fund: 'false'
  }
  return {
    /** The environment with which other processes use it. */
    env,
    run: (cwd: string, ...args: string[]) => promisify(execFile)('npm', args, { cwd, env, encoding: 'utf8' })
  }
}

const serving =
  (packages: ReadonlyMap<string, Packed[]>): RequestListener =>
  ({ url = '', headers }, response) => {
    const [name = '', version] = decodeURIComponent(url.slice(1)).split('/-/')
    const versions = packages.get(name) ?? []
    if (version === undefined) {
      const entries = versions.map(({ manifest }) => [
        manifest.version,
        { ...manifest, dist: { tarball: `http://${headers.host}/${name}/-/${manifest.version}` } }
      ])
      response.statusCode = versions.length === 0 ? 404 : 200
      const latest = versions.at(-1)?.manifest.version
      response.end(JSON.stringify({ name, 'dist-tags': { latest }, versions: Object.fromEntries(entries) }))
    } else {
      const [command, ...args] = versions.find(({ manifest }) => manifest.version === version)?.archive ?? ['false']
      spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] }).stdout.pipe(response)
    }
  }
