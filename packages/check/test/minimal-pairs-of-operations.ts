import { body, field, form, json, type Pair, parameter, query, responses, xml } from './minimal-pair.ts'

/** Pairs about servers and paths, media types, callbacks and defaults. */
export const pairsOfOperations = new Map<string, readonly Pair[]>()

const group = (title: string, pairs: readonly Pair[]) => pairsOfOperations.set(title, pairs)

const oneOrMore = (kind: string, ...media: string[]) =>
  kind === 'request' ? `requestBody: { content: { ${media.join(', ')} } }` : responses('200', ...media)
const [anything, short] = ["'*/*': { schema: { type: string } }", 'application/json: { schema: { maxLength: 5 } }']

group('a media type beside the range that covers it', [
  [
    'is added with other values',
    'operation',
    oneOrMore('request', anything),
    oneOrMore('request', anything, short),
    ['breaking request-max-length-narrowed: POST /pets request body']
  ],
  [
    'leaves its values to the range',
    'operation',
    oneOrMore('response', anything, short),
    oneOrMore('response', anything),
    ['breaking response-max-length-widened: POST /pets response 200']
  ],
  [
    'leaves its values to a new range, while another stays',
    'operation',
    oneOrMore('response', 'text/plain: { schema: { maxLength: 5 } }', json),
    oneOrMore('response', "'text/*': { schema: { type: string } }", json),
    ['breaking response-max-length-widened: POST /pets response 200 (text/plain)']
  ],
  [
    'is added, but was there in another range',
    'operation',
    oneOrMore('request', anything, json),
    oneOrMore('request', anything, "'application/*': { schema: { type: string } }", json),
    []
  ]
])

const bothWith = (status: string, media: string) =>
  `${responses('200', json).slice(0, -2)}, '${status}': { description: Error, content: { ${media} } } }`
const both = (declared: string, status: string) => `${declared.slice(0, -2)}, '${status}': { description: Other } }`

group('responses', [
  ['a range is spelled out', 'operation', responses('2XX', json), responses('200', json), []],
  ['a media type is added beside the old one', 'operation', responses('200', json), responses('200', json, xml), []],
  [
    'a media type replaces the old one',
    'operation',
    responses('200', json),
    responses('200', xml),
    ['breaking response-media-type-removed: POST /pets response 200']
  ],
  [
    'another charset',
    'operation',
    responses('200', 'text/plain; charset=utf-8: {}'),
    responses('200', 'text/plain; charset=latin1: {}'),
    ['breaking response-media-type-removed: POST /pets response 200']
  ],
  ...['103', '206', '304'].map((status): Pair => {
    return [`clients can do without ${status}`, 'operation', responses('200'), both(responses('200'), status), []]
  }),
  [
    'only who asks for a part gets one, of any content',
    'operation',
    bothWith('404', 'application/json: { schema: { type: object } }'),
    `${bothWith('404', 'application/json: { schema: { type: object } }').slice(0, -2)}, '206': { description: Part, content: { ${json} } } }`,
    []
  ],
  [
    'clients do not expect another one',
    'operation',
    responses('200'),
    both(responses('200'), '202'),
    ['breaking response-status-added: POST /pets response 202']
  ],
  ...['204', '205', '304'].map((status): Pair => {
    return [`no body comes with ${status}`, 'operation', responses(status, json), responses(status), []]
  }),
  [
    'no body comes after HEAD',
    'document',
    `{ paths: { /pets: { head: { ${responses('200', json)} } } } }`,
    `{ paths: { /pets: { head: { ${responses('200', xml)} } } } }`,
    []
  ]
])

const streamed = (item: string) => responses('200', `application/jsonl: { itemSchema: ${item} }`)
const withOperations = (operations: string) => `{ paths: { /pets: { ${operations} } } }`

const text = '{ type: string }'
const wholeQuery = (name: string) =>
  `parameters: [{ name: ${name}, in: querystring, content: { ${form}: { schema: { type: object } } } }]`
const authorized = (scheme: string) =>
  `{ security: [{ ${scheme}: [] }], components: { securitySchemes: { key: { type: oauth2, flows: { deviceAuthorization: {
    deviceAuthorizationUrl: https://a.example/device, tokenUrl: https://b.test/token, scopes: {} } } } } } }`

group('what OpenAPI 3.2 adds', [
  [
    'is the method QUERY',
    'document',
    withOperations('query: {}, get: {}'),
    withOperations('get: {}'),
    ['breaking operation-removed: QUERY /pets']
  ],
  [
    'are any methods',
    'document',
    withOperations('get: {}, additionalOperations: { PURGE: {} }'),
    withOperations('get: {}'),
    ['breaking operation-removed: PURGE /pets']
  ],
  ['are cookies as they are', 'operation', parameter('cookie', text), parameter('cookie', text, ', style: cookie'), []],
  [
    'are several cookies in one parameter',
    'operation',
    parameter('cookie', '{ type: array }'),
    parameter('cookie', '{ type: array }', ', style: cookie'),
    ['breaking request-parameter-serialization-changed: POST /pets cookie parameter q']
  ],
  ['is the whole query, whatever its name', 'operation', wholeQuery('q'), wholeQuery('query'), []],
  ['are schemes by reference', 'document', authorized('key'), authorized("'#/components/securitySchemes/key'"), []],
  [
    'are devices',
    'document',
    authorized('key'),
    authorized('key').replace('.example', '.test'),
    ['breaking security-scheme-changed: security scheme key']
  ],
  [
    'are the items of a stream',
    'operation',
    streamed('{ type: string }'),
    streamed('{ type: integer }'),
    ['breaking response-type-widened: POST /pets response 200 (application/jsonl) item']
  ]
])

const unserved = (path: string) => `{ paths: { '${path}': { get: { responses: { '200': { description: Fine } } } } } }`
const served = (server: string, path: string, rest = '') =>
  unserved(path).replace('{', `{ servers: [{ url: '${server}'${rest} }],`)

const inPath = (name: string, schema = 'type: string') =>
  `{ name: ${name}, in: path, required: true, schema: { ${schema} } }`
/** Operations with their parameters. */
const routed = (server: string, paths: Record<string, string[]>) => {
  const items = Object.entries(paths).map(
    ([path, parameters]) =>
      `'${path}': { get: { parameters: [${parameters.join(', ')}], responses: { '200': { description: Fine } } } }`
  )
  return `{ servers: [{ url: '${server}' }], paths: { ${items.join(', ')} } }`
}

group('servers and paths', [
  ['a prefix moves to the paths', 'document', served('/v1', '/pets'), served('/', '/v1/pets'), []],
  [
    'a prefix moves to the servers',
    'document',
    served('https://a.example', '/v1/pets'),
    served('https://a.example/v1', '/pets'),
    []
  ],
  ['/ is not declared any more', 'document', served('/', '/pets'), unserved('/pets'), []],
  ['a prefix moves from the server', 'document', served('/v1', '/pets'), unserved('/v1/pets'), []],
  ['a prefix moves to a server', 'document', unserved('/v1/pets'), served('/v1', '/pets'), []],
  [
    'another server is not declared any more',
    'document',
    served('/v1', '/pets'),
    unserved('/pets'),
    ['breaking server-removed: server /v1']
  ],
  [
    'a variable of one value moves to the paths',
    'document',
    served('/{base}', '/pets', ', variables: { base: { default: v1, enum: [v1] } }'),
    served('/', '/v1/pets'),
    []
  ],
  ...(
    [
      ['HTTPS://A.example/v1', '/pets', 'https://a.example/v1', '/pets'],
      ['https://a.example/x/../v1/.', '/pets', 'https://a.example/v1', '/pets'],
      ['./v%2f1', '/pets', 'v%2F1', '/pets'],
      ['/', '/caf%C3%A9/%7Eme/a b', '/', '/café/~me/a%20b'],
      ['/', '/%zz/{a b}', '/', '/%zz/{a%20b}']
    ] as const
  ).map(([server, path, same, samePath]): Pair => {
    return [`${server}${path} written otherwise`, 'document', served(server, path), served(same, samePath), []]
  }),
  [
    'an escaped slash',
    'document',
    served('/', '/a%2Fb'),
    served('/', '/a/b'),
    ['breaking operation-removed: GET /a%2Fb']
  ],
  [
    'the port that is meant anyway',
    'document',
    served('https://a.example:443/v1', '/pets'),
    served('https://a.example/v1', '/pets'),
    []
  ],
  [
    'another port',
    'document',
    served('https://a.example:80/v1', '/pets'),
    served('https://a.example/v1', '/pets'),
    ['breaking server-removed: server https://a.example:80/v1']
  ],
  ...['pets', 'operation'].flatMap((level): Pair[] => {
    const servers = "servers: [{ url: '/v1' }]"
    const within = unserved('/pets').replace(level === 'pets' ? /get: / : /(?<=get: {)/, `${servers}, $&`)
    return [
      [`a server moves to the ${level}`, 'document', served('/v1', '/pets'), within, []],
      [`a server moves from the ${level}`, 'document', within, served('/v1', '/pets'), []],
      [
        `another server at the ${level}`,
        'document',
        served('/v2', '/pets'),
        within,
        ['breaking server-removed: server /v2']
      ]
    ]
  }),
  [
    'a version moves to a parameter',
    'document',
    routed('/v1', { '/pets/{id}': [inPath('id')] }),
    routed('/', { '/{v}/pets/{id}': [inPath('id'), inPath('v', 'enum: [v1]')] }),
    []
  ],
  [
    'several versions do',
    'document',
    routed("https://a.example/v1' }, { url: 'https://a.example/v2", { '/pets/{id}': [inPath('id')] }),
    routed('https://a.example', { '/{v}/pets/{petId}': [inPath('v', 'enum: [v2, v1]'), inPath('petId')] }),
    ['breaking path-parameter-renamed: GET /{v}/pets/{petId} path parameter petId']
  ],
  [
    'one of several does',
    'document',
    routed("/v1' }, { url: '/v2", { '/pets': [] }),
    routed('/', { '/{v}/pets': [inPath('v', 'enum: [v1]')] }),
    [...['/v1', '/v2'].map(each => `breaking server-removed: server ${each}`), 'breaking operation-removed: GET /pets']
  ],
  [
    'a version moves from a parameter',
    'document',
    routed('/', { '/{v}/pets/{id}': [inPath('id'), inPath('v', 'const: v1')] }),
    routed('/v1', { '/pets/{id}': [inPath('id')] }),
    []
  ],
  [
    'a version that was any text does',
    'document',
    routed('/', { '/{v}/pets': [inPath('v', 'type: string, default: v1')] }),
    routed('/v1', { '/pets': [] }),
    ['breaking server-removed: server /', 'breaking operation-removed: GET /{v}/pets']
  ],
  [
    'a default stands for the version',
    'document',
    routed('/v1', { '/pets': [] }),
    routed('/', { '/{v}/pets': [inPath('v', 'type: string, default: v1')] }),
    []
  ],
  [
    'some paths move, and others lose their server',
    'document',
    routed('/v1', { '/pets': [], '/dogs': [] }),
    routed('/', { '/v1/pets': [], '/dogs': [] }),
    ['breaking server-removed: server /v1']
  ],
  [
    'a path moves, and another takes its place',
    'document',
    routed('/v1', { '/pets/{id}': [inPath('id')] }),
    routed('/', { '/v1/pets/{id}': [inPath('id')], '/pets/{id}': [inPath('id', 'type: integer')] }),
    []
  ],
  [
    'a path moves, and its host is lost',
    'document',
    routed("https://a.example/v1' }, { url: 'https://b.example/v1", { '/pets': [] }),
    routed('https://a.example', { '/v1/pets': [] }),
    ['breaking server-removed: server https://b.example/v1']
  ],
  [
    'two paths become one with a parameter, which accepts less beside them',
    'document',
    routed('/', { '/cats/{id}': [inPath('id')], '/dogs/{id}': [inPath('id')] }),
    routed('/', { '/{kind}/{id}': [inPath('id', 'type: integer'), inPath('kind', 'enum: [cats, dogs]')] }),
    ['breaking request-type-narrowed: GET /{kind}/{id} path parameter id']
  ],
  [
    'a path with a parameter becomes two',
    'document',
    routed('/', { '/{kind}': [inPath('kind', 'enum: [cats, dogs]')] }),
    routed('/', { '/cats': [], '/dogs': ['{ name: q, in: query, required: true }'] }),
    ['breaking request-parameter-added-required: GET /dogs query parameter q']
  ],
  [
    'a prefix that was any text gets a length',
    'document',
    routed('/{tenant}', { '/pets': [] }),
    routed('/', { '/{tenant}/pets': [inPath('tenant', 'type: string, maxLength: 5')] }),
    ['breaking server-removed: server /{tenant}', 'breaking operation-removed: GET /pets']
  ],
  [
    'a prefix is lost',
    'document',
    served('/v1', '/pets'),
    served('/', '/pets'),
    ['breaking server-removed: server /v1']
  ]
])

const beside = (tokenUrl: string, ...others: string[]) =>
  `{ security: [${[...others, '{ oauth: [read] }']}], components: { securitySchemes: { user: { type: http, scheme: basic },
    oauth: { type: oauth2, flows: { clientCredentials: { tokenUrl: ${tokenUrl}, scopes: { read: '' } } } } } } }`
group('an OAuth2 scheme with another URL is the cause', [
  ...[[], ['{ user: [] }']].map((others): Pair => {
    const [before, after] = ['a', 'b'].map(host => beside(`https://${host}.example`, ...others)) as [string, string]
    return [
      `beside ${others.length} others`,
      'document',
      before,
      after,
      ['breaking security-scheme-changed: security scheme oauth']
    ]
  })
])

const keyed = (place: string, parameter: string, ...security: string[]) =>
  `{ paths: { /pets: { get: { parameters: [${parameter && `{ name: k, in: ${place}, schema: { type: string }, ${parameter} }`}], security: [${security}], responses: {} } } },
  components: { securitySchemes: { key: { type: apiKey, in: ${place}, name: ${place === 'header' ? 'K' : 'k'} }, user: { type: http, scheme: basic } } } }`
group('an API key and a parameter of its name are the same', [
  ...['header', 'query', 'cookie'].flatMap((place): Pair[] => {
    const [parameter, key] = [keyed(place, 'required: true'), keyed(place, '', '{ key: [] }')]
    const both = keyed(place, 'required: true', '{ key: [] }')
    return [parameter, key, both].flatMap(before =>
      [parameter, key, both].map((after): Pair => [`in ${place}`, 'document', before, after, []])
    )
  }),
  [
    'but not all clients sent the parameter',
    'document',
    keyed('query', 'required: false'),
    keyed('query', '', '{ key: [] }'),
    ['breaking security-added: security']
  ],
  [
    'but not all clients sent the key',
    'document',
    keyed('query', '', '{ key: [] }', '{ user: [] }'),
    keyed('query', 'required: true', '{ key: [] }', '{ user: [] }'),
    ['breaking request-parameter-became-required: GET /pets query parameter k']
  ],
  [
    'but some keys are too long',
    'document',
    keyed('query', '', '{ key: [] }'),
    keyed('query', 'required: true', '{ key: [] }').replace('string', 'string, minLength: 1, maxLength: 32'),
    ['breaking request-max-length-narrowed: GET /pets query parameter k']
  ]
])

const callback = (name: string, url: string) =>
  `callbacks: { ${name}: { '${url}': { post: { responses: { '200': { description: Fine } } } } } }`
group('callbacks', [
  ['another name', 'operation', callback('sold', '{$request.body#/a}'), callback('bought', '{$request.body#/a}'), []],
  [
    'another URL',
    'operation',
    callback('sold', '{$request.body#/a}'),
    callback('sold', '{$request.body#/b}'),
    ['breaking callback-removed: POST /pets callback sold {$request.body#/a} POST']
  ]
])

const limited = (more: string) => field(`{ ${more} }`)
const varied = (...defaults: number[]) => {
  const variants = defaults.map(
    each =>
      `{ type: object, required: [k], properties: { k: { type: string }, n: { type: integer, default: ${each} } } }`
  )
  return `{ anyOf: [${variants.join(', ')}] }`
}
group('a default', [
  [
    'moves into allOf',
    'request',
    limited('type: integer, default: 1'),
    limited('allOf: [{ type: integer, default: 1 }]'),
    []
  ],
  [
    'is another one in allOf',
    'request',
    limited('type: integer, default: 1'),
    limited('allOf: [{ type: integer, default: 2 }]'),
    ['breaking request-property-default-changed: POST /pets request body.n']
  ],
  [
    'is another one in one variant',
    'request',
    varied(1, 1),
    varied(1, 2),
    ['breaking request-property-default-changed: POST /pets request body.n']
  ],
  ['moves with its variant', 'request', varied(1, 2, 3), varied(3, 1, 2), []],
  [
    'is of what is not sent',
    'request',
    limited('readOnly: true, default: 1'),
    limited('readOnly: true, default: 2'),
    []
  ],
  [
    'of a form field is the same text',
    'operation',
    body(form, field('{ type: integer, default: 20 }')),
    body(form, field("{ type: string, default: '20' }")),
    []
  ],
  [
    'is another value in JSON, though it is the same text',
    'request',
    limited('type: [integer, string], default: 1'),
    limited("type: [integer, string], default: '1'"),
    ['breaking request-property-default-changed: POST /pets request body.n']
  ],
  [
    'is another value in JSON within a form',
    'operation',
    body('multipart/form-data', field(field('{ type: [integer, string], default: 1 }'))),
    body('multipart/form-data', field(field("{ type: [integer, string], default: '1' }"))),
    ['breaking request-property-default-changed: POST /pets request body (multipart/form-data).n.n']
  ],
  [
    'of a parameter moves into allOf',
    'operation',
    query('{ type: integer, default: 1 }'),
    query('{ allOf: [{ type: integer, default: 1 }] }'),
    []
  ]
])

for (const version of ['3.0.3', '3.1.0']) {
  const document = (operation: string, rest: string) => `{
    openapi: ${version},
    paths: { /pets: { post: { ${operation}, responses: {} } } },
    components: { schemas: { N: { type: integer${rest} } } }
  }`
  const reference = (rest: string) => `$ref: '#/components/schemas/N'${rest}`
  const inBody = (rest: string) => body('application/json', limited(reference(rest)))
  const inQuery = (rest: string) => query(`{ ${reference(rest)} }`)
  const [one, two] = [', default: 1', ', default: 2']
  const changed = (what: string, place: string) => [`breaking request-${what}-default-changed: POST /pets ${place}`]
  const [ofProperty, ofParameter] = [changed('property', 'request body.n'), changed('parameter', 'query parameter q')]
  const counts = version !== '3.0.3'
  group(`a default in ${version}`, [
    [
      'of a property is beside a reference',
      'document',
      document(inBody(one), ''),
      document(inBody(two), ''),
      counts ? ofProperty : []
    ],
    [
      'of a parameter is beside a reference',
      'document',
      document(inQuery(one), ''),
      document(inQuery(two), ''),
      counts ? ofParameter : []
    ],
    ['of a parameter is referred to', 'document', document(inQuery(''), one), document(inQuery(''), two), ofParameter]
  ])
}

const inNoPlace = parameter('sort', '{ type: string }')

group('a parameter in a place that OpenAPI does not have', [
  ['is corrected', 'operation', inNoPlace, query('{ type: string }'), []],
  ['has another type', 'operation', inNoPlace, parameter('sort', '{ type: integer }'), []],
  [
    'is corrected, and required',
    'operation',
    inNoPlace,
    query('{ type: string }', ', required: true'),
    ['breaking request-parameter-added-required: POST /pets query parameter q']
  ],
  [
    'is one that clients sent',
    'operation',
    query('{ type: string }'),
    inNoPlace,
    ['breaking request-parameter-removed: POST /pets query parameter q']
  ]
])

const inJson = (schema: string) =>
  `parameters: [{ name: q, in: query, content: { application/json: { schema: ${schema} } } }]`

group('a parameter in JSON', [
  ['is written as without it', 'operation', inJson('{ type: integer }'), query('{ type: integer }'), []],
  ['is read as without it', 'operation', query('{ type: boolean }'), inJson('{ type: boolean }'), []],
  [
    'is bounded',
    'operation',
    query('{ type: integer }'),
    inJson('{ type: integer, maximum: 3 }'),
    ['breaking request-maximum-narrowed: POST /pets query parameter q']
  ],
  [
    'has quotes',
    'operation',
    query('{ type: string }'),
    inJson('{ type: string }'),
    ['breaking request-parameter-serialization-changed: POST /pets query parameter q']
  ],
  [
    'gets quotes',
    'operation',
    inJson('{ type: integer }'),
    inJson('{ type: string }'),
    ['breaking request-type-narrowed: POST /pets query parameter q']
  ],
  [
    'has another default',
    'operation',
    inJson('{ type: integer, default: 1 }'),
    inJson('{ type: integer, default: 2 }'),
    ['breaking request-parameter-default-changed: POST /pets query parameter q']
  ]
])
