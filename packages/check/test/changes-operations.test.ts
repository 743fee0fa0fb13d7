import t from 'tap'
import { changesBetween, findingsBetween } from './changes-between.ts'

const get = (parameters = '', more = '') =>
  `get: { ${more}parameters: [${parameters}], responses: { '200': { description: Fine } } }`
const inPath = (name: string, type: string) => `{ name: ${name}, in: path, required: true, schema: { type: ${type} } }`

t.test('renaming path parameters does not change a path', async t => {
  const before = `paths: { '/a/{x}/{y}': { ${get(`${inPath('x', 'string')}, ${inPath('y', 'integer')}`)} } }`
  const after = `paths: { '/a/{one}/{two}': { ${get(`${inPath('two', 'integer')}, ${inPath('one', 'string')}`)} } }`
  t.strictSame(changesBetween('document', before, after), [
    'breaking path-parameter-renamed: GET /a/{one}/{two} path parameter one',
    'breaking path-parameter-renamed: GET /a/{one}/{two} path parameter two'
  ])
  t.strictSame(
    findingsBetween('document', before, after).map(({ category }) => category),
    ['sdk', 'sdk']
  )
})

t.test('path parameters are matched by position, not by name', async t => {
  const parameters = `${inPath('x', 'string')}, ${inPath('y', 'integer')}`
  const swapped = changesBetween(
    'document',
    `paths: { '/a/{x}/{y}': { ${get(parameters)} } }`,
    `paths: { '/a/{y}/{x}': { ${get(parameters)} } }`
  )
  t.ok(
    swapped.some(each => each.startsWith('breaking request-type-narrowed: GET /a/{y}/{x} path parameter y')),
    'what was any text has to be an integer now'
  )
})

t.test('two paths that differ only in parameter names keep their own operations', async t => {
  const paths = `paths: { '/a/{x}': { ${get(inPath('x', 'string'))} }, '/a/{y}': { ${get(inPath('y', 'integer'))} } }`
  const reordered = `paths: { '/a/{y}': { ${get(inPath('y', 'integer'))} }, '/a/{x}': { ${get(inPath('x', 'string'))} } }`
  t.strictSame(changesBetween('document', paths, reordered), [])
})

t.test('an undeclared path parameter allows any value', async t => {
  const unlisted = `paths: { '/a/{x}': { ${get()} } }`
  const listed = `paths: { '/a/{x}': { ${get(inPath('x', 'integer'))} } }`
  t.strictSame(changesBetween('document', unlisted, unlisted), [])
  t.strictSame(changesBetween('document', listed, unlisted), [], 'as before')
})

t.test('paths that differ after # are different', async t => {
  const both = `paths: { '/a': { ${get()} }, '/a#copy': { ${get()} } }`
  t.strictSame(changesBetween('document', both, `paths: { '/a': { ${get()} } }`), [
    'breaking operation-removed: GET /a#copy'
  ])
})

t.test('a moved operation is not reported as new', async t => {
  const [finding, ...others] = findingsBetween(
    'document',
    `paths: { '/a': { ${get('', 'operationId: list, ')} } }`,
    `paths: { '/b': { ${get('', 'operationId: list, ').replace('get:', 'post:')} } }`
  )
  t.strictSame(others, [])
  t.match(finding, {
    rule: 'operation-moved',
    was: 'GET /a',
    is: 'POST /b',
    message: 'It is now POST /b.',
    uses: ['GET /a']
  })
})

t.test('an operation may be removed on the day of its sunset, but not before', async t => {
  const before = `paths: { '/a': { ${get('', 'deprecated: true, x-deprecated-sunset: 2026-11-20, ')} } }`
  t.strictSame(changesBetween('document', before, 'paths: {}', { today: '2026-11-19' }), [
    'breaking operation-removed: GET /a'
  ])
  t.strictSame(changesBetween('document', before, 'paths: {}', { today: '2026-11-20' }), [
    'compatible operation-removed-after-sunset: GET /a'
  ])
})

t.test('experimental and alpha operations may break, beta and stable ones may not', async t => {
  const verdicts = Object.fromEntries(
    [
      'x-stability: experimental',
      'x-stability-level: draft',
      'x-stability: alpha',
      'x-stability: beta',
      'x-other: 1'
    ].map(stability => [
      stability,
      changesBetween('document', `paths: { '/a': { ${get('', `${stability}, `)} } }`, 'paths: {}')
    ])
  )
  t.strictSame(verdicts, {
    'x-stability: experimental': ['compatible operation-removed: GET /a'],
    'x-stability-level: draft': ['compatible operation-removed: GET /a'],
    'x-stability: alpha': ['compatible operation-removed: GET /a'],
    'x-stability: beta': ['breaking operation-removed: GET /a'],
    'x-other: 1': ['breaking operation-removed: GET /a']
  })
})

t.test('the old stability decides whether an operation may break', async t => {
  const added = 'parameters: [{ name: q, in: query, required: true, schema: { type: string } }]'
  const message = findingsBetween('operation', 'x-stability: experimental', `{ x-stability: experimental, ${added} }`)
  t.match(message, [
    {
      level: 'compatible',
      message: 'It is new and required; but clients were told not to rely on the operation yet.'
    }
  ])
  t.strictSame(changesBetween('operation', '', `{ x-stability: experimental, ${added} }`), [
    'breaking stability-decreased: POST /pets',
    'breaking request-parameter-added-required: POST /pets query parameter q'
  ])
})

t.test('callbacks of an experimental operation may break with it', async t => {
  const callback = "callbacks: { sold: { '{$request.body#/url}': { post: { responses: {} } } } }"
  t.strictSame(changesBetween('operation', `{ x-stability: alpha, ${callback} }`, 'x-stability: alpha'), [
    'compatible callback-removed: POST /pets callback sold {$request.body#/url} POST'
  ])
})

t.test('in a webhook, the server is the sender', async t => {
  const body = (schema: string) =>
    `requestBody: { required: true, content: { application/json: { schema: ${schema} } } }`
  const wide = body('{ type: integer, minimum: 0, maximum: 10 }')
  const narrow = body('{ type: integer, minimum: 0, maximum: 5 }')
  t.strictSame(changesBetween('webhook', narrow, wide), [
    'breaking response-maximum-widened: webhook petSold POST request body'
  ])
  t.strictSame(
    findingsBetween('webhook', wide, narrow).map(({ level }) => level),
    ['compatible']
  )
  t.strictSame(
    findingsBetween('operation', narrow, wide).map(({ level }) => level),
    ['compatible'],
    'elsewhere the client is'
  )
  const response = (schema: string) =>
    `responses: { '200': { description: Fine, content: { application/json: { schema: ${schema} } } } }`
  t.strictSame(changesBetween('webhook', response('{ type: [string, integer] }'), response('{ type: string }')), [
    'breaking request-type-narrowed: webhook petSold POST response 200'
  ])
})

t.test('callbacks are matched by name and URL', async t => {
  const to = (expression: string) => `callbacks: { sold: { '${expression}': { post: { responses: {} } } } }`
  t.strictSame(changesBetween('operation', to('{$request.body#/url}'), to('{$request.query.url}')), [
    'breaking callback-removed: POST /pets callback sold {$request.body#/url} POST',
    'compatible callback-added: POST /pets callback sold {$request.query.url} POST'
  ])
})

t.test('a callback that is its own callback terminates', async t => {
  const document = (type: string) => `
    paths: { /pets: { post: { callbacks: { sold: { $ref: '#/components/callbacks/sold' } }, responses: {} } } }
    components:
      callbacks:
        sold:
          '{$request.body#/url}':
            post:
              requestBody: { content: { application/json: { schema: { type: ${type} } } } }
              callbacks: { sold: { $ref: '#/components/callbacks/sold' } }
              responses: {}`
  t.strictSame(changesBetween('document', document('string'), document('integer')), [
    'breaking response-type-widened: POST /pets callback sold {$request.body#/url} POST request body'
  ])
})

t.test('servers', async t => {
  const servers = (...list: string[]) => `servers: [${list.join(', ')}]`
  const region = (values: string) =>
    `{ url: 'https://{r}.example', variables: { r: { default: eu, enum: ${values} } } }`
  const any = "{ url: 'https://{r}.example', variables: { r: { default: eu } } }"
  const changes = (before: string, after: string) => changesBetween('document', before, after)

  t.strictSame(
    changes(servers('{ url: /a }', '{ url: /b }'), servers('{ url: /b/ }', '{ url: /a }')),
    [],
    'neither their order matters nor a slash at the end'
  )
  t.strictSame(changes(servers('{ url: v1 }'), servers('{ url: /v1 }')), [
    'breaking server-removed: server v1',
    'compatible server-added: server /v1'
  ])
  t.strictSame(
    changes(servers('{ url: https://eu.example }', '{ url: https://us.example }'), servers(region('[eu, us]'))),
    [],
    'a variable has any of its values'
  )
  t.match(findingsBetween('document', servers(region('[eu, us]')), servers(region('[eu]'))), [
    { rule: 'server-removed', message: '`{r}` may now only be `eu`.', uses: [] }
  ])
  const messages = (before: string, after: string) =>
    findingsBetween('document', servers(region(before)), servers(region(after))).map(({ message }) => message)
  t.strictSame(messages('[eu, us]', '[eu, de]'), [
    '`{r}` may now only be `eu` or `de`.',
    'https://de.example is a new URL of this interface.'
  ])
  t.strictSame(messages('[eu]', '[eu, de, us]'), [
    'https://de.example, https://us.example are new URLs of this interface.'
  ])
  t.strictSame(messages('[eu, de, us]', '[us]'), ['`{r}` may now only be `us`.'])
  t.match(findingsBetween('document', servers('{ url: /a/ }'), servers('{ url: /b }')), [
    { place: 'server /a/', message: 'It is no longer a URL of this interface.' },
    {
      place: 'server /b',
      message: 'It is a new URL of this interface.',
      before: undefined,
      after: { file: 'after.yaml' }
    }
  ])
  t.strictSame(
    changes(servers('{ url: https://eu.example }'), servers(any)),
    ['compatible server-added: server https://{r}.example'],
    'a variable without a list has any value'
  )
  t.strictSame(
    changes('', servers('{ url: /a }')),
    ['compatible server-added: server /a'],
    'without servers, none is promised'
  )
  t.strictSame(changes('', servers('{ url: / }')), [], 'and the default is not new')
  t.strictSame(changes(servers('{ url: / }'), ''), [], 'nor lost')
})

t.test('servers of an operation or path replace those of the document', async t => {
  const document = (ofDocument: string, ofPath: string) =>
    `servers: [{ url: ${ofDocument} }]\npaths: { /pets: { ${ofPath}get: { responses: {} } }, /dogs: { get: { responses: {} } } }`
  const [finding, ...others] = findingsBetween(
    'document',
    document('/a', ''),
    document('/a', 'servers: [{ url: /a }, { url: /b }], ')
  )
  t.match(finding, { rule: 'server-added', place: 'server /b', uses: ['GET /pets'] })
  t.strictSame(others, [])
  t.strictSame(
    findingsBetween('document', document('/a', ''), document('/a', 'servers: [{ url: /b }], ')).map(
      ({ rule, uses }) => [rule, uses]
    ),
    [
      ['server-removed', ['GET /pets']],
      ['server-added', ['GET /pets']]
    ]
  )
})

t.test('renamed schemas are distinguished from removed ones', async t => {
  const document = (pet: string, kind: string, more = '') => `
    paths: { /pets: { get: { responses: { '200': { description: Fine, content: { application/json: { schema: { $ref: '#/components/schemas/${pet}' } } } } } } } }
    components:
      schemas:
        ${pet}: { description: ${pet}, type: object, properties: { kind: { $ref: '#/components/schemas/${kind}' }, friend: { $ref: '#/components/schemas/${pet}' } } }
        ${kind}: { type: string }
        ${more}`
  t.strictSame(
    changesBetween('document', document('Pet', 'Kind'), document('Animal', 'Species')),
    ['breaking schema-renamed: Pet', 'breaking schema-renamed: Kind'],
    'though they refer to each other'
  )
  t.strictSame(
    changesBetween('document', document('Pet', 'Kind', 'Unused: { type: integer }'), document('Pet', 'Kind')),
    [],
    'generated code does not need an unreferenced component'
  )
})

t.test('a schema is renamed to one that is described alike, or at least has the same properties or values', async t => {
  const document = (...schemas: [name: string, schema: string][]) => {
    const fields = schemas.map(([name], index) => `f${index}: { $ref: '#/components/schemas/${name}' }`)
    return `
    paths: { /pets: { get: { responses: { '200': { description: Fine, content: { application/json: { schema: { properties: { ${fields} } } } } } } } } }
    components: { schemas: { ${schemas.map(each => each.join(': '))} } }`
  }
  const text = (description: string) => `{ type: string, description: ${description} }`
  const properties = (description: string) =>
    `{ type: object, description: ${description}, properties: { id: { type: integer } } }`
  const renamed = (...documents: Parameters<typeof document>[]) => {
    const [before = '', after = ''] = documents.map(each => document(...each))
    return findingsBetween('document', before, after).map(({ place, is }) => [place, is])
  }
  t.strictSame(
    renamed(
      [
        ['Remark', text('a remark')],
        ['Title', text('a title')]
      ],
      [
        ['Heading', text('a title')],
        ['Tunnel', text('a tunnel')]
      ]
    ),
    [
      ['Remark', undefined],
      ['Title', 'Heading']
    ]
  )
  t.strictSame(
    renamed(
      [
        ['Pet', properties('a pet')],
        ['Dog', properties('a dog')]
      ],
      [
        ['Hound', properties('a dog')],
        ['Animal', properties('an animal')]
      ]
    ),
    [
      ['Pet', 'Animal'],
      ['Dog', 'Hound']
    ]
  )
})

t.test('schemas used only by what may be removed may be removed with it', async t => {
  const get = (schema: string, more = '') =>
    `{ get: { ${more}responses: { '200': { description: Fine, content: { application/json: { schema: { $ref: '#/components/schemas/${schema}' } } } } } } }`
  const before = (attributes: string, other: string) => `
    paths: { /pets: ${get('Pet')}, /old: ${get('Old', attributes)}, /other: ${get(other)} }
    components: { schemas: { Pet: { type: string }, Old: { items: { $ref: '#/components/schemas/Older' } }, Older: {} } }`
  const after = `
    paths: { /pets: ${get('Pet')} }
    components: { schemas: { Pet: { type: string } } }`
  const schemasGone = (attributes: string, other = 'Pet') =>
    changesBetween('document', before(attributes, other), after).filter(each => each.includes('schema-removed'))
  const both = ['breaking schema-removed: Old', 'breaking schema-removed: Older']
  t.strictSame(schemasGone(''), both)
  t.strictSame(schemasGone('deprecated: true, x-sunset: 2026-11-21, '), both)
  t.strictSame(schemasGone('deprecated: true, x-sunset: 2026-11-20, '), [])
  t.strictSame(schemasGone('deprecated: true, x-sunset: 2026-11-20, ', 'Older'), ['breaking schema-removed: Older'])
  t.strictSame(schemasGone('x-stability: alpha, '), [])
})

t.test('a server and a path with a thousand values each: the comparison ends', async t => {
  const values = Array.from({ length: 1000 }, (_, index) => `v${index}`).join(', ')
  const server = `servers: [{ url: '/{s}', variables: { s: { default: v0, enum: [${values}] } } }]`
  const parameter = `{ name: p, in: path, required: true, schema: { enum: [${values}] } }`
  const paths = (path: string, rest: string) => {
    const others = Array.from({ length: 200 }, (_, index) => `'/${rest}${index}': { ${get()} }`)
    return `paths: { '${path}': { ${get(parameter)} }, ${others.join(', ')} }\n${server}`
  }
  const found = changesBetween('document', paths('/a/{p}', 'x'), paths('/b/{p}', 'y'))
  t.equal(found.filter(each => each.startsWith('breaking operation-removed')).length, 201)
})
