import Fastify from 'fastify'
import t from 'tap'
import { config } from '../../../contract.config.ts'
import { petstore } from '../../../test/petstore.ts'
import { loadDocument, readDocument } from '../../document/src/document.ts'
import { fastifyRoutes } from '../src/routes/fastify.ts'
import { checkStatic, compareRoutes, type RegisteredRoute } from '../src/routes/static.ts'

const { operations } = petstore

const file = 'openapi/petstore.yaml'
const contract = loadDocument(file)
const registered = await config.routes?.(file)
if (registered === undefined) throw new Error('the configuration says which routes there are')
const { notInContract = [] } = registered

t.test('routes: our service registers what its contract declares, and serves its documents', async t => {
  const { routes, failures } = checkStatic(contract, registered)
  t.strictSame(failures, [])
  t.equal(routes, operations.length)
})

t.test('routes: an undeclared route is found', async t => {
  const more: RegisteredRoute[] = [
    ...registered.routes,
    { method: 'GET', path: '/v1/secret', status: 200 },
    { method: 'HEAD', path: '/v1/secret', status: 200 },
    { method: 'POST', path: '/v1/toys/{toyId}', status: 405 },
    { method: 'PUT', path: '/v1/toys/{toyId}', status: 200 }
  ]
  t.strictSame(checkStatic(contract, { ...registered, routes: more }).failures, [
    { route: 'GET /v1/secret', message: 'It is registered, but missing in the contract.' },
    { route: 'PUT /v1/toys/{toyId}', message: 'It is registered, but missing in the contract.' }
  ])
})

t.test('routes: an entry of notInContract must match a route', async t => {
  const entries = [...notInContract, 'GET /health']
  t.strictSame(compareRoutes(contract, registered.routes, entries), [
    { route: 'GET /health', message: 'It is listed as outside the contract, but nothing is registered there.' }
  ])
})

t.test('routes: a Fastify app needs no change', async t => {
  const build = async () => {
    const app = Fastify()
    const refuse = {
      handler: (_: unknown, reply: { code(status: number): { send(): void } }) => reply.code(405).send()
    }
    app.get('/pets/:id(\\d+)/toys/:toyId', { config: { operation: 'getToy' } as object }, () => '')
    await app.register(async scope => scope.route({ method: ['PUT', 'PATCH'], url: '/any', ...refuse }), {
      prefix: '/v1'
    })
    app.get('/pets/:id::sell', () => '')
    app.get('/openapi.yaml', () => 'openapi: 3.1.0')
    // No client can request it.
    app.get('/\0', () => '')
    return app
  }
  const operation = { responses: {} }
  const fileBytes = Buffer.from('openapi: 3.1.0')
  const { routes, served } = await fastifyRoutes({
    build,
    operationOf: ({ config }) =>
      (config as { operation?: string } | undefined)?.operation === undefined ? undefined : operation,
    served: [{ path: '/openapi.yaml', file: 'openapi.yaml', fileBytes }]
  })
  t.strictSame(
    routes.map(
      ({ method, path, status, ...rest }) => `${method} ${path} ${rest.operation === undefined ? status : 'operation'}`
    ),
    [
      'GET /pets/{id}/toys/{toyId} operation',
      'HEAD /pets/{id}/toys/{toyId} operation',
      'PUT /v1/any 405',
      'PATCH /v1/any 405',
      'GET /pets/{id}:sell 200',
      'HEAD /pets/{id}:sell 200',
      'GET /openapi.yaml 200',
      'HEAD /openapi.yaml 200'
    ]
  )
  t.match(served, [{ path: '/openapi.yaml', status: 200 }])
  t.ok(served?.[0] && Buffer.from(served[0].bytes).equals(fileBytes))
})

t.test('routes: a different document is found', async t => {
  const [yaml, other] = registered.served ?? []
  if (yaml === undefined || other === undefined) throw new Error('two documents are served')
  const changed = Buffer.from(Buffer.from(yaml.bytes).toString().replace('title: Animal Store', 'title: Another'))
  const failures = checkStatic(contract, {
    ...registered,
    served: [
      { ...yaml, bytes: changed },
      { ...other, status: 404 }
    ]
  }).failures
  t.strictSame(failures, [
    {
      route: 'GET /openapi.yaml',
      message: 'It differs from openapi/petstore.yaml.'
    },
    { route: 'GET /openapi.json', message: 'It responds with 404, not 200 with generated/openapi.json.' }
  ])
})

// Changes that somebody might make by hand in generated/ or in the registration.

// biome-ignore lint/suspicious/noExplicitAny: operations of any shape, changed place by place
type Operation = any
type Operations = Record<'listPets' | 'createPet' | 'getPet', Operation>

const names = { listPets: 'GET /v1/pets', createPet: 'POST /v1/pets', getPet: 'GET /v1/pets/{petId}' }

const differencesAfter = (change: (operations: Operations) => void) => {
  const routes = structuredClone(registered.routes.filter(({ operation }) => operation !== undefined))
  const operationOf = (name: string) => routes.find(each => `${each.method} ${each.path}` === name)?.operation
  change(Object.fromEntries(Object.entries(names).map(([name, route]) => [name, operationOf(route)])) as Operations)
  return compareRoutes(contract, routes, [])
}
const json = 'application/json'
const parameter = ({ parameters }: Operation, name: string): Operation =>
  parameters.find((each: Operation) => each.name === name)

t.test('routes: an operation without a route is found', async t => {
  const routes = registered.routes.filter(({ path }) => path !== '/v1/pets/{petId}')
  t.strictSame(
    compareRoutes(contract, routes, notInContract).map(({ at: _, ...rest }) => rest),
    operations
      .filter(({ path }) => path === '/pets/{petId}')
      .map(({ method, path }) => ({
        route: `${method} ${path}`,
        message: 'No route is registered at /v1/pets/{petId}.'
      }))
  )
})

t.test('routes: a route without the path of the server is told as one', async t => {
  const routes = registered.routes.map(each =>
    each.path === '/v1/pets'
      ? { ...each, path: '/pets' }
      : each.path === '/v1/pets/{petId}'
        ? { ...each, path: '/pets/{id}' }
        : each
  )
  const told = compareRoutes(contract, routes, notInContract).map(({ route, message }) => `${route}: ${message}`)
  const isGet = (each: string) => each.startsWith('GET ')
  t.strictSame(told.filter(isGet), [
    'GET /pets: No route is registered at /v1/pets.',
    'GET /pets/{petId}: No route is registered at /v1/pets/{petId}.',
    'GET /pets: It is registered without the path of the server: expected /v1/pets.',
    'GET /pets/{id}: It is registered without the path of the server: expected /v1/pets/{petId}.'
  ])
})

t.test('routes: what OpenAPI or HTTP ignores does not matter, nor does the last slash below a base path', async t => {
  const content = { 'application/json': { schema: {} } }
  const odd = readDocument(
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Odd', version: '1.0.0' },
      servers: [{ url: '/v1' }],
      paths: {
        '/': {
          get: {
            requestBody: { content },
            responses: { '200': { description: 'Yes', headers: { 'Content-Type': { schema: {} } } } }
          }
        },
        '/silent': { get: {} }
      }
    }),
    'odd.json'
  )
  const operation = (status: string) => ({
    responses: { [status]: {} }
  })
  for (const path of ['/v1', '/v1/']) {
    const routes = [
      { method: 'GET', path, operation: operation('200') },
      { method: 'GET', path: '/v1/silent', operation: operation('default') }
    ]
    t.strictSame(compareRoutes(odd, routes, []), [], path)
  }
})

t.test('routes: names of path parameters do not matter', async t => {
  const routes = structuredClone(registered.routes)
  const route = routes.find(({ method, path }) => `${method} ${path}` === names.getPet)
  if (route?.operation === undefined) throw new Error('there is no getPet')
  route.path = '/v1/pets/{id}'
  parameter(route.operation, 'petId').name = 'id'
  t.strictSame(compareRoutes(contract, routes, notInContract), [])
})

type Change = [what: string, change: (operation: Operation) => unknown, expected: RegExp]
const changes: Record<keyof Operations, Change[]> = {
  listPets: [
    [
      'a parameter less',
      listPets => listPets.parameters.splice(listPets.parameters.indexOf(parameter(listPets, 'cursor')), 1),
      /query parameter cursor: missing in the route/
    ],
    [
      'a parameter more',
      listPets => listPets.parameters.push({ name: 'sort', in: 'query', schema: true }),
      /query parameter sort: missing in the contract/
    ],
    [
      'a parameter required',
      listPets => (parameter(listPets, 'limit').required = true),
      /query parameter limit: optional in the contract, required/
    ],
    [
      'a body more',
      listPets => (listPets.requestBody = { required: true, content: {} }),
      /The route accepts a body, the contract has none/
    ]
  ],
  createPet: [
    [
      'an optional body',
      createPet => (createPet.requestBody.required = false),
      /body: required in the contract, optional/
    ],
    [
      'another media type',
      createPet => (createPet.requestBody.content = { 'text/json': createPet.requestBody.content[json] }),
      /body media type application\/json: missing in the route/
    ],
    ['a body less', createPet => delete createPet.requestBody, /The contract has a body, the route accepts none/],
    [
      'a header less',
      createPet => delete createPet.responses[201].headers.Location,
      /response 201 header location: missing in the route/
    ]
  ],
  getPet: [
    ['a status less', getPet => delete getPet.responses[404], /response 404: missing in the route/],
    [
      'a status more',
      getPet => (getPet.responses[418] = { headers: {}, content: {} }),
      /response 418: missing in the contract/
    ],
    [
      'a header optional',
      getPet => (getPet.responses[200].headers.Sunset.required = false),
      /response 200 header sunset: required/
    ],
    ['no security', getPet => (getPet.security = []), /security: bearerAuth in the contract, nothing in the route/]
  ]
}

for (let index = 0; Object.values(changes).some(each => index < each.length); index++) {
  const tried = Object.entries(changes).flatMap(([name, { [index]: change }]) =>
    change === undefined ? [] : [[name as keyof Operations, ...change] as const]
  )
  t.test(`routes: finds ${tried.map(([, what]) => what).join(', ')}`, async t => {
    const found = differencesAfter(operations => {
      for (const [name, , change] of tried) change(operations[name])
    })
    for (const [name, what, , expected] of tried) {
      const messages = found.flatMap(({ route, message }) => (route === names[name].replace('/v1', '') ? message : []))
      t.ok(
        messages.some(message => expected.test(message)),
        [what, ...messages].join('\n')
      )
      t.ok(messages.length <= 3, 'and little else: what others share has changed with it')
    }
  })
}

t.test('routes: an operation registered without a contract is found', async t => {
  const routes = registered.routes.map(({ operation: _, ...route }) => route)
  const failures = compareRoutes(contract, routes, notInContract)
  t.match(failures[0], { route: 'GET /pets', message: 'Its route is registered without a contract.' })
})
