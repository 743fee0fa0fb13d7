import t from 'tap'
import { buildFixtureApp, withKey } from './fixture-app.ts'
import { logged } from './observability/logged.ts'

t.test('a service has hooks, decorators and routes of its own beside those of its contract', async t => {
  const { lines, logger } = logged('info')
  const app = await buildFixtureApp(t, {
    logger,
    // The routes are not in the contract.
    watched: false,
    extend: app => {
      app.decorateRequest('tenant', '')
      app.addHook('onRequest', async (request, reply) => {
        if (request.headers['x-tenant'] === 'none')
          throw Object.assign(new Error('Which tenant?'), { statusCode: 403, code: 'TENANT' })
        Object.assign(request, { tenant: 'acme' })
        request.log.info('asked')
        reply.header('x-tenant', 'acme')
      })
      app.post(
        '/hooks/:name',
        { schema: { querystring: { type: 'object', properties: { n: { type: 'integer' } } } } },
        async request => {
          const { body, params, query } = request
          return { body, params, query, tenant: (request as { tenant?: string }).tenant }
        }
      )
      app.put('/files', async () => 'a method that the contract does not have')
      app.get('/v1/things/', async () => 'a URL where the contract has a parameter')
    },
    handlers: {
      getWeather: async ({ request, log }) => {
        log.info('the weather')
        return { status: 200, body: { sunny: (request as { tenant?: string }).tenant === 'acme' } }
      }
    }
  })
  const hooked = await app.inject({ method: 'POST', url: '/hooks/a?n=5', payload: { b: 1 } })
  t.strictSame(hooked.json(), { body: { b: 1 }, params: { name: 'a' }, query: { n: 5 }, tenant: 'acme' })
  t.match((await app.inject({ method: 'POST', url: '/hooks/', payload: {} })).json(), { params: { name: '' } })
  t.match((await app.inject({ method: 'POST', url: '/hooks/a?n=x', payload: {} })).json(), {
    status: 400,
    message: /must be integer/
  })

  t.match(await app.inject('/v1/weather'), { payload: '{"sunny":true}', headers: { 'x-tenant': 'acme' } })
  t.strictSame((await app.inject({ url: '/v1/weather', headers: { 'x-tenant': 'none' } })).json(), {
    code: 'tenant',
    message: 'Which tenant?',
    status: 403
  })
  t.equal((await app.inject({ method: 'POST', url: '/v1/weather', headers: withKey })).statusCode, 405)
  t.equal((await app.inject('/none')).statusCode, 404)
  t.match(await app.inject({ method: 'PUT', url: '/files' }), { statusCode: 200, payload: /^a method/ })
  t.match(await app.inject('/v1/things/'), { statusCode: 200, payload: /^a URL/ })
  t.equal((await app.inject({ method: 'PATCH', url: '/v1/things/', headers: withKey })).statusCode, 404)
  t.equal((await app.inject({ method: 'PUT', url: '/v1/weather', headers: withKey })).statusCode, 405)
  t.ok(
    lines.every(each => each.msg === 'request' || typeof each.requestId === 'string'),
    'and its lines have the id of the request'
  )
})

t.test('without hooks of its own, a request has a logger once a handler asks for it', async t => {
  const { lines, logger } = logged('info')
  const app = await buildFixtureApp(t, {
    logger,
    handlers: {
      getWeather: async ({ request, requestId }) => {
        request.log.warn({ requestId }, 'clouds')
        return { status: 200, body: { sunny: false } }
      }
    }
  })
  const { headers } = await app.inject('/v1/weather')
  t.match(
    lines.find(each => each.msg === 'clouds'),
    { level: 40, requestId: headers['x-request-id'] }
  )
})
