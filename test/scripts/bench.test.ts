import { test } from 'tap'
import { judge } from '../../scripts/bench/against.ts'
import { contractVerdict, verdicts } from '../../scripts/bench/goals.ts'
import { latencyPlot, latencyTable } from '../../scripts/bench/latency.ts'
import { readOptions } from '../../scripts/bench/options.ts'

test('bench: latencies are compared round by round, and drawn', async t => {
  const times = (factor: number) => [1, 1.5, 2, 3, 4, 5, 6].map(ms => ms * factor)
  const rounds = [
    { fastify: times(1), ours: times(0.9) },
    // All is slower while other processes run.
    { fastify: times(30), ours: times(27) },
    { fastify: times(2), ours: [2.1, 3, 4, 6, 8, 10, 11] }
  ]
  const all = (['get', 'create'] as const).map(name => ({ name, share: 0.5, rate: 9000, rounds }))
  t.strictSame(latencyTable({ all, duringBackup: [times(4)] }).slice(1), [
    ['one animal, 50 %', '9,000', '2.00, 8.00, 12.00', '2.10, 8.00, 11.00', 'p50 no higher (met), p99.9 lower (met)'],
    ['create, 50 %', '9,000', '2.00, 8.00, 12.00', '2.10, 8.00, 11.00', 'p50 no higher (met), p99.9 lower (met)'],
    ['create, 50 %, during a backup', '9,000', '', '4.00, 16.00, 24.00', 'p99.9 is 2.2 times that without']
  ])
  t.equal(latencyPlot(all).match(/<polyline points="(\d+,\d+ ){6}\d+,\d+"/g)?.length, 4)
})

test('bench: goals are judged as they are printed, those with log lines by the difference', async t => {
  t.equal(
    verdicts(0.9, { ratio: 0.904, log: 0.09, toGlue: 0.8 }),
    'at most 0.90 (met), 0.08 more with log (missed), 0.95 × glue (met)'
  )
  t.equal(verdicts(1.3, { ratio: 1.31, toGlue: 1 }), 'at most 1.30 (missed), 0.95 × glue (missed)')
})

test('bench: goals of contracts are judged by the largest, or by the one that they name', t => {
  const measured = (name: string, seconds: number, megabytes: number) => {
    const used = { seconds, megabytes }
    const of = { generate: used, 'generate again': used, mock: used, new: used }
    return { name, ...of, 'compile handlers': used, start: used, generality: used }
  }
  const [large, larger] = [measured('digitalocean', 41, 300), measured('github', 4.04, 351)]
  t.equal(contractVerdict('generate', [large, larger]), 'at most 4 s (met)')
  t.equal(contractVerdict('mock', [large, larger]), 'at most 6 s, 350 MB (missed)')
  t.equal(contractVerdict('generality', [large, larger]), 'digitalocean: at most 40 s (missed)')
  t.equal(contractVerdict('generality', [larger]), '')
  t.end()
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

test('bench: invalid options', async t => {
  const all = [
    ['--fast', /'--fast'/],
    ['now', /'now'/],
    ['--rounds 1.5', /^--rounds must be a whole number from 1 to 999, not 1.5$/],
    ['--requests x', /^--requests must be a whole number from 1 to 999999, not x$/],
    ['--animals 5', /^--animals must be a whole number from 100 to 99999999, not 5$/],
    ['--only x', /^--only must be one of list, list-100, get, create, refused-key, start, not x$/],
    ['--write --only get', /^--write needs all figures/],
    ['--latency --against main', /^--latency is not possible with --against or --contracts/],
    ['--contracts nowhere', /^there is no folder nowhere/]
  ] as const
  for (const [words, message] of all) t.throws(() => readOptions(words.split(' ')), { message }, words)
  t.equal(readOptions(['--help']), 'help')
})
