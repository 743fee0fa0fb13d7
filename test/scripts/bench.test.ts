import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Test, test } from 'tap'
import { judge } from '../../scripts/bench/against.ts'
import { verdicts } from '../../scripts/bench/goals.ts'
import { latencyPlot, latencyTable } from '../../scripts/bench/latency.ts'
import { loads, sendAtRate } from '../../scripts/bench/loads.ts'
import { readOptions } from '../../scripts/bench/options.ts'

const listening = async (t: Test, listener: RequestListener) => {
  const server = createServer(listener).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

const request = Buffer.from(
  'POST /pets?limit=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer key\r\nContent-Length: 2\r\n\r\n{}'
)

test('bench: each client sends what it is told, on as many connections, and reports any other status', async t => {
  const received: string[] = []
  const { server, port } = await listening(t, async (request, response) => {
    const chunks = await request.toArray()
    received.push(`${request.method} ${request.url} ${request.headers.authorization} ${Buffer.concat(chunks)}`)
    response.writeHead(201).end('{}')
  })
  let connections = 0
  server.on('connection', () => connections++)
  for (const load of Object.values(loads)) {
    connections = 0
    await load.send(port, { request, status: 201 }, 100)
    t.strictSame(received.splice(0), Array(100).fill('POST /pets?limit=1 Bearer key {}'), load.title)
    t.equal(connections, load.connections, load.title)
  }
  for (const load of Object.values(loads))
    await t.rejects(
      load.send(port, { request, status: 200 }, 32),
      { message: /expected 200, but got .*201/ },
      load.title
    )
})

test('bench: at a constant rate, a pause of the server counts for all requests that were due in it', async t => {
  const begin = performance.now()
  let requests = 0
  let end = Number.NaN
  const { port } = await listening(t, (_request, response) => {
    const now = performance.now()
    // After one on each of the 64 connections, the fiftieth that is measured.
    if (++requests === 114) end = now + 100
    if (now < end) setTimeout(() => response.end('{}'), end - now)
    else response.end('{}')
  })
  const latencies = await sendAtRate(port, { request, status: 200 }, 1000, 200)
  t.ok(performance.now() - begin >= 199)
  t.equal(latencies.length, 200)
  // More than there are connections: those that had to wait for one count from when they were due.
  const delayed = latencies.filter(ms => ms > 10).length
  t.ok(delayed >= 80, `${delayed} delayed`)
  await t.rejects(sendAtRate(port, { request, status: 201 }, 1000, 10), {
    message: /expected 201, but got HTTP.1.1 200/
  })
})

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
    ['--latency --against main', /^only one of --against, --latency and --contracts/],
    ['--contracts nowhere', /^there is no folder nowhere/]
  ] as const
  for (const [words, message] of all) t.throws(() => readOptions(words.split(' ')), { message }, words)
  t.equal(readOptions(['--help']), 'help')
})
