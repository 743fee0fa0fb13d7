import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { newApiKey } from '../../src/api-key.ts'
import { run, scriptPath, startServer } from '../start-server.ts'
import { startCollector, valuesOf } from './tracing-collector.ts'

const key = newApiKey()
const sdk = scriptPath('deploy/tracing/sdk.js')
const sentTo = (address: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: address, OTEL_BSP_SCHEDULE_DELAY: '10' })

const start = (t: Test, env: Record<string, string>, args: string[] = []) =>
  startServer(t, { cwd: t.testdir(), args, env: { API_KEYS: key, DATABASE_URL: 'sqlite::memory:', ...env } })

t.test('OpenTelemetry: each request is a span of the trace that it came with, which the log names too', async t => {
  const { address, services, spans } = await startCollector(t)
  const server = await start(t, { OPENTELEMETRY: sdk, ...sentTo(address) })
  const [traceId, parentId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const all = { authorization: `Bearer ${key}`, ...headers }
    return (await fetch(server.origin + path, { headers: all })).status
  }
  t.equal(await get('/v1/pets?limit=5', { traceparent: `00-${traceId}-${parentId}-01` }), 200)
  t.equal(await get('/v1/pets/9?secret=1'), 400)
  t.equal(await get('/v1/pets', { authorization: `Bearer ${newApiKey()}` }), 401)
  t.equal(await get(`/v1/${key}`), 404)
  t.equal(await get('/v1/store/orders'), 501)
  const found = await spans(5)
  const [first, ...others] = found
  t.match(first, { traceId, parentSpanId: parentId, name: 'GET /v1/pets', kind: 2 })
  t.match(
    found.map(span => [span.name, valuesOf(span)]),
    [
      ['GET /v1/pets', { 'url.path': '/v1/pets', 'http.response.status_code': 200, 'http.route': '/v1/pets' }],
      ['GET /v1/pets/:petId', { 'url.path': '/v1/pets/9', 'http.response.status_code': 400 }],
      ['GET /v1/pets', { 'url.path': '/v1/pets', 'http.response.status_code': 401 }],
      ['GET /v1/*', { 'url.path': '/v1/ast_live_…', 'http.response.status_code': 404 }],
      ['GET /v1/store/orders', { 'http.response.status_code': 501 }]
    ]
  )
  t.strictSame([...services], ['animal-store'])
  for (const span of others) t.notOk(span.parentSpanId)
  t.equal(new Set(found.map(span => span.traceId)).size, 5)
  t.strictSame(
    found.map(span => span.status.code),
    [0, 0, 0, 0, 2],
    'what a client did wrong is no error of the service'
  )
  for (const secret of ['secret', key.slice(9)]) t.notMatch(JSON.stringify(found), secret)

  server.process.kill('SIGTERM')
  await server.ended
  t.strictSame(
    [...server.output().stdout.matchAll(/"traceId":"(\w+)"/g)].map(([, id]) => id),
    found.map(span => span.traceId)
  )
})

t.test('OpenTelemetry: an SDK that is preloaded does as well', async t => {
  const { address, services, spans } = await startCollector(t)
  const env = { OPENTELEMETRY: 'on', OTEL_SERVICE_NAME: 'animals of the north', ...sentTo(address) }
  const server = await start(t, env, ['--import', pathToFileURL(sdk).href])
  t.equal((await fetch(`${server.origin}/v1/pets`)).status, 401)
  t.match(await spans(1), [{ name: 'GET /v1/pets', kind: 2 }])
  t.strictSame([...services], ['animals of the north'])
})

t.test('OpenTelemetry that is not there is named with what to do, and nothing is begun', async t => {
  // Outside of the project, whose packages would be found.
  const folder = mkdtempSync(join(tmpdir(), 'tracing-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const [nothing, needy] = [join(folder, 'nothing.js'), join(folder, 'needy.js')]
  writeFileSync(nothing, '')
  writeFileSync(needy, "import '@opentelemetry/sdk-trace-node'")
  const howTo = 'npm ci --prefix deploy/tracing installs one that OPENTELEMETRY=deploy/tracing/sdk.js starts.\n'
  for (const [setting, reason] of [
    ['on', 'OPENTELEMETRY is on, but there is no SDK that takes spans'],
    [nothing, `OPENTELEMETRY is ${nothing}, but @fastify/otel is not installed beside it`],
    [needy, `OPENTELEMETRY is ${needy}, but that fails: Cannot find package '@opentelemetry/sdk-trace-node' imported`],
    [`${folder}/none.js`, `OPENTELEMETRY is ${folder}/none.js, but that fails: Cannot find module '${folder}/none.js'`]
  ] as const) {
    const env = { PORT: '0', OPENTELEMETRY: setting }
    const service = run(t, process.execPath, [scriptPath('src/server.ts')], { cwd: t.testdir(), env })
    t.equal((await service.ended).code, 1)
    const { stdout, stderr } = service.output()
    t.equal(stdout, '')
    t.ok(stderr.startsWith(reason) && stderr.endsWith(`: ${howTo}`), stderr)
  }
})
