import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { digestOf, keyIdOf, newApiKey } from '../packages/fastify/src/api-keys/api-key.ts'
import { animalSchema } from '../src/store/sqlite/schema.ts'
import { commandHere } from './command-here.ts'
import { openSqliteStore } from './open-store.ts'
import { run, scriptPath, sendRequest, startServer } from './start-server.ts'

const rex = JSON.stringify({ name: 'Rex', categoryId: 7 })

/** The result of a start that is refused. */
const refusedStart = async (t: Test, cwd: string, env: Record<string, string>) => {
  const server = run(t, process.execPath, [scriptPath('src/main.js'), 'server'], { cwd, env: { PORT: '0', ...env } })
  const { code } = await server.ended
  return { code, ...server.output() }
}

t.test('the first start prints the URLs and a new key, once; animals and keys survive a restart', async t => {
  const cwd = t.testdir()
  const path = join(cwd, 'data', 'animals.db')
  const first = await startServer(t, { cwd, env: { LOG_LEVEL: 'trace' } })
  const { stdout } = first.output()
  t.match(stdout, `  service        ${first.origin}/v1\n`)
  t.match(stdout, `  documentation  ${first.origin}/docs/\n`)
  t.match(stdout, `  data           ${path}\n`)
  t.ok(existsSync(path))
  const { key = '' } = first
  t.equal((await sendRequest(first, key, '/v1/pets')).text, '[]')
  t.equal((await sendRequest(first, undefined, '/docs/')).status, 200)
  t.equal((await sendRequest(first, undefined, '/v1/pets')).status, 401)
  const body = '{"name":"Rex 🐕","categoryId":-9223372036854775808}'
  const created = await sendRequest(first, key, '/v1/pets', { method: 'POST', body })
  t.equal(created.status, 201)

  const unknown = newApiKey('ast')
  for (const each of [key, unknown, `${key}x`]) {
    for (const path of ['/v1/pets', '/v1/pets/9', '/v1/pets/x', '/v1/dogs', '/v1/%ff', `/v1/pets?key=${key}`])
      await sendRequest(first, each, path)
    await sendRequest(first, each, '/v1/pets', { method: 'POST', body: '{' })
  }
  first.process.kill('SIGTERM')
  t.equal((await first.ended).code, 0)
  const written = first.output()
  t.equal(written.stderr, '')
  t.equal(written.stdout.split(key).length - 1, 1)
  t.notMatch(written.stdout, unknown.slice(9))

  t.comment('the next start prints no key, neither one from before nor one that is configured')
  const configured = newApiKey('ast')
  const second = await startServer(t, { cwd, env: { LOG_LEVEL: 'trace', API_KEYS: configured } })
  t.equal(second.key, undefined)
  t.equal((await sendRequest(second, key, '/v1/pets')).text, `[${created.text}]`)
  t.equal((await sendRequest(second, configured, '/v1/pets/1')).text, created.text)
  second.process.kill('SIGTERM')
  await second.ended
  t.notMatch(second.output().stdout, 'migrated')
  t.notMatch(second.output().stdout, 'ast_live_')
  for (const each of [key, configured]) t.notMatch(JSON.stringify(second.output()), each.slice(9))
})

t.test('a start logs that it has migrated the database, and from which version', async t => {
  const cwd = t.testdir()
  const path = join(cwd, 'old.db')
  const { applicationId, migrations } = animalSchema
  const old = new DatabaseSync(path)
  old.exec(`${migrations[0]}; PRAGMA user_version = 1; PRAGMA application_id = ${applicationId}`)
  old.close()
  const server = await startServer(t, { cwd, env: { DATABASE_URL: `sqlite:${path}` } })
  const [line] = await server.printed(/"data".*"msg":"the database has been migrated"/)
  t.equal(line, `"data":"${path}","from":1,"to":${migrations.length},"msg":"the database has been migrated"`)
})

t.test('settings can come from a file; a database in memory leaves no file behind, and the start says so', async t => {
  const cwd = t.testdir()
  const key = newApiKey('ast')
  const settings = `# of the shop\nAPI_KEYS=${key}\nDATABASE_URL="sqlite::memory:"\nLOG_LEVEL=warn\n`
  writeFileSync(join(cwd, 'settings'), settings)
  const server = await startServer(t, { cwd, args: ['--env-file=settings'] })
  t.match(server.output().stdout, '  data           in memory only\n')
  t.equal((await sendRequest(server, key, '/v1/pets', { method: 'POST', body: rex })).status, 201)
  server.process.kill('SIGINT')
  t.equal((await server.ended).code, 0)
  t.strictSame(readdirSync(cwd), ['settings'])
  t.notMatch(server.output().stdout, '"level":30')
})

t.test('in production no key is issued: without a valid one the start is refused, naming the command', async t => {
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

  const issue = async () => {
    const { stdout } = await commandHere(t, ['keys', 'issue'], { cwd })
    return stdout.trimEnd()
  }
  const [issued, expired] = [await issue(), await issue()]
  const store = openSqliteStore({ path })
  t.teardown(() => store.close())
  await store.keys.expire(keyIdOf(digestOf(expired)), 0)
  const withIssued = await startServer(t, { cwd, env })
  const statusOf = async (key: string) => (await sendRequest(withIssued, key, '/v1/pets')).status
  t.equal(await statusOf(issued), 200)
  t.equal(await statusOf(key), 401, 'the key of the setting is no longer valid without it')
  t.notMatch(withIssued.output().stdout, 'ast_live_')
  withIssued.process.kill('SIGTERM')
  await withIssued.ended

  await store.keys.revoke(keyIdOf(digestOf(issued)), Date.now())
  await isRefused(
    `All API keys in ${path} are expired or revoked (npm run keys -- list), so nobody could call the service: run npm`
  )
  const inDevelopment = await startServer(t, { cwd })
  t.equal((await sendRequest(inDevelopment, inDevelopment.key, '/v1/pets')).status, 200, 'which issues another')
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
      'The contract cannot be served: no handler for createThing (POST /things), getThing (GET /things/{thingId}), changeThing (PATCH /things/{thingId}), removeThing (DELETE /things/{thingId}), getWeather (GET /weather); only an operation whose contract declares 501 needs none; `unwritten` in its place responds with 501.\n'
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
  const store = openSqliteStore({ path: join(cwd, 'data', 'animals.db') })
  t.teardown(() => store.close())
  t.strictSame(await store.keys.list(), [], 'so the next start issues and prints one')
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
  t.match(readFileSync(join(cwd, 'text.db'), 'utf8'), /^(These are my notes\. ){500}$/)
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
