import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'tap'
import { judge } from '../../scripts/bench/against.ts'
import { verdicts } from '../../scripts/bench/goals.ts'
import { loads } from '../../scripts/bench/loads.ts'
import { readOptions } from '../../scripts/bench/options.ts'

test('bench: each client sends what it is told, on as many connections, and reports any other status', async t => {
  const received: string[] = []
  const connections = new Set()
  const server = createServer(async (request, response) => {
    connections.add(request.socket)
    const chunks = await request.toArray()
    received.push(`${request.method} ${request.url} ${request.headers.authorization} ${Buffer.concat(chunks)}`)
    response.writeHead(201).end('{}')
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const request = Buffer.from(
    'POST /pets?limit=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer key\r\nContent-Length: 2\r\n\r\n{}'
  )
  for (const load of Object.values(loads)) {
    await load.send(port, { request, status: 201 }, 100)
    t.strictSame(received.splice(0), Array(100).fill('POST /pets?limit=1 Bearer key {}'), load.title)
    t.equal(connections.size, load.connections, load.title)
    connections.clear()
  }
  for (const load of Object.values(loads))
    await t.rejects(
      load.send(port, { request, status: 200 }, 32),
      { message: /expected 200, but got .*201/ },
      load.title
    )
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
    ['--contracts nowhere', /^there is no folder nowhere/]
  ] as const
  for (const [words, message] of all) t.throws(() => readOptions(words.split(' ')), { message }, words)
  t.equal(readOptions(['--help']), 'help')
})
