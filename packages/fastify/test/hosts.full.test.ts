import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { freePort } from '../../../test/free-port.ts'
import { environment, folderWith, inProject, packOwn } from '../../../test/installing.ts'
import { run } from '../../../test/start-server.ts'

/** From the registry: no other test needs them. */
const plugins = {
  '@fastify/autoload': '6.5.0',
  '@fastify/aws-lambda': '6.4.1',
  '@fastify/cookie': '11.1.5',
  '@fastify/cors': '11.4.3',
  '@fastify/helmet': '13.2.0',
  '@fastify/jwt': '10.2.8',
  '@fastify/otel': '0.21.2',
  '@fastify/rate-limit': '11.2.0',
  '@fastify/under-pressure': '9.2.0',
  '@opentelemetry/api': '1.9.1',
  '@opentelemetry/sdk-trace-node': '2.12.0',
  fastify: '5.12.8',
  'fastify-cli': '8.0.2',
  'fastify-plugin': '6.0.1'
}

t.test('an application with the plugins that others have serves a contract', async t => {
  const cwd = folderWith(packOwn('fastify'), plugins)
  for (const part of ['host', 'fixture'])
    cpSync(inProject(`packages/fastify/test/${part}`), part === 'host' ? cwd : join(cwd, part), { recursive: true })

  const printed = execFileSync(process.execPath, ['responses.js'], { cwd, env: environment(), encoding: 'utf8' })
  const { responses, spans } = JSON.parse(printed)

  t.match(responses.own, { status: 200, payload: '{"own":5}' }, '@fastify/autoload')
  t.match(responses.status, { status: 200, payload: '{"status":"ok"}' }, '@fastify/under-pressure')
  t.match(responses.none, { status: 404, payload: '{"message":"Route GET:/none not found"' })
  t.match(responses.thing, { status: 200, payload: '{"id":1,"name":"Rex","weight":9007199254740993,' }, '@fastify/jwt')
  t.match(responses.thing.headers, {
    'set-cookie': 'seen=ada',
    'access-control-allow-origin': 'https://page.example',
    'strict-transport-security': /^max-age/,
    'x-ratelimit-limit': '5'
  })
  t.match(responses.refused, { status: 401, payload: '{"code":"credentials_invalid"' })
  t.match(responses.refused.headers, { 'access-control-allow-origin': 'https://page.example' })
  t.match(responses.preflight, { status: 204, headers: { 'access-control-allow-methods': /GET/ } }, '@fastify/cors')
  t.match(responses.limited, { status: 429, payload: '{"code":"too_many_requests"' }, '@fastify/rate-limit')
  t.match(responses.docs, { status: 200, headers: { 'content-security-policy': "default-src 'none'" } })
  t.match(responses.lambda, { statusCode: 201, body: /"weight":9007199254740993/ }, '@fastify/aws-lambda')
  t.ok(spans.includes('/api/v1/things/:thingId'), '@fastify/otel')

  // 0 would be its default, 3000.
  const port = String(await freePort())
  const server = run(
    t,
    process.execPath,
    ['node_modules/fastify-cli/cli.js', 'start', '-p', port, '-l', 'info', 'app.js'],
    {
      cwd,
      env: { NODE_OPTIONS: '' }
    }
  )
  const [, origin] = await server.printed(/Server listening at (http:\/\/127\.0\.0\.1:\d+)/)
  const response = await fetch(`${origin}/api/v1/weather`, { headers: { connection: 'close' } })
  t.strictSame([response.status, await response.json()], [200, { sunny: true }], 'fastify-cli')
})
