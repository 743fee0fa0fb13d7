import t from 'tap'
import type { CompareOptions } from '../src/changes/compare.ts'
import { changesBetween, findingsBetween } from './changes-between.ts'

const content = (...media: string[]) => `content: { ${media.join(', ')} }`
const media = (type: string, schema = 'type: string') => `'${type}': { schema: { ${schema} } }`
const body = (...types: string[]) => `requestBody: { ${content(...types)} }`
const response = (status: string, ...types: string[]) =>
  `'${status}': { description: Response${types.length === 0 ? '' : `, ${content(...types)}`} }`
const responses = (...list: string[]) => `responses: { ${list.join(', ')} }`

t.test('media types are compared as HTTP compares them', async t => {
  const same: [string, string][] = [
    ['application/json', 'application/json; charset=utf-8'],
    ['application/json', 'Application/JSON'],
    ['text/plain;charset="UTF-8"', 'text/plain'],
    ['text/plain; a=1; b=2', 'text/plain;b=2;a=1']
  ]
  for (const [before, after] of same) {
    t.strictSame(changesBetween('operation', body(media(before)), body(media(after))), [], `${before} = ${after}`)
  }
})

t.test('a media range covers its media types', async t => {
  const added = 'compatible request-media-type-added: POST /pets request body'
  t.strictSame(changesBetween('operation', body(media('image/png')), body(media('image/*'))), [added])
  t.strictSame(
    changesBetween('operation', body(media('image/*')), body(media('image/png'))),
    ['breaking request-media-type-removed: POST /pets request body'],
    'but not the reverse'
  )
  t.strictSame(
    changesBetween('operation', body(media('image/png', 'maxLength: 9')), body(media('*/*', 'maxLength: 5'))),
    ['breaking request-max-length-narrowed: POST /pets request body (image/png)', added],
    'and is compared with it'
  )
  t.strictSame(
    changesBetween(
      'operation',
      body(media('image/png', 'maxLength: 9')),
      body(media('*/*', 'maxLength: 5'), media('image/png', 'maxLength: 9'))
    ),
    [added],
    'unless there is something nearer'
  )
  const withResponse = (type: string) => responses(response('200', media(type)))
  t.strictSame(changesBetween('operation', withResponse('image/*'), withResponse('image/png')), [])
  t.strictSame(changesBetween('operation', withResponse('image/png'), withResponse('image/*')), [
    'breaking response-media-type-added: POST /pets response 200'
  ])
})

t.test('a body without a schema allows any value', async t => {
  const plain = body("'application/json': {}")
  t.strictSame(changesBetween('operation', plain, plain), [])
  t.match(findingsBetween('operation', plain, body(media('application/json'))), [{ level: 'breaking' }])
  const withResponse = (type: string) => responses(response('200', type))
  t.match(
    findingsBetween('operation', withResponse(media('application/json')), withResponse("'application/json': {}")),
    [{ level: 'breaking', place: 'POST /pets response 200' }]
  )
})

t.test('a shared body is reported once', async t => {
  const document = (required: boolean) => `
    paths:
      /pets: { post: { requestBody: { $ref: '#/components/requestBodies/Pet' }, responses: {} } }
      /dogs: { post: { requestBody: { $ref: '#/components/requestBodies/Pet' }, responses: {} } }
    components: { requestBodies: { Pet: { required: ${required}, content: { application/json: {} } } } }`
  t.match(findingsBetween('document', document(false), document(true)), [
    { rule: 'request-body-became-required', place: 'shared body Pet', uses: ['POST /pets', 'POST /dogs'] }
  ])
})

t.test('form fields', async t => {
  const form = (type: string, encoding: string) =>
    body(`${type}: { schema: { type: object, properties: { a: { type: array } } }, encoding: { a: { ${encoding} } } }`)
  const url = 'application/x-www-form-urlencoded'
  t.strictSame(changesBetween('operation', form(url, ''), form(url, 'style: form')), [])
  t.strictSame(changesBetween('operation', form(url, ''), form(url, 'style: spaceDelimited, explode: false')), [
    `breaking request-encoding-serialization-changed: POST /pets request body (${url}) field a`
  ])
  t.strictSame(
    changesBetween('operation', form('application/json', ''), form('application/json', 'explode: false')),
    [],
    'only forms have encodings'
  )
  const multipart = (encoding: string) => form('multipart/form-data', encoding)
  t.strictSame(
    changesBetween('operation', multipart('contentType: image/png'), multipart("contentType: 'image/jpeg, image/*'")),
    []
  )
  t.strictSame(
    changesBetween('operation', multipart('headers: { X-A: {} }'), multipart('headers: { X-A: { required: true } }')),
    ['breaking request-header-became-required: POST /pets request body (multipart/form-data) field a header X-A']
  )
})

t.test('a status is compared with the range or default that covers it', async t => {
  const text = media('text/plain', 'type: string, maxLength: 5')
  const longer = media('text/plain', 'type: string, maxLength: 9')
  const changes = (before: string[], after: string[]) =>
    changesBetween('operation', responses(...before), responses(...after))
  t.strictSame(
    changes([response('200'), response('4XX', text)], [response('200'), response('4xx', text), response('404', text)]),
    []
  )
  t.strictSame(
    changes(
      [response('200'), response('4XX', text)],
      [response('200'), response('4XX', text), response('404', longer)]
    ),
    ['breaking response-max-length-widened: POST /pets response 404 (text/plain)'],
    'a range'
  )
  t.strictSame(
    changes(
      [response('200'), response('default', text)],
      [response('200'), response('default', text), response('503', longer)]
    ),
    ['breaking response-max-length-widened: POST /pets response 503 (text/plain)'],
    'or default'
  )
  t.strictSame(
    changes([response('200'), response('404', text)], [response('200'), response('4XX', text)]),
    ['compatible response-error-status-added: POST /pets response 4XX'],
    'in the other contract, too'
  )
  t.strictSame(
    changes(
      [response('200', text), response('default')],
      [response('200', text), response('201', text), response('default')]
    ),
    ['breaking response-status-added: POST /pets response 201'],
    'default means errors if successes are declared'
  )
  t.strictSame(
    changes([response('default', text)], [response('200', text), response('default', text)]),
    [],
    'and for all where none is'
  )
  t.strictSame(changes([response('200'), response('2XX')], [response('2XX')]), [], 'a success that is still covered')
  t.strictSame(changes([response('default', text)], [response('200', text)]), [], 'a default that is spelled out')
  t.strictSame(
    changes([response('default', text)], [response('200', longer)]),
    ['breaking response-max-length-widened: POST /pets response 200 (text/plain)'],
    'and compared with what it became'
  )
  t.strictSame(
    changes([response('default', text)], [response('404', text)]),
    ['breaking response-status-removed: POST /pets response default'],
    'but not without a success'
  )
})

t.test('a success is promised, an error is not', async t => {
  const all = ['101', '200', '302', '404', '500']
  const changes = changesBetween('operation', responses(...all.map(each => response(each))), responses(response('200')))
  t.strictSame(changes, [
    'breaking response-status-removed: POST /pets response 101',
    'breaking response-status-removed: POST /pets response 302',
    'compatible response-error-status-removed: POST /pets response 404',
    'compatible response-error-status-removed: POST /pets response 500'
  ])
})

t.test('a new error is compatible when clients know its body', async t => {
  const document = (dogs: string) => `
    paths:
      /pets: { get: { responses: { '200': { description: Fine }, '404': { description: None, ${content(media('application/json', "$ref: '#/components/schemas/Error404'"))} } } } }
      /dogs: { get: { responses: { '200': { description: Fine }${dogs} } } }
    components:
      schemas:
        Error: { type: object, required: [code, status], properties: { code: { type: string }, status: { type: integer } } }
        Error404: { allOf: [{ $ref: '#/components/schemas/Error' }], properties: { status: { const: 404 } } }
        Error409: { allOf: [{ $ref: '#/components/schemas/Error' }], properties: { status: { const: 409 } } }`
  const changes = (added: string, options?: Partial<CompareOptions>) =>
    changesBetween('document', document(''), document(`, ${added}`), options)
  const known = response('409', media('application/json', "$ref: '#/components/schemas/Error409'"))
  t.strictSame(
    changes(known),
    ['compatible response-error-status-added: GET /dogs response 409'],
    'by another operation, and of a status of its own'
  )
  t.strictSame(changes(response('409')), ['compatible response-error-status-added: GET /dogs response 409'], 'no body')
  t.strictSame(changes(response('409', media('application/json'))), [
    'breaking response-error-status-unlike: GET /dogs response 409'
  ])
  t.strictSame(
    changes(response('409', media('application/problem+json', "$ref: '#/components/schemas/Error409'"))),
    ['breaking response-error-status-unlike: GET /dogs response 409'],
    'of a media type that they do not know'
  )
  t.strictSame(
    changes(response('409', "'application/json': {}")),
    ['breaking response-error-status-unlike: GET /dogs response 409'],
    'that may be anything'
  )
  t.strictSame(changes(known, { strict: true }), ['breaking response-status-added: GET /dogs response 409'])
})

t.test('if no error has a body, clients ignore new ones', async t => {
  t.strictSame(
    changesBetween(
      'operation',
      responses(response('200', media('text/plain'))),
      responses(response('200', media('text/plain')), response('409', media('text/plain')))
    ),
    ['compatible response-error-status-added: POST /pets response 409']
  )
})

t.test('a declared response body is promised', async t => {
  const text = media('text/plain')
  const changes = (before: string, after: string, options?: Partial<CompareOptions>) =>
    changesBetween('operation', responses(before), responses(after), options)
  t.strictSame(changes(response('200', text), response('200')), [
    'breaking response-body-removed: POST /pets response 200 body'
  ])
  t.match(
    findingsBetween('operation', responses(response('200', text)), responses(response('200'))),
    [{ message: 'It was removed; it was always sent.' }],
    'without being required'
  )
  t.strictSame(changes(response('200'), response('200', text)), [
    'compatible response-body-added: POST /pets response 200 body'
  ])
  t.strictSame(changes(response('200'), response('200', text), { strict: true }), [
    'breaking response-body-unexpected: POST /pets response 200 body'
  ])
  t.strictSame(changes("'200': { description: Fine, content: {} }", response('200')), [])
})

t.test('response headers are matched case-insensitively', async t => {
  const header = (name: string, attributes = 'schema: { type: integer, maximum: 5 }') =>
    responses(`'200': { description: Fine, headers: { ${name}: { ${attributes} } } }`)
  t.strictSame(changesBetween('operation', header('X-Count'), header('x-count')), [])
  t.strictSame(
    changesBetween('operation', header('Content-Type'), header('X-Count').replace('X-Count', 'content-type')),
    []
  )
  t.strictSame(
    changesBetween('operation', header('X-Count'), header('X-Count', 'schema: { type: integer, maximum: 9 }')),
    ['breaking response-maximum-widened: POST /pets response 200 header X-Count']
  )
})

t.test('a header that is gone may still be sent', async t => {
  const header = (required: boolean) =>
    responses(`'200': { description: Fine, headers: { ETag: { required: ${required}, schema: { type: string } } } }`)
  for (const [required, word] of [
    [true, 'always sent'],
    [false, 'optional']
  ] as const)
    t.match(findingsBetween('operation', header(required), responses(response('200'))), [
      { message: `It was removed; it was ${word}.` }
    ])
})

t.test('shared headers count as declared on each response', async t => {
  const document = (shared: string, ok = '', refused = '', more = '') => `
    openapi: 3.1.0
    info: { title: Animals, version: 1.0.0 }
    security: [{ key: [] }]
    ${shared}
    paths:
      /pets:
        get: { ${more} responses: { '200': { description: All${ok} }, '401': { description: No${refused} } } }
        post: { security: [], responses: { '200': { description: Made } } }
    components: { securitySchemes: { key: { type: http, scheme: bearer } } }`
  const left = 'X-Left: { required: true, schema: { type: integer } }'
  const sunset = 'Sunset: { required: true, schema: { type: string } }'
  const shared = `x-response-headers: { authorized: { ${left} }, deprecated: { ${sunset} } }`
  const ending = 'deprecated: true, x-deprecated-since: 2026-11-20, x-sunset: 2030-12-05,'
  const equal: [string, string][] = [
    [document('', `, headers: { ${left} }`), document(shared)],
    [
      document('', `, headers: { ${left}, ${sunset} }`, `, headers: { ${sunset} }`, ending),
      document(shared, '', '', ending)
    ]
  ]
  for (const [written, once] of equal) {
    t.strictSame(changesBetween('document', written, once), [])
    t.strictSame(changesBetween('document', once, written), [])
  }
  t.strictSame(changesBetween('document', document(shared), document('')), [
    'breaking response-header-removed: GET /pets response 200 header X-Left'
  ])
  t.strictSame(changesBetween('document', document(shared, '', '', ending), document('', '', '', ending)), [
    'breaking response-header-removed: GET /pets response 200 header Sunset',
    'breaking response-header-removed: GET /pets response 200 header X-Left',
    'breaking response-header-removed: GET /pets response 401 header Sunset'
  ])
})

t.test('a shared response is reported once, with its headers', async t => {
  const document = (attributes: string) => `
    paths:
      /pets: { get: { responses: { '404': { $ref: '#/components/responses/NotFound' } } } }
      /dogs: { get: { responses: { '404': { $ref: '#/components/responses/NotFound' }, '410': { $ref: '#/components/responses/NotFound' } } } }
    components: { responses: { NotFound: { description: None, headers: { X-Reason: { ${attributes} } } } } }`
  t.match(findingsBetween('document', document('required: true'), document('required: false')), [
    {
      rule: 'response-header-became-optional',
      place: 'shared response NotFound header X-Reason',
      uses: ['GET /pets', 'GET /dogs']
    }
  ])
})

t.test('links, examples and descriptions are not part of messages', async t => {
  t.strictSame(
    changesBetween(
      'operation',
      "{ summary: One, tags: [a], responses: { '200': { description: Fine, links: { next: { operationId: a } } } } }",
      "{ summary: Two, tags: [b], responses: { '200': { description: Good } } }"
    ),
    []
  )
})

t.test('what is always an object or a text on the wire is so without a type', async t => {
  const body = (type: string, media: string) => `requestBody: { required: true, content: { ${type}: ${media} } }`
  const response = (type: string, media: string) =>
    `responses: { 200: { description: x, content: { ${type}: ${media} } } }`
  const objects = [
    '{}',
    '{ schema: {} }',
    '{ schema: { type: object } }',
    '{ schema: { maxProperties: 9, type: object } }',
    '{ schema: { maxProperties: 9 } }'
  ]
  const texts = ['{}', '{ schema: {} }', '{ schema: { type: string } }']
  const rules = (before: string, after: string) =>
    findingsBetween('operation', before, after)
      .filter(({ level }) => level !== 'compatible')
      .map(({ rule }) => rule)
  for (const [types, medias] of [
    [['application/x-www-form-urlencoded', 'multipart/form-data'], objects],
    [['text/plain', 'text/html', 'text/event-stream', 'text/csv'], texts]
  ] as const)
    for (const type of types)
      for (const [index, before] of medias.entries())
        for (const after of medias.slice(0, 3))
          if (index < 3) {
            t.strictSame(rules(body(type, before), body(type, after)), [], `${type}: ${before} to ${after}`)
            t.strictSame(
              rules(response(type, before), response(type, after)),
              [],
              `${type} sent: ${before} to ${after}`
            )
          }
  const [form] = ['application/x-www-form-urlencoded']
  t.strictSame(rules(body(form ?? '', objects[4] ?? ''), body(form ?? '', objects[3] ?? '')), [])
  t.strictSame(rules(body('text/plain', '{}'), body('text/plain', '{ schema: { type: string, maxLength: 3 } }')), [
    'request-max-length-narrowed'
  ])
  t.strictSame(rules(body('application/json', '{}'), body('application/json', '{ schema: { type: object } }')), [
    'request-type-narrowed'
  ])
  // A number is written as a text, too.
  for (const numbers of ['{ enum: [1, 2] }', '{ const: 1 }', '{ anyOf: [{ type: integer }] }'])
    t.ok(
      rules(
        body('text/plain', `{ schema: ${numbers} }`),
        body('text/plain', '{ schema: { type: string, minLength: 5 } }')
      ).length > 0,
      numbers
    )
  const deep = (schema: string) =>
    `parameters: [{ name: filter, in: query, style: deepObject, explode: true, schema: ${schema} }]`
  t.strictSame(rules(deep('{}'), deep('{ type: object }')), [])
  t.strictSame(
    rules(
      deep('{ properties: { a: { type: string } } }'),
      deep('{ type: object, properties: { a: { type: string } } }')
    ),
    []
  )
})

t.test('a part that is removed before its sunset names the date, and a new default what clients get', async t => {
  const limit = (more: string) => `parameters: [{ name: limit, in: query, ${more} }]`
  const dated = limit('deprecated: true, x-sunset: 2027-06-01, schema: { type: integer }')
  const messages = (before: string, after: string) =>
    findingsBetween('operation', before, after).map(({ message }) => message)
  t.strictSame(messages(dated, 'parameters: []'), [
    'It was removed before 2027-06-01, the announced date: requests with it may now be rejected.'
  ])
  t.strictSame(messages(limit('schema: { type: integer }'), limit('schema: { type: integer, default: 10 }')), [
    'It now has a default: clients that omit it get 10.'
  ])
  t.strictSame(
    messages(limit('schema: { type: integer, default: 20 }'), limit('schema: { type: integer, default: 10 }')),
    ['Clients that omit it now get 10 instead of 20.']
  )
})

t.test('the reason is told as the document has it', async t => {
  const told = (...documents: Parameters<typeof findingsBetween>) =>
    findingsBetween(...documents).flatMap(({ level, message }) => (level === 'compatible' ? [] : [message]))
  const errors = "default: { description: Error, content: { 'application/json': { schema: { type: object } } } }"
  t.strictSame(
    told(
      'operation',
      responses(response('200'), errors),
      responses(response('200'), errors, "'400': { description: Invalid }")
    ),
    ['It was removed; it was covered by default.']
  )
  const header = (status: string, required: boolean) =>
    `${status}: { description: Error, headers: { X-Left: { required: ${required}, schema: { type: integer } } } }`
  const range = [response('200'), header('4XX', true)]
  const toldBeside = (status: string) => told('operation', responses(...range), responses(...range, status))
  t.strictSame(toldBeside("'429': { description: Later }"), ['It was removed; it was covered by 4XX.'])
  t.strictSame(toldBeside(header("'429'", false)), ['It was covered by 4XX and may now be missing.'])
  const server = (variable: string) =>
    `servers: [{ url: 'https://{region}.example', variables: { region: { default: us${variable} } } }]`
  t.strictSame(told('document', server(''), server(', enum: [us, de]')), ['`{region}` may now only be `us` or `de`.'])
  t.strictSame(told('document', server(''), server(', enum: [us, de, fr]').replaceAll('region', 'area')), [
    '`{area}` may now only be `us`, `de` or `fr`.'
  ])
  for (const word of ['oneOf', 'anyOf'])
    t.strictSame(told('request', '{ type: integer }', `{ ${word}: [{ const: 1 }, { const: 2 }, { const: 3 }] }`), [
      'It may now only be one of 1, 2, 3: what was accepted may now be rejected.'
    ])
})
