// node test/run.ts [full|all] runs a tier of tests: by default those that need only this repository; with `full` the others,
// *.full.test.ts, which install packages, start browsers and other servers, or try many random values; with `all` both.
import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { alone } from './folder.ts'

type Tier = 'everyday' | 'full' | 'all'

const isTier = (word: string): word is Tier => ['everyday', 'full', 'all'].includes(word)
const [tier = 'everyday', ...others] = process.argv.slice(2)
if (!isTier(tier) || others.length > 0) {
  console.error('Usage: npm test, npm run test:full, npm run test:long')
  process.exit(2)
}

const start = async (command: string, args: readonly string[], options: SpawnOptions = {}): Promise<boolean> => {
  const [code] = await once(spawn(command, args, { stdio: 'inherit', ...options }), 'exit')
  return code === 0
}
const script = (...words: string[]) => start('npm', ['run', '-s', ...words])

// The code itself, before its tests; all at once, as there are several processors.
if (tier !== 'full') {
  const contract = script('contract', '--', 'check', '--today', '2026-11-20')
  if ((await Promise.all([script('types'), script('lint'), contract])).includes(false)) process.exit(1)
  await start(process.execPath, ['test/contract-coverage.ts', '--reset'])
}

const isFull = (file: string) => file.endsWith('.full.test.ts')
const all = globSync(['packages/*/test/**/*.test.ts', 'test/**/*.test.ts']).toSorted()
const files = all.filter(file => tier === 'all' || isFull(file) === (tier === 'full'))

// Those of every day share a process per folder, which loads what they test only once: that takes half of the time. Those that
// stand in test/ itself start processes, and may change the environment.
const isAlone = (file: string) =>
  isFull(file) || dirname(file) === 'test' || readFileSync(file, 'utf8').startsWith(alone)
const folders = Map.groupBy(
  files.filter(file => !isAlone(file)),
  dirname
)
const runs = [
  ...[...folders.entries()]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([folder]) => ({ name: folder, args: ['test/folder.ts', folder] })),
  ...files.filter(isAlone).map(file => ({ name: file, args: [file] }))
]

const results = '.tap/test-results'
rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })
const env = {
  ...process.env,
  // Compiled once instead of in each process. Absolute, for those that start in other folders.
  NODE_COMPILE_CACHE: resolve('node_modules/.cache/node'),
  // In seconds. It only ends what hangs: on a machine with other things to do, one may take many times its two minutes.
  TAP_TIMEOUT: process.env.TAP_TIMEOUT ?? '1800'
}

const counts = { passed: 0, failed: 0, skipped: 0 }
const skipped: string[] = []
const failures: string[] = []

/** Counts what a process has printed, in the Test Anything Protocol. */
const count = (name: string, output: string, isEnded: boolean): string => {
  const before = { ...counts }
  const lines = output.split('\n')
  if (!isEnded) lines.push('not ok 1 - it has not run to its end', '...')
  for (const [index, line] of lines.entries()) {
    // With its time, it is a test, whose assertions are counted.
    const [, not, title = ''] = /^ *(not )?ok \d+(?: - (.*))?$/.exec(line.includes(' # time=') ? '' : line) ?? []
    const [test, reason] = title.split(/ # (?:SKIP|TODO) ?/i)
    if (reason !== undefined) {
      counts.skipped++
      skipped.push(`${name}: ${test}: ${reason}`)
    } else if (not !== undefined) {
      counts.failed++
      const end = lines.findIndex((each, at) => at > index && each.trim() === '...')
      failures.push(`${name}\n${lines.slice(index, end).join('\n')}`)
    } else if (/^ *ok /.test(line) && !line.includes(' # time=')) counts.passed++
  }
  const told = (['passed', 'failed', 'skipped'] as const).map(each => [counts[each] - before[each], each] as const)
  return told.flatMap(([number, each]) => (number > 0 || each === 'passed' ? [`${number} ${each}`] : [])).join(', ')
}

// Garbage is collected less often, which saves a tenth of the time.
const options = ['--conditions=@contract-first/source', '--min-semi-space-size=16', '--max-semi-space-size=64']
const next = runs[Symbol.iterator]()
const work = async (): Promise<void> => {
  for (const { name, args } of next) {
    const began = performance.now()
    const child = spawn(process.execPath, [...options, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env
    })
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
    writeFileSync(`${results}/${name.replaceAll('/', '-')}.tap`, output + errors)
    const failed = counts.failed
    const told = count(name, output, /^1\.\.[1-9]/m.test(output))
    if (code !== 0 && counts.failed === failed) {
      counts.failed++
      failures.push(`${name} has ended with ${code}\n${errors.slice(-2000)}`)
    }
    console.log(`${name}: ${told}, ${Math.round((performance.now() - began) / 1000)} s`)
  }
}
// More than the two processors of a small machine: many wait for what they have started.
const jobs = Number(process.env.TAP_JOBS ?? 3)
await Promise.all(Array.from({ length: jobs }, work))
const isCovered = tier === 'full' || (await start(process.execPath, ['test/contract-coverage.ts']))

// Failures and their reasons come together at the end, since the log may be long.
for (const each of failures) console.error(`\n${each}`)
if (skipped.length > 0) console.log(`\nSkipped:\n${skipped.map(each => `  ${each}`).join('\n')}`)
const left = all.length - files.length
if (left > 0)
  console.log(
    tier === 'full'
      ? `\nNot run: the ${left} files of every day, which npm test runs.`
      : `\nNot run: ${left} files that install packages, start browsers and other servers, or try many values: npm run test:full.`
  )
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
if (counts.failed > 0 || !isCovered) process.exitCode = 1
