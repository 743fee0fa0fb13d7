import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'

const script = fileURLToPath(new URL('../../scripts/bench.ts', import.meta.url))
const { PATH, TMPDIR } = process.env

const bench = (...words: string[]) =>
  spawnSync(process.execPath, [script, ...words], {
    encoding: 'utf8',
    // Without tap's own loader.
    env: { PATH, ...(TMPDIR !== undefined && { TMPDIR }) }
  })

const few = ['--rounds', '1', '--requests', '500', '--animals', '1000']

test('bench: all servers send equal responses and are compared', async t => {
  const { status, stdout, stderr } = bench(...few, '--only', 'get')
  t.equal(stderr, '')
  t.equal(status, 0)
  const ratio = '[\\d.]+ \\([\\d.]+ to [\\d.]+\\) +\\| '
  t.match(
    stdout,
    /^\| +\| turns per request +\| bare node:http +\| Fastify by hand \| fastify-openapi-glue +\| ours +\| ours, log at info +\| goals of/m
  )
  for (const title of ['one by one', 'batches of 32', 'autocannon, 1', 'autocannon, 32'])
    t.match(
      stdout,
      new RegExp(
        `^\\| one animal: ${title} +\\| [\\d.]+; ours [\\d.]+ +\\| ${ratio}[\\d.]+ µs +\\| (${ratio}){3}at most 1.00 \\(m`,
        'm'
      )
    )
  t.match(
    stdout,
    new RegExp(`^\\| memory after that +\\| +\\| ${ratio}\\d+ MB +\\| (${ratio}){3}at most 1.10 \\(m`, 'm')
  )
})

test('bench: --latency compares latencies at constant rates, and measures those during a backup', async t => {
  const { status, stdout, stderr } = bench('--latency', ...few)
  t.equal(stderr, '')
  t.equal(status, 0)
  const row = (title: string, latencies: number, last: string) =>
    new RegExp(`^\\| ${title} +\\| [\\d,]+ +(\\| +)?(\\| [\\d.]+, [\\d.]+, [\\d.]+ +){${latencies}}\\| ${last}`, 'm')
  for (const title of ['one animal', 'list of 20', 'create'])
    for (const share of [50, 80])
      t.match(stdout, row(`${title}, ${share} %`, 2, 'p50 no higher \\(m\\w+\\), p99.9 lower'))
  t.match(stdout, row('create, 50 %, during a backup', 1, 'p99.9 is [\\d.]+ times that without'))
})

test('bench: --contracts measures what contracts cost', async t => {
  const { status, stdout, stderr } = bench('--contracts', t.testdir())
  t.equal(stderr, '')
  t.equal(status, 0)
  t.match(stdout, /^\| Animal Store +\| 4 +(\| [\d.]+ s, \d+ MB +){5}\|$/m)
})

const hasGit = existsSync(new URL('../../.git', import.meta.url))

test('bench: --against compares with another commit', { skip: !hasGit && 'not a checkout' }, async t => {
  const { status, stdout, stderr } = bench('--against', 'HEAD', ...few, '--only', 'get', '--only', 'start')
  t.equal(stderr, '')
  const changed = ' +\\| [+-]?[\\d.]+ % +\\| ± [\\d.]+ % '
  for (const title of ['one by one', 'batches of 32'])
    t.match(stdout, new RegExp(`^\\| one animal: ${title}( +\\| [\\d.]+ µs){2}${changed}`, 'm'))
  t.match(stdout, new RegExp(`^\\| start( +\\| \\d+ ms){2}${changed}`, 'm'))
  t.match(stdout, status === 0 ? /^Nothing is slower than HEAD\.$/m : /^Slower than HEAD: /m)
  t.equal(execFileSync('git', ['worktree', 'list'], { encoding: 'utf8' }).includes('animal-store-bench'), false)
})

test('bench: invalid arguments print the usage, with exit code 2', async t => {
  const { status, stdout, stderr } = bench('--against', 'no-such-commit')
  t.equal(status, 2)
  t.equal(stdout, '')
  t.match(stderr, /^--against needs a commit: .*no-such-commit[\s\S]*\nUsage: npm run bench/)
})
