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

const things = `/things:
  get: { operationId: getThings, responses: { '204': { description: Done } } }
`
const newThings = `/{kind}/new:
  get:
    operationId: getNew
    parameters: [{ name: kind, in: path, required: true, schema: { type: string } }]
    responses: { '204': { description: Done } }
`
for (const [paths, values, statuses, confused] of [
  [things, 'api/v1, api/v1/beta, api, v2', [204, 204, 204, 404, 204], []],
  [things + newThings, 'api/v1, api/v1/beta, v2', [204, 404, 404, 404, 204], ['/api/v1/beta']],
  [things, "api/v1, ''", [204, 404, 404, 404, 404], ['/']]
] as const)
  t.test(`a path above or below the default one is routed if no URL is below both: ${values}`, async t => {
    const done = async () => ({ status: 204 })
    const servers = `servers: [{ url: '/{base}', variables: { base: { default: api/v1, enum: [${values}] } } }]\n`
    const handlers = { getThings: done, ...(paths !== things && { getNew: done }) }
    const { app, warnings } = await serve(t, paths, handlers, '3.1.0', servers)
    const bases = ['/api/v1', '/api/v1/beta', '/api', '', '/v2']
    const found = await Promise.all(bases.map(async base => (await app.inject(`${base}/things`)).statusCode))
    t.strictSame(found, statuses)
    t.strictSame(
      warnings.map(({ message }) => message).filter(each => each.includes('variable')),
      confused.map(
        path =>
          `a variable of the server can make its path ${path}, which is not served beside /api/v1, as URLs below one may also be below the other`
      )
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
