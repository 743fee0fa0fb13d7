import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runGenerator } from '../generate/index.ts'

// The new project gets the packages of this repository, as npm would publish them.
const workspaces = ['src/engine', 'scripts/generate', 'scripts/contract']

const args = process.argv.slice(2)
const packages = mkdtempSync(join(tmpdir(), 'packages-'))
try {
  const isRequest = args.includes('--contract') && !args.includes('--help')
  if (isRequest) {
    console.error('packing the engine, the generator and the contract check')
    const which = workspaces.flatMap(each => ['--workspace', each])
    execFileSync('npm', ['pack', '--silent', '--pack-destination', packages, ...which], {
      stdio: ['ignore', 'ignore', 'inherit']
    })
  }
  process.exitCode = await runGenerator(['new', ...args, ...(isRequest ? ['--packages', packages] : [])], 'npm run')
} finally {
  rmSync(packages, { recursive: true, force: true })
}
