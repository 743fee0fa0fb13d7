import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { newApiKey } from '../packages/fastify/src/api-keys/api-key.ts'
import { animalSchema } from '../src/store/sqlite/schema.ts'
import { isLong } from './extent.ts'
import { openSqliteStore } from './open-store.ts'
import {
  projectFolder,
  refusesConnections,
  run,
  type Server,
  scriptPath,
  sendRequest,
  startServer
} from './start-server.ts'

const rex = JSON.stringify({ name: 'Rex', categoryId: 7 })

const preloaded = (script: string) => ['--import', `data:text/javascript,${encodeURIComponent(script)}`]

/** The result of a start that is refused. */
const refusedStart = async (t: Test, cwd: string, env: Record<string, string>) => {
  const server = run(t, process.execPath, [scriptPath('src/main.js'), 'server'], { cwd, env: { PORT: '0', ...env } })
  const { code } = await server.ended
  return { code, ...server.output() }
}

t.test('the first start prints the URLs, and a new key', async t => {
  const cwd = t.testdir()
  const server = await startServer(t, { cwd })
  const { stdout, stderr } = server.output()
  t.equal(stderr, '')
  t.match(stdout, `  service        ${server.origin}/v1\n`)
  t.match(stdout, `  documentation  ${server.origin}/docs/\n`)
  t.match(stdout, `  data           ${join(cwd, 'data', 'animals.db')}\n`)
  t.ok(existsSync(join(cwd, 'data', 'animals.db')))
  t.equal((await sendRequest(server, server.key, '/v1/pets')).text, '[]')
  t.equal((await sendRequest(server, undefined, '/docs/')).status, 200)
  t.equal((await sendRequest(server, undefined, '/v1/pets')).status, 401)
})

t.test('animals and keys survive a restart, and no other key is printed', async t => {
  const cwd = t.testdir()
  const first = await startServer(t, { cwd })
  const { key } = first
  const created = await sendRequest(first, key, '/v1/pets', {
    method: 'POST',
    body: '{"name":"Rex 🐕","categoryId":-9223372036854775808}'
  })
  t.equal(created.status, 201)
  first.process.kill('SIGTERM')
  t.equal((await first.ended).code, 0)

  const second = await startServer(t, { cwd })
  t.equal(second.key, undefined)
  t.notMatch(second.output().stdout, 'ast_live_')
  t.equal((await sendRequest(second, key, '/v1/pets')).text, `[${created.text}]`)
  t.equal((await sendRequest(second, key, '/v1/pets/1')).text, created.text)
})

t.test('a start logs that it has migrated the database, and from which version', async t => {
  const cwd = t.testdir()
  const path = join(cwd, 'old.db')
  const { applicationId, migrations } = animalSchema
  const old = new DatabaseSync(path)
  old.exec(`${migrations[0]}; PRAGMA user_version = 1; PRAGMA application_id = ${applicationId}`)
  old.close()
  const start = async () => {
    const server = await startServer(t, { cwd, env: { DATABASE_URL: `sqlite:${path}` } })
    server.process.kill('SIGTERM')
    await server.ended
    return server.output().stdout.match(/"data".*"msg":"the database has been migrated"/g)
  }
  t.strictSame(await start(), [
    `"data":"${path}","from":1,"to":${migrations.length},"msg":"the database has been migrated"`
  ])
  t.equal(await start(), null, 'once')
})

t.test('in memory: the start says so, and no file is left behind', async t => {
  const cwd = t.testdir()
  const server = await startServer(t, { cwd, env: { DATABASE_URL: 'sqlite::memory:' } })
  t.match(server.output().stdout, '  data           in memory only\n')
  t.equal((await sendRequest(server, server.key, '/v1/pets', { method: 'POST', body: rex })).status, 201)
  server.process.kill('SIGINT')
  t.equal((await server.ended).code, 0)
  t.notOk(existsSync(join(cwd, 'data')))
})

t.test('a running service immediately accepts a key that the command issues', async t => {
  const cwd = t.testdir()
  const server = await startServer(t, { cwd })
  const command = run(t, process.execPath, [scriptPath('src/main.js'), 'keys', 'issue'], { cwd })
  const [key] = await command.printed(/ast_live_\w+(?=\n)/)
  t.equal((await sendRequest(server, key, '/v1/pets')).status, 200)
})

t.test('in production no key is issued: the start is refused, naming the command', async t => {
  const cwd = t.testdir()
  const env = { NODE_ENV: 'production' }
  const path = join(cwd, 'data', 'animals.db')
  const isRefused = async (beginning: string) => {
    const { code, stdout, stderr } = await refusedStart(t, cwd, env)
    t.equal(code, 1)
    t.equal(stdout, '')
    t.equal(stderr.slice(0, beginning.length), beginning)
    t.match(stderr, /npm run keys -- issue.*API_KEYS.*\n$/)
  }
  await isRefused(`There is no database ${path}, and so no API key:`)
  t.notOk(existsSync(path), 'no database is created by mistake')
  const key = newApiKey('ast')
  const withSetting = await startServer(t, { cwd, env: { ...env, API_KEYS: key } })
  t.match(withSetting.output().stdout, /"data":"[^"]*animals.db","msg":"the database is new"/)
  t.equal(withSetting.key, undefined)
  t.equal((await sendRequest(withSetting, key, '/v1/pets')).status, 200)
  withSetting.process.kill('SIGTERM')
  await withSetting.ended
  await isRefused(`There is no API key in ${path},`)

  const command = run(t, process.execPath, [scriptPath('src/main.js'), 'keys', 'issue'], { cwd, env })
  const [issued] = await command.printed(/ast_live_\w+(?=\n)/)
  await command.ended
  const withIssued = await startServer(t, { cwd, env })
  t.equal((await sendRequest(withIssued, issued, '/v1/pets')).status, 200)
  t.equal(
    (await sendRequest(withIssued, key, '/v1/pets')).status,
    401,
    'the key of the setting is no longer valid without it'
  )
  t.notMatch(withIssued.output().stdout, 'ast_live_')
})

t.test('operations without a handler prevent the start; one line names them all', async t => {
  const start = `
    import { contract } from '${scriptPath('packages/fastify/test/fixture-app.ts')}'
    import { buildApp } from '${scriptPath('packages/fastify/src/app.ts')}'
    import { runStart } from '${scriptPath('packages/fastify/src/commands/lifetime.ts')}'
    import { openSqliteStore } from '${scriptPath('test/open-store.ts')}'
    const store = openSqliteStore({ path: ':memory:' })
    await runStart(async () => {
      await buildApp({ store, contract, handlers: { listThings: async () => ({ status: 200 }) } })
    })
    setInterval(() => {}, 1000)
  `
  const cwd = t.testdir({ 'start.ts': start })
  const running = run(t, process.execPath, ['start.ts'], { cwd })
  t.strictSame(await running.ended, { code: 1, signal: null })
  t.strictSame(running.output(), {
    stdout: '',
    stderr:
      'The contract cannot be served: no handler for createThing (POST /things), getThing (GET /things/{thingId}), changeThing (PATCH /things/{thingId}), removeThing (DELETE /things/{thingId}), getWeather (GET /weather); only an operation whose contract declares 501 needs none.\n'
  })
})

t.test('all invalid settings are listed at once, and nothing is started', async t => {
  const cwd = t.testdir()
  const secret = 'not-a-key-but-secret'
  const { code, stdout, stderr } = await refusedStart(t, cwd, {
    HOST: 'a b',
    PORT: '70000',
    DATABASE_URL: 'mysql://x',
    API_KEYS: secret,
    LOG_LEVEL: 'loud',
    REMOVED_OPERATIONS: 'maybe'
  })
  t.equal(code, 1)
  t.equal(stdout, '')
  t.strictSame(
    stderr
      .trimEnd()
      .split('\n')
      .map(line => line.split(' ', 1)[0]),
    ['HOST', 'PORT', 'DATABASE_URL', 'API_KEYS', 'LOG_LEVEL', 'REMOVED_OPERATIONS']
  )
  t.notMatch(stderr, secret)
  t.notOk(existsSync(join(cwd, 'data')))
})

t.test('if the port is in use, the error names its setting, and no key is lost', async t => {
  const cwd = t.testdir()
  const other = createServer().listen(0, '127.0.0.1')
  t.teardown(() => other.close())
  await new Promise(resolve => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  const { code, stderr } = await refusedStart(t, cwd, { PORT: String(port) })
  t.equal(code, 1)
  t.match(stderr, new RegExp(`^.*EADDRINUSE.*:${port}: .*PORT.*\n$`))

  // Only a start that succeeds can print a key.
  const server = await startServer(t, { cwd })
  t.equal((await sendRequest(server, server.key, '/v1/pets')).status, 200)
})

t.test('if this machine does not have the IP address, the error names its setting', async t => {
  const cwd = t.testdir()
  // Reserved for documentation (RFC 5737).
  const { code, stderr } = await refusedStart(t, cwd, { HOST: '192.0.2.1' })
  t.equal(code, 1)
  t.match(stderr, /HOST/)
  t.equal(stderr.trimEnd().split('\n').length, 1)
})

t.test('a file that is not a database of the service is refused in one line, and left unchanged', async t => {
  const cwd = t.testdir({ 'text.db': 'These are my notes. '.repeat(500), folder: {} })
  const foreign = join(cwd, 'foreign.db')
  const db = new DatabaseSync(foreign)
  db.exec('CREATE TABLE notes (text TEXT)')
  db.close()
  const refused = { 'text.db': /file is not a database/, 'foreign.db': /another program/, folder: /./ }
  for (const [path, reason] of Object.entries(refused)) {
    const { code, stdout, stderr } = await refusedStart(t, cwd, { DATABASE_URL: `sqlite:${path}` })
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(stderr, reason)
    t.match(stderr, new RegExp(`^cannot open the database ${path}: .*DATABASE_URL.*\n$`))
  }
  t.match((await import('node:fs')).readFileSync(join(cwd, 'text.db'), 'utf8'), /^(These are my notes\. ){500}$/)
})

t.test('a database in which no key can be stored is reported in one line', async t => {
  const cwd = t.testdir()
  const path = join(cwd, 'animals.db')
  await openSqliteStore({ path }).close()
  const other = new DatabaseSync(path)
  t.teardown(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  const { code, stdout, stderr } = await refusedStart(t, cwd, { DATABASE_URL: `sqlite:${path}` })
  t.equal(code, 1)
  t.equal(stdout, '')
  t.match(stderr, /^the database cannot be written now \(database is locked\): .*\n$/)
})

/** The result of a start with this module preloaded. */
const startWith = async (t: Test, cwd: string, script: string) => {
  const env = { PORT: '0', API_KEYS: newApiKey('ast') }
  const server = run(t, process.execPath, [...preloaded(script), scriptPath('src/main.js'), 'server'], { cwd, env })
  return { ...(await server.ended), ...server.output() }
}

const endsInOrder = { code: 0, signal: null, stdout: '', stderr: '' }

t.test('a signal at the very beginning ends the process before the start', async t => {
  const cwd = t.testdir()
  const asSoonAsHeard = `process.on('newListener', name => {
    if (name === 'SIGTERM') process.nextTick(() => process.kill(process.pid, 'SIGTERM'))
  })`
  t.strictSame(await startWith(t, cwd, asSoonAsHeard), endsInOrder)
  t.notOk(existsSync(join(cwd, 'data')))
})

t.test('a signal before the service listens ends the start cleanly', async t => {
  const cwd = t.testdir()
  // The operators' listener comes first.
  const atFirstListen = `import { Server } from 'node:net'
    const { listen } = Server.prototype
    let count = 0
    Server.prototype.listen = function (...args) {
      if (++count === 1) process.kill(process.pid, 'SIGTERM')
      else console.log('it listens')
      return listen.apply(this, args)
    }`
  t.strictSame(await startWith(t, cwd, atFirstListen), endsInOrder)
  t.strictSame(readdirSync(join(cwd, 'data')), ['animals.db'], 'the database is closed')
})

t.test('settings can come from a file', async t => {
  const cwd = t.testdir()
  const key = newApiKey('ast')
  writeFileSync(
    join(cwd, 'settings'),
    `# of the shop\nAPI_KEYS=${key}\nDATABASE_URL="sqlite:the animals.db"\nLOG_LEVEL=warn\n`
  )
  const server = await startServer(t, { cwd, args: ['--env-file=settings'] })
  t.equal((await sendRequest(server, key, '/v1/pets')).status, 200)
  t.ok(existsSync(join(cwd, 'the animals.db')))
  t.notMatch(server.output().stdout, '"level":30')
})

t.test('the key is printed once, at the first start, and appears nowhere else', async t => {
  const cwd = t.testdir()
  const configured = newApiKey('ast')
  const server = await startServer(t, { cwd, env: { LOG_LEVEL: 'trace' } })
  const { key = '' } = server
  const unknown = newApiKey('ast')
  for (const each of [key, unknown, `${key}x`]) {
    for (const path of ['/v1/pets', '/v1/pets/9', '/v1/pets/x', '/v1/dogs', '/v1/%ff', `/v1/pets?key=${key}`])
      await sendRequest(server, each, path)
    await sendRequest(server, each, '/v1/pets', { method: 'POST', body: '{' })
  }
  server.process.kill('SIGTERM')
  await server.ended
  const { stdout, stderr } = server.output()
  t.equal(stdout.split(key).length - 1, 1)
  for (const secret of [key.slice(9), unknown.slice(9)]) t.notMatch(stderr, secret)
  t.notMatch(stdout, unknown.slice(9))

  const again = await startServer(t, { cwd, env: { LOG_LEVEL: 'trace', API_KEYS: configured } })
  await sendRequest(again, configured, '/v1/pets')
  again.process.kill('SIGTERM')
  await again.ended
  for (const each of [key, configured]) t.notMatch(JSON.stringify(again.output()), each.slice(9))
})

/** A request in progress: the service has read its header, and waits for the rest of the body. */
const beginCreate = async (t: Test, { port, key }: Server) => {
  const socket = connect({ host: '127.0.0.1', port })
  t.teardown(() => socket.destroy())
  let received = ''
  let wake = () => {}
  let isOver = false
  socket.setEncoding('utf8').on('data', chunk => {
    received += chunk
    wake()
  })
  for (const event of ['error', 'close'])
    socket.on(event, () => {
      isOver = true
      wake()
    })
  const until = async (pattern: RegExp) => {
    while (!pattern.test(received) && !isOver)
      await new Promise<void>(resolve => {
        wake = resolve
      })
    return received
  }
  socket.write(
    `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${rex.length}\r\nExpect: 100-continue\r\n\r\n`
  )
  await until(/^HTTP\/1\.1 100 /)
  socket.write(rex.slice(0, 5))
  return {
    /** Sends the rest, and returns everything received until the end. */
    finish: async () => {
      socket.write(rex.slice(5))
      return until(/\}$/)
    }
  }
}

/** A connection that has had its response and stays open for the next request. */
const keepIdle = async (t: Test, { origin, key }: Server) => {
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  await new Promise<void>((resolve, reject) => {
    const req = request(`${origin}/v1/pets`, { agent, headers: { authorization: `Bearer ${key}` } }, res => {
      text(res).then(() => resolve(), reject)
    })
    req.on('error', reject).end()
  })
}

// On a slow machine, too, no request counts as stalled.
const patient = { SHUTDOWN_TIMEOUT: '600' }

/** Stops the service during a request and beside an idle connection, and returns the responses. */
const endsCleanly = async (t: Test, server: Server, cwd: string, end: () => void) => {
  await keepIdle(t, server)
  const create = await beginCreate(t, server)
  end()
  await refusesConnections(server.port)
  const response = await create.finish()
  t.match(response, /HTTP\/1\.1 201 /, 'the request in progress gets its response')
  t.match(response, /connection: close/i)
  const { code } = await server.ended
  // npm may print something of its own.
  t.equal(server.output().stderr.replace(/^npm .*\n/gm, ''), '')
  const again = await startServer(t, { cwd })
  t.match((await sendRequest(again, server.key, '/v1/pets')).text, /^\[\{"id":1,"name":"Rex",.*\}\]$/)
  return code
}

for (const [signal, second] of [
  ['SIGTERM'],
  ['SIGHUP', 'SIGTERM'],
  ...(isLong ? ([['SIGINT'], ['SIGINT', 'SIGTERM'], ['SIGTERM', 'SIGHUP'], ['SIGQUIT', 'SIGQUIT']] as const) : [])
] as const) {
  const title = second === undefined ? signal : `${signal} and ${second} at once`
  t.test(`${title}: requests in progress finish, an idle connection does not delay, the exit code is 0`, async t => {
    const cwd = t.testdir()
    const args =
      second && preloaded(`process.once('${signal}', () => setImmediate(() => process.kill(process.pid, '${second}')))`)
    const server = await startServer(t, { cwd, args: args ?? [], env: patient })
    t.equal(await endsCleanly(t, server, cwd, () => server.process.kill(signal)), 0)
    t.equal(server.output().stdout.split('"msg":"shutting down"').length - 1, 1)
  })
}

const clocks = { '': '', ', even if the clock is set back': 'let now = 0; Date.now = () => (now -= 3_600_000)' }
for (const [title, script] of Object.entries(clocks)) {
  t.test(`a second signal that comes later ends it at once${title}`, async t => {
    const cwd = t.testdir()
    const server = await startServer(t, { cwd, args: preloaded(script), env: patient })
    await beginCreate(t, server)
    server.process.kill('SIGTERM')
    await refusesConnections(server.port)
    // So that the second signal counts as a later one.
    await delay(1100)
    t.equal(server.process.exitCode, null, 'the service waits for the request')
    server.process.kill('SIGTERM')
    t.strictSame(await server.ended, { code: 1, signal: null })
  })
}

const viaNpm = (cwd: string) => ({
  cwd: projectFolder,
  detached: true,
  env: { ...patient, DATABASE_URL: `sqlite:${join(cwd, 'data', 'animals.db')}`, npm_config_update_notifier: 'false' }
})

t.test('npm start: SIGTERM to npm also stops the service, cleanly', async t => {
  const cwd = t.testdir()
  const server = await startServer(t, { ...viaNpm(cwd), command: 'npm', args: ['start'] })
  t.comment(await endsCleanly(t, server, cwd, () => server.process.kill('SIGTERM')))
})

t.test('npm start: SIGINT to the whole group stops it cleanly', async t => {
  const cwd = t.testdir()
  const server = await startServer(t, { ...viaNpm(cwd), command: 'npm', args: ['start'] })
  const { pid = Number.NaN } = server.process
  t.equal(await endsCleanly(t, server, cwd, () => process.kill(-pid, 'SIGINT')), 0)
})

const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null'], { stdio: 'ignore' }).status === 0

t.test(
  'npm start in a terminal: Ctrl-C ends it cleanly',
  hasTerminal ? {} : { skip: 'there is no `script` of util-linux here to make a terminal' },
  async t => {
    const cwd = t.testdir()
    const args = ['-qec', 'exec npm start', '/dev/null']
    const server = await startServer(t, { ...viaNpm(cwd), command: 'script', args })
    t.equal(await endsCleanly(t, server, cwd, () => server.process.stdin.write('\x03')), 0)
  }
)
