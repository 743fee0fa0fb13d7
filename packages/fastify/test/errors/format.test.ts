import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { type AppOptions, buildApp } from '../../src/app.ts'
import { ApiError, invalidRequest, type ServiceErrors } from '../../src/index.ts'
import type { AnyHandler } from '../../src/operations/handlers.ts'
import { derivedContract } from '../derived-contract.ts'
import { openFixtureStore } from '../fixture-store.ts'
import { openConnection } from '../http/connection.ts'
import { logged } from '../observability/logged.ts'
import { closedWith } from '../watch.ts'

/** Two operations, whose errors have these schemas by status. */
const contractWith = (schemas: Readonly<Record<string, string>>, type: string) => `openapi: 3.1.0
info: { title: Bells, version: 1.0.0 }
servers: [{ url: v1 }]
paths:
  /bells:
    post:
      operationId: addBell
      requestBody: { content: { application/json: { schema: { type: object, properties: { tone: { type: string }, pitch: { type: integer } }, additionalProperties: { type: boolean } } } } }
      responses:
        '204': { description: Done }
${Object.entries(schemas)
  .map(([status, schema]) => `        '${status}': { description: No, content: { ${type}: { schema: ${schema} } } }\n`)
  .join('')}  /open:
    get: { operationId: open, responses: { '204': { description: Done } } }
components:
  schemas:
    Fault: { type: object, required: [title], properties: { title: { type: string }, causes: { type: array, items: { $ref: '#/components/schemas/Fault' } } } }
`

interface Options extends Partial<AppOptions> {
  /** The media type of its errors in the contract; default: that of `errors`, or application/json. */
  declares?: string
  errors?: ServiceErrors
  handler?: AnyHandler
}

const start = async (t: Test, schemas: Readonly<Record<string, string>>, { handler, ...options }: Options = {}) => {
  const { declares = options.errors?.mediaType ?? 'application/json' } = options
  const { contract } = await derivedContract(t, contractWith(schemas, declares))
  const { lines, logger } = logged('warn')
  const store = openFixtureStore()
  const own = handler ?? (async () => ({ status: 204 }))
  const handlers = { addBell: own, open: own } as never
  const app = await buildApp({ ...options, contract, store, handlers, logger })
  closedWith(t, app, store)
  const post = (payload: string, type = 'application/json') =>
    app.inject({ method: 'POST', url: '/v1/bells', headers: { 'content-type': type }, payload })
  return { app, post, lines }
}

const problems: ServiceErrors = {
  mediaType: 'application/problem+json',
  body: ({ status, code, message }) => ({ type: `https://bells.example/${code}`, title: message, status })
}
const problem = `{ type: object, required: [type, title, status], properties: { type: { type: string }, title: { type: string }, status: { type: integer } } }`

const message = 'body.tone must be a string, not 5.'

t.test('the title says what is wrong if no other field has a text', async t => {
  const properties =
    'type: { type: string, format: uri-reference }, title: { type: string }, details: { type: object, additionalProperties: true }, status: { type: integer }'
  const withoutDetail = `{ type: object, required: [type, title], properties: { ${properties} } }`
  const { post } = await start(t, { 400: withoutDetail })
  t.strictSame((await post('{"tone":5}')).json(), {
    type: 'about:blank',
    title: 'body.tone must be a string, not 5.',
    status: 400
  })
})

const cause = 'type: { type: string }, reason: { type: string }'

t.test('the reason says what is wrong if there is no other text', async t => {
  const schema = `{ type: object, required: [error], properties: { error: { type: object, required: [type], properties: { ${cause} } } } }`
  const { post } = await start(t, { 400: schema })
  t.strictSame((await post('{"tone":5}')).json(), {
    error: { type: 'invalid_request', reason: 'body.tone must be a string, not 5.' }
  })
})

t.test('beside another text, a reason is a code', async t => {
  const schema = `{ type: object, required: [reason], properties: { ${cause}, message: { type: string } } }`
  const { post } = await start(t, { 400: schema })
  t.match((await post('{"tone":5}')).json(), {
    reason: 'invalid_request',
    message: 'body.tone must be a string, not 5.'
  })
})

t.test('errors look as the service defines, for operations, unknown URLs and invalid HTTP', async t => {
  const { app, post } = await start(t, { 400: problem, 500: problem, '4XX': problem }, { errors: problems })
  const invalid = await post('{"tone":5}')
  t.strictSame([invalid.statusCode, invalid.headers['content-type']], [400, 'application/problem+json'])
  t.strictSame(invalid.json(), {
    type: 'https://bells.example/invalid_request',
    title: 'body.tone must be a string, not 5.',
    status: 400
  })
  for (const [res, code] of [
    [await post('x', 'text/plain'), 'unsupported_media_type'],
    [await app.inject('/v1/nowhere'), 'path_not_found'],
    [await app.inject('/%ff'), 'malformed_path'],
    [await app.inject({ method: 'PUT', url: '/v1/open' }), 'method_not_allowed']
  ] as const) {
    t.equal(res.headers['content-type'], 'application/problem+json')
    t.match(res.json(), { type: `https://bells.example/${code}`, status: res.statusCode })
  }
  const connection = await openConnection(t, app)
  connection.send('nonsense\r\n\r\n')
  const { headers, body } = await connection.response()
  t.equal(headers['content-type'], 'application/problem+json')
  t.match(JSON.parse(body), { type: 'https://bells.example/malformed_request', status: 400 })
})

t.test('a body is made for each response, also where the error is always the same', async t => {
  let made = 0
  const body: ServiceErrors['body'] = ({ status, message: title }) => ({ status, title, instance: `/errors/${made++}` })
  const security = 'components:\n  securitySchemes: { key: { type: http, scheme: bearer } }\nsecurity: [{ key: [] }]\n'
  const yaml = `${contractWith({}, 'application/json').split('components:')[0]}${security}`
  const { contract } = await derivedContract(t, yaml)
  const handlers = { addBell: async () => ({ status: 204 }), open: async () => ({ status: 204 }) } as never
  const app = await buildApp({ contract, store: openFixtureStore(), handlers, errors: { body } })
  closedWith(t, app)
  const requests: [number, InjectOptions][] = [
    [401, { url: '/v1/open' }],
    [401, { url: '/v1/open', headers: { authorization: 'Bearer x' } }],
    [404, { url: '/nothing' }],
    [405, { url: '/openapi.json', method: 'DELETE' }]
  ]
  for (const [status, request] of requests) {
    const first = (await app.inject(request)).json()
    const second = (await app.inject(request)).json()
    t.equal(first.status, status)
    t.match(second, { status, title: first.title })
    t.not(second.instance, first.instance)
  }
})

t.test('another media type than the contract declares stops the start', async t => {
  await t.rejects(start(t, { 400: problem }, { errors: problems, declares: 'application/json' }), {
    message: /addBell 400: application\/json is declared\.$/
  })
})

t.test('without a media type of its own, a service sends errors in the one that the contract declares', async t => {
  const { app, post } = await start(
    t,
    { 400: problem },
    { errors: { body: problems.body }, declares: 'application/vnd.bells+json' }
  )
  const res = await post('{"tone":5}')
  t.strictSame([res.headers['content-type'], res.json().status], ['application/vnd.bells+json', 400])
  t.equal((await app.inject('/v1/nowhere')).headers['content-type'], 'application/vnd.bells+json')
})

t.test('a derived body has the media type that the contract declares', async t => {
  const { post } = await start(t, { 400: problem }, { declares: 'application/problem+json' })
  const res = await post('{"tone":5}')
  t.strictSame(
    [res.headers['content-type'], res.json()],
    ['application/problem+json', { type: 'invalid_request', title: message, status: 400 }]
  )
})

t.test('a derived body is that of unknown URLs, too, where all operations declare the same', async t => {
  const { app } = await start(t, { '4XX': problem }, { declares: 'application/problem+json' })
  for (const [res, title] of [
    [await app.inject('/v1/nowhere'), 'Nothing exists at /v1/nowhere.'],
    [await app.inject({ method: 'PUT', url: '/v1/open' }), 'This URL does not allow PUT, only GET, HEAD, OPTIONS.']
  ] as const) {
    t.equal(res.headers['content-type'], 'application/problem+json')
    t.match(res.json(), { title, status: res.statusCode })
  }
})

t.test('unknown URLs get the body of other errors where operations declare none of its status', async t => {
  const { app } = await start(t, { 400: problem })
  t.match((await app.inject('/v1/nowhere')).json(), { type: 'path_not_found', title: String, status: 404 })
})

t.test('an error of a handler looks so, too', async t => {
  const handler = async () => {
    throw new ApiError(404, 'bell_not_found', 'There is no bell.')
  }
  const { post, lines } = await start(t, { 404: problem }, { errors: problems, handler })
  t.strictSame((await post('{}')).json(), {
    type: 'https://bells.example/bell_not_found',
    title: 'There is no bell.',
    status: 404
  })
  t.equal(lines.length, 0)
})

t.test('a body that does not fit the contract stops the start, with operation, status and reason', async t => {
  const strict = `{ type: object, required: [detail], properties: { detail: { type: string }, title: { type: string } } }`
  await t.rejects(start(t, { 400: strict, 413: problem, default: strict }, { errors: problems }), {
    message:
      'The contract cannot be served: the bodies of errors do not fit it: ' +
      'addBell 400: body.type is not declared; addBell 415: body.type is not declared; ' +
      'addBell 500: body.type is not declared; addBell 503: body.type is not declared.'
  })
})

const messages = { body: ({ message }: { message: string }) => ({ detail: message }) }
t.test('a body that fits starts, also as a default', async t => {
  const detail = `{ type: object, required: [detail], properties: { detail: { type: string } } }`
  await t.resolves(start(t, { 400: detail, default: detail }, { errors: messages }))
})

t.test('a body that is too long for the contract stops the start', async t => {
  const short = `{ type: object, properties: { detail: { maxLength: 5, type: string } } }`
  await t.rejects(start(t, { 400: short }, { errors: messages }), {
    message: /addBell 400: body\.detail must have at most 5 characters\.$/
  })
})

t.test('statuses that the engine does not send are left to handlers', async t => {
  const other = `{ type: object, required: [conflicts], properties: { conflicts: { type: array, items: {} } } }`
  await t.resolves(start(t, { 409: other, 404: other }, { errors: problems }))
})

t.test('errors.body that fails: the usual body with the right status, and the reason in the log', async t => {
  let isBroken = false
  const body: ServiceErrors['body'] = ({ message }) => {
    if (isBroken) throw new Error('no')
    return { title: message }
  }
  const { post, lines } = await start(t, {}, { errors: { body } })
  isBroken = true
  const res = await post('{"tone":5}')
  t.strictSame([res.statusCode, res.json().code], [400, 'invalid_request'])
  t.match(lines, [{ level: 50, msg: 'errors.body failed' }])
})

t.test('keys that clients put into the wrong place are left out', async t => {
  const { app } = await start(t, {}, { errors: { body: ({ message }) => ({ title: message }) } })
  const key = `key_live_${'a'.repeat(36)}`
  t.strictSame((await app.inject(`/v1/${key}`)).json(), { title: 'Nothing exists at /v1/key_live_….' })
})

const derivations: [string, string, object][] = [
  [
    'message and code',
    `{ type: object, properties: { code: { type: string }, message: { type: string } } }`,
    { code: 'invalid_request', message }
  ],
  [
    'a numeric code',
    `{ type: object, required: [code, message], properties: { code: { type: integer }, message: { type: string } } }`,
    { code: 400, message }
  ],
  [
    'inside an error',
    `{ type: object, required: [error], properties: { error: { type: object, required: [type], properties: { type: { type: string }, message: { type: [string, 'null'] } } } } }`,
    { error: { type: 'invalid_request', message } }
  ],
  [
    'a list of errors',
    `{ type: object, properties: { errors: { type: array, items: { type: object, properties: { detail: { type: string }, status: { type: string } } } } } }`,
    { errors: [{ detail: message, status: '400' }] }
  ],
  [
    'a list of texts',
    `{ type: object, required: [messages], properties: { messages: { type: array, items: { type: string } }, documentation_url: { type: string } } }`,
    { messages: [message] }
  ],
  [
    'a problem (RFC 9457)',
    `{ type: object, properties: { type: { type: string, format: uri-reference }, title: { type: string }, status: { type: integer }, detail: { type: string }, instance: { type: string } } }`,
    { type: 'about:blank', title: 'Bad Request', status: 400, detail: message }
  ],
  [
    'a constant and an enumeration',
    `{ type: object, required: [type, reason, ok], properties: { type: { const: error }, reason: { enum: [bad, worse] }, ok: { type: boolean }, error: { type: string } } }`,
    { type: 'error', reason: 'bad', ok: false, error: message }
  ],
  [
    'the first variant',
    `{ oneOf: [{ type: object, required: [error], properties: { error: { type: string } } }, { type: object, required: [fault], properties: { fault: { type: string } } }] }`,
    { error: message }
  ],
  [
    'recursive schemas',
    `{ type: object, required: [error], properties: { error: { anyOf: [{ type: 'null' }, { $ref: '#/components/schemas/Fault' }] } } }`,
    { error: { title: message } }
  ],
  [
    'under a name that is only like those of others',
    '{ type: object, properties: { fault: { type: object, properties: { detail: { type: object, properties: { errorcode: { type: string } } }, faultString: { type: string }, requestId: { type: string } } } } }',
    { fault: { detail: { errorcode: 'invalid_request' }, faultString: message } }
  ],
  [
    'in a status that is a text',
    '{ type: object, required: [code, status], properties: { code: { type: integer }, status: { type: string } } }',
    { code: 400, status: message }
  ],
  ['a text', `{ type: string }`, message as never]
]
for (const [name, schema, body] of derivations) {
  t.test(`without a definition, a body is derived from its schema: ${name}`, async t => {
    const { post, lines } = await start(t, { 400: schema })
    const res = await post('{"tone":5}')
    t.strictSame([res.statusCode, res.json()], [400, body])
    t.strictSame(lines, [])
  })
}

const severalDetails = ['body.tone must be a string, not 5.', 'body.pitch must be an integer, not "a".']
for (const [name, schema, body] of [
  [
    'of objects',
    '{ type: object, properties: { message: { type: string }, errors: { type: array, items: { type: object, properties: { detail: { type: string } } } } } }',
    {
      message: 'body.tone must be a string, not 5; body.pitch must be an integer, not "a".',
      errors: severalDetails.map(detail => ({ detail }))
    }
  ],
  ['of texts', '{ type: array, items: { type: string } }', severalDetails],
  ['of one text at most', '{ type: array, items: { type: string }, maxItems: 1 }', severalDetails.slice(0, 1)],
  [
    'with pointers',
    '{ type: array, items: { type: object, required: [detail], properties: { detail: { type: string }, pointer: { type: string, format: uri-reference }, source: { type: object, properties: { pointer: { type: string, format: json-pointer } } } } } }',
    ['tone', 'pitch'].map((name, i) => ({
      detail: severalDetails[i],
      pointer: `#/${name}`,
      source: { pointer: `/${name}` }
    }))
  ],
  [
    'with fields',
    '{ type: object, required: [errors], properties: { errors: { type: array, items: { type: object, required: [field], properties: { field: { type: string }, message: { type: string }, in: { enum: [body, query] } } } } } }',
    {
      errors: [
        { field: 'tone', message: severalDetails[0], in: 'body' },
        { field: 'pitch', message: severalDetails[1], in: 'body' }
      ]
    }
  ],
  [
    'as FastAPI declares it',
    '{ type: object, properties: { detail: { type: array, items: { type: object, required: [loc, msg, type], properties: { loc: { type: array, items: { anyOf: [{ type: string }, { type: integer }] } }, msg: { type: string }, type: { type: string } } } } } }',
    {
      detail: [
        { loc: ['body', 'tone'], msg: severalDetails[0], type: 'invalid_request' },
        { loc: ['body', 'pitch'], msg: severalDetails[1], type: 'invalid_request' }
      ]
    }
  ],
  [
    'of codes',
    '{ type: array, items: { type: object, properties: { code: { type: string } } } }',
    [{ code: 'invalid_request' }]
  ]
] as const) {
  t.test(`a derived list ${name} has an item for each violation, none of them twice`, async t => {
    const { post, lines } = await start(t, { 400: schema })
    t.strictSame((await post('{"tone":5,"pitch":"a"}')).json(), body)
    t.strictSame(lines, [])
  })
}

t.test(
  'where a derived list requires a place, an error about none is about nothing, or a part of the request',
  async t => {
    const properties =
      'field: { type: string }, property: { type: string, minLength: 1 }, in: { type: string }, pointer: { type: string }, loc: { type: array, items: { type: string } }, message: { type: string }'
    const item = `{ type: object, required: [field, property, in, pointer, loc], properties: { ${properties}, path: { type: string } } }`
    const schema = `{ type: array, items: ${item} }`
    const { app, post, lines } = await start(t, { 405: schema, 413: schema, 415: schema })
    const responses = [
      ['body', await post('tone', 'text/csv')],
      ['body', await post(`{"tone":"${'a'.repeat(2e6)}"}`)],
      ['request', await app.inject({ method: 'PUT', url: '/v1/bells' })]
    ] as const
    for (const [part, res] of responses) {
      const [{ message, ...others }] = res.json()
      t.strictSame(others, { field: '', property: part, in: part, pointer: '#', loc: [part] })
      t.match(message, /body|method|PUT/)
    }
    t.strictSame(
      responses.map(([, { statusCode }]) => statusCode),
      [415, 413, 405]
    )
    t.strictSame(lines, [])
  }
)

t.test('a definition gets each violation, and how many more there are', async t => {
  const errors: ServiceErrors = { body: ({ message, details }) => ({ message, details }) }
  const { app, post } = await start(t, {}, { errors })
  const inBody = (message: string | undefined, ...at: string[]) => ({ message, in: 'body', at })
  t.strictSame((await post('{"tone":5,"pitch":"a"}')).json().details, [
    inBody(severalDetails[0], 'tone'),
    inBody(severalDetails[1], 'pitch')
  ])
  t.strictSame((await post('{"tone":5}')).json().details, [inBody(message, 'tone')])
  const unknown = await app.inject({ url: '/v1/bells?colour=red&a%20b=1', method: 'POST', payload: {} })
  t.match(unknown.json().details, [
    { in: 'query', at: ['colour'] },
    { in: 'query', at: ['a b'] }
  ])
  const long = 'ü"'.repeat(500)
  const cut = await app.inject({
    url: `/v1/bells?${encodeURIComponent(long)}=1`,
    method: 'POST',
    payload: { [long]: 1 }
  })
  t.equal(cut.statusCode, 400)
  for (const { at } of cut.json().details) t.ok(at.join().length < 200 && long.startsWith(at.join().slice(0, 50)))
  const names = Array.from({ length: 12 }, (_, i) => `n${i}`)
  const { details } = (await post(JSON.stringify(Object.fromEntries(names.map(name => [name, 1]))))).json()
  t.equal(details.length, 11)
  t.strictSame(details.slice(-2), [inBody('body.n9 must be a boolean, not 1.', 'n9'), inBody('There are 2 more.')])
  t.strictSame((await app.inject('/v1/none')).json().details, [])
})

t.test('a body that cannot be derived is the usual one, with a warning at the start', async t => {
  const picture = `{ type: object, required: [picture], properties: { picture: { type: string, pattern: '^data:' } } }`
  const { post, lines } = await start(t, {
    400: picture,
    500: `{ type: object, properties: { message: { type: string } } }`
  })
  t.match(lines, [
    {
      level: 40,
      msg: 'error bodies do not fit the contract, and none can be derived from it: addBell 400: body.code is not declared; define errors'
    }
  ])
  t.match((await post('{"tone":5}')).json(), { code: 'invalid_request', status: 400 })
})

t.test('what a client did wrong is a 400, also if a handler says so and the operation does not declare it', async t => {
  const { app, lines } = await start(
    t,
    {},
    {
      handler: async () => {
        throw invalidRequest('query parameter cursor was not issued by this service.')
      }
    }
  )
  t.equal((await app.inject('/v1/open')).statusCode, 400)
  t.equal(lines.length, 0)
})

const shape =
  '{ type: object, required: [title, status], properties: { title: { type: string }, status: { type: integer } }, additionalProperties: false }'
const pinned = shape.replace('status: { type: integer }', 'status: { const: 404 }')

t.test('an error that an operation does not declare has the shape of those that the contract has', async t => {
  const { app, post } = await start(t, { 404: pinned, 409: shape }, { declares: 'application/problem+json' })
  const posted = await post('{"tone":5}')
  t.strictSame(
    [posted.headers['content-type'], posted.json()],
    ['application/problem+json', { title: message, status: 400 }]
  )
  for (const [url, status] of [
    ['/v1/open?x=1', 400],
    ['/v1/nowhere', 404]
  ] as const) {
    const { headers, statusCode, ...res } = await app.inject(url)
    t.strictSame([statusCode, headers['content-type']], [status, 'application/problem+json'])
    t.match(res.json(), { title: String, status })
  }
})

t.test('a schema for one particular error does not shape others', async t => {
  const { post } = await start(t, { 404: pinned }, { declares: 'application/problem+json' })
  const posted = await post('{"tone":5}')
  t.match(posted.headers['content-type'], 'application/json')
  t.match(posted.json(), { code: 'invalid_request', message, status: 400 })
})

t.test('Vary names Accept if that chooses among several media types', async t => {
  const { contract } = await derivedContract(
    t,
    contractWith({}, 'application/json').replace(
      "operationId: open, responses: { '204': { description: Done } }",
      "operationId: open, responses: { '200': { description: It, content: { application/json: { schema: { type: string } }, text/plain: { schema: { type: string } } } } }"
    )
  )
  const store = openFixtureStore()
  const open: AnyHandler = async ({ accepts }) => ({ status: 200, contentType: accepts[0], body: 'it' })
  const handlers = { addBell: async () => ({ status: 204 }), open } as never
  const app = await buildApp({ contract, store, handlers, corsOrigins: ['https://bells.example'] })
  closedWith(t, app, store)
  const varyOf = async (url: string, headers: Record<string, string> = {}) =>
    (await app.inject({ url, headers })).headers.vary
  t.equal(await varyOf('/v1/open', { accept: 'text/plain' }), 'Origin, Accept')
  t.equal(await varyOf('/v1/open', { accept: 'image/png' }), 'Origin, Accept', 'also of a 406')
  t.equal(await varyOf('/v1/nowhere'), 'Origin')
})
