import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type AddressInfo, createServer as createListener } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { newApiKey } from '../packages/fastify/src/api-keys/api-key.ts'
import { connectTo } from '../packages/fastify/test/http/connection.ts'
import { refusesConnections, run, type Server, scriptPath, sendRequest, startServer } from './start-server.ts'

const key = newApiKey('ast')

const start = (t: Test, env: Record<string, string> = {}, args: string[] = []) =>
  startServer(t, { cwd: t.testdir(), args, env: { API_KEYS: key, DATABASE_URL: 'sqlite::memory:', ...env } })

/** The result of a start that is refused. */
const refusedStart = async (t: Test, env: Record<string, string>, args: string[] = []) => {
  const cwd = t.testdir()
  const server = run(t, process.execPath, [...args, scriptPath('src/main.js'), 'server'], {
    cwd,
    env: { PORT: '0', ...env }
  })
  const { code } = await server.ended
  t.notOk(existsSync(join(cwd, 'data', 'animals.db-wal')), 'nothing is left open')
  return { code, ...server.output() }
}

const end = async (server: Server) => {
  server.process.kill('SIGTERM')
  t.strictSame(await server.ended, { code: 0, signal: null })
  return server.output().stdout.split('\n')
}

// One service for all tests that can share it, up to the one that ends it.
const server = await start(t)

t.test('a service has its own URL for operators, which only this machine can reach', async t => {
  t.match(server.output().stdout, `  operators      ${server.operators}/livez, /readyz, /metrics\n`)
  t.match(server.operators, /^http:\/\/127\.0\.0\.1:\d+$/)
  t.not(server.operators, server.origin)
  t.equal((await sendRequest(server, key, '/v1/pets')).status, 200)
  const metrics = await fetch(`${server.operators}/metrics`).then(response => response.text())
  t.match(metrics, 'http_requests_total{operation="listPets",status="200"} 1\n')
  for (const path of ['/livez', '/readyz']) t.equal((await fetch(server.operators + path)).status, 200)
  for (const path of ['/livez', '/readyz', '/metrics'])
    t.equal((await sendRequest(server, undefined, path)).status, 404, 'not for the public')
})

const outside = Object.values(networkInterfaces())
  .flatMap(each => each ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address

t.test(
  'other machines cannot reach the operators’ port',
  outside === undefined ? { skip: 'this machine has no external IP address' } : {},
  async t => {
    const { port } = new URL(server.operators)
    await t.rejects(fetch(`http://${outside}:${port}/metrics`))
  }
)

t.test(
  'in production the output is a log in JSON lines; operators may be on other machines, if configured',
  async t => {
    const host = outside ?? '127.0.0.1'
    const server = await start(t, { NODE_ENV: 'production', OPERATOR_HOST: host })
    t.equal(new URL(server.operators).hostname, host)
    t.equal((await fetch(`${server.operators}/readyz`)).status, 200)
    for (let i = 0; i < 50; i++) await sendRequest(server, key, `/v1/pets?limit=${i}`)
    const lines = await end(server)
    t.equal(lines.pop(), '')
    const parsed = lines.map(line => JSON.parse(line))
    t.equal(parsed.filter(({ msg }) => msg === 'request').length, 50)
    t.match(parsed[0], {
      msg: 'the Animal Store is running',
      service: `${server.origin}/v1`,
      operators: server.operators,
      data: 'in memory only'
    })
    t.equal(parsed.at(-1)?.msg, 'shut down')
    t.equal(server.output().stderr, '')
  }
)

t.test('if the operators’ port is in use, the error names its setting, and no key is lost', async t => {
  const other = createListener().listen(0, '127.0.0.1')
  t.teardown(() => other.close())
  await new Promise(resolve => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  const { code, stdout, stderr } = await refusedStart(t, { OPERATOR_PORT: String(port) })
  t.equal(code, 1)
  t.match(stderr, new RegExp(`^.*EADDRINUSE.*:${port}: set OPERATOR_HOST or OPERATOR_PORT.*\n$`))
  t.notMatch(stdout, 'ast_live_')
})

const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null'], { stdio: 'ignore' }).status === 0

t.test(
  'in a terminal the log is for people',
  hasTerminal ? {} : { skip: 'needs `script` of util-linux for a terminal' },
  async t => {
    const command = `exec '${process.execPath}' '${scriptPath('src/main.js')}' server`
    const env = { API_KEYS: key, DATABASE_URL: 'sqlite::memory:' }
    const args = ['-qec', command, '/dev/null']
    const server = await startServer(t, { cwd: t.testdir(), command: 'script', args, env })
    await sendRequest(server, key, '/v1/pets?limit=5')
    const [line = ''] = await server.printed(/^.*GET \/v1\/pets.*$/m)
    t.match(line, /INFO.*GET \/v1\/pets 200 [\d.]+/)
    t.match(line, /"operationId":"listPets"/)
    t.notMatch(server.output().stdout, '"level"')
    server.process.stdin.write('\x03')
    t.equal((await server.ended).code, 0)
  }
)

t.test('unread lines are written later, complete', async t => {
  server.process.stdout.pause()
  const connection = await connectTo(t, server.port)
  for (let i = 0; i < 40; i++) {
    connection.send(`GET /unread HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(50))
    for (let k = 0; k < 50; k++) await connection.response()
  }
  server.process.stdout.resume()
  // Written after all of these.
  await sendRequest(server, key, '/last')
  await server.printed(/"\/last".*\n/)
  const lines = server
    .output()
    .stdout.split('\n')
    .filter(line => line.includes('/unread'))
  t.equal(lines.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'request').length, 2000)
})

t.test('if the log is not read, requests still succeed, and the service stops cleanly', async t => {
  server.process.stdout.pause()
  const connection = await connectTo(t, server.port)
  const path = `/${'x'.repeat(190)}`
  // Many times more than the system buffers for a reader.
  for (let i = 0; i < 60; i++) {
    connection.send(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(50))
    for (let k = 0; k < 50; k++) if ((await connection.response()).status !== 404) t.fail('another status')
  }
  t.equal((await fetch(`${server.operators}/readyz`)).status, 200)
  t.match(await fetch(`${server.operators}/metrics`).then(each => each.text()), 'log_dropped_lines_total 0\n')
  server.process.kill('SIGTERM')
  await refusesConnections(server.port)
  await new Promise(resolve => server.process.once('exit', resolve))
  t.equal(server.process.exitCode, 0)
})
