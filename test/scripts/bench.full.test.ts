import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { judge } from '../../scripts/bench/against.ts'
import { readOptions } from '../../scripts/bench/options.ts'

const script = fileURLToPath(new URL('../../scripts/bench.ts', import.meta.url))
const { PATH, TMPDIR } = process.env

const bench = (...words: string[]) =>
  spawnSync(process.execPath, [script, ...words], {
    encoding: 'utf8',
    // Without tap's own loader.
    env: { PATH, ...(TMPDIR !== undefined && { TMPDIR }) }
  })

const few = ['--rounds', '1', '--seconds', '0.05', '--animals', '1000']

test('bench: all servers send equal responses and are compared', async t => {
  const { status, stdout, stderr } = bench(...few, '--only', 'get')
  t.equal(stderr, '')
  t.equal(status, 0)
  const ratio = '[\\d.]+ \\([\\d.]+ to [\\d.]+\\) +\\| '
  t.match(
    stdout,
    /^\| +\| bare node:http \| Fastify by hand +\| fastify-openapi-glue \| ours +\| ours, log at info +\| goal/m
  )
  t.match(stdout, new RegExp(`^\\| one animal +\\| [\\d.]+ µs +\\| (${ratio}){4}at most 1.25 \\(`, 'm'))
  t.match(stdout, /^\| memory after that +(\| \d+ MB +){5}\| at most 1.3 × Fastify \(/m)
})

test('bench: --contracts measures what contracts cost', async t => {
  const { status, stdout, stderr } = bench('--contracts', t.testdir())
  t.equal(stderr, '')
  t.equal(status, 0)
  t.match(stdout, /^\| Animal Store +\| 4 +(\| [\d.]+ s, \d+ MB +){3}\|$/m)
})

const hasGit = existsSync(new URL('../../.git', import.meta.url))

test('bench: --against compares with another commit', { skip: !hasGit && 'not a checkout' }, async t => {
  const { status, stdout, stderr } = bench('--against', 'HEAD', ...few, '--only', 'get', '--only', 'start')
  t.equal(stderr, '')
  t.match(stdout, /^\| get +\| [\d.]+ µs +\| [\d.]+ µs +\| [+-]?[\d.]+ % +\| ± [\d.]+ % /m)
  t.match(stdout, /^\| start +\| \d+ ms +\| \d+ ms +\| [+-]?[\d.]+ % +\| ± [\d.]+ % /m)
  t.match(stdout, status === 0 ? /^Nothing is slower than HEAD\.$/m : /^Slower than HEAD: /m)
  t.equal(execFileSync('git', ['worktree', 'list'], { encoding: 'utf8' }).includes('animal-store-bench'), false)
})

test('bench: a change counts if it is larger than what the same code differs by', async t => {
  const round = (base: number, again: number, ours: number) => ({ base, again, ours })
  const slower = judge([[round(100, 101, 110)], [round(100, 99, 111)], [round(101, 100, 110)]])
  t.ok(slower.change > 0.09 && slower.change < 0.11)
  t.ok(slower.noise > 0.02 && slower.noise < 0.04)
  const noisy = judge([[round(100, 120, 110)], [round(100, 90, 111)], [round(100, 115, 120)]])
  t.ok(noisy.noise > Math.abs(noisy.change))
  // One bad round does not matter.
  const same = judge([[round(100, 100, 100), round(100, 100, 100), round(100, 300, 900)]])
  t.strictSame(same, { base: 100, ours: 100, change: 0, noise: 0 })
})

test('bench: invalid arguments print the usage, with exit code 2', async t => {
  const { status, stdout, stderr } = bench('--against', 'no-such-commit')
  t.equal(status, 2)
  t.equal(stdout, '')
  t.match(stderr, /^--against needs a commit: .*no-such-commit[\s\S]*\nUsage: npm run bench/)
  const all = [
    ['--fast', /'--fast'/],
    ['now', /'now'/],
    ['--rounds 1.5', /^--rounds must be a whole number from 1 to 999, not 1.5$/],
    ['--seconds x', /^--seconds must be a number from 0.001 to 60, not x$/],
    ['--animals 5', /^--animals must be a whole number from 100 to 99999999, not 5$/],
    ['--only x', /^--only must be one of list, list-100, get, create, refused-key, start, not x$/],
    ['--write --only get', /^--write needs all figures/],
    ['--contracts nowhere', /^there is no folder nowhere/]
  ] as const
  for (const [words, message] of all) t.throws(() => readOptions(words.split(' ')), { message }, words)
  t.equal(readOptions(['--help']), 'help')
})
