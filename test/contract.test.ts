import { globSync, readFileSync } from 'node:fs'
import { METHODS } from 'node:http'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { newApiKey } from '../packages/fastify/src/api-keys/api-key.ts'
import * as errors from '../packages/fastify/src/errors/api-error.ts'
import { StoreUnavailable } from '../packages/fastify/src/store/store.ts'
import { type Operation, resolvedIn } from '../packages/fastify/test/contract-judge.ts'
import { newRex } from './animals.ts'
import type { AnimalStoreOptions } from './build-test-app.ts'
import { buildTestApp, withKey } from './build-test-app.ts'
import { announced, petstore } from './petstore.ts'
import { client, nextOf } from './routes/client.ts'
import { failingStore } from './routes/failing-store.ts'
import { projectFolder } from './start-server.ts'

const { basePath, codeTable, contract, operations } = petstore

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url))
const { bodyBytes } = contract['x-limits']

const pointerTo = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

// biome-ignore lint/suspicious/noExplicitAny: nodes of the contract
type Node = any
const responsesOf = ({ definition, pointer }: Operation) =>
  Object.entries<Node>(definition.responses).map(([status, response]) => ({
    status,
    response: petstore.resolved(response),
    at: response.$ref?.slice(1) ?? `${pointer}/responses/${status}`
  }))

/** The methods of each path of the contract. */
const byPath = new Map<string, string[]>()
for (const { path, method } of operations) byPath.set(path, [...(byPath.get(path) ?? []), method])
/** A URL of this path, with the parameters' examples of that name, or their first. */
const urlOf = (path: string, example?: string) =>
  basePath +
  path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const parameter = operations
      .filter(each => each.path === path)
      .flatMap(each => petstore.parametersOf(each))
      .find(each => each.name === name)
    return String((parameter.examples[example ?? ''] ?? Object.values<Node>(parameter.examples)[0]).value)
  })

t.test('contract: the generated document equals the written one, with the shared headers on each response', async t => {
  const { 'x-response-headers': shared, ...written } = parse(read('openapi/petstore.yaml').toString())
  const generated = structuredClone(contract)
  for (const [path, item] of Object.entries<Node>(written.paths)) {
    for (const [method, operation] of Object.entries<Node>(item)) {
      const responses = generated.paths[path][method].responses
      for (const [status, response] of Object.entries<Node>(operation.responses)) {
        const plain = response.$ref === undefined ? response : resolvedIn(response, written)
        const expected = {
          ...(operation['x-sunset'] && shared.deprecated),
          ...(status !== '401' && shared.authorized),
          ...plain.headers
        }
        const { headers, ...rest } = resolvedIn(responses[status], generated)
        t.strictSame(headers, expected, `${method} ${path} ${status}`)
        t.strictSame({ ...rest, ...(plain.headers && { headers: plain.headers }) }, plain)
      }
      generated.paths[path][method].responses = operation.responses
    }
  }
  generated.components.responses = written.components.responses
  t.strictSame(generated, written, 'and nothing else differs')
})

t.test('contract: the service, its package and the lock file have the version of the contract', async t => {
  const lock = JSON.parse(read('package-lock.json').toString())
  const versions = {
    service: JSON.parse(read('package.json').toString()).version,
    package: JSON.parse(read('generated/package.json').toString()).version,
    'service in the lock file': lock.packages[''].version,
    'package in the lock file': lock.packages.generated.version
  }
  for (const [name, version] of Object.entries(versions)) t.equal(version, contract.info.version, name)
})

t.test('contract: the served documents are the committed ones, byte for byte', async t => {
  const app = await buildTestApp(t)
  for (const [url, path] of [
    ['/openapi.yaml', 'openapi/petstore.yaml'],
    ['/openapi.json', 'generated/openapi.json'],
    ['/changelog.md', 'generated/CHANGELOG.md']
  ] as const)
    t.ok((await app.inject(url)).rawPayload.equals(read(path)), url)
  t.match((await app.inject('/docs/')).payload, '<title>Animal Store</title>')
})

t.test('contract: the documentation shows each operation in one group, to which links lead', async t => {
  const grouped = contract['x-tagGroups'].flatMap((group: Node) => group.tags)
  const declared = contract.tags.map((tag: Node) => tag.name)
  t.strictSame(grouped, declared)
  for (const { operationId, definition } of operations) {
    t.equal(definition.tags.length, 1, operationId)
    t.ok(declared.includes(definition.tags[0]), operationId)
    if (definition.deprecated) t.equal(definition['x-deprecation-page'], `docs/#/${definition.tags[0]}/${operationId}`)
  }
})

t.test('contract: the first server leads to the operations from either document', async t => {
  for (const document of ['/openapi.yaml', '/openapi.json']) {
    t.equal(new URL(contract.servers[0].url, `http://localhost${document}`).pathname, basePath)
  }
})

t.test('contract: each operation has a route, and each other method gets a 405', async t => {
  const app = await buildTestApp(t)
  for (const [path, methods] of byPath) {
    const url = urlOf(path)
    const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
    for (const method of METHODS) {
      // A CONNECT has no path.
      if (method === 'CONNECT') continue
      const response = await app.inject({ method, url, headers: withKey } as InjectOptions)
      const isRouted = response.statusCode !== 405 && !response.payload.includes('path_not_found')
      t.equal(isRouted, allowed.includes(method), `${method} ${url} ${response.statusCode}`)
      if (!isRouted) t.strictSame(String(response.headers.allow).split(', ').toSorted(), allowed.toSorted())
    }
  }
})

t.test('contract: each route below the base path is an operation, or rejects other methods', async t => {
  const app = await buildTestApp(t)
  // A line for each node of the route tree: two columns for each level, the rest of the path, the methods.
  const routes: { path: string; methods: string[] }[] = []
  const above: string[] = []
  for (const line of app.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', segment = '', methods] = /^([│├└─\s]*)(\S*)(?: \(([^)]*)\))?$/.exec(line) ?? []
    const depth = indent.length / 4
    above.length = Math.max(depth - 1, 0)
    const path = above.join('') + segment
    above.push(segment)
    if (methods !== undefined) routes.push({ path, methods: methods.split(', ') })
  }
  const inside = routes.filter(({ path }) => path.startsWith(`${basePath}/`))
  t.ok(inside.length > 0)
  for (const { path, methods } of inside) {
    const written = path.slice(basePath.length).replace(/:([^/]+)/g, '{$1}')
    const known = byPath.get(written)
    for (const method of methods) {
      if (known?.includes(method) || (method === 'HEAD' && known?.includes('GET'))) continue
      const response = await app.inject({
        method,
        url: known === undefined ? path : urlOf(written),
        headers: withKey
      } as InjectOptions)
      const { statusCode } = response
      t.equal(statusCode, known === undefined ? 404 : method === 'OPTIONS' ? 204 : 405, `${method} ${path}`)
    }
  }
  for (const path of byPath.keys()) {
    t.ok(
      inside.some(each => each.path === basePath + path.replace(/\{([^}]+)\}/g, ':$1')),
      path
    )
  }
})

t.test('contract: the description states the actual limits', async t => {
  const limits = Object.values<number>(contract['x-limits'])
  t.equal(limits.length, 3)
  for (const bytes of limits) t.match(contract.info.description, ` ${bytes} bytes `)
})

// Errors of the engine for contracts with other security schemes or several media types.
const ofOtherContracts: unknown[] = [
  ...[errors.credentialsMissing, errors.credentialsInvalid, errors.insufficientScope],
  errors.notAcceptable
]

t.test('contract: the description lists exactly the codes of the engine and of the handlers', async t => {
  const made = Object.values<unknown>(errors)
    .filter(each => typeof each === 'function' && each !== errors.ApiError && !ofOtherContracts.includes(each))
    .filter(each => announced !== undefined || each !== errors.notImplemented)
    .map(make => (make as (...args: unknown[]) => errors.ApiError)('x', 'y', 'z'))
  t.ok(made.every(each => each instanceof errors.ApiError))
  const line = ({ status, code }: { status: number; code: string }) => `${status} ${code}`
  const ofHandlers = globSync('src/routes/*.ts', { cwd: projectFolder }).flatMap(path =>
    [
      ...read(path)
        .toString()
        .matchAll(/new ApiError\((\d+), '(\w+)'/g)
    ].map(([, status, code = '']) => ({
      status: Number(status),
      code
    }))
  )
  t.strictSame([...new Set([...made, ...ofHandlers].map(line))].toSorted(), codeTable.map(line).toSorted())
})

t.test('contract: every status is declared, and there is no default', async t => {
  for (const operation of operations) {
    for (const { status } of responsesOf(operation)) t.match(status, /^[1-5]\d\d$/, operation.operationId)
  }
})

t.test('contract: each error response declares its own status as the only one', async t => {
  const codeOf = new Map(codeTable.map(({ status, code }) => [String(status), code]))
  for (const operation of operations) {
    for (const { status, response, at } of responsesOf(operation)) {
      if (Number(status) < 400) continue
      t.strictSame(Object.keys(response.content), ['application/json'])
      const schema = `${at}/content/application~1json/schema`
      const body = { code: codeOf.get(status), message: 'x', status: Number(status) }
      t.strictSame(petstore.faultsOf(body, schema, 'body'), [], `${operation.operationId} ${status}`)
      t.not(petstore.faultsOf({ ...body, status: Number(status) + 1 }, schema, 'body').length, 0)
      t.not(petstore.faultsOf({ ...body, status: undefined }, schema, 'body').length, 0)
    }
  }
})

t.test('contract: required is never beside allOf, where generators of other clients overlook it', t => {
  const visit = (node: Node, at: string) => {
    if (typeof node !== 'object' || node === null) return
    if ('allOf' in node) t.notOk('required' in node, at)
    for (const [key, each] of Object.entries(node)) visit(each, `${at}/${key}`)
  }
  visit(contract, '')
  visit(parse(read('openapi/petstore.yaml').toString()), 'openapi/petstore.yaml')
  t.end()
})

t.test('contract: every example is valid', async t => {
  const valid = (value: unknown, schema: string, what: string) =>
    t.strictSame(petstore.faultsOf(value, schema, what), [])
  /** The examples of a parameter, header or media type, each checked against the schema next to them. */
  const check = (node: Node, at: string): number => {
    const owner = petstore.resolved(node)
    const pointer = node.$ref?.slice(1) ?? at
    const named = Object.entries<Node>(owner.examples ?? {})
    for (const [name, example] of named)
      valid(petstore.resolved(example).value, `${pointer}/schema`, `${pointer} ${name}`)
    if ('example' in owner) valid(owner.example, `${pointer}/schema`, pointer)
    return named.length + ('example' in owner ? 1 : 0)
  }
  const checkAll = (nodes: Record<string, Node> = {}, at: string) => {
    let count = 0
    for (const [name, node] of Object.entries(nodes)) count += check(node, `${at}/${pointerTo(name)}`)
    return count
  }

  for (const operation of operations) {
    const { definition, pointer, operationId } = operation
    checkAll(definition.parameters, `${pointer}/parameters`)
    if (definition.requestBody !== undefined) {
      t.not(checkAll(definition.requestBody.content, `${pointer}/requestBody/content`), 0, operationId)
    }
    for (const { status, response, at } of responsesOf(operation)) {
      checkAll(response.headers, `${at}/headers`)
      const examples = checkAll(response.content, `${at}/content`)
      t.equal(examples > 0, response.content !== undefined, `${operationId} ${status} has an example of its body`)
    }
  }
  for (const name of Object.keys(contract.components.headers)) {
    t.equal(check({ $ref: `#/components/headers/${pointerTo(name)}` }, ''), 1, `${name} has an example`)
  }
})

t.test('contract: every example is used, and examples of one name belong together', async t => {
  const used = new Set(
    JSON.stringify(contract.paths)
      .concat(JSON.stringify(contract.components.responses))
      .match(/#\/components\/examples\/\w+/g)
  )
  t.strictSame(
    [...used].toSorted(),
    Object.keys(contract.components.examples)
      .map(name => `#/components/examples/${name}`)
      .toSorted()
  )
  for (const operation of operations) {
    const responses = responsesOf(operation)
    // A response without a body cannot show the example of its request.
    if (responses.some(({ status, response }) => Number(status) < 300 && response.content === undefined)) continue
    const contents = responses.flatMap(({ response }) => Object.values<Node>(response.content ?? {}))
    const names = contents.flatMap(each => Object.keys(each.examples ?? {}))
    const shown = [
      ...petstore.parametersOf(operation),
      ...Object.values<Node>(operation.definition.requestBody?.content ?? {})
    ].flatMap(each => Object.keys(each.examples ?? {}))
    for (const name of shown) t.ok(names.includes(name), `${operation.operationId}: ${name} has a response`)
  }
})

// Each named example of a response must be what the service actually sends.

const exampleOf = (operationId: string, status: number, name: string): unknown => {
  const operation = operations.find(each => each.operationId === operationId)
  const response = operation && responsesOf(operation).find(each => each.status === String(status))?.response
  return petstore.resolved(response?.content['application/json'].examples[name]).value
}
const namedExamples = operations.flatMap(operation =>
  responsesOf(operation).flatMap(({ status, response }) =>
    Object.keys(response.content?.['application/json'].examples ?? {}).map(
      name => `${operation.operationId} ${status} ${name}`
    )
  )
)

type Request = (overrides?: InjectOptions, options?: Partial<AnimalStoreOptions>) => Promise<LightMyRequestResponse>
const requestOf =
  (t: Test, { method, path, definition }: Operation): Request =>
  async (overrides = {}, options = {}) => {
    const app = await buildTestApp(t, options)
    return app.inject({
      method,
      url: urlOf(path),
      headers: withKey,
      ...bodyOf(definition),
      ...overrides
    } as InjectOptions)
  }

/** The first example of an operation's body, with its media type. */
const bodyOf = ({ requestBody }: Node): Node => {
  const [content] = Object.entries<Node>(requestBody?.content ?? {})
  if (content === undefined) return {}
  const [type, { examples }] = content
  return { headers: { ...withKey, 'content-type': type }, payload: petstore.resolved(Object.values(examples)[0]).value }
}

const parameterOf = (operationId: string, name: string): Node =>
  operations
    .filter(each => each.operationId === operationId)
    .flatMap(each => petstore.parametersOf(each))
    .find(each => each.name === name)
const limit = parameterOf('listPets', 'limit').schema
const removalDate: string = contract.paths['/pets/{petId}'].get['x-deprecated-sunset']

type Send = (request: Request, t: Test, operation: Operation) => Promise<LightMyRequestResponse>
const shared: Record<string, Send> = {
  '400 nameless': (request, _, { definition }) => {
    const { name: _name, ...nameless } = bodyOf(definition).payload
    return request({ payload: nameless })
  },
  '401 keyMissing': request => request({ headers: {} }),
  '401 keyInvalid': request => request({ headers: { authorization: `Bearer ${newApiKey('ast')}` } }),
  '404 missing': (request, _, { path }) => request({ url: urlOf(path, 'missing') }),
  '413 tooLarge': (request, _, { definition }) =>
    request({ ...bodyOf(definition), payload: ' '.repeat(bodyBytes + 1) }),
  '415 text': request => request({ headers: { ...withKey, 'content-type': 'text/plain' }, payload: 'Rex' }),
  '429 limited': request => request({}, { rateLimit: { requests: 0, windowSeconds: 1 } }),
  ...(announced && { '501 announced': request => request() }),
  '500 fault': request => request({ headers: unknownKey() }, { store: failingStore(new Error('broken')) }),
  '503 unavailable': request =>
    request({ headers: unknownKey() }, { store: failingStore(new StoreUnavailable('locked')) })
}
const unknownKey = () => ({ authorization: `Bearer ${newApiKey('ast')}` })

const idempotencyKey = { 'idempotency-key': '1' }

const own: Record<string, Send> = {
  'listPets 200 page': async (_, t) => {
    const app = await buildTestApp(t)
    for (const { id: _, ...pet } of exampleOf('listPets', 200, 'page') as { id: number }[])
      await app.inject({ method: 'POST', url: '/v1/pets', headers: withKey, payload: pet })
    return app.inject({ url: '/v1/pets', headers: withKey })
  },
  'listPets 400 limit': request => request({ query: { limit: String(limit.maximum + 1) } }),
  'createPet 409 inProgress': async (_, t) => {
    const { create } = client(await buildTestApp(t))
    const [, second] = await Promise.all([create(newRex, idempotencyKey), create(newRex, idempotencyKey)])
    return second
  },
  'createPet 422 reused': async (_, t) => {
    const { create } = client(await buildTestApp(t))
    await create(newRex, idempotencyKey)
    return create({ ...newRex, name: 'Mia' }, idempotencyKey)
  },
  'getPet 410 removed': request => request({}, { removedOperations: 'gone', now: () => Date.parse(removalDate) })
}

/** The usual request for an example: creates what it shows, gets or changes it after creating it, or sends an invalid parameter. */
const usual = ({ path, method, definition }: Operation, status: string, name: string): Send | undefined => {
  const last = /\/\{(\w+)\}$/.exec(path)
  if (status === '201') return request => request()
  if (status === '400' && last?.[1] === name) return request => request({ url: urlOf(path).replace(/[^/]+$/, 'rex') })
  const adding = operations.find(each => each.method === 'POST' && each.path === path.slice(0, last?.index))
  if (status !== '200' || last === null || adding === undefined) return undefined
  return async (_, t) => {
    const app = await buildTestApp(t)
    await app.inject({ method: 'POST', url: urlOf(adding.path), ...bodyOf(adding.definition) } as InjectOptions)
    return app.inject({ method, url: urlOf(path, name), headers: withKey, ...bodyOf(definition) } as InjectOptions)
  }
}

for (const operation of operations) {
  const { operationId } = operation
  const named = namedExamples.filter(each => each.startsWith(`${operationId} `))
  for (const each of named) {
    const [, status = '', name = ''] = each.split(' ')
    t.test(`contract: ${operationId} responds with its ${status} example ${name}`, async t => {
      const send = own[each] ?? shared[`${status} ${name}`] ?? usual(operation, status, name)
      if (send === undefined) throw new Error('this example needs a request that provokes it')
      const response = await send(requestOf(t, operation), t, operation)
      t.equal(response.statusCode, Number(status))
      t.strictSame(response.json(), exampleOf(operationId, Number(status), name))
    })
  }
}

t.test('contract: no request for an example that the contract does not have', async t => {
  t.strictSame(
    Object.keys(own).filter(each => !namedExamples.includes(each)),
    []
  )
  t.strictSame(
    Object.keys(shared).filter(each => !namedExamples.some(named => named.endsWith(` ${each}`))),
    []
  )
})

t.test('contract: the examples of the rate limit are what the service sends', async t => {
  const example = (name: string) => String(contract.components.headers[name].example)
  const [, requests, windowSeconds] = (/q=(\d+);w=(\d+)/.exec(example('RateLimit-Policy')) ?? []).map(Number)
  const [, left, seconds] = (/r=(\d+);t=(\d+)/.exec(example('RateLimit')) ?? []).map(Number)
  if (!requests || !windowSeconds || !left || !seconds) throw new Error('the examples have other fields')
  let now = Math.ceil(performance.now())
  Object.defineProperty(performance, 'now', { value: () => now, configurable: true })
  t.teardown(() => Reflect.deleteProperty(performance, 'now'))
  const app = await buildTestApp(t, { rateLimit: { requests, windowSeconds } })
  const send = () => app.inject({ url: '/v1/pets', headers: withKey })
  for (let count = 1; count < requests - left; count++) await send()
  now += (windowSeconds - seconds) * 1000
  const { headers } = await send()
  t.equal(headers['ratelimit-policy'], example('RateLimit-Policy'))
  t.equal(headers.ratelimit, example('RateLimit'))
  t.match(
    contract.info.description,
    `RateLimit-Policy: ${example('RateLimit-Policy')}\nRateLimit: ${example('RateLimit')}\n`
  )
})

t.test('contract: the examples of headers are what the service sends', async t => {
  const example = (name: string) => String(contract.components.headers[name].example)
  const app = await buildTestApp(t)
  const payload = contract.components.examples.NewRex.value
  const create = () => app.inject({ method: 'POST', url: '/v1/pets', headers: withKey, payload })
  t.equal((await create()).headers.location, example('Location'))
  for (let count = 0; count < limit.default; count++) await create()
  const page = await app.inject({ url: '/v1/pets', headers: withKey })
  t.equal(page.headers.link, example('NextPage'))
  t.type(nextOf(page), 'string')
  t.equal((await app.inject('/v1/pets')).headers['www-authenticate'], example('WWW-Authenticate'))
  const pet = await app.inject({ url: '/v1/pets/1', headers: withKey })
  t.equal(pet.headers.deprecation, example('Deprecation'))
  t.equal(pet.headers.sunset, example('Sunset'))
  t.equal(pet.headers.link, example('Lifecycle'), 'the example of the links is what is sent')
  const unavailable = await buildTestApp(t, { store: failingStore(new StoreUnavailable('locked')) })
  t.equal(
    (await unavailable.inject({ url: '/v1/pets', headers: withKey })).headers['retry-after'],
    example('Retry-After')
  )
})
