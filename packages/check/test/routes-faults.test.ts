import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { readDocument } from '../../document/src/document.ts'
import { checkLive, type LiveOptions } from '../src/routes/live.ts'

const contract = `
openapi: 3.1.0
info:
  title: Things
  version: 1.0.0
  description: A method that is not allowed gets a 405. HEAD is allowed wherever GET is.
servers: [{ url: /api }]
security: [{ key: [] }]
paths:
  /things:
    get:
      parameters:
        - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 10 } }
        - { name: kind, in: query, schema: { enum: [a, b] } }
        - { name: X-Trace, in: header, schema: { type: integer } }
      responses:
        '200':
          description: All
          headers:
            X-Total: { required: true, schema: { type: integer, minimum: 0 } }
          content:
            application/json:
              schema: { type: array, items: { $ref: '#/components/schemas/Thing' } }
        4XX: { $ref: '#/components/responses/Error' }
    post:
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              properties:
                size: { type: integer, format: int64 }
                kind: { enum: [a, b] }
              required: [size]
              additionalProperties: false
      responses:
        '201':
          description: Made
          headers: { Location: { schema: { type: string } } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
        '400': { $ref: '#/components/responses/Error' }
        '401': { $ref: '#/components/responses/Error' }
        '415': { $ref: '#/components/responses/Error' }
  /things/{thingId}:
    parameters:
      - { name: thingId, in: path, required: true, schema: { type: integer, minimum: 1 } }
    get:
      deprecated: true
      x-deprecated-since: 2026-01-01
      x-sunset: 2030-01-01
      responses:
        '200':
          description: One
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
        default: { $ref: '#/components/responses/Error' }
    delete:
      responses:
        '204': { description: Gone }
        default: { $ref: '#/components/responses/Error' }
components:
  securitySchemes:
    key: { type: http, scheme: bearer }
  responses:
    Error:
      description: Wrong
      content:
        application/json:
          schema:
            type: object
            properties: { error: { type: string } }
            required: [error]
  schemas:
    Thing:
      type: object
      properties:
        id: { type: integer, minimum: 1 }
        size: { type: integer, format: int64 }
        kind: { enum: [a, b] }
      required: [id, size]
`

interface ServiceResponse {
  status: number
  headers: Record<string, string>
  body: string
}
interface ServiceRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: string
}
type Service = (request: ServiceRequest) => ServiceResponse | undefined

const key = 'right-key'
const failing = (status: number, headers: Record<string, string> = {}): ServiceResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ error: 'It is wrong.' })
})
const giving = (status: number, body: string, headers: Record<string, string> = {}): ServiceResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body
})

/** A service that conforms to the contract. */
const goodService = (): Service => {
  const things = new Map<string, string>()
  const lifecycle = { deprecation: '@1767225600', sunset: 'Tue, 01 Jan 2030 00:00:00 GMT' }
  const allowed: Record<string, string> = { '/things': 'GET, HEAD, POST', '/things/{}': 'GET, HEAD, DELETE' }
  return ({ method, path, query, headers, body }) => {
    const [, id] = /^\/api\/things\/([^/]+)$/.exec(path) ?? []
    const allow = path === '/api/things' ? allowed['/things'] : id === undefined ? undefined : allowed['/things/{}']
    if (allow === undefined) return failing(404)
    const announced = id !== undefined && (method === 'GET' || method === 'HEAD') ? lifecycle : {}
    if (!allow.split(', ').includes(method)) return failing(405, { allow })
    if (headers.authorization !== `Bearer ${key}`) return failing(401, { 'www-authenticate': 'Bearer', ...announced })
    if (id !== undefined) {
      if (!/^[1-9]\d*$/.test(id)) return failing(400, announced)
      const thing = things.get(id)
      if (thing === undefined) return failing(404, announced)
      if (method === 'DELETE') things.delete(id)
      return method === 'DELETE' ? { status: 204, headers: {}, body: '' } : giving(200, thing, announced)
    }
    if (method !== 'POST') {
      const { limit = '5', kind = 'a' } = Object.fromEntries(query)
      const isRight =
        /^(?:[1-9]|10)$/.test(limit) && /^[ab]$/.test(kind) && /^-?\d+$/.test(String(headers['x-trace'] ?? 0))
      if (!isRight) return failing(400)
      return giving(200, `[${[...things.values()].slice(0, Number(limit)).join()}]`, { 'x-total': String(things.size) })
    }
    if (headers['content-type'] !== 'application/json') return failing(415)
    const [, size, , kind] = /^\{"size":(-?\d+)(,"kind":"([ab])")?\}$/.exec(body) ?? []
    if (size === undefined || BigInt.asIntN(64, BigInt(size)) !== BigInt(size)) return failing(400)
    const number = String(things.size + 1)
    const thing = `{"id":${number},"size":${size}${kind === undefined ? '' : `,"kind":"${kind}"`}}`
    things.set(number, thing)
    return giving(201, thing, { location: `things/${number}` })
  }
}

/** A server for the duration of a test, and the requests it received. */
const listen = async (t: Test, service: Service) => {
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url = '', headers } = request
    requests.push(`${method} ${url} ${headers.authorization} ${headers['content-type']} ${body}`)
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const made = service({ method, path: pathname, query: searchParams, headers, body })
    if (made === undefined) return
    response.writeHead(made.status, made.headers).end(method === 'HEAD' ? undefined : made.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

const document = readDocument(contract, 'things.yaml')
const run = (url: string, options: Partial<LiveOptions> = {}) =>
  checkLive(document, { url, key, timeoutMs: 60_000, ...options })

t.test('live: a service that conforms to its contract', async t => {
  const { url, requests } = await listen(t, goodService())
  const report = await run(url)
  t.strictSame(report.failures, [])
  t.strictSame(report.notes, [])
  t.strictSame(report.gaps, [])
  t.equal(report.url, `${url}/api`)
  t.equal(report.created, 2)
  t.strictSame(report.left, [], 'what was made is taken away again')
  t.equal(report.requests, requests.length)
  t.strictSame(
    report.coverage.map(({ operation, cells }) => [
      operation,
      cells.filter(each => !each.isSeen).map(each => each.status)
    ]),
    [
      ['GET /things', []],
      ['POST /things', []],
      ['GET /things/{thingId}', []],
      ['DELETE /things/{thingId}', []]
    ]
  )
})

t.test('live: the same seed makes the same requests', async t => {
  const requestsOf = async (seed: number) => {
    const { url, requests } = await listen(t, goodService())
    await run(url, { seed })
    return requests
  }
  const [first, again, other] = [await requestsOf(7), await requestsOf(7), await requestsOf(8)]
  t.strictSame(first, again)
  t.notSame(first, other)
})

t.test('live: the URL may be that of the operations', async t => {
  const { url, requests } = await listen(t, goodService())
  const report = await run(`${url}/api/`)
  t.strictSame(report.failures, [])
  t.ok(requests.every(each => each.includes(' /api/things')))
})

// Each case has a single fault in an otherwise correct service.

type Break = (request: ServiceRequest, response: ServiceResponse, service: Service) => ServiceResponse | undefined
interface Fault {
  what: string
  break: Break
  /** The operation, and how the fault is reported. */
  expected: [operation: string, wrong: RegExp]
  /** What the shell command must contain. */
  shown: RegExp
}

const withBody =
  (body: string): Break =>
  (request, response) =>
    request.method === 'GET' && response.status === 200 ? { ...response, body } : response
const without =
  (name: string): Break =>
  (_, { headers: { [name]: _dropped, ...headers }, ...response }) => ({ ...response, headers })
const isList = ({ method, path }: ServiceRequest) => method === 'GET' && path === '/api/things'

const faults: Fault[] = [
  {
    what: 'an undeclared status',
    break: (request, response) =>
      request.method === 'POST' && response.status === 400 ? { ...response, status: 418 } : response,
    expected: ['POST /things', /^responds with 418, which is not declared/],
    shown: /418/
  },
  {
    what: 'another media type',
    break: (request, response) =>
      isList(request) && response.status === 200
        ? { ...response, headers: { ...response.headers, 'content-type': 'text/html' } }
        : response,
    expected: ['GET /things', /^has the media type text\/html$/],
    shown: /text\/html/
  },
  {
    what: 'a body that is not valid',
    break: withBody('[{"id":0,"size":1}]'),
    expected: ['GET /things', /^has a body that the contract does not allow: \/0\/id must be >= 1/],
    shown: /"id":0/
  },
  {
    what: 'an integer out of the range of int64',
    break: withBody('[{"id":1,"size":9223372036854775808}]'),
    expected: ['GET /things', /^has a body that the contract does not allow/],
    shown: /9223372036854775808/
  },
  {
    what: 'a body that is not JSON',
    break: withBody('[{]'),
    expected: ['GET /things', /^has a body that is not JSON/],
    shown: /\[\{\]/
  },
  {
    what: 'an error without its body',
    break: (_, response) => (response.status === 400 ? { status: 400, headers: {}, body: '' } : response),
    expected: ['GET /things', /^has no body with 400$/],
    shown: /400/
  },
  {
    what: 'a body where there is none',
    break: (request, response) =>
      request.method === 'DELETE' && response.status === 204 ? giving(200, '{}') : response,
    expected: ['DELETE /things/{thingId}', /^has a body that the contract does not allow/],
    shown: /404/
  },
  {
    what: 'a missing header',
    break: without('x-total'),
    expected: ['GET /things', /^has no X-Total header$/],
    shown: /200/
  },
  {
    what: 'a header with a wrong value',
    break: (_, response) =>
      'x-total' in response.headers ? { ...response, headers: { ...response.headers, 'x-total': '-1' } } : response,
    expected: ['GET /things', /^has X-Total: -1/],
    shown: /x-total: -1/i
  },
  {
    what: 'no key wanted',
    break: (request, _, service) =>
      service({ ...request, headers: { ...request.headers, authorization: `Bearer ${key}` } }),
    expected: ['GET /things', /^responds with 200/],
    shown: /200/
  },
  {
    what: 'a 401 without a challenge',
    break: without('www-authenticate'),
    expected: ['GET /things', /^has no WWW-Authenticate header$/],
    shown: /401/
  },
  {
    what: '404 for a wrong method',
    break: (_, response) => (response.status === 405 ? failing(404) : response),
    expected: ['TRACE /things', /^responds with 404$/],
    shown: /404/
  },
  {
    what: '405 without Allow',
    break: without('allow'),
    expected: ['TRACE /things', /^has no Allow header with 405$/],
    shown: /405/
  },
  {
    what: 'no lifecycle headers',
    break: without('sunset'),
    expected: ['GET /things/{thingId}', /^has no Sunset header$/],
    shown: /404/
  },
  {
    what: 'another date',
    break: (_, response) =>
      'deprecation' in response.headers
        ? { ...response, headers: { ...response.headers, deprecation: '@1' } }
        : response,
    expected: ['GET /things/{thingId}', /^has Deprecation: @1$/],
    shown: /deprecation: @1/i
  },
  {
    what: 'a Sunset that the contract does not declare',
    break: (request, response) =>
      isList(request) ? { ...response, headers: { ...response.headers, sunset: 'soon' } } : response,
    expected: ['GET /things', /^has Sunset: soon$/],
    shown: /sunset: soon/i
  },
  {
    what: 'no HEAD',
    break: (request, response) => (request.method === 'HEAD' ? failing(405, { allow: 'GET' }) : response),
    expected: ['HEAD /things', /^responds with 405$/],
    shown: /405/
  },
  {
    what: '500 to what is wrong',
    break: (_, response) => (response.status === 400 ? { ...response, status: 500 } : response),
    expected: ['GET /things', /^responds with 500/],
    shown: /500/
  },
  {
    what: 'wrong input accepted',
    break: (request, response) =>
      isList(request) && response.status === 400 && request.query.get('limit') === '11'
        ? giving(200, '[]', { 'x-total': '0' })
        : response,
    expected: ['GET /things', /^responds with 200/],
    shown: /200/
  },
  {
    what: 'a property too many accepted',
    break: (request, response) =>
      request.method === 'POST' && response.status === 400 && /"a":/.test(request.body)
        ? giving(201, '{"id":5,"size":1}')
        : response,
    expected: ['POST /things', /^responds with 201/],
    shown: /201/
  },
  {
    what: 'right input refused',
    break: (request, response) => (isList(request) && request.query.get('limit') === '10' ? failing(400) : response),
    expected: ['GET /things', /^responds with 400/],
    shown: /400/
  },
  {
    what: 'another refusal of a media type',
    break: (_, response) => (response.status === 415 ? failing(400) : response),
    expected: ['POST /things', /^responds with 400/],
    shown: /400/
  },
  {
    what: 'a rounded integer',
    break: (request, { body, ...response }) =>
      request.method === 'POST'
        ? { ...response, body: body.replace(/\d{17,}/, digits => String(Number(digits))) }
        : { body, ...response },
    expected: ['POST /things', /^has a body that the contract does not allow/],
    shown: /9223372036854776000/
  }
]

const shell = promisify(execFile)
const hasCurl = spawnSync('curl', ['--version']).status === 0

for (const { what, break: change, expected, shown } of faults) {
  t.test(`live: finds ${what}`, async t => {
    const good = goodService()
    const { url } = await listen(t, request => {
      const response = good(request)
      return response && change(request, response, good)
    })
    const { failures } = await run(url)
    const [operation, wrong] = expected
    const found = failures.find(each => [each.operation, ...each.others].includes(operation) && wrong.test(each.wrong))
    t.ok(found, failures.map(each => `${each.operation}, ${each.what}: it ${each.wrong}`).join('\n'))
    t.notMatch(JSON.stringify(failures), key, 'the key is nowhere')
    if (found === undefined) return
    if (!hasCurl) {
      t.pass('its line is not tried, for there is no curl', { skip: true })
      return
    }
    const { stdout } = await shell('sh', ['-c', found.curl], { env: { ...process.env, KEY: key } })
    t.match(stdout, shown, found.curl)
  })
}

t.test('live: finds eight faults that come together in one operation', async t => {
  const good = goodService()
  const withKey = (request: ServiceRequest) => ({ ...request.headers, authorization: `Bearer ${key}` })
  const { url } = await listen(t, request => {
    // Wrong: no key is needed, a limit of 11 is accepted, an unlisted kind gets a 418, and an undeclared method a 404.
    const limit = request.query.get('limit')
    const query = new URLSearchParams(request.query)
    if (limit === '11') query.set('limit', '10')
    const isKindWrong = request.query.get('kind') !== null && !/^[ab]$/.test(request.query.get('kind') ?? '')
    const response = good(request.path === '/api/things' ? { ...request, query, headers: withKey(request) } : request)
    if (response?.status === 405) return failing(404)
    if (request.method === 'HEAD') return response && { ...response, headers: { 'content-type': 'text/html' } }
    if (!isList(request) || response === undefined) return response
    if (isKindWrong) return { ...response, status: 418 }
    // Wrong: a list without its total, with the wrong media type, an undeclared property and a size of the wrong type.
    const body = '[{"id":1,"size":"big","colour":"red"},{"id":2,"size":2,"colour":"red"}]'
    return response.status === 200 ? { status: 200, headers: { 'content-type': 'text/html' }, body } : response
  })
  const error = "{ $ref: '#/components/responses/Error' }"
  const closed = contract
    .replace('required: [id, size]', '$&\n      additionalProperties: false')
    .replace('4XX: {', `'400': ${error}\n        '401': {`)
  const { failures } = await checkLive(readDocument(closed, 'things.yaml'), { url, key })
  const told = failures
    .filter(each => each.operation.endsWith(' /things'))
    .map(({ operation, what, wrong }) => ({ operation, what, wrong }))
  for (const [operation, what, wrong] of [
    ['GET /things', /./, /^has a body that the contract does not allow: undeclared property \/0\/colour$/],
    ['GET /things', /./, /^has a body that the contract does not allow: \/0\/size must be integer$/],
    ['GET /things', /./, /^has no X-Total header$/],
    ['GET /things', /./, /^has the media type text\/html$/],
    ['GET /things', /./, /^responds with 418, which is not declared/],
    ['GET /things', /without a key/, /^responds with 200/],
    ['GET /things', /limit/, /^responds with 200/],
    ['TRACE /things', /./, /^responds with 404$/]
  ] as const) {
    const found = told.filter(each => each.operation === operation && what.test(each.what) && wrong.test(each.wrong))
    t.equal(found.length, 1, `${operation}: it ${wrong.source}\n${JSON.stringify(told, null, 2)}`)
  }
})

t.test('live: a missing 405 or HEAD is a note if the contract does not mention it', async t => {
  const good = goodService()
  const { url } = await listen(t, request => {
    const response = good(request)
    return request.method === 'HEAD' || response?.status === 405 ? failing(404) : response
  })
  const silent = readDocument(contract.replace(/description: A method that .*/, ''), 'things.yaml')
  const { failures, notes } = await checkLive(silent, { url, key })
  t.strictSame(failures, [])
  t.strictSame(
    notes.map(({ operation, others, wrong, right }) => `${[operation, ...others].join(', ')} ${wrong}; ${right}`),
    [
      'HEAD /things, HEAD /things/{thingId} responds with 404; 200, as for GET',
      'TRACE /things, PUT /things/{thingId}, PATCH /things/{thingId} responds with 404; 405 with Allow: GET, POST'
    ]
  )
})

t.test('live: what varies from one response to the next is told once', async t => {
  const good = goodService()
  let count = 0
  const { url } = await listen(t, request => {
    const response = good(request)
    if (response === undefined || response.status !== 200) return response
    if (!isList(request)) return { ...response, body: `{"time": ${++count}` }
    return { ...response, headers: { ...response.headers, 'x-total': String(--count) } }
  })
  const { failures } = await run(url)
  t.match(failures, [
    {
      operation: 'GET /things',
      wrong: /^has X-Total: -\d+ \(must be >= 0\)$/,
      right: 'integer (minimum 0), as the contract declares'
    },
    { operation: 'GET /things/{thingId}', wrong: /^has a body that is not JSON/ }
  ])
  t.equal(failures.length, 2)
})

t.test('live: if the simplest valid request is rejected, the others tell no more', async t => {
  const good = goodService()
  const { url } = await listen(t, request =>
    isList(request) && request.headers['x-tenant'] === undefined && request.headers.authorization === `Bearer ${key}`
      ? failing(400)
      : good(request)
  )
  const { failures } = await run(url)
  t.match(failures, [{ operation: 'GET /things', what: 'a valid request', wrong: /^responds with 400/ }])
  t.equal(failures.length, 1)
})

t.test('live: an operation that the contract does not have is told by its response, or by Allow', async t => {
  const good = goodService()
  const { url } = await listen(t, request => {
    if (request.method === 'PATCH') return giving(200, '{}')
    const response = good(request)
    const allow = response?.headers.allow
    return allow === undefined || request.path !== '/api/things' ? response : failing(405, { allow: `${allow}, PATCH` })
  })
  const { failures } = await run(url)
  t.match(failures, [
    { operation: 'TRACE /things', wrong: 'has Allow: GET, HEAD, POST, PATCH' },
    { operation: 'PATCH /things/{thingId}', wrong: 'responds with 200' }
  ])
  t.equal(failures.length, 2)
})

t.test('live: an undeclared property is a note if the schema allows it', async t => {
  const good = goodService()
  const { url } = await listen(t, (request): ServiceResponse | undefined => {
    const response = good(request)
    if (response?.status === 200) return { ...response, body: response.body.replace('"size":', '"secret":[],$&') }
    return response?.status === 400 ? { ...response, body: '{"error":"Not so.","stack":"at"}' } : response
  })
  const { failures, notes } = await run(url)
  t.strictSame(failures, [])
  t.strictSame(
    notes.map(({ operation, others, wrong }) => `${[operation, ...others].join(', ')}: ${wrong}`),
    [
      'POST /things, GET /things, GET /things/{thingId}: has a body that the contract does not describe: undeclared property /stack',
      'GET /things: has a body that the contract does not describe: undeclared property /0/secret',
      'GET /things/{thingId}: has a body that the contract does not describe: undeclared property /secret'
    ]
  )
})

t.test('live: without a key, only its absence is tested', async t => {
  const { url, requests } = await listen(t, goodService())
  const { failures, gaps } = await checkLive(document, { url })
  t.strictSame(failures, [])
  t.ok(requests.every(each => !each.includes(key)))
  t.strictSame(gaps, [
    { operation: 'POST /things', reason: 'it requires a key, and none is given' },
    { operation: 'GET /things', reason: 'it requires a key, and none is given' },
    { operation: 'GET /things/{thingId}', reason: 'it requires a key, and none is given' },
    {
      operation: 'DELETE /things/{thingId}',
      reason: 'DELETE is sent only to what this run has created, and it has created nothing there'
    }
  ])
})

t.test('live: created resources that cannot be found again are counted', async t => {
  const good = goodService()
  const withoutUrl = (request: ServiceRequest): ServiceResponse | undefined => {
    const response = good(request)
    return response?.status === 201
      ? { ...response, headers: { ...response.headers, location: '' }, body: '{}' }
      : response
  }
  const lost = await listen(t, withoutUrl)
  t.match(await run(lost.url), { created: 2, left: [], lost: { 'POST /things': 2 }, uncertain: {} })

  const vague = await listen(t, request => {
    const response = good(request)
    return response?.status === 201 ? { ...response, status: request.body.includes('kind') ? 500 : 202 } : response
  })
  t.match(await run(vague.url), { created: 0, left: [], lost: {}, uncertain: { 'POST /things': 2 } })

  const keeping = await listen(t, request => (request.method === 'DELETE' ? failing(400) : goodService()(request)))
  t.match((await run(keeping.url)).left, ['/things/1'])
})

t.test('live: what is still there after its DELETE is left, whatever the DELETE responds with', async t => {
  const good = goodService()
  const { url } = await listen(t, request => {
    if (request.method !== 'DELETE') return good(request)
    const isKept = good({ ...request, method: 'GET' })?.body.includes('"kind"') === false
    return isKept ? { status: 204, headers: {}, body: '' } : good(request)
  })
  const { created, left, failures } = await run(url)
  t.strictSame([created, left], [2, ['/things/1']], 'the other one is removed')
  t.match(failures, [{ operation: 'GET /things/{thingId}', what: 'after DELETE', wrong: /^responds with 200/ }])

  const other = goodService()
  const keeping = await listen(t, request =>
    request.method === 'DELETE' ? { status: 204, headers: {}, body: '' } : other(request)
  )
  const all = await run(keeping.url)
  t.match(all, { created: 2, left: ['/things/1', '/things/2'] })
  t.match(
    all.failures.filter(({ what }) => what === 'after DELETE'),
    [{ operation: 'GET /things/{thingId}' }]
  )

  const third = goodService()
  const soon = await listen(t, request => (request.method === 'DELETE' ? failing(202) : third(request)))
  const later = await run(soon.url)
  t.equal(later.left.length, 2)
  t.strictSame(
    later.failures.filter(({ what }) => what === 'after DELETE'),
    [],
    '202 only promises it'
  )
})

t.test('live: a DELETE that the contract does not have removes only what is gone then', async t => {
  const good = goodService()
  const { url } = await listen(t, request => (request.method === 'DELETE' ? giving(200, '{}') : good(request)))
  const silent = readDocument(contract.replace(/ {4}delete:\n(?: {6}.*\n)+/, ''), 'things.yaml')
  const { created, left, failures } = await checkLive(silent, { url, key })
  t.strictSame([created, left], [2, ['/things/1', '/things/2']])
  t.ok(failures.some(({ operation }) => operation === 'DELETE /things/{thingId}'))
  t.notOk(failures.some(({ what }) => what === 'after DELETE'))
})

t.test('live: a key that one operation accepts is right, and another that rejects it differs', async t => {
  const good = goodService()
  const { url } = await listen(t, request =>
    request.path === '/api/things' && request.method === 'GET'
      ? failing(401, { 'www-authenticate': 'Bearer' })
      : good(request)
  )
  const { failures } = await run(url)
  t.ok(failures.some(({ operation, right }) => operation === 'GET /things' && right === 'no 401 with the right key'))
  t.ok(failures.every(({ operation }) => operation === 'GET /things'))
})

t.test('live: resources of others are not touched', async t => {
  const good = goodService()
  good({
    method: 'POST',
    path: '/api/things',
    query: new URLSearchParams(),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"size":1}'
  })
  const { url, requests } = await listen(t, request => (request.method === 'POST' ? failing(400) : good(request)))
  const { gaps } = await run(url)
  t.ok(
    requests.some(each => each.startsWith('GET /api/things/1 ')),
    'it is looked at'
  )
  t.notOk(requests.some(each => /^(?:DELETE|PUT|PATCH)/.test(each)))
  t.match(gaps, [{ operation: 'DELETE /things/{thingId}', reason: /and it has created nothing there$/ }])
})

t.test('live: three requests without a response end the check', async t => {
  const { url, requests } = await listen(t, () => undefined)
  const { failures, gaps } = await run(url, { timeoutMs: 500 })
  t.equal(requests.length, 3)
  const wrong = 'gives no response: no complete response within 500 ms'
  t.match(failures, [
    { operation: 'GET /things', wrong, times: 1 },
    { operation: 'GET /things/{thingId}', wrong, times: 1 },
    { operation: 'POST /things', wrong, times: 1 }
  ])
  t.strictSame(
    gaps.map(({ operation }) => operation),
    ['POST /things', 'GET /things', 'GET /things/{thingId}', 'DELETE /things/{thingId}']
  )
  t.match(gaps[0]?.reason, /^the server no longer responds/)
})

t.test('live: a server that hangs in between is reported', async t => {
  const good = goodService()
  const { url } = await listen(t, request => (request.query.get('limit') === '10' ? undefined : good(request)))
  const { failures } = await run(url, { timeoutMs: 2_000 })
  t.match(failures, [
    { operation: 'GET /things', what: 'query parameter limit: at its maximum', wrong: /within 2000 ms/ }
  ])
  t.equal(failures.length, 1)
})

t.test('live: requests are limited in number and time, and omissions are reported', async t => {
  const few = await listen(t, goodService())
  const { gaps } = await run(few.url, { maxRequests: 10 })
  t.equal(few.requests.length, 10)
  t.match(gaps[0], { operation: 'POST /things', reason: 'limit of 10 requests reached' })

  const each = await listen(t, goodService())
  const report = await run(each.url, { maxRequestsPerOperation: 6 })
  t.equal(each.requests.filter(request => request.startsWith('POST')).length, 6)
  t.match(report.gaps[0], { operation: 'POST /things', reason: /^\d+ requests over the limit for one operation$/ })

  const late = await listen(t, goodService())
  const over = await run(late.url, { totalMs: 0 })
  t.equal(late.requests.length, 0)
  t.match(over.gaps[0], { reason: 'time limit of 0 ms reached' })
})

t.test('live: a request is repeated if the server asks to wait', async t => {
  const good = goodService()
  let count = 0
  const { url } = await listen(t, request =>
    request.method === 'GET' && count++ === 3 ? failing(429, { 'retry-after': '0' }) : good(request)
  )
  t.strictSame((await run(url)).failures, [])
  const refusing = await listen(t, () => failing(429, { 'retry-after': '3600' }))
  const { gaps } = await run(refusing.url)
  t.equal(refusing.requests.length, 1)
  t.match(gaps[0], { reason: 'the server accepts no more requests for now' })
})

t.test('live: if nothing listens, only that is reported', async t => {
  const { url } = await listen(t, goodService())
  const port = Number(new URL(url).port)
  const closed = `http://127.0.0.1:${port === 1 ? 2 : 1}`
  await t.rejects(run(closed), {
    message: `no response from ${closed}: connection refused`,
    isUnreachable: true
  })
})

t.test('live: a server that does not speak HTTP is reported as one', async t => {
  const server = createTcpServer(socket => socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9.6\r\n'))
  t.teardown(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await t.rejects(run(url), { message: `no response from ${url}: the server does not speak HTTP` })
})
