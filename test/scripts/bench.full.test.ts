import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type Test, test } from 'tap'
import { loads, sendAtRate } from '../../scripts/bench/loads.ts'
import { startProgram } from '../../scripts/bench/servers.ts'

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

test('bench: all that a server prints is read', async t => {
  const folder = t.testdir({
    'server.js': `console.log('http://127.0.0.1:1')
      setInterval(() => {}, 1000)
      process.on('message', question => {
        // Longer than what waits in a pipe for its reader.
        if (question === 'print') process.stdout.write('x'.repeat(10_000_000), () => process.send('printed'))
      })`
  })
  const server = await startProgram(folder, 'server.js')
  t.equal(server.port, 1)
  t.equal(await server.ask('print'), 'printed')
  await server.end()
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

const script = fileURLToPath(new URL('../../scripts/bench.ts', import.meta.url))
// Without tap's own loader. What is left says how to reach the registry.
const { NODE_OPTIONS: _, ...env } = process.env

const bench = (...words: string[]) =>
  spawnSync(process.execPath, [script, ...words], {
    encoding: 'utf8',
    env
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
  t.match(stdout, /^\| Animal Store +\| 4 +(\| [\d.]+ s, \d+ MB +){8}\|$/m)
})

const changed = ' +\\| [+-]?[\\d.]+ % +\\| ± [\\d.]+ % '
const hasGit = existsSync(new URL('../../.git', import.meta.url))

test('bench: --against compares with another commit', { skip: !hasGit && 'not a checkout' }, async t => {
  const { status, stdout, stderr } = bench('--against', 'HEAD', ...few, '--only', 'get', '--only', 'start')
  t.equal(stderr, '')
  for (const title of ['one by one', 'batches of 32'])
    t.match(stdout, new RegExp(`^\\| one animal: ${title}( +\\| [\\d.]+ µs){2}${changed}`, 'm'))
  t.match(stdout, new RegExp(`^\\| start( +\\| \\d+ ms){2}${changed}`, 'm'))
  t.match(stdout, status === 0 ? /^Nothing is worse than HEAD\.$/m : /^Worse than HEAD: /m)
  t.equal(execFileSync('git', ['worktree', 'list'], { encoding: 'utf8' }).includes('animal-store-bench'), false)
})

test('bench: --against with --contracts compares what contracts cost', {
  skip: !hasGit && 'not a checkout'
}, async t => {
  const { status, stdout, stderr } = bench('--against', 'HEAD', '--contracts', t.testdir(), '--rounds', '1')
  t.equal(stderr, '')
  for (const figure of ['generate', 'generate again', 'mock', 'new', 'compile handlers', 'start', 'generality']) {
    t.match(stdout, new RegExp(`^\\| Animal Store: ${figure}( +\\| \\d+ ms){2}${changed}`, 'm'))
    t.match(stdout, new RegExp(`^\\| Animal Store: ${figure}, memory( +\\| \\d+ MB){2}${changed}`, 'm'))
  }
  t.match(stdout, status === 0 ? /^Nothing is worse than HEAD\.$/m : /^Worse than HEAD: /m)
})

test('bench: invalid arguments print the usage, with exit code 2', async t => {
  const { status, stdout, stderr } = bench('--against', 'no-such-commit')
  t.equal(status, 2)
  t.equal(stdout, '')
  t.match(stderr, /^--against needs a commit: .*no-such-commit[\s\S]*\nUsage: npm run bench/)
})
