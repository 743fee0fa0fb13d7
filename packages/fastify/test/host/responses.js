import awsLambda from '@fastify/aws-lambda'
import { FastifyOtelInstrumentation } from '@fastify/otel'
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import plugin from './app.js'

// Sends requests to the application, and prints the responses.

const exporter = new InMemorySpanExporter()
const tracerProvider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
tracerProvider.register()
const instrumentation = new FastifyOtelInstrumentation({ servername: 'host' })
instrumentation.setTracerProvider(tracerProvider)

const app = Fastify()
await app.register(instrumentation.plugin())
app.register(fp(plugin))
const lambda = awsLambda(app)
await app.ready()

const authorization = `Bearer ${app.jwt.sign({ sub: 'ada' })}`
const cross = { authorization, origin: 'https://page.example' }
const sent = {
  own: '/own',
  status: '/status',
  none: '/none',
  thing: { url: '/api/v1/things/1', headers: { ...cross, cookie: 'name=Rex' } },
  refused: { url: '/api/v1/things/1', headers: { ...cross, authorization: `${authorization}x` } },
  preflight: { method: 'OPTIONS', url: '/api/v1/things', headers: { ...cross, 'access-control-request-method': 'GET' } },
  docs: '/api/docs/',
  limited: { url: '/api/v1/weather', headers: { 'x-client': 'limited' } }
}
const responses = {}
for (let i = 0; i < 5; i++) await app.inject(sent.limited)
for (const [name, request] of Object.entries(sent)) {
  const { statusCode: status, headers, payload } = await app.inject(request)
  responses[name] = { status, headers, payload }
}
const event = { httpMethod: 'POST', path: '/api/v1/things', headers: { authorization, 'content-type': 'application/json', 'x-client': 'lambda' } }
responses.lambda = await lambda({ ...event, body: '{"name":"a","weight":9007199254740993,"shape":"flat"}' }, {})
await app.close()
const spans = exporter.getFinishedSpans().map(({ attributes }) => attributes['http.route'])
console.log(JSON.stringify({ responses, spans }))
