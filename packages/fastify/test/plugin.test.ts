import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyServerOptions } from 'fastify'
import fp from 'fastify-plugin'
import t, { type Test } from 'tap'
import { ApiError, contractPlugin, type Handlers, InvalidCredential } from '../src/index.ts'
import { derivedContract } from './derived-contract.ts'
import type * as generated from './fixture/operations.ts'
import { brick, contract as things } from './fixture-app.ts'
import { openFixtureStore } from './fixture-store.ts'
import { logged } from './observability/logged.ts'
import { securedContract } from './secured-app.ts'

const handlers = {
  listThings: async ({ query }) => ({ status: 200, body: Array(query.limit === 1 ? 1 : 2).fill(brick) }),
  createThing: async ({ body }) => ({ status: 201, body: { id: 2n, ...body }, headers: { Location: 'things/2' } }),
  getThing: async ({ params: { thingId } }) => {
    if (thingId !== 1n) throw new ApiError(404, 'thing_not_found', `No thing has id ${thingId}.`)
    return { status: 200, body: brick }
  },
  changeThing: async ({ body }) => ({ status: 200, body: { ...brick, ...body } }),
  removeThing: async () => ({ status: 204 }),
  getWeather: async () => ({ status: 200, body: { sunny: true } })
} satisfies Handlers<typeof generated.operations>

const verifiers = {
  bearerAuth: async (_scheme: string, { token }: { token: string }) => (token === 'right' ? { id: 'me' } : undefined)
}
const authorization = 'Bearer right'
const served = { contract: things, handlers, verifiers }

/** An application with routes, hooks and handlers of its own. */
const host = (t: Test, options: FastifyServerOptions = {}): FastifyInstance => {
  const app = Fastify(options) as FastifyInstance
  t.teardown(() => app.close())
  return app
}

t.test('a contract is served in an application, below a prefix', async t => {
  const app = host(t)
  await app.register(contractPlugin, { ...served, prefix: '/api' })
  const send = (method: 'GET' | 'POST' | 'PUT' | 'OPTIONS' | 'HEAD', url: string, payload?: object) =>
    app.inject({ method, url: `/api${url}`, headers: { authorization }, ...(payload && { payload }) })

  t.match(await send('GET', '/v1/things?limit=1'), {
    statusCode: 200,
    payload: '[{"id":1,"name":"Brick","weight":7,"shape":"square","open":false}]'
  })
  t.match((await send('GET', '/v1/things/1e3')).json(), { code: 'invalid_request', message: /plain decimal digits/ })
  t.match((await send('GET', '/v1/things?limit=0&limit=1')).json(), { status: 400 })
  t.match((await send('GET', '/v1/things/9')).json(), { code: 'thing_not_found', status: 404 })
  t.match((await send('POST', '/v1/things', { name: '' })).json(), { code: 'invalid_request', message: /body.name/ })
  const large = await app.inject({
    method: 'POST',
    url: '/api/v1/things',
    headers: { authorization, 'content-type': 'application/json' },
    payload: `"${'x'.repeat(70_000)}"`
  })
  t.match(large.json(), { code: 'body_too_large' }, 'with the limits of the contract')
  t.match(await send('PUT', '/v1/things'), { statusCode: 405, headers: { allow: 'GET, POST, HEAD, OPTIONS' } })
  t.match(await send('OPTIONS', '/v1/things'), { statusCode: 204 })
  t.match(await send('HEAD', '/v1/things'), { statusCode: 200, payload: '' })
  t.match((await send('GET', '/v1/none')).json(), { code: 'path_not_found' })
  const keyless = await app.inject('/api/v1/things')
  t.match(keyless, {
    statusCode: 401,
    headers: { 'www-authenticate': 'Bearer realm="service"', 'cache-control': 'no-store' }
  })
  t.equal((await app.inject('/api/docs/')).statusCode, 404, 'without documentation')
})

t.test('the application around it stays as it is', async t => {
  const { lines, logger } = logged('info')
  const app = host(t, { loggerInstance: undefined as never, logger: { level: 'info', stream: logger.stream as never } })
  app.addHook('onRequest', async (request, reply) => void reply.header('x-hook', String(typeof request.query)))
  app.setErrorHandler(async (error: Error, _request, reply) => reply.code(418).send({ host: error.message }))
  app.setNotFoundHandler(async (_request, reply) => reply.code(404).send({ host: 'nothing here' }))
  app.addContentTypeParser('text/csv', { parseAs: 'string' }, async (_request: unknown, text: string) =>
    text.split(',')
  )
  app.decorateRequest('user', 'nobody')
  app.get(
    '/api/v1/own',
    { schema: { querystring: { type: 'object', properties: { n: { type: 'integer' } } } } },
    async ({ query }) => query
  )
  app.post('/csv', async ({ body }) => body)
  app.get('/fails', async () => {
    throw new Error('broken')
  })
  await app.register(contractPlugin, { ...served, prefix: '/api' })
  app.get(
    '/later/:name',
    { schema: { params: { type: 'object', properties: { name: { enum: ['a'] } } } } },
    async () => 'a'
  )

  t.strictSame(
    (await app.inject('/api/v1/own?n=5')).json(),
    { n: 5 },
    'its own routes, also below the prefix, with Ajv'
  )
  t.strictSame(
    (await app.inject({ method: 'POST', url: '/csv', payload: 'a,b', headers: { 'content-type': 'text/csv' } })).json(),
    ['a', 'b']
  )
  t.match(await app.inject('/fails'), {
    statusCode: 418,
    payload: '{"host":"broken"}',
    headers: { 'x-hook': 'object' }
  })
  t.equal((await app.inject('/fails')).headers['cache-control'], undefined)
  t.match(await app.inject('/none'), { statusCode: 404, payload: '{"host":"nothing here"}' })
  t.equal((await app.inject('/later/b')).statusCode, 418)
  t.equal((await app.inject('/later/a')).payload, 'a')
  const created = await app.inject({
    method: 'POST',
    url: '/api/v1/things',
    payload: 'a,b',
    headers: { authorization, 'content-type': 'text/csv' }
  })
  t.match(
    created,
    { statusCode: 415, headers: { 'x-hook': 'object' } },
    'its hooks run for the contract, its body parsers do not'
  )
  t.match(lines.filter(each => each.msg === 'incoming request').length, 8, 'Fastify logs requests as before')
})

t.test('several contracts are served side by side, each with its own errors and security', async t => {
  const { contract } = await derivedContract(
    t,
    securedContract({ who: '', open: 'security: []' }).replace('url: v1', 'url: /v1')
  )
  const app = host(t)
  await app.register(contractPlugin, { ...served, prefix: '/one', docs: true })
  await app.register(contractPlugin, {
    contract,
    handlers: {
      who: async ({ principal }: { principal: unknown }) => ({ status: 200, body: principal }),
      open: async () => ({ status: 200, body: null })
    } as never,
    verifiers: (_scheme, _credential, _scopes, request) => ({ id: String(request.headers['x-name']) }),
    errors: { body: ({ code }, request) => ({ code, instance: request?.url }) },
    docs: true,
    prefix: '/two'
  })
  t.match((await app.inject('/one/v1/things')).json(), { code: 'credentials_missing' })
  t.strictSame((await app.inject('/two/v1/who')).json(), { code: 'credentials_missing', instance: '/two/v1/who' })
  const headers = { 'x-key': 'k', 'x-name': 'Ada' }
  t.strictSame((await app.inject({ url: '/two/v1/who', headers })).json(), { id: 'Ada' }, 'verifiers get the request')
  for (const [url, statusCode] of Object.entries({ open: 405, who: 401, nothing: 401 }))
    t.match(await app.inject({ method: 'DELETE', url: `/two/v1/${url}` }), { statusCode }, 'a public URL hides nothing')
  for (const [prefix, title, server] of [
    ['/one', 'Things', 'v1'],
    ['/two', 'Secured', '/two/v1']
  ] as const) {
    t.match((await app.inject(`${prefix}/openapi.json`)).json(), { info: { title }, servers: [{ url: server }] })
    t.match((await app.inject(`${prefix}/docs/json`)).json(), { servers: [{ url: server.replace(/^v/, '../v') }] })
    t.match(await app.inject(`${prefix}/docs/`), { statusCode: 200, payload: title })
    t.match(await app.inject(`${prefix}/docs`), { statusCode: 302, headers: { location: 'docs/' } })
  }
})

t.test("without a prefix and a base path, URLs outside the contract stay the application's", async t => {
  const { contract } = await derivedContract(t, securedContract({ who: 'security: []' }).replace('url: v1', 'url: /'))
  const app = host(t)
  app.get('/*', async () => 'everything else')
  await app.register(contractPlugin, {
    contract,
    handlers: { who: async () => ({ status: 200, body: 'me' }) } as never,
    verifiers: { inHeader: () => undefined }
  })
  t.equal((await app.inject('/who')).payload, '"me"')
  t.equal((await app.inject({ method: 'POST', url: '/who' })).statusCode, 405)
  t.equal((await app.inject('/')).payload, 'everything else')
})

t.test('handlers get request, reply, log, id and signal', async t => {
  const { lines, logger } = logged('info')
  const app = host(t, { logger: { level: 'info', stream: logger.stream as never } })
  app.register(
    fp(async scope => {
      scope.decorateRequest('tenant', '')
      scope.addHook('onRequest', async request => void Object.assign(request, { tenant: 'acme' }))
    })
  )
  await app.register(contractPlugin, {
    ...served,
    handlers: {
      ...handlers,
      getWeather: async ({ request, reply, log, requestId, signal }) => {
        log.info({ tenant: (request as { tenant?: string }).tenant }, 'the weather')
        reply.header('set-cookie', `id=${requestId}`)
        return { status: 200, body: { sunny: !signal.aborted } }
      }
    }
  })
  const response = await app.inject('/v1/weather')
  t.match(response, { statusCode: 200, payload: '{"sunny":true}', headers: { 'set-cookie': 'id=req-1' } })
  t.match(
    lines.find(each => each.msg === 'the weather'),
    { tenant: 'acme', reqId: 'req-1' }
  )
})

t.test('what the contract needs and does not have stops the start, or is said', async t => {
  const register = async (options: object) => host(t).register(contractPlugin, { ...served, ...options })
  await t.rejects(register({ verifiers: undefined }), /no verifier for the security scheme bearerAuth/)
  await t.rejects(register({ handlers: { ...handlers, getThing: undefined } }), /no handler for getThing.*unwritten/)
  await t.rejects(
    register({ handlers: { ...handlers, getThings: handlers.getThing } }),
    /getThings, which is no operation/
  )
  await t.rejects(register({ handlers: { ...handlers, getThing: 1 } }), /handler of getThing must be a function, not 1/)
  await t.rejects(register({ prefx: '/api' }), /no option prefx/)
  const { lines, logger } = logged('info')
  const app = host(t, {
    logger: { level: 'info', stream: logger.stream as never },
    routerOptions: { maxParamLength: 1 }
  })
  await app.register(contractPlugin, { ...served, now: () => Date.UTC(2031, 0) })
  t.equal((await app.inject({ url: '/v1/things/1', headers: { authorization } })).statusCode, 200)
  const warnings = lines.filter(({ level }) => level === 40)
  t.match(warnings, [
    { msg: /^without a store, the header Idempotency-Key of createThing/ },
    { msg: /^getThing is still called after its removal date/ }
  ])
})

t.test('with a store, its keys are valid', async t => {
  const store = openFixtureStore()
  t.teardown(() => store.close())
  const app = host(t)
  await app.register(contractPlugin, { contract: things, handlers, store, realm: 'things' })
  t.match(await app.inject('/v1/things'), { statusCode: 401, headers: { 'www-authenticate': 'Bearer realm="things"' } })
})

t.test("errors of the application's hooks get the body of the contract", async t => {
  const app = host(t)
  app.addHook('preValidation', async ({ headers }) => {
    if (headers['x-fail'] !== undefined)
      throw Object.assign(new Error('secret'), { statusCode: Number(headers['x-fail']), code: 'FST_SOME' })
  })
  await app.register(contractPlugin, served)
  const failing = (status: number) => app.inject({ url: '/v1/weather', headers: { 'x-fail': String(status) } })
  t.strictSame((await failing(429)).json(), { code: 'fst_some', message: 'secret', status: 429 })
  t.match((await failing(503)).json(), { code: 'fst_some', message: 'Service Unavailable.', status: 503 })
  t.match((await failing(500)).json(), { code: 'internal_error', status: 500 })
})

t.test('event streams end in order when the host closes or the client leaves', async t => {
  const yaml = securedContract({ watch: 'security: []' }).replace(
    'application/json: { schema: {} }',
    'text/event-stream: { schema: { type: string } }'
  )
  const { contract } = await derivedContract(t, yaml)
  const { lines, logger } = logged('info')
  const app = host(t, { logger: { level: 'info', stream: logger.stream as never } })
  const watch = async ({ signal }: { signal: AbortSignal }) => ({
    status: 200,
    body: (async function* () {
      yield 'data: 1\n\n'
      // As what waits for events does.
      await once(new EventTarget() as never, 'event', { signal })
    })()
  })
  await app.register(contractPlugin, {
    contract,
    handlers: { watch } as never,
    verifiers: { inHeader: () => undefined }
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const watching = async () => {
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /v1/watch HTTP/1.1\r\nHost: a\r\n\r\n')
    let text = ''
    socket.on('data', chunk => (text += chunk))
    while (!text.includes('data: 1')) await once(socket, 'data')
    return { socket, text: () => text }
  }
  const [leaving, staying] = [await watching(), await watching()]
  leaving.socket.destroy()
  await Promise.all([app.close(), once(staying.socket, 'close')])
  t.match(staying.text(), /0\r\n\r\n$/, 'in order')
  t.strictSame(
    lines.filter(each => Number(each.level) > 30),
    [],
    'which is nothing to worry about'
  )
})

t.test('over HTTP/2, the signal of a handler is aborted only if the client leaves', async t => {
  const yaml = securedContract({ upload: 'security: []' })
    .replace('get:', 'post:')
    .replace(
      'responses',
      'requestBody: { content: { text/csv: { schema: { type: string, format: binary } } } }\n      responses'
    )
  const { contract } = await derivedContract(t, yaml)
  const signals: AbortSignal[] = []
  const upload = async ({ body, signal }: { body: AsyncIterable<Buffer>; signal: AbortSignal }) => {
    signals.push(signal)
    for await (const _ of body);
    return { status: 200, body: signal.aborted }
  }
  const app = Fastify({ http2: true })
  await app.register(contractPlugin as never, {
    contract,
    handlers: { upload },
    verifiers: { inHeader: () => undefined }
  })
  const client = connectHttp2(await app.listen({ host: '127.0.0.1', port: 0 }))
  t.teardown(() => app.close())
  const send = () => client.request({ ':method': 'POST', ':path': '/v1/upload', 'content-type': 'text/csv' })
  t.equal(await text(send().end('a')), 'false')
  send().on('error', () => {})
  while (signals.length < 2) await nextTurn()
  client.destroy()
  await once(signals[1] as never, 'abort')
  t.equal(signals[0]?.aborted, false)
})

t.test('credentials that are refused, and results that are none, are logged with their reasons', async t => {
  const { lines, logger } = logged('info')
  const app = host(t, { logger: { level: 'info', stream: logger.stream as never } })
  await app.register(contractPlugin, {
    ...served,
    handlers: { ...handlers, getWeather: async () => undefined as never },
    verifiers: {
      bearerAuth: () => {
        throw new InvalidCredential('it has expired')
      }
    }
  })
  t.equal((await app.inject({ url: '/v1/things', headers: { authorization } })).statusCode, 401)
  t.equal((await app.inject('/v1/weather')).statusCode, 500)
  t.match(
    lines.find(each => 'refusedBecause' in each),
    { level: 30, refusedBecause: 'bearerAuth: it has expired' }
  )
  t.match(
    lines.find(each => each.level === 50),
    {
      operationId: 'getWeather',
      err: { message: 'the handler of getWeather returned undefined, but must return { status, body }' }
    }
  )
})

t.test('what hooks throw has its status, whether it is an Error or an object', async t => {
  const app = host(t)
  await app.register(rateLimit, {
    max: 1,
    errorResponseBuilder: () => ({ statusCode: 429, error: 'Too Many Requests', message: 'Slower, please.' })
  })
  await app.register(contractPlugin, { ...served, prefix: '/api' })
  t.equal((await app.inject('/api/v1/weather')).statusCode, 200)
  t.match(await app.inject('/api/v1/weather'), {
    statusCode: 429,
    payload: '{"code":"too_many_requests","message":"Slower, please.","status":429}',
    headers: { 'retry-after': '60' }
  })
})

t.test('an ApiError has the status of an error, and mistakes in it are a 500', async t => {
  for (const status of [undefined, 'not_found', '404', 0, 200, 302, 399, 600, 404.5, Number.NaN] as never[])
    t.throws(() => new ApiError(status, 'x', 'y'), {
      message: /^the status of an ApiError must be an integer from 400 to 599, not /
    })
  const { lines, logger } = logged('info')
  const app = host(t, { logger: { level: 'info', stream: logger.stream as never } })
  const getThing = async () => {
    throw new ApiError(new Error('x').cause as never, 'x', 'y')
  }
  await app.register(contractPlugin, { ...served, handlers: { ...handlers, getThing } })
  t.match(await app.inject({ url: '/v1/things/1', headers: { authorization } }), { statusCode: 500 })
  t.match(
    lines.find(each => each.level === 50),
    { operationId: 'getThing', err: { message: /from 400 to 599, not undefined/ } }
  )
})

t.test('credentials for which a verifier returns nothing are refused', async t => {
  for (const nothing of [undefined, null, false, '', 0] as never[]) {
    const app = host(t)
    await app.register(contractPlugin, { ...served, verifiers: { bearerAuth: async () => nothing } })
    t.equal((await app.inject({ url: '/v1/things', headers: { authorization } })).statusCode, 401)
  }
})

t.test('a property that is undefined is none', async t => {
  const app = host(t)
  const getThing = async () => ({ status: 200, body: { ...brick, extra: undefined } })
  await app.register(contractPlugin, { ...served, handlers: { ...handlers, getThing } as never })
  t.equal((await app.inject({ url: '/v1/things/1', headers: { authorization } })).statusCode, 200)
})

t.test('the log says where the contract is', async t => {
  const { lines, logger } = logged('info')
  const app = host(t, { logger: { level: 'info', stream: logger.stream as never } })
  await app.register(contractPlugin, { ...served, prefix: '/api', docs: true })
  t.match(lines.at(-1), { level: 30, msg: 'the contract is served at /api/v1, its page at /api/docs/' })
})

t.test('a prefix that ends with a slash is refused', async t => {
  const app = host(t)
  await t.rejects(async () => app.register(contractPlugin, { ...served, prefix: '/api/' }), {
    message: 'the prefix /api/ ends with a slash: write /api'
  })
})

t.test('a handler need not be asynchronous', async t => {
  const app = host(t)
  const getWeather = () => ({ status: 200, body: { sunny: true } }) as never
  await app.register(contractPlugin, { ...served, handlers: { ...handlers, getWeather } })
  t.match(await app.inject('/v1/weather'), { statusCode: 200, payload: '{"sunny":true}' })
})

t.test('@fastify/swagger of the application documents only the application', async t => {
  const app = host(t)
  await app.register(swagger)
  app.get('/own', async () => ({}))
  await app.register(contractPlugin, { ...served, prefix: '/api', docs: true })
  await app.ready()
  t.strictSame(Object.keys(app.swagger().paths ?? {}), ['/own'])
  t.match((await app.inject('/api/openapi.json')).json(), { info: { title: /./ }, paths: { '/things': {} } })
})

t.test('a page in the place of the application’s own is named', async t => {
  const app = host(t)
  app.get('/openapi.json', async () => ({}))
  await t.rejects(async () => app.register(contractPlugin, { ...served, docs: true }), {
    message: 'the application has /openapi.json already: give the contract another prefix, or leave out its docs'
  })
})

t.test('a contract that is none is named', async t => {
  const app = host(t)
  await t.rejects(async () => app.register(contractPlugin, { ...served, contract: undefined as never }), {
    message: /contract must be what contractOf makes, not undefined/
  })
})

t.test('a handler that sends a response itself is told in the log, and the client has it', async t => {
  const { lines, logger } = logged('info')
  const app = host(t, { logger: { level: 'info', stream: logger.stream as never } })
  const getWeather = async ({ reply }: { reply: FastifyReply }) => reply.code(202).send({ sunny: 1 }) as never
  await app.register(contractPlugin, { ...served, handlers: { ...handlers, getWeather } })
  t.match(await app.inject('/v1/weather'), { statusCode: 202, payload: '{"sunny":1}' })
  t.strictSame(
    lines.filter(each => 'err' in each).map(({ operationId, err }) => ({ operationId, message: err?.message })),
    [
      {
        operationId: 'getWeather',
        message:
          'the handler of getWeather has sent a response itself, which nothing has checked; it must return { status, body }'
      }
    ]
  )
})

t.test('a success is not negotiated because of errors in another media type', async t => {
  const yaml = securedContract({ who: 'security: []' }).replace(
    '{} } } } }',
    '{} } } }, default: { description: No, content: { application/problem+json: { schema: { type: object } } } } }'
  )
  const { contract } = await derivedContract(t, yaml)
  const app = host(t)
  const who = async () => ({ status: 200, body: 'me' })
  await app.register(contractPlugin, { contract, handlers: { who }, verifiers: { inHeader: () => undefined } })
  const { statusCode, headers } = await app.inject({ url: '/v1/who', headers: { accept: 'text/xml' } })
  t.strictSame([statusCode, headers.vary], [200, undefined])
})

t.test('applications with other settings of their router', async t => {
  const app = host(t, { routerOptions: { ignoreTrailingSlash: true, caseSensitive: false } })
  app.get('/', async () => 'home')
  app.get('/docs', async () => 'docs')
  await app.register(contractPlugin, { ...served, docs: true, prefix: '/api' })
  t.match(await app.inject('/API/v1/weather/'), { statusCode: 200, payload: '{"sunny":true}' })
  t.match(await app.inject('/api/docs'), { statusCode: 302, headers: { location: 'docs/' } })
  t.equal((await app.inject('/api/docs/')).statusCode, 200)
  const long = await app.inject({ url: `/api/v1/things/${'1'.repeat(101)}`, headers: { authorization } })
  t.match(long.json(), { code: 'path_not_found' }, 'longer than maxParamLength')

  const other = host(t)
  other.get('/', async () => 'home')
  await other.register(contractPlugin, { ...served, docs: true })
  t.equal((await other.inject('/')).payload, 'home', 'what is not below a prefix is not the documentation')
  t.equal((await other.inject('/docs/')).statusCode, 200)
})

t.test('a response that breaks the contract becomes an error of the contract, whatever it lacks', async t => {
  const yaml = securedContract({ make: 'security: []' }).replace(
    'description: Who, content: { application/json: { schema: {} } }',
    'description: Who, headers: { Location: { required: true, schema: { type: string } } }, content: { application/json: { schema: { type: string } } }'
  )
  const { contract } = await derivedContract(t, yaml)
  const app = host(t)
  const make = async () => ({ status: 200, headers: { Location: '/x' }, body: 1 })
  await app.register(contractPlugin, { contract, handlers: { make }, verifiers: { inHeader: () => undefined } })
  t.match(await app.inject('/v1/make'), { statusCode: 500, payload: /^\{"code":"internal_error"/ })
})
