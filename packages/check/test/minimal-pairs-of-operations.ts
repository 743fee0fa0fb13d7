import { body, field, form, json, type Pair, parameter, query, responses, xml } from './minimal-pair.ts'

/** Pairs about servers and paths, media types, callbacks and defaults. */
export const pairsOfOperations = new Map<string, readonly Pair[]>()

const group = (title: string, pairs: readonly Pair[]) => pairsOfOperations.set(title, pairs)

const oneOrMore = (kind: string, ...media: string[]) =>
  kind === 'request' ? `requestBody: { content: { ${media.join(', ')} } }` : responses('200', ...media)
const [anything, short] = ["'*/*': { schema: { type: string } }", 'application/json: { schema: { maxLength: 5 } }']

group('a media type beside the range that covers it', [
  {
    title: 'is added with other values',
    in: 'operation',
    before: oneOrMore('request', anything),
    after: oneOrMore('request', anything, short),
    breaks: ['breaking request-max-length-narrowed: POST /pets request body']
  },
  {
    title: 'leaves its values to the range',
    in: 'operation',
    before: oneOrMore('response', anything, short),
    after: oneOrMore('response', anything),
    breaks: ['breaking response-max-length-widened: POST /pets response 200']
  },
  {
    title: 'leaves its values to a new range, while another stays',
    in: 'operation',
    before: oneOrMore('response', 'text/plain: { schema: { maxLength: 5 } }', json),
    after: oneOrMore('response', "'text/*': { schema: { type: string } }", json),
    breaks: ['breaking response-max-length-widened: POST /pets response 200 (text/plain)']
  },
  {
    title: 'is added, but was there in another range',
    in: 'operation',
    before: oneOrMore('request', anything, json),
    after: oneOrMore('request', anything, "'application/*': { schema: { type: string } }", json)
  }
])

const bothWith = (status: string, media: string) =>
  `${responses('200', json).slice(0, -2)}, '${status}': { description: Error, content: { ${media} } } }`
const both = (declared: string, status: string) => `${declared.slice(0, -2)}, '${status}': { description: Other } }`

group('responses', [
  { title: 'a range is spelled out', in: 'operation', before: responses('2XX', json), after: responses('200', json) },
  {
    title: 'a media type is added beside the old one',
    in: 'operation',
    before: responses('200', json),
    after: responses('200', json, xml)
  },
  {
    title: 'a media type replaces the old one',
    in: 'operation',
    before: responses('200', json),
    after: responses('200', xml),
    breaks: ['breaking response-media-type-removed: POST /pets response 200']
  },
  ...[
    ['changes', 'utf-8', 'latin1'],
    ['changes from what is meant', '', 'latin1'],
    ['changes to what is meant', 'latin1', '']
  ].map(([change, before, after]): Pair => {
    const written = (charset = '') => responses('200', `text/plain${charset && `; charset=${charset}`}: {}`)
    const breaks = ['breaking response-charset-changed: POST /pets response 200']
    return {
      title: `the charset of a text ${change}`,
      in: 'operation',
      before: written(before),
      after: written(after),
      breaks
    }
  }),
  {
    title: 'without a charset, clients decide',
    in: 'operation',
    before: responses('200', 'text/csv; charset="UTF-8": {}'),
    after: responses('200', 'text/csv: {}'),
    breaks: ['undecided response-charset-removed: POST /pets response 200']
  },
  {
    title: 'JSON and XML need no charset',
    in: 'operation',
    before: responses('200', json.replace(':', '; charset=utf-8:'), xml.replace(':', '; charset=utf-8:')),
    after: responses('200', json, xml)
  },
  {
    title: 'what clients send is read as UTF-8 anyway',
    in: 'operation',
    before: body('text/plain; charset=utf-8', '{}'),
    after: body('text/plain', '{}')
  },
  {
    title: 'a charset that was meant is written down',
    in: 'operation',
    before: responses('200', 'text/plain: {}'),
    after: responses('200', 'text/plain; charset=utf-8: {}')
  },
  ...['103', '206', '304'].map((status): Pair => {
    return {
      title: `clients can do without ${status}`,
      in: 'operation',
      before: responses('200'),
      after: both(responses('200'), status)
    }
  }),
  {
    title: 'only who asks for a part gets one, of any content',
    in: 'operation',
    before: bothWith('404', 'application/json: { schema: { type: object } }'),
    after: `${bothWith('404', 'application/json: { schema: { type: object } }').slice(0, -2)}, '206': { description: Part, content: { ${json} } } }`
  },
  {
    title: 'clients do not expect another one',
    in: 'operation',
    before: responses('200'),
    after: both(responses('200'), '202'),
    breaks: ['breaking response-status-added: POST /pets response 202']
  },
  ...['204', '205', '304'].map((status): Pair => {
    return {
      title: `no body comes with ${status}`,
      in: 'operation',
      before: responses(status, json),
      after: responses(status)
    }
  }),
  {
    title: 'no body comes after HEAD',
    in: 'document',
    before: `{ paths: { /pets: { head: { ${responses('200', json)} } } } }`,
    after: `{ paths: { /pets: { head: { ${responses('200', xml)} } } } }`
  }
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
  {
    title: 'is the method QUERY',
    in: 'document',
    before: withOperations('query: {}, get: {}'),
    after: withOperations('get: {}'),
    breaks: ['breaking operation-removed: QUERY /pets']
  },
  {
    title: 'are any methods',
    in: 'document',
    before: withOperations('get: {}, additionalOperations: { PURGE: {} }'),
    after: withOperations('get: {}'),
    breaks: ['breaking operation-removed: PURGE /pets']
  },
  {
    title: 'are cookies as they are',
    in: 'operation',
    before: parameter('cookie', text),
    after: parameter('cookie', text, ', style: cookie')
  },
  {
    title: 'are several cookies in one parameter',
    in: 'operation',
    before: parameter('cookie', '{ type: array }'),
    after: parameter('cookie', '{ type: array }', ', style: cookie'),
    breaks: ['breaking request-parameter-serialization-changed: POST /pets cookie parameter q']
  },
  {
    title: 'is the whole query, whatever its name',
    in: 'operation',
    before: wholeQuery('q'),
    after: wholeQuery('query')
  },
  {
    title: 'are schemes by reference',
    in: 'document',
    before: authorized('key'),
    after: authorized("'#/components/securitySchemes/key'")
  },
  {
    title: 'are devices',
    in: 'document',
    before: authorized('key'),
    after: authorized('key').replace('.example', '.test'),
    breaks: ['breaking security-scheme-changed: security scheme key']
  },
  {
    title: 'are the items of a stream',
    in: 'operation',
    before: streamed('{ type: string }'),
    after: streamed('{ type: integer }'),
    breaks: ['breaking response-type-widened: POST /pets response 200 (application/jsonl) item']
  }
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
  {
    title: 'a prefix moves to the paths',
    in: 'document',
    before: served('/v1', '/pets'),
    after: served('/', '/v1/pets')
  },
  {
    title: 'a prefix moves to the servers',
    in: 'document',
    before: served('https://a.example', '/v1/pets'),
    after: served('https://a.example/v1', '/pets')
  },
  { title: '/ is not declared any more', in: 'document', before: served('/', '/pets'), after: unserved('/pets') },
  {
    title: 'a prefix moves from the server',
    in: 'document',
    before: served('/v1', '/pets'),
    after: unserved('/v1/pets')
  },
  { title: 'a prefix moves to a server', in: 'document', before: unserved('/v1/pets'), after: served('/v1', '/pets') },
  {
    title: 'another server is not declared any more',
    in: 'document',
    before: served('/v1', '/pets'),
    after: unserved('/pets'),
    breaks: ['breaking server-removed: server /v1']
  },
  {
    title: 'a variable of one value moves to the paths',
    in: 'document',
    before: served('/{base}', '/pets', ', variables: { base: { default: v1, enum: [v1] } }'),
    after: served('/', '/v1/pets')
  },
  ...(
    [
      ['HTTPS://A.example/v1', '/pets', 'https://a.example/v1', '/pets'],
      ['https://a.example/x/../v1/.', '/pets', 'https://a.example/v1', '/pets'],
      ['./v%2f1', '/pets', 'v%2F1', '/pets'],
      ['/', '/caf%C3%A9/%7Eme/a b', '/', '/café/~me/a%20b'],
      ['/', '/%zz/{a b}', '/', '/%zz/{a%20b}']
    ] as const
  ).map(([server, path, same, samePath]): Pair => {
    return {
      title: `${server}${path} written otherwise`,
      in: 'document',
      before: served(server, path),
      after: served(same, samePath)
    }
  }),
  {
    title: 'an escaped slash',
    in: 'document',
    before: served('/', '/a%2Fb'),
    after: served('/', '/a/b'),
    breaks: ['breaking operation-removed: GET /a%2Fb']
  },
  {
    title: 'the port that is meant anyway',
    in: 'document',
    before: served('https://a.example:443/v1', '/pets'),
    after: served('https://a.example/v1', '/pets')
  },
  {
    title: 'another port',
    in: 'document',
    before: served('https://a.example:80/v1', '/pets'),
    after: served('https://a.example/v1', '/pets'),
    breaks: ['breaking server-removed: server https://a.example:80/v1']
  },
  ...['pets', 'operation'].flatMap((level): Pair[] => {
    const servers = "servers: [{ url: '/v1' }]"
    const within = unserved('/pets').replace(level === 'pets' ? /get: / : /(?<=get: {)/, `${servers}, $&`)
    return [
      { title: `a server moves to the ${level}`, in: 'document', before: served('/v1', '/pets'), after: within },
      { title: `a server moves from the ${level}`, in: 'document', before: within, after: served('/v1', '/pets') },
      {
        title: `another server at the ${level}`,
        in: 'document',
        before: served('/v2', '/pets'),
        after: within,
        breaks: ['breaking server-removed: server /v2']
      }
    ]
  }),
  {
    title: 'a version moves to a parameter',
    in: 'document',
    before: routed('/v1', { '/pets/{id}': [inPath('id')] }),
    after: routed('/', { '/{v}/pets/{id}': [inPath('id'), inPath('v', 'enum: [v1]')] })
  },
  {
    title: 'several versions do',
    in: 'document',
    before: routed("https://a.example/v1' }, { url: 'https://a.example/v2", { '/pets/{id}': [inPath('id')] }),
    after: routed('https://a.example', { '/{v}/pets/{petId}': [inPath('v', 'enum: [v2, v1]'), inPath('petId')] }),
    breaks: ['breaking path-parameter-renamed: GET /{v}/pets/{petId} path parameter petId']
  },
  {
    title: 'one of several does',
    in: 'document',
    before: routed("/v1' }, { url: '/v2", { '/pets': [] }),
    after: routed('/', { '/{v}/pets': [inPath('v', 'enum: [v1]')] }),
    breaks: [
      ...['/v1', '/v2'].map(each => `breaking server-removed: server ${each}`),
      'breaking operation-removed: GET /pets'
    ]
  },
  {
    title: 'a version moves from a parameter',
    in: 'document',
    before: routed('/', { '/{v}/pets/{id}': [inPath('id'), inPath('v', 'const: v1')] }),
    after: routed('/v1', { '/pets/{id}': [inPath('id')] })
  },
  {
    title: 'a version that was any text does',
    in: 'document',
    before: routed('/', { '/{v}/pets': [inPath('v', 'type: string, default: v1')] }),
    after: routed('/v1', { '/pets': [] }),
    breaks: ['breaking server-removed: server /', 'breaking operation-removed: GET /{v}/pets']
  },
  {
    title: 'a default stands for the version',
    in: 'document',
    before: routed('/v1', { '/pets': [] }),
    after: routed('/', { '/{v}/pets': [inPath('v', 'type: string, default: v1')] })
  },
  {
    title: 'some paths move, and others lose their server',
    in: 'document',
    before: routed('/v1', { '/pets': [], '/dogs': [] }),
    after: routed('/', { '/v1/pets': [], '/dogs': [] }),
    breaks: ['breaking server-removed: server /v1']
  },
  {
    title: 'a path moves, and another takes its place',
    in: 'document',
    before: routed('/v1', { '/pets/{id}': [inPath('id')] }),
    after: routed('/', { '/v1/pets/{id}': [inPath('id')], '/pets/{id}': [inPath('id', 'type: integer')] })
  },
  {
    title: 'a path moves, and its host is lost',
    in: 'document',
    before: routed("https://a.example/v1' }, { url: 'https://b.example/v1", { '/pets': [] }),
    after: routed('https://a.example', { '/v1/pets': [] }),
    breaks: ['breaking server-removed: server https://b.example/v1']
  },
  {
    title: 'two paths become one with a parameter, which accepts less beside them',
    in: 'document',
    before: routed('/', { '/cats/{id}': [inPath('id')], '/dogs/{id}': [inPath('id')] }),
    after: routed('/', { '/{kind}/{id}': [inPath('id', 'type: integer'), inPath('kind', 'enum: [cats, dogs]')] }),
    breaks: ['breaking request-type-narrowed: GET /{kind}/{id} path parameter id']
  },
  {
    title: 'a path with a parameter becomes two',
    in: 'document',
    before: routed('/', { '/{kind}': [inPath('kind', 'enum: [cats, dogs]')] }),
    after: routed('/', { '/cats': [], '/dogs': ['{ name: q, in: query, required: true }'] }),
    breaks: ['breaking request-parameter-added-required: GET /dogs query parameter q']
  },
  {
    title: 'a prefix that was any text gets a length',
    in: 'document',
    before: routed('/{tenant}', { '/pets': [] }),
    after: routed('/', { '/{tenant}/pets': [inPath('tenant', 'type: string, maxLength: 5')] }),
    breaks: ['breaking server-removed: server /{tenant}', 'breaking operation-removed: GET /pets']
  },
  {
    title: 'a prefix is lost',
    in: 'document',
    before: served('/v1', '/pets'),
    after: served('/', '/pets'),
    breaks: ['breaking server-removed: server /v1']
  }
])

const beside = (tokenUrl: string, ...others: string[]) =>
  `{ security: [${[...others, '{ oauth: [read] }']}], components: { securitySchemes: { user: { type: http, scheme: basic },
    oauth: { type: oauth2, flows: { clientCredentials: { tokenUrl: ${tokenUrl}, scopes: { read: '' } } } } } } }`
group('an OAuth2 scheme with another URL is the cause', [
  ...[[], ['{ user: [] }']].map((others): Pair => {
    const [before, after] = ['a', 'b'].map(host => beside(`https://${host}.example`, ...others)) as [string, string]
    return {
      title: `beside ${others.length} others`,
      in: 'document',
      before,
      after,
      breaks: ['breaking security-scheme-changed: security scheme oauth']
    }
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
      [parameter, key, both].map((after): Pair => ({ title: `in ${place}`, in: 'document', before, after }))
    )
  }),
  {
    title: 'but not all clients sent the parameter',
    in: 'document',
    before: keyed('query', 'required: false'),
    after: keyed('query', '', '{ key: [] }'),
    breaks: ['breaking security-added: security']
  },
  {
    title: 'but not all clients sent the key',
    in: 'document',
    before: keyed('query', '', '{ key: [] }', '{ user: [] }'),
    after: keyed('query', 'required: true', '{ key: [] }', '{ user: [] }'),
    breaks: ['breaking request-parameter-became-required: GET /pets query parameter k']
  },
  {
    title: 'but some keys are too long',
    in: 'document',
    before: keyed('query', '', '{ key: [] }'),
    after: keyed('query', 'required: true', '{ key: [] }').replace('string', 'string, minLength: 1, maxLength: 32'),
    breaks: ['breaking request-max-length-narrowed: GET /pets query parameter k']
  }
])

const callback = (name: string, url: string) =>
  `callbacks: { ${name}: { '${url}': { post: { responses: { '200': { description: Fine } } } } } }`
group('callbacks', [
  {
    title: 'another name',
    in: 'operation',
    before: callback('sold', '{$request.body#/a}'),
    after: callback('bought', '{$request.body#/a}')
  },
  {
    title: 'another URL',
    in: 'operation',
    before: callback('sold', '{$request.body#/a}'),
    after: callback('sold', '{$request.body#/b}'),
    breaks: ['breaking callback-removed: POST /pets callback sold {$request.body#/a} POST']
  }
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
  {
    title: 'moves into allOf',
    in: 'request',
    before: limited('type: integer, default: 1'),
    after: limited('allOf: [{ type: integer, default: 1 }]')
  },
  {
    title: 'is another one in allOf',
    in: 'request',
    before: limited('type: integer, default: 1'),
    after: limited('allOf: [{ type: integer, default: 2 }]'),
    breaks: ['breaking request-property-default-changed: POST /pets request body.n']
  },
  {
    title: 'is another one in one variant',
    in: 'request',
    before: varied(1, 1),
    after: varied(1, 2),
    breaks: ['breaking request-property-default-changed: POST /pets request body.n']
  },
  { title: 'moves with its variant', in: 'request', before: varied(1, 2, 3), after: varied(3, 1, 2) },
  {
    title: 'is of what is not sent',
    in: 'request',
    before: limited('readOnly: true, default: 1'),
    after: limited('readOnly: true, default: 2')
  },
  {
    title: 'of a form field is the same text',
    in: 'operation',
    before: body(form, field('{ type: integer, default: 20 }')),
    after: body(form, field("{ type: string, default: '20' }"))
  },
  {
    title: 'is another value in JSON, though it is the same text',
    in: 'request',
    before: limited('type: [integer, string], default: 1'),
    after: limited("type: [integer, string], default: '1'"),
    breaks: ['breaking request-property-default-changed: POST /pets request body.n']
  },
  {
    title: 'is another value in JSON within a form',
    in: 'operation',
    before: body('multipart/form-data', field(field('{ type: [integer, string], default: 1 }'))),
    after: body('multipart/form-data', field(field("{ type: [integer, string], default: '1' }"))),
    breaks: ['breaking request-property-default-changed: POST /pets request body (multipart/form-data).n.n']
  },
  {
    title: 'of a parameter moves into allOf',
    in: 'operation',
    before: query('{ type: integer, default: 1 }'),
    after: query('{ allOf: [{ type: integer, default: 1 }] }')
  }
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
    {
      title: 'of a property is beside a reference',
      in: 'document',
      before: document(inBody(one), ''),
      after: document(inBody(two), ''),
      breaks: counts ? ofProperty : []
    },
    {
      title: 'of a parameter is beside a reference',
      in: 'document',
      before: document(inQuery(one), ''),
      after: document(inQuery(two), ''),
      breaks: counts ? ofParameter : []
    },
    {
      title: 'of a parameter is referred to',
      in: 'document',
      before: document(inQuery(''), one),
      after: document(inQuery(''), two),
      breaks: ofParameter
    }
  ])
}

const inNoPlace = parameter('sort', '{ type: string }')

group('a parameter in a place that OpenAPI does not have', [
  { title: 'is corrected', in: 'operation', before: inNoPlace, after: query('{ type: string }') },
  { title: 'has another type', in: 'operation', before: inNoPlace, after: parameter('sort', '{ type: integer }') },
  {
    title: 'is corrected, and required',
    in: 'operation',
    before: inNoPlace,
    after: query('{ type: string }', ', required: true'),
    breaks: ['breaking request-parameter-added-required: POST /pets query parameter q']
  },
  {
    title: 'is one that clients sent',
    in: 'operation',
    before: query('{ type: string }'),
    after: inNoPlace,
    breaks: ['breaking request-parameter-removed: POST /pets query parameter q']
  }
])

const inJson = (schema: string) =>
  `parameters: [{ name: q, in: query, content: { application/json: { schema: ${schema} } } }]`

group('a parameter in JSON', [
  {
    title: 'is written as without it',
    in: 'operation',
    before: inJson('{ type: integer }'),
    after: query('{ type: integer }')
  },
  {
    title: 'is read as without it',
    in: 'operation',
    before: query('{ type: boolean }'),
    after: inJson('{ type: boolean }')
  },
  {
    title: 'is bounded',
    in: 'operation',
    before: query('{ type: integer }'),
    after: inJson('{ type: integer, maximum: 3 }'),
    breaks: ['breaking request-maximum-narrowed: POST /pets query parameter q']
  },
  {
    title: 'has quotes',
    in: 'operation',
    before: query('{ type: string }'),
    after: inJson('{ type: string }'),
    breaks: ['breaking request-parameter-serialization-changed: POST /pets query parameter q']
  },
  {
    title: 'gets quotes',
    in: 'operation',
    before: inJson('{ type: integer }'),
    after: inJson('{ type: string }'),
    breaks: ['breaking request-type-narrowed: POST /pets query parameter q']
  },
  {
    title: 'has another default',
    in: 'operation',
    before: inJson('{ type: integer, default: 1 }'),
    after: inJson('{ type: integer, default: 2 }'),
    breaks: ['breaking request-parameter-default-changed: POST /pets query parameter q']
  }
])
