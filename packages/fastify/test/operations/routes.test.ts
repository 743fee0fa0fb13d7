import type { FastifyPluginCallback, InjectOptions } from 'fastify'
import fp from 'fastify-plugin'
import t, { type Test } from 'tap'
import type { AnyOperation } from '../../src/contract/contract.ts'
import { buildFixtureApp, contract, withKey } from '../fixture-app.ts'

const { basePath } = contract
const entries = Object.values<AnyOperation>(contract.operations)
const urlOf = (url: string) => basePath + url.replaceAll(/:\w+/g, '1')
const methodsOf = (url: string) => {
  const methods: string[] = entries.filter(each => each.url === url).map(each => each.method)
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
}
const urls = [...new Set(entries.map(each => each.url))]
const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY', 'PROPFIND', 'SEARCH', 'M-SEARCH'] as const

type Method = NonNullable<InjectOptions['method']>

const startSender = async (t: Test) => {
  const app = await buildFixtureApp(t)
  return (method: string, url: string, headers: InjectOptions['headers'] = withKey) =>
    app.inject({ method: method as Method, url, headers })
}

t.test('each operation of the contract has its route, and HEAD where it has GET', async t => {
  const send = await startSender(t)
  for (const { method, url, responses } of entries) {
    for (const each of method === 'GET' ? [method, 'HEAD'] : [method]) {
      const res = await send(each, urlOf(url))
      t.ok(Object.keys(responses).includes(String(res.statusCode)), `${each} ${url}`)
      t.not(res.statusCode, 405)
      if (each === 'HEAD') t.equal(res.body, '')
    }
  }
})

t.test('OPTIONS names the methods of a URL, without a key or with any key', async t => {
  const send = await startSender(t)
  for (const url of urls) {
    for (const headers of [{}, withKey, { authorization: 'Bearer x' }]) {
      const res = await send('OPTIONS', urlOf(url), headers)
      t.equal(res.statusCode, 204)
      t.equal(res.headers.allow, methodsOf(url).join(', '))
      t.equal(res.body, '')
      t.equal(res.headers['www-authenticate'], undefined)
    }
  }
})

t.test(
  'a method that the URL does not allow: 405 and the allowed methods; 401 without a key that is needed',
  async t => {
    const send = await startSender(t)
    for (const url of urls) {
      for (const method of others.filter(each => !methodsOf(url).includes(each))) {
        const res = await send(method, urlOf(url))
        const allow = methodsOf(url).join(', ')
        t.equal(res.headers.allow, allow)
        t.strictSame(res.json(), {
          code: 'method_not_allowed',
          message: `This URL does not allow ${method}, only ${allow}.`,
          status: 405
        })
        const isPublic = entries.some(each => each.url === url && each.security.length === 0)
        const keyless = await send(method, urlOf(url), {})
        t.equal(keyless.statusCode, isPublic ? 405 : 401)
        t.equal(keyless.headers.allow, isPublic ? allow : undefined)
      }
    }
  }
)

t.test('the method is checked before the parameters', async t => {
  const send = await startSender(t)
  for (const id of ['x', '0', '-1', '99999999999999999999', '%20', '%2F'])
    t.equal((await send('PUT', `/v1/things/${id}`)).statusCode, 405, id)
  t.equal((await send('PUT', '/v1/things?x=1')).statusCode, 405)
})

t.test('an unknown path: 404, below /v1 only with a key', async t => {
  const send = await startSender(t)
  const inside = [
    '/v1/',
    '/v1/dogs',
    '/v1/things/',
    '/v1/things/1/',
    '/v1/things/1/toys',
    '/v1//things',
    '/v1/Things',
    '/v1/plan',
    '/v1/plans/',
    '/v1/things;x=1',
    '/v1/%74hings/1/2',
    '/v1/*',
    '/v1/:thingId',
    '/v1/docs/'
  ]
  for (const url of inside) {
    for (const method of others) {
      const res = await send(method, url)
      t.strictSame(
        res.json(),
        { code: 'path_not_found', message: `Nothing exists at ${url}.`, status: 404 },
        `${method} ${url}`
      )
    }
    t.equal((await send('HEAD', url)).statusCode, 404)
    t.equal((await send('OPTIONS', url, {})).statusCode, 404)
    const keyless = await send('GET', url, {})
    t.equal(keyless.json().code, 'api_key_missing', url)
  }
  const outside = [
    '/dogs',
    '/v2/things',
    '/v11',
    '/v1x/things',
    '/things',
    '/V1/things',
    '//v1/things',
    '/.env',
    '/docs/v1/things'
  ]
  for (const url of outside) {
    for (const headers of [{}, withKey, { authorization: 'x' }]) {
      const res = await send('GET', url, headers)
      t.strictSame(res.json(), { code: 'path_not_found', message: `Nothing exists at ${url}.`, status: 404 })
    }
  }
})

t.test('the query is not part of the path in the message', async t => {
  const send = await startSender(t)
  t.equal((await send('GET', '/v1/dogs?secret=1')).json().message, 'Nothing exists at /v1/dogs.')
  const long = await send('GET', `/v1/${'x'.repeat(1000)}`)
  t.equal(long.json().message, `Nothing exists at /v1/${'x'.repeat(56)}….`)
})

t.test('a path that cannot be decoded: below /v1 401 without a key and 400 with one, elsewhere 400', async t => {
  const send = await startSender(t)
  const broken = ['%', '%f', '%zz', '%ff', '%c3%28', 'things/%ff', 'things/%', 'things/1%', '%ed%a0%80', 'plans/%ff']
  for (const path of broken) {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const res = await send(method, `/v1/${path}`)
      t.equal(res.statusCode, 400, path)
      t.equal(res.json().code, 'malformed_path')
      t.equal((await send(method, `/v1/${path}`, {})).json().code, 'api_key_missing')
      t.equal((await send(method, `/v1/${path}`, { authorization: 'Bearer x' })).json().code, 'api_key_invalid')
      t.equal((await send(method, `/${path}`, {})).json().code, 'malformed_path')
    }
    t.equal((await send('HEAD', `/v1/${path}`)).statusCode, 400)
  }
})

t.test('a path means the same however it is percent-encoded', async t => {
  const app = await buildFixtureApp(t)
  const created = await app.inject({
    method: 'POST',
    url: '/v1/%74h%69ngs',
    headers: withKey,
    payload: { name: 'Brick', weight: 7 }
  })
  t.equal(created.statusCode, 201)
  for (const url of ['/v1/things/1', '/v1/things/%31', '/%761/things/1'])
    t.equal((await app.inject({ url, headers: withKey })).statusCode, 200, url)
  // The check of the key must not depend on the encoding either.
  for (const url of ['/%761/things', '/v%31/things/1', '/v1/%74hings', '/v1%2fthings'])
    t.ok([401, 404].includes((await app.inject(url)).statusCode), url)
})

t.test('an announced operation is a 501 with a valid key', async t => {
  const send = await startSender(t)
  t.strictSame((await send('GET', '/v1/plans')).json(), {
    code: 'not_implemented',
    message: 'listPlans is not available yet.',
    status: 501
  })
  t.equal((await send('GET', '/v1/plans', {})).statusCode, 401)
  t.equal((await send('POST', '/v1/plans')).statusCode, 405)
})

t.test('after validation, every hook gets the parts of a request with the types of the contract', async t => {
  const seen: unknown[] = []
  const spy = fp(async app => {
    app.addHook('preHandler', async ({ params, query, body }) => void seen.push({ params, query, body }))
    app.addHook('preSerialization', async (_request, _reply, payload) => void seen.push(payload))
  })
  const app = await buildFixtureApp(t, { tracing: spy as FastifyPluginCallback })
  await app.inject({ url: `${basePath}/things?limit=5`, headers: withKey })
  t.match(seen.shift(), { params: {}, query: { limit: 5 } })
  t.match(seen.shift(), [{ id: 1n }])
  await app.inject({ url: `${basePath}/things/9007199254740993`, headers: withKey })
  t.strictSame((seen.shift() as { params: unknown }).params, { thingId: 9007199254740993n })
  await app.inject({
    method: 'POST',
    url: `${basePath}/things`,
    headers: withKey,
    payload: { name: 'Ball', weight: 1, shape: 'round' }
  })
  t.match(seen.shift(), { body: { weight: 1n } })
})
