import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { contestants } from '../../scripts/bench/comparison.ts'
import { serverUrl } from '../engine/store/new-database.ts'

const script = fileURLToPath(new URL('../../scripts/bench.ts', import.meta.url))
const { PATH, TMPDIR } = process.env

const bench = (...words: string[]) =>
  spawnSync(process.execPath, [script, ...words], {
    encoding: 'utf8',
    // Without tap's own loader.
    env: { PATH, ...(TMPDIR !== undefined && { TMPDIR }) }
  })

const few = ['--rounds', '1', '--seconds', '0.05', '--animals', '1000']

test('bench: all servers send equal responses and are compared, and keys are checked', async t => {
  const { status, stdout, stderr } = bench(
    ...few,
    ...['get', 'memory', 'start', 'keys'].flatMap(name => ['--only', name])
  )
  t.equal(stderr, '')
  t.equal(status, 0)
  const [get = '', memory = '', ...starts] = stdout.split(/^(?=one animal|memory|start, |keys)/m).slice(1)
  for (const { title } of Object.values(contestants)) {
    t.match(get, new RegExp(`^ +${title} +[\\d.]+ µs +[\\d.]+ +[\\d.]+ to [\\d.]+`, 'm'))
    t.match(memory, new RegExp(`^ +${title} +\\d+ MB +[\\d.]+`, 'm'))
  }
  for (const start of starts.slice(0, 2))
    for (const name of ['bare', 'fastify', 'glue', 'ours'] as const)
      t.match(start, new RegExp(`^ +${contestants[name].title} +\\d+ ms +[\\d.]+ `, 'm'))
  t.match(stdout, /^keys +[\d.]+ µs of CPU for one of 10,000, [\d.]+ µs for a single one; at most 3: /m)
})

test('bench: --workers compares one process with two', async t => {
  const { status, stdout, stderr } = bench('--workers', ...few)
  t.equal(stderr, '')
  t.equal(status, 0)
  for (const name of ['list', 'get', 'create'])
    for (const workers of [1, 2])
      t.match(stdout, new RegExp(`^${name} +${workers} +[\\d,]+ +[\\d.]+ +[\\d.]+ µs +[\\d.]+ µs +[\\d.]+$`, 'm'))
})

test('bench: --postgres compares them in PostgreSQL, and batches with one query each', async t => {
  const { status, stdout, stderr } = bench('--postgres', await serverUrl(), ...few)
  t.equal(stderr, '')
  t.equal(status, 0)
  for (const name of ['list', 'get', 'create'])
    for (const maxRatio of [1.3, 0.5])
      t.match(stdout, new RegExp(`^${name} +[\\d.]+ µs +[\\d.]+ µs .* at most ${maxRatio}: `, 'm'))
})

test('bench: --help lists the options', async t => {
  const { status, stdout } = bench('--help')
  t.equal(status, 0)
  for (const word of ['--rounds', '--seconds', '--only', '--animals', '--quick', 'refused-key']) t.match(stdout, word)
})

test('bench: invalid arguments print the usage, with exit code 2', async t => {
  const all = [
    ['--fast'],
    ['now'],
    ['--rounds', '0'],
    ['--rounds', '1.5'],
    ['--seconds', 'x'],
    ['--only', 'x'],
    ['--animals', '5'],
    ['--postgres', 'x']
  ]
  for (const words of all) {
    const { status, stdout, stderr } = bench(...words)
    t.equal(status, 2, words.join(' '))
    t.equal(stdout, '')
    t.match(stderr, 'Usage: npm run bench')
  }
})
