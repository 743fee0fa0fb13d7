import { readFileSync } from 'node:fs'
import t from 'tap'
import { projectFolder } from './start-server.ts'

interface LockedPackage {
  link?: boolean
  dev?: boolean
  resolved?: string
  integrity?: string
  hasInstallScript?: boolean
}

const { packages } = JSON.parse(readFileSync(`${projectFolder}package-lock.json`, 'utf8')) as {
  packages: Record<string, LockedPackage>
}
const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link)
const names = (isFaulty: (locked: LockedPackage) => boolean) =>
  installed.filter(([, locked]) => isFaulty(locked)).map(([path]) => path)

t.test('the installed packages are the locked ones, whatever the registry', async t => {
  t.ok(installed.length > 100)
  t.strictSame(
    names(({ integrity = '' }) => !integrity.startsWith('sha512-')),
    []
  )
  // Everyone installs from their own registry.
  t.strictSame(
    names(({ resolved }) => resolved !== undefined),
    []
  )
})

t.test('no package that the service needs has an install script', async t => {
  t.strictSame(
    names(({ dev, hasInstallScript }) => hasInstallScript === true && dev !== true),
    []
  )
})
