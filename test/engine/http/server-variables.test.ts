import t from 'tap'
import { serve } from '../operations/serve.ts'

t.test('all values of a server variable are routed', async t => {
  const seen: unknown[] = []
  const done = async ({ params }: { params: unknown }) => {
    seen.push(params)
    return { status: 204 }
  }
  const paths = `/things/{id}:
  get:
    operationId: getThing
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    responses: { '204': { description: Done } }
/own:
  servers: [{ url: '/{kind}/own', variables: { kind: { default: a, enum: [a, b] } } }]
  get: { operationId: getOwn, responses: { '204': { description: Done } } }
`
  const servers = `servers:
  - url: https://{region}.example/{version}
    variables: { region: { default: eu, enum: [eu, us] }, version: { default: v1, enum: [v1, v2, v1beta] } }
`
  const { app, contract } = await serve(t, paths, { getThing: done, getOwn: done }, '3.1.0', servers)
  t.equal(contract.basePath, '/v1')
  const statusOf = async (url: string) => (await app.inject(url)).statusCode
  for (const base of ['v1', 'v2', 'v1beta']) t.equal(await statusOf(`/${base}/things/${base}`), 204)
  t.strictSame(seen, [{ id: 'v1' }, { id: 'v2' }, { id: 'v1beta' }])
  t.strictSame([await statusOf('/a/own/own'), await statusOf('/b/own/own')], [204, 204])
  t.equal(await statusOf('/v2/things/a?b=1'), 400)
  t.equal(await statusOf('/v3/things/a'), 404)
  t.equal(await statusOf('/v22/things/a'), 404)
  t.equal(await statusOf('/v2/nothing'), 404)
  t.equal(await statusOf('/v2/things/%ff'), 400)
})

t.test('a path that a variable makes within the one of its default is not served, with a warning', async t => {
  const paths = `/things:
  get: { operationId: getThings, responses: { '204': { description: Done } } }
`
  const servers = `servers: [{ url: '/{base}', variables: { base: { default: v1, enum: [v1, v1/beta, v2] } } }]
`
  const done = async () => ({ status: 204 })
  const { app, warnings } = await serve(t, paths, { getThings: done }, '3.1.0', servers)
  const statuses = ['/v1/things', '/v2/things', '/v1/beta/things'].map(async url => (await app.inject(url)).statusCode)
  t.strictSame(await Promise.all(statuses), [204, 204, 404])
  t.strictSame(
    warnings.map(({ message }) => message).filter(each => each.includes('variable')),
    ['a variable of the server makes its path /v1/beta, which is not served beside /v1, as one lies within the other']
  )
})

const thing = `/my%20things/{id}:
  get:
    operationId: getThing
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    responses: { '204': { description: Done } }
`

for (const value of ['a b', 'ü', 'x:y', '100%25'])
  t.test(`what is percent-encoded in a path, or has a meaning to the router, is served: ${value}`, async t => {
    const servers = `servers: [{ url: '/{v}', variables: { v: { default: '${value}' } } }]\n`
    const { app } = await serve(t, thing, { getThing: async () => ({ status: 204 }) }, '3.1.0', servers)
    const base = new URL(`/${value}`, 'http://localhost').pathname
    const statusOf = async (method: 'GET' | 'POST', url: string) =>
      (await app.inject({ method, url: base + url })).statusCode
    t.equal(await statusOf('GET', '/my%20things/1'), 204)
    t.equal(await statusOf('POST', '/my%20things/1'), 405)
    t.equal(await statusOf('GET', '/my%20things/%ff'), 400)
    t.equal(await statusOf('GET', '/my%20things'), 404)
  })
