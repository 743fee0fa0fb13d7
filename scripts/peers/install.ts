import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, parse } from 'node:path'

/**
 * Installs what a manifest in this folder lists, in a folder of its own, as nothing but a comparison needs it, and returns that
 * folder. What is installed already needs no registry.
 */
export const installPeers = (manifest: string, changes: object = {}): string => {
  const content = JSON.parse(readFileSync(join(import.meta.dirname, manifest), 'utf8'))
  const folder = join(import.meta.dirname, 'dist', parse(manifest).name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...content, ...changes }))
  try {
    const words = ['install', '--no-audit', '--no-fund', '--no-package-lock']
    execFileSync('npm', words, { cwd: folder, stdio: 'pipe' })
  } catch (error) {
    const what = `npm could not install what this comparison needs, scripts/peers/${manifest}`
    throw new Error(`${what}: ${(error as Error).message}`)
  }
  return folder
}
