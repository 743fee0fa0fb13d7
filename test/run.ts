// node test/run.ts [full|all] runs a tier of tests: by default those that need only this repository; with `full` the others,
// *.full.test.ts, which install packages, start browsers and other servers, or try many random values; with `all` both.
import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'

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

// The code itself, before its tests, and what tap would build first; all at once, as there are several processors.
if (tier !== 'full') {
  const contract = script('contract', '--', 'check', '--today', '2026-11-20')
  const all = await Promise.all([start('tap', ['build']), script('types'), script('lint'), contract])
  if (all.includes(false)) process.exit(1)
}

const isFull = (file: string) => file.endsWith('.full.test.ts')
const all = globSync(['packages/*/test/**/*.test.ts', 'test/**/*.test.ts']).toSorted()
const files = all.filter(file => tier === 'all' || isFull(file) === (tier === 'full'))

const results = '.tap/test-results'
rmSync(results, { recursive: true, force: true })
if (tier !== 'full') await start(process.execPath, ['test/contract-coverage.ts', '--reset'])
const reporter = process.stdout.isTTY ? [] : ['--reporter=silent']
// Compiled once instead of in each process, which saves half a second per file; also in those that tests start in other folders.
const env = { ...process.env, NODE_COMPILE_CACHE: resolve('node_modules/.cache/node') }
const passed = await start('tap', ['run', ...reporter, ...files], { env })
const covered = tier === 'full' || (await start(process.execPath, ['test/contract-coverage.ts']))

// Failures and their reasons come together at the end, since the log may be long.
const counts = { passed: 0, failed: 0, skipped: 0 }
const skipped: string[] = []
for (const file of files) {
  const result = `${results}/${file}.tap`
  const text = existsSync(result) ? readFileSync(result, 'utf8') : ''
  // Without a plan, it has ended before its end, and may have reported nothing.
  const lines = /^1\.\.[1-9]/m.test(text)
    ? text.split('\n')
    : [...text.split('\n'), 'not ok 1 - it has not run to its end', '...']
  for (const [index, line] of lines.entries()) {
    // With its time, it is a test, whose assertions are counted.
    const [, not, name = ''] = /^ *(not )?ok \d+(?: - (.*))?$/.exec(line.includes(' # time=') ? '' : line) ?? []
    const [test, reason] = name.split(/ # (?:SKIP|TODO) ?/i)
    if (reason !== undefined) {
      counts.skipped++
      skipped.push(`${file}: ${test}: ${reason}`)
    } else if (not !== undefined) {
      counts.failed++
      const end = lines.findIndex((each, at) => at > index && each.trim() === '...')
      console.error(`\n${file}\n${lines.slice(index, end).join('\n')}`)
    } else if (/^ *ok /.test(line) && !line.includes(' # time=')) counts.passed++
  }
}
if (skipped.length > 0) console.log(`\nSkipped:\n${skipped.map(each => `  ${each}`).join('\n')}`)
const left = all.length - files.length
if (left > 0)
  console.log(
    tier === 'full'
      ? `\nNot run: the ${left} files of every day, which npm test runs.`
      : `\nNot run: ${left} files that install packages, start browsers and other servers, or try many values: npm run test:full.`
  )
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
if (!passed && counts.failed === 0) console.error('A test file has failed without saying why: npx tap run shows it.')
if (!passed || !covered) process.exitCode = 1
