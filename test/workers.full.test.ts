import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import t, { type Test } from 'tap'
import { newApiKey } from '../packages/fastify/src/api-keys/api-key.ts'
import { connectTo } from '../packages/fastify/test/http/connection.ts'
import { extent } from './extent.ts'
import { refusesConnections, run, type Server, scriptPath, sendRequest, startServer } from './start-server.ts'

const key = newApiKey('ast')
const rex = '{"name":"Rex","categoryId":7}'
const workers = 2
const successful = 'http_requests_total{operation="listPets",status="200"}'

const until = async (holds: () => boolean | Promise<boolean>) => {
  while (!(await holds())) await delay(20)
}

/** The processes that this one has started and that have not ended. */
const childrenOf = (pid: number | undefined): number[] =>
  spawnSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' })
    .stdout.split('\n')
    .map(line => line.trim().split(/ +/))
    .filter(([, parent, state]) => Number(parent) === pid && !state?.startsWith('Z'))
    .map(([child]) => Number(child))

const isAlive = (pid: number) =>
  /^\s*[^Z\s]/.test(spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout)

const kill = (pid: number) => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

const linesOf = (server: Pick<Server, 'output'>) =>
  server
    .output()
    .stdout.split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))

const messagesOf = (server: Pick<Server, 'output'>) =>
  linesOf(server)
    .map(({ msg }) => msg)
    .filter(msg => msg !== 'request')

/** The body of /readyz. */
const readiness = async ({ operators }: Server) =>
  (await fetch(`${operators}/readyz`)).json() as Promise<{ workers?: number }>

const areRunning = (server: Server, count = workers) => until(async () => (await readiness(server)).workers === count)

const metric = async ({ operators }: Server, name: string): Promise<number> => {
  const page = await (await fetch(`${operators}/metrics`)).text()
  const [, value] =
    page
      .split('\n')
      .find(line => line.startsWith(`${name} `))
      ?.split(' ') ?? []
  return Number(value ?? Number.NaN)
}

/** The service on several workers, all of which run. */
const start = async (t: Test, { env = {}, args = [] as string[], cwd = t.testdir(), detached = false } = {}) => {
  const settings = { API_KEYS: key, WORKERS: String(workers), ...env }
  const server = await startServer(t, { cwd, args, detached, env: settings })
  // The workers must end even if the test ends only the supervisor.
  const pids = new Set<number>()
  t.teardown(() => {
    for (const pid of [...pids, ...childrenOf(server.process.pid)]) kill(pid)
  })
  await areRunning(server)
  for (const pid of childrenOf(server.process.pid)) pids.add(pid)
  return { server, pids: [...pids] }
}

const preloaded = (script: string) => ['--import', `data:text/javascript,${encodeURIComponent(script)}`]

/** Makes starts of workers fail as long as a file exists. */
const breakable = (cwd: string) =>
  preloaded(`
    import cluster from 'node:cluster'
    import { existsSync } from 'node:fs'
    if (cluster.isWorker && existsSync(${JSON.stringify(join(cwd, 'broken'))})) process.exit(3)
  `)

t.test('several workers are one service: one start is told, figures are summed, SIGTERM ends all with 0', async t => {
  const { server, pids } = await start(t, { env: { API_KEYS: '' } })
  t.equal(pids.length, workers)
  const { stdout } = server.output()
  t.equal(stdout.split('The Animal Store is running').length, 2)
  t.equal(stdout.split('API key').length, 2)
  t.match(stdout, /^ {2}workers {8}2$/m)
  t.strictSame(messagesOf(server), ['the database is new', 'the Animal Store is running'])
  for (let i = 0; i < 6; i++)
    t.equal((await sendRequest(server, server.key, '/v1/pets', { method: 'POST', body: rex })).status, 201)
  await until(async () => isDeepStrictEqual(await readiness(server), { status: 'ready', workers }))
  t.equal((await fetch(`${server.operators}/livez`)).status, 200)
  t.equal(await metric(server, 'http_requests_total{operation="createPet",status="201"}'), 6)
  t.equal(await metric(server, 'http_request_duration_seconds_count{operation="createPet"}'), 6)
  t.equal(await metric(server, 'store_batch_size_sum'), server.key === undefined ? 6 : 7, 'with the key')
  t.equal(await metric(server, 'workers_running'), workers)
  server.process.kill('SIGTERM')
  t.strictSame(await server.ended, { code: 0, signal: null })
  t.notOk(pids.some(isAlive))
  t.strictSame(messagesOf(server).slice(-2), ['shutting down', 'shut down'])
  t.equal(server.output().stderr, '')
})

t.test('a worker that dies is replaced, and no counter goes back', async t => {
  const { server, pids } = await start(t)
  for (let i = 0; i < 6; i++) await sendRequest(server, key, '/v1/pets')
  t.equal(await metric(server, successful), 6)
  const [killed = Number.NaN] = pids
  process.kill(killed, 'SIGKILL')
  await server.printed(/"msg":"a worker has exited unexpectedly"/)
  t.match(
    linesOf(server).find(({ msg }) => msg === 'a worker has exited unexpectedly'),
    { level: 50, worker: killed, signal: 'SIGKILL' }
  )
  t.equal((await sendRequest(server, key, '/v1/pets')).status, 200, 'the others go on')
  await until(async () => (await metric(server, 'worker_restarts_total')) === 1)
  await areRunning(server)
  await until(async () => (await metric(server, successful)) === 7)
  t.notOk(childrenOf(server.process.pid).includes(killed))
})

/** Connections with a request each, once the supervisor has given one to each worker that takes it. */
const waitingRequests = async (t: Test, { port }: Server, count: number) => {
  const connections = await Promise.all(Array.from({ length: count }, () => connectTo(t, port)))
  for (const each of connections)
    each.send(`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`)
  return connections
}

const openSockets = (pid: number | undefined) =>
  readdirSync(`/proc/${pid}/fd`).filter(fd => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:')
    } catch {
      // It has just been closed.
      return false
    }
  }).length

t.test('a connection given to a worker that dies before it accepts it goes to another one', async t => {
  const { server, pids } = await start(t)
  const hasProc = existsSync('/proc/self/fd')
  const before = hasProc && openSockets(server.process.pid)
  for (let round = 0; round < extent(1, 10); round++) {
    const [killed = Number.NaN] = childrenOf(server.process.pid)
    // Of a stopped worker, only its last reported figures are known.
    const already = round === 0 ? 0 : await metric(server, successful)
    process.kill(killed, 'SIGSTOP')
    const connections = await waitingRequests(t, server, 4)
    // All but one.
    await until(async () => (await metric(server, successful)) >= already + 3)
    process.kill(killed, 'SIGKILL')
    for (const each of connections) t.equal((await each.response()).status, 200)
    await areRunning(server)
  }
  t.notOk(pids.every(isAlive))
  if (hasProc) await until(() => openSockets(server.process.pid) === before)
})

t.test('if no other worker listens, such a connection is closed', async t => {
  const { server, pids } = await start(t)
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  const connections = await waitingRequests(t, server, 4)
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  for (const each of connections) await each.rest().catch(({ code }) => t.equal(code, 'ECONNRESET'))
  await areRunning(server)
})

t.test('a worker that dies under load costs no more than the requests that it had begun', async t => {
  const { server } = await start(t)
  const clients = extent(8, 32)
  const deaths = extent(1, 10)
  const begun = load(server, clients)
  for (let death = 0; death < deaths; death++) {
    await delay(200)
    const [killed = Number.NaN] = childrenOf(server.process.pid)
    process.kill(killed, 'SIGKILL')
    // Before the new one exists, the supervisor may not know yet that this one is dead.
    const isReplaced = (pids: readonly number[]) => pids.length === workers && !pids.includes(killed)
    await until(() => isReplaced(childrenOf(server.process.pid)))
    await areRunning(server)
  }
  const { failures, responses } = await begun.stop()
  t.comment(`${failures.length} of ${responses} requests failed`)
  t.ok(failures.length <= clients * deaths, 'at most one of each client')
  for (const failure of failures) t.match(failure, { code: 'ECONNRESET' })
})

t.test('a worker that does not respond is reported, and there with its last figures', async t => {
  const { server, pids } = await start(t)
  for (let i = 0; i < 6; i++) await sendRequest(server, key, '/v1/pets')
  t.equal(await metric(server, successful), 6)
  const [stopped = Number.NaN] = pids
  process.kill(stopped, 'SIGSTOP')
  const unready = [`worker ${stopped} is not responding`]
  await until(async () => isDeepStrictEqual(await readiness(server), { status: 'ready', workers, unready }))
  t.equal(await metric(server, successful), 6)
  process.kill(stopped, 'SIGCONT')
  await until(async () => !('unready' in (await readiness(server))))
})

t.test('SIGTERM to a worker ends this one, and another takes its place', async t => {
  const { server, pids } = await start(t)
  const [ended = Number.NaN] = pids
  process.kill(ended, 'SIGTERM')
  await server.printed(/"msg":"a worker has exited unexpectedly"/)
  t.match(
    linesOf(server).find(({ msg }) => msg === 'a worker has exited unexpectedly'),
    { worker: ended, code: 0 }
  )
  await until(async () => (await metric(server, 'worker_restarts_total')) === 1)
  await areRunning(server)
})

t.test('without its supervisor a worker finishes what has begun, and ends', async t => {
  const { server, pids } = await start(t, { env: { SHUTDOWN_TIMEOUT: '600', SHUTDOWN_DELAY: '600' } })
  const begun = await connectTo(t, server.port)
  const head = `/v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`
  // After the response, the connection certainly belongs to a worker.
  begun.send(`GET ${head}\r\n`)
  t.equal((await begun.response()).status, 200)
  begun.send(
    `POST ${head}Content-Type: application/json\r\n` + `Content-Length: ${rex.length}\r\n\r\n${rex.slice(0, 5)}`
  )
  server.process.kill('SIGKILL')
  await refusesConnections(server.port)
  await until(() => pids.filter(isAlive).length < workers)
  begun.send(rex.slice(5))
  t.match(await begun.response(), { status: 201, headers: { connection: 'close' } })
  await until(() => !pids.some(isAlive))
})

/** Clients that send one request after the other until they are stopped, and what went wrong. */
const load = ({ origin }: Server, clients: number) => {
  let isOver = false
  const failures: unknown[] = []
  const created = new Set<number>()
  let responses = 0
  const send = (agent: Agent | false, method: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const req = request(`${origin}/v1/pets`, { agent, method, headers }, res => {
        responses++
        if (res.statusCode !== 200 && res.statusCode !== 201) failures.push(res.statusCode)
        text(res).then(resolve, reject)
      })
      req.on('error', reject).end(method === 'POST' ? rex : undefined)
    })
  const keepSending = async (agent: Agent | false) => {
    for (let i = 0; !isOver; i++) {
      try {
        const body = JSON.parse(await send(agent, i % 2 === 0 ? 'POST' : 'GET'))
        if (i % 2 === 0) created.add(body.id)
      } catch (error) {
        failures.push(error)
      }
    }
    if (agent) agent.destroy()
  }
  const sending = Array.from({ length: clients }, (_, i) =>
    keepSending(i % 2 === 0 ? new Agent({ keepAlive: true, maxSockets: 1 }) : false)
  )
  return {
    stop: async () => {
      isOver = true
      await Promise.all(sending)
      return { failures, created, responses }
    }
  }
}

t.test('SIGHUP replaces the workers one by one, and no request fails; a second one does it once more', async t => {
  const { server, pids } = await start(t)
  const begun = load(server, extent(4, 32))
  for (let round = 0; round < extent(1, 20); round++) {
    const before = childrenOf(server.process.pid)
    server.process.kill('SIGHUP')
    await until(() => !childrenOf(server.process.pid).some(pid => before.includes(pid)))
  }
  const replaced = () => messagesOf(server).filter(msg => msg === 'a worker was replaced').length
  const earlier = replaced()
  server.process.kill('SIGHUP')
  await until(() => replaced() > earlier)
  const between = childrenOf(server.process.pid)
  for (let i = 0; i < 3; i++) server.process.kill('SIGHUP')
  await until(() => !childrenOf(server.process.pid).some(pid => between.includes(pid)))
  await areRunning(server)
  const { failures, created, responses } = await begun.stop()
  t.strictSame(failures, [])
  t.comment(`${responses} responses`)
  t.ok(created.size > 10)
  const listed = 'http_requests_total{operation="createPet",status="201"}'
  await until(async () => (await metric(server, listed)) === created.size)
  t.equal(await metric(server, 'worker_restarts_total'), 0)
  t.notOk(childrenOf(server.process.pid).some(pid => pids.includes(pid)))
  server.process.kill('SIGTERM')
  t.strictSame(await server.ended, { code: 0, signal: null })
  // The second order may have come before the end of the first round.
  t.ok(replaced() - earlier <= 2 * workers, 'once more, not three times')
  t.equal(server.output().stderr, '')
})

t.test('where no new worker can start, SIGHUP leaves the old ones running', async t => {
  const cwd = t.testdir()
  const { server, pids } = await start(t, { cwd, args: breakable(cwd) })
  writeFileSync(join(cwd, 'broken'), '')
  server.process.kill('SIGHUP')
  await server.printed(/"level":50,.*"msg":"no worker was replaced: the new one could not start"/)
  t.strictSame(childrenOf(server.process.pid), pids)
  t.equal((await sendRequest(server, key, '/v1/pets')).status, 200)
  rmSync(join(cwd, 'broken'))
  server.process.kill('SIGHUP')
  await until(() => !childrenOf(server.process.pid).some(pid => pids.includes(pid)))
})

t.test('when starts keep failing, the supervisor gives up, ends the others in order, and exits with 1', async t => {
  const cwd = t.testdir()
  // The pace of a test.
  writeFileSync(
    join(cwd, 'server.ts'),
    `
      import cluster from 'node:cluster'
      import { animalStore } from '${scriptPath('src/animal-store.ts')}'
      import { readConfig } from '${scriptPath('packages/fastify/src/commands/config.ts')}'
      import { runSupervisor } from '${scriptPath('packages/fastify/src/commands/workers/supervisor.ts')}'
      if (cluster.isWorker) await animalStore.run(['server'])
      else await runSupervisor(animalStore, readConfig(animalStore), { firstDelayMs: 1, failedStarts: 3 })
    `
  )
  const env = { PORT: '0', API_KEYS: key, WORKERS: String(workers) }
  const server = run(t, process.execPath, [...breakable(cwd), join(cwd, 'server.ts')], { cwd, env })
  await server.printed(/"msg":"the Animal Store is running"/)
  await until(() => childrenOf(server.process.pid).length === workers)
  const [pid = Number.NaN, ...others] = childrenOf(server.process.pid)
  writeFileSync(join(cwd, 'broken'), '')
  process.kill(pid, 'SIGKILL')
  t.strictSame(await server.ended, { code: 1, signal: null })
  t.notOk(others.some(isAlive))
  const messages = messagesOf(server)
  t.equal(messages.filter(msg => msg === 'a worker could not start').length, 3)
  t.strictSame(messages.slice(-3), [
    'giving up: 3 starts of workers in a row have failed',
    'shutting down',
    'shut down'
  ])
})

t.test('a first start that fails is told as with one process', async t => {
  const other = createServer().listen(0, '127.0.0.1')
  t.teardown(() => other.close())
  await new Promise(resolve => other.once('listening', resolve))
  const { port } = other.address() as { port: number }
  const cwd = t.testdir()
  const refused = async (env: Record<string, string>) => {
    const server = run(t, process.execPath, [scriptPath('src/main.js'), 'server'], { cwd, env: { PORT: '0', ...env } })
    return { ...(await server.ended), ...server.output() }
  }
  for (const env of [{ DATABASE_URL: 'sqlite:.' }, { NODE_ENV: 'production' }] as Record<string, string>[])
    t.strictSame(await refused({ ...env, WORKERS: '2' }), await refused(env))
  t.match(await refused({ PORT: String(port), WORKERS: '2' }), {
    code: 1,
    stdout: '',
    stderr: new RegExp(`^.*EADDRINUSE.*:${port}: .*PORT.*\n$`)
  })
})

t.test('Ctrl-C reaches supervisor and workers alike, and ends them in order', async t => {
  const { server, pids } = await start(t, { detached: true })
  process.kill(-(server.process.pid ?? Number.NaN), 'SIGINT')
  t.strictSame(await server.ended, { code: 0, signal: null })
  t.notOk(pids.some(isAlive))
  t.strictSame(messagesOf(server).slice(-2), ['shutting down', 'shut down'])
})

t.test('a later second signal ends the workers at once, too', async t => {
  const { server, pids } = await start(t, { env: { SHUTDOWN_DELAY: '600' } })
  server.process.kill('SIGTERM')
  t.match(await server.printed(/"msg":"shutting down"/), {})
  t.match(await readiness(server), { status: 503, message: 'The service is shutting down.' })
  // Long enough to count as a later signal.
  await delay(1100)
  t.equal(pids.filter(isAlive).length, workers)
  server.process.kill('SIGTERM')
  t.strictSame(await server.ended, { code: 1, signal: null })
  await until(() => !pids.some(isAlive))
})

t.test('the lines of all workers are whole, also where the reader is slow', async t => {
  const { server } = await start(t)
  server.process.stdout.pause()
  // More than a pipe holds, from all workers at once.
  const connections = await Promise.all(Array.from({ length: 2 * workers }, () => connectTo(t, server.port)))
  const each = 1000
  await Promise.all(
    connections.map(async connection => {
      for (let sent = 0; sent < each; sent += 50) {
        connection.send(`GET /${'x'.repeat(190)} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(50))
        for (let i = 0; i < 50; i++) await connection.response()
      }
    })
  )
  server.process.stdout.resume()
  server.process.kill('SIGTERM')
  await server.ended
  t.equal(linesOf(server).filter(({ msg }) => msg === 'request').length, connections.length * each)
})
