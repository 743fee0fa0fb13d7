import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { run, scriptPath, startServer } from '../../../../test/start-server.ts'
import { newApiKey } from '../../src/api-keys/api-key.ts'
import { loadTracing } from '../../src/observability/tracing.ts'
import { buildFixtureApp, withKey } from '../fixture-app.ts'
import { logged } from './logged.ts'
import { startCollector, valuesOf } from './tracing-collector.ts'

const sdk = scriptPath('deploy/tracing/sdk.js')
const sentTo = (url: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '10' })

t.test('OpenTelemetry: each request is a span of the trace that it was sent with, and the log has its id', async t => {
  const { url, spans } = await startCollector(t)
  Object.assign(process.env, sentTo(url))
  const { lines, logger } = logged('info')
  const app = await buildFixtureApp(t, { tracing: await loadTracing(sdk), logger })
  const [traceId, parentId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  const key = newApiKey()
  const get = async (url: string, headers: Record<string, string> = {}) =>
    (await app.inject({ url, headers: { ...withKey, ...headers } })).statusCode
  t.equal(await get('/v1/things?limit=5', { traceparent: `00-${traceId}-${parentId}-01` }), 200)
  t.equal(await get('/v1/things/x?secret=1'), 400)
  t.equal(await get('/v1/things', { authorization: `Bearer ${key}` }), 401)
  t.equal(await get(`/v1/${key}`), 404)
  t.equal(await get('/v1/plans'), 501)
  const found = await spans(5)
  const [first, ...others] = found
  t.match(first, { traceId, parentSpanId: parentId, name: 'GET /v1/things', kind: 2 })
  t.match(
    found.map(span => [span.name, valuesOf(span)]),
    [
      ['GET /v1/things', { 'url.path': '/v1/things', 'http.response.status_code': 200, 'http.route': '/v1/things' }],
      ['GET /v1/things/:thingId', { 'url.path': '/v1/things/x', 'http.response.status_code': 400 }],
      ['GET /v1/things', { 'url.path': '/v1/things', 'http.response.status_code': 401 }],
      ['GET /v1/*', { 'url.path': '/v1/key_live_…', 'http.response.status_code': 404 }],
      ['GET /v1/plans', { 'http.response.status_code': 501 }]
    ]
  )
  for (const span of others) t.notOk(span.parentSpanId)
  t.equal(new Set(found.map(span => span.traceId)).size, 5)
  t.strictSame(
    found.map(span => span.status.code),
    [0, 0, 0, 0, 2],
    'an error of the client is not an error of the service'
  )
  for (const secret of ['secret', key.slice(9)]) t.notMatch(JSON.stringify(found), secret)
  t.strictSame(
    lines.map(line => line.traceId),
    found.map(span => span.traceId)
  )
})

t.test('OpenTelemetry: the service starts the configured SDK, or uses one that is preloaded', async t => {
  for (const [env, args, name] of [
    [{ OPENTELEMETRY: sdk }, [], 'animal-store'],
    [
      { OPENTELEMETRY: 'on', OTEL_SERVICE_NAME: 'shop of the north' },
      ['--import', pathToFileURL(sdk).href],
      'shop of the north'
    ]
  ] as const) {
    const { url, services, spans } = await startCollector(t)
    const all = { API_KEYS: newApiKey(), DATABASE_URL: 'sqlite::memory:', ...env, ...sentTo(url) }
    const { origin } = await startServer(t, { cwd: t.testdir(), args: [...args], env: all })
    t.equal((await fetch(`${origin}/nothing`)).status, 404)
    t.match(await spans(1), [{ name: 'GET /*', kind: 2 }])
    t.strictSame([...services], [name])
  }
})

t.test('OpenTelemetry: if a package is missing, the error says what to do, and the service does not start', async t => {
  // Outside the project, whose packages would be found otherwise.
  const folder = mkdtempSync(join(tmpdir(), 'tracing-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const [nothing, needy] = [join(folder, 'nothing.js'), join(folder, 'needy.js')]
  writeFileSync(nothing, '')
  writeFileSync(needy, "import '@opentelemetry/sdk-trace-node'")
  const howTo = 'npm ci --prefix deploy/tracing installs one that OPENTELEMETRY=deploy/tracing/sdk.js starts.\n'
  for (const [setting, reason] of [
    ['on', 'OPENTELEMETRY is on, but no SDK records spans'],
    [nothing, `OPENTELEMETRY is ${nothing}, but @fastify/otel is not installed beside it`],
    [
      needy,
      `OPENTELEMETRY is ${needy}, but it cannot be loaded: Cannot find package '@opentelemetry/sdk-trace-node' imported`
    ],
    [
      `${folder}/none.js`,
      `OPENTELEMETRY is ${folder}/none.js, but it cannot be loaded: Cannot find module '${folder}/none.js'`
    ]
  ] as const) {
    const env = { PORT: '0', OPENTELEMETRY: setting }
    const service = run(t, process.execPath, [scriptPath('src/main.js'), 'server'], { cwd: t.testdir(), env })
    t.equal((await service.ended).code, 1)
    const { stdout, stderr } = service.output()
    t.equal(stdout, '')
    t.ok(stderr.startsWith(reason) && stderr.endsWith(`: ${howTo}`), stderr)
  }
})
