import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { serverUrl } from '../../packages/fastify/test/store/new-database.ts'
import { judge } from '../../scripts/bench/against.ts'
import type { HttpResponse } from '../../scripts/bench/client.ts'
import { type Contestant, contestants, kinds, startKinds } from '../../scripts/bench/comparison.ts'
import { prepareDatabase } from '../../scripts/bench/database.ts'
import { withContracts, withFigures } from '../../scripts/bench/document.ts'
import { startVariant, variants } from '../../scripts/bench/parts.ts'
import { plotOf } from '../../scripts/bench/plot.ts'
import { scenariosOf } from '../../scripts/bench/scenarios.ts'
import type { Part } from '../../scripts/bench/without.ts'

const script = fileURLToPath(new URL('../../scripts/bench.ts', import.meta.url))
const { PATH, TMPDIR } = process.env

const bench = (...words: string[]) =>
  spawnSync(process.execPath, [script, ...words], {
    encoding: 'utf8',
    // Without tap's own loader.
    env: { PATH, ...(TMPDIR !== undefined && { TMPDIR }) }
  })

const contract = fileURLToPath(new URL('../../generated/openapi.json', import.meta.url))
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

test('bench: --parts measures the service without each of its parts', async t => {
  const { status, stdout, stderr } = bench('--parts', ...few)
  t.equal(stderr, '')
  t.equal(status, 0)
  for (const { title } of variants)
    t.match(
      stdout.replaceAll(/[()]/g, ' '),
      new RegExp(`^ +${title.replaceAll(/[()]/g, ' ')}( +-?[\\d.]+ ± [\\d.]+ %){3}$`, 'm')
    )
})

test('bench: --contracts measures contracts, and names the folder that is missing', async t => {
  const folder = t.testdir({ 'small.json': readFileSync(contract, 'utf8') })
  const { status, stdout, stderr } = bench('--contracts', folder, '--rounds', '1')
  t.equal(stderr, '')
  t.equal(status, 0)
  const used = '[\\d.]+ s, \\d+ MB'
  t.match(stdout, new RegExp(`^Animal Store +4 +${used} +${used} +${used} +[\\d.]+ µs +[\\d.]+$`, 'm'))
  t.notMatch(stdout, 'small')
  t.match(stdout, /^Animal Store: generate in at most 10 s: met$/m)

  const missing = bench('--contracts', join(folder, 'nowhere'))
  t.equal(missing.status, 2)
  t.match(missing.stderr, /there is no folder .*nowhere; --contracts needs one with OpenAPI documents/)
  t.match(bench('nowhere').stderr, 'nowhere is not an option')
})

test('bench: --contracts --write replaces only its own table', async t => {
  const page = readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8')
  const used = { seconds: 12.34, megabytes: 567.8 }
  const figures = [
    { name: 'big', operations: 1223, generate: used, types: used, start: used, request: { cpuUs: 20, ratio: 1.05 } }
  ]
  const text = withContracts(page, { figures, machine: 'a machine', rounds: 1, begin: 'begin', end: 'end' })
  t.match(text, '| big | 1,223 | 12.3 s, 568 MB | 12.3 s, 568 MB | 12.3 s, 568 MB | 20.0 µs | 1.05 |')
  t.match(text, 'generate in at most 10 s (missed)')
  t.match(text, 'at most 1.1 times the CPU per request of four operations (met)')
  const withoutTable = (all: string) => all.split('<!-- Written by npm run bench -- --contracts --write -->')[0]
  t.equal(withoutTable(text), withoutTable(page))
  t.match(text, '## Other measurements')
})

test('bench: a part that is left out is missing', async t => {
  const database = await prepareDatabase(join(t.testdir(), 'animals.db'), 200)
  const { list, get, 'refused-key': refused } = scenariosOf(database)
  const tooMany = Buffer.from(list.request.toString().replace('/v1/pets ', '/v1/pets?limit=150 '))
  const headers = (response: HttpResponse) => response.headers.join()
  const cases: [Part, Buffer, (response: HttpResponse) => unknown][] = [
    ['security-headers', list.request, response => headers(response).includes('cache-control: no-store')],
    ['lifecycle-headers', get.request, response => headers(response).includes('deprecation: ')],
    ['key-check', refused.request, ({ status }) => status === 401],
    ['validation', tooMany, ({ status }) => status === 400]
  ]
  const whole = await startVariant({ title: 'whole' }, database)
  for (const [without, request, isThere] of cases) {
    const server = await startVariant({ title: without, without }, database)
    t.equal(isThere(await whole.send(request)), true, `with ${without}`)
    t.equal(isThere(await server.send(request)), false, `without ${without}`)
    await server.end()
  }
  await whole.end()
})

const hasGit = existsSync(new URL('../../.git', import.meta.url))

test('bench: --against compares with another commit', { skip: !hasGit && 'not a checkout' }, async t => {
  const { status, stdout, stderr } = bench('--against', 'HEAD', ...few, '--only', 'get', '--only', 'start')
  t.equal(stderr, '')
  t.match(stdout, /^get +[\d.]+ µs +[\d.]+ µs +[+-]?[\d.]+ % +± [\d.]+ %/m)
  t.match(stdout, /^start +\d+ ms +\d+ ms +[+-]?[\d.]+ % +± [\d.]+ %/m)
  t.match(stdout, status === 0 ? /^Nothing is slower than HEAD\.$/m : /^Slower than HEAD: /m)
  t.equal(execFileSync('git', ['worktree', 'list'], { encoding: 'utf8' }).includes('animal-store-bench'), false)
  const unknown = bench('--against', 'no-such-commit', ...few)
  t.equal(unknown.status, 2)
  t.match(unknown.stderr, /^--against needs a commit: .*no-such-commit/)
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

test('bench: the page and its plot have all figures, and nothing else changes', async t => {
  const ratio = { middle: 1.25, lower: 1.2, upper: 1.3 }
  const each = <Value>(value: Value) =>
    Object.fromEntries(Object.keys(contestants).map(name => [name, value])) as Record<Contestant, Value>
  const share = { mean: 0.071, error: 0.004 }
  const text = withFigures(readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8'), {
    requests: { kinds: kinds.map(kind => ({ kind, figures: each({ cpu: 20, ratio }) })), memory: each(123_400_000) },
    starts: startKinds.map(kind => ({ kind, figures: each({ cpu: 345.6, ratio }) })),
    parts: {
      whole: { list: 20, get: 10, create: 30 },
      parts: [{ title: 'key check', costs: { list: share, get: share, create: share } }]
    },
    ...{
      machine: 'a machine',
      animals: 1000,
      rounds: 1,
      seconds: 1,
      begin: 'load average 1.0',
      end: 'load average 2.0'
    }
  })
  const ratios = Array(5).fill('1.25 (1.20 to 1.30)').join(' | ')
  for (const { title } of kinds) t.match(text, `| ${title} | 20.0 µs | ${ratios} |`)
  t.match(text, `| memory after that | ${Array(6).fill('123 MB').join(' | ')} |`)
  for (const { title } of startKinds) t.match(text, `| ${title} | ${Array(6).fill('346 ms').join(' | ')} |`)
  t.match(text, '| key check | 7.1 ± 0.4 % | 7.1 ± 0.4 % | 7.1 ± 0.4 % |')
  t.match(text, /^# Performance\n/)
  t.match(text, '## Other measurements')

  const plot = plotOf({ kinds: kinds.map(kind => ({ kind, figures: each({ cpu: 20, ratio }) })) })
  for (const { title } of [...kinds, ...Object.values(contestants)]) t.match(plot, `>${title}</text>`)
  t.equal(plot.match(/<rect /g)?.length, 30)
  t.match(plot, 'prefers-color-scheme: dark')
  t.notMatch(plot, /NaN|undefined|Infinity/)
})

test('bench: --help lists the options', async t => {
  const { status, stdout } = bench('--help')
  t.equal(status, 0)
  for (const word of ['--rounds', '--seconds', '--only', '--animals', '--quick', '--against', 'refused-key'])
    t.match(stdout, word)
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
    ['--write', '--only', 'get'],
    ['--postgres', 'x']
  ]
  for (const words of all) {
    const { status, stdout, stderr } = bench(...words)
    t.equal(status, 2, words.join(' '))
    t.equal(stdout, '')
    t.match(stderr, 'Usage: npm run bench')
  }
})
