import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runGenerator } from '@contract-first/generator'

// The new project gets the packages of this repository, as npm would publish them.
const workspaces = ['packages/fastify', 'packages/generator', 'packages/check', 'packages/document', 'packages/formats']

const args = process.argv.slice(2)
const packages = mkdtempSync(join(tmpdir(), 'packages-'))
const pack = () => {
  console.error('packing the engine, the generator and the contract check')
  const which = workspaces.flatMap(each => ['--workspace', each])
  const command = ['pack', '--silent', '--pack-destination', packages, ...which]
  const { error, status } = spawnSync('npm', command, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0)
    console.error(`they could not be packed: npm pack ${error ? `does not start: ${error.message}` : 'failed'}`)
  return status === 0
}

try {
  const isRequest = args.some(each => /^--contract(?:=|$)/.test(each)) && !args.includes('--help')
  const isReady = !isRequest || args.some(each => /^--packages(?:=|$)/.test(each))
  if (isReady) process.exitCode = await runGenerator(['new', ...args], 'npm run')
  else if (pack()) process.exitCode = await runGenerator(['new', ...args, '--packages', packages], 'npm run')
  else process.exitCode = 1
} finally {
  rmSync(packages, { recursive: true, force: true })
}
