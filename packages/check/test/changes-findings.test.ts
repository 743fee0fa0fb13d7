import { globSync, readFileSync } from 'node:fs'
import t from 'tap'
import { loadDocument, type OpenApiDocument, readDocument } from '../../document/src/document.ts'
import { compareDocuments } from '../src/changes/compare.ts'
import { fingerprintOf } from '../src/changes/finding.ts'
import { changesBetween, findingsBetween } from './changes-between.ts'

const options = { strict: false, today: '2026-11-20', graceDays: 90 }

/** Documents that differ in a limit. */
const versions = (limits: [before: number, after: number], text: (limit: number) => string) =>
  limits.map(limit => readDocument(text(limit), `${limit}.yaml`)) as [OpenApiDocument, OpenApiDocument]

t.test('a fingerprint depends only on the rule, the place and both states', async t => {
  const finding = { rule: 'a', place: 'b', was: 'c', is: 'd' }
  t.match(fingerprintOf(finding), /^[0-9a-f]{12}$/)
  t.equal(fingerprintOf({ ...finding, message: 'e' } as never), fingerprintOf(finding))
  const others = [{ rule: 'x' }, { place: 'x' }, { was: 'x' }, { is: 'x' }].map(each =>
    fingerprintOf({ ...finding, ...each })
  )
  t.equal(new Set([fingerprintOf(finding), ...others]).size, 5)
  t.not(fingerprintOf({ rule: 'a', place: 'b', was: 'c' }), fingerprintOf({ rule: 'a', place: 'b', is: 'c' }))
})

t.test('a finding has locations on both sides', async t => {
  const [finding] = findingsBetween('operation', 'operationId: a', 'operationId: b')
  t.match(finding, {
    before: { file: 'before.yaml', line: 11, column: 7 },
    after: { file: 'after.yaml', line: 11, column: 7 },
    fingerprint: fingerprintOf({ rule: 'operation-id-changed', place: 'POST /pets', was: 'a', is: 'b' })
  })
})

t.test('a finding that is undecided does not claim harm, and says why', async t => {
  const body = (schema: string) =>
    `operationId: a\nrequestBody: { content: { application/json: { schema: ${schema} } } }\nresponses: {}`
  t.match(
    findingsBetween('operation', body('{ type: string }'), body('{ type: string, contentSchema: { type: object } }')),
    [
      {
        level: 'undecided',
        message: /; it is undecided whether all that was accepted still is, because no value was found that shows it\.$/
      }
    ]
  )
})

t.test('one cause is reported once, with its highest severity and the operations that have it', async t => {
  const document = (maximum: number) => `
    paths:
      /a: { get: { x-stability: experimental, parameters: [{ $ref: '#/components/parameters/Limit' }], responses: {} } }
      /b: { get: { parameters: [{ $ref: '#/components/parameters/Limit' }], responses: {} } }
      /c: { get: { x-stability: experimental, parameters: [{ $ref: '#/components/parameters/Limit' }], responses: {} } }
    components: { parameters: { Limit: { name: limit, in: query, schema: { type: integer, maximum: ${maximum} } } } }`
  const findings = findingsBetween('document', document(10), document(5))
  t.equal(findings.length, 1)
  t.match(findings, [{ level: 'breaking', witness: 6 }])
  t.strictSame(findings[0]?.uses, ['GET /b'], 'it breaks none of which clients were told not to rely on it')
  t.notMatch(findings[0]?.message, 'not to rely on')
  t.match(findingsBetween('document', document(5), document(10)), [
    { level: 'compatible', uses: ['GET /a', 'GET /b', 'GET /c'] }
  ])
})

t.test('what a part of an allOf no longer requires is one change, of that part', async t => {
  const document = (required: string) => `
    paths: { /a: { get: { responses: { '200': { description: A., content: { application/json: { schema: { $ref: '#/components/schemas/Whole' } } } } } } } }
    components:
      schemas:
        Part: { type: object, required: ${required}, properties: { id: { type: string }, name: { type: [string, 'null'] } } }
        Whole: { allOf: [{ $ref: '#/components/schemas/Part' }, { required: [size], properties: { size: { type: integer } } }] }`
  const [both, one] = [document('[id, name]'), document('[id]')]
  t.strictSame(changesBetween('document', both, one), ['breaking response-required-widened: Part.name'])
  t.strictSame(changesBetween('document', one, both), ['compatible response-schema-changed: Part.name'])
})

t.test('what changes in a component is one change of it, also where other schemas combine it', async t => {
  const party = "{ $ref: '#/components/schemas/Party' }"
  const whole = (schema: string) => `{ content: { application/json: { schema: ${schema} } } }`
  const uses = [
    party,
    `{ allOf: [${party}, { properties: { name: {} } }] }`,
    `{ properties: { party: { anyOf: [${party}, { type: 'null' }] } } }`
  ]
  const document = (schemas: string) => `
    paths: { ${uses.map((each, index) => `/${index}: { post: { requestBody: ${whole(each)}, responses: { '200': ${whole(each)} } } }`)} }
    components: { schemas: { ${schemas} } }`
  const [before, after] = [
    document(`Party: { type: object, required: [id], properties: { id: {}, note: { maxLength: 20 } } }`),
    document(`
      Base: { type: object, required: [uuid], properties: { uuid: {} } },
      Party: { allOf: [{ $ref: '#/components/schemas/Base' }, { properties: { note: { maxLength: 10 } } }] }`)
  ]
  t.strictSame(changesBetween('document', before, after).sort(), [
    'breaking request-max-length-narrowed: Party.note',
    'breaking request-required-narrowed: Party.uuid',
    'breaking response-required-widened: Party.id',
    'compatible request-property-removed: Party.id',
    'compatible response-property-added: Party.uuid',
    'compatible response-schema-changed: Party.note'
  ])
})

t.test('the most severe come first, otherwise in the order of the contract', async t => {
  const limit = (name: string, more = '') => `{ name: ${name}, in: query, ${more}schema: {} }`
  t.strictSame(
    changesBetween(
      'operation',
      `parameters: [${limit('a')}, ${limit('b', 'required: true, ')}, ${limit('c')}, { name: d, in: query, schema: {} }]`,
      `parameters: [${limit('e')}, { name: d, in: query, explode: false, schema: {} }, ${limit('b')}]`
    ),
    [
      'breaking request-parameter-removed: POST /pets query parameter a',
      'breaking request-parameter-removed: POST /pets query parameter c',
      'undecided request-parameter-serialization-unclear: POST /pets query parameter d',
      'compatible request-parameter-became-optional: POST /pets query parameter b',
      'compatible request-parameter-added: POST /pets query parameter e'
    ]
  )
})

t.test('OpenAPI 3.0 and 3.1 are compared with each other', async t => {
  const text = (version: string, type: string) => `
    openapi: ${version}
    info: { title: Animals, version: 1.0.0 }
    paths: { /pets: { get: { parameters: [{ name: a, in: query, schema: { ${type} } }, { name: b, in: query, schema: {} }], responses: {} } } }`
  const before = readDocument(text('3.0.3', 'type: integer, nullable: true'), 'before.yaml')
  const after = readDocument(text('3.1.0', 'type: [integer, "null"]'), 'after.yaml')
  t.strictSame(compareDocuments(before, after, options), [])
})

t.test('reordering a contract changes nothing', async t => {
  const reordered = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(reordered)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .toReversed()
              .map(([key, each]) => [key, reordered(each)])
          )
        : value
  for (const file of ['openapi/petstore.yaml', ...globSync('test/contracts/*/*.{yaml,json}')]) {
    const contract = loadDocument(file)
    const text = JSON.stringify(reordered(contract.root.value), (_key, each) =>
      typeof each === 'bigint' ? JSON.rawJSON(String(each)) : each
    )
    t.strictSame(compareDocuments(contract, loadDocument(file), options), [], file)
    t.strictSame(compareDocuments(contract, readDocument(text, file), options), [], `${file}, reversed`)
  }
})

t.test('a change in another file is reported once', async t => {
  const folderWith = (maximum: number, required: boolean) => {
    const limit = `{ name: limit, in: query, schema: { type: integer, maximum: ${maximum} } }`
    const get = "get: { parameters: [{ $ref: parameters/limit.yaml }, { $ref: 'more.yaml#/Page' }], responses: {} }"
    return t.testdir({
      'openapi.yaml': `{ openapi: 3.1.0, info: { version: 1.0.0 }, paths: { /pets: { ${get} }, /dogs: { ${get} } } }`,
      'more.yaml': `Page: { name: page, in: query, required: ${required}, schema: { type: integer } }`,
      parameters: { 'limit.yaml': limit }
    })
  }
  const before = loadDocument(`${folderWith(100, false)}/openapi.yaml`)
  const after = loadDocument(`${folderWith(50, true)}/openapi.yaml`)
  const uses = ['GET /pets', 'GET /dogs']
  const found = compareDocuments(before, after, options).map(({ rule, place, uses }) => ({ rule, place, uses }))
  t.strictSame(found, [
    { rule: 'request-maximum-narrowed', place: 'shared parameters/limit.yaml', uses },
    { rule: 'request-parameter-became-required', place: 'shared more.yaml#/Page', uses }
  ])
})

t.test('schemas that are alike are each found where they are', async t => {
  const text = (type: string) => `
    openapi: 3.1.0
    info: { title: Animals, version: 1.0.0 }
    paths:
      /pets: { get: { responses: { '200': { description: All, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } } } } }
    components:
      schemas:
        Pet:
          properties:
            id: { type: ${type} }
            age: { type: ${type} }
            sizes: { items: { type: ${type} } }`
  const [before, after] = ['integer', 'string'].map(type => readDocument(text(type), `${type}.yaml`)) as [
    OpenApiDocument,
    OpenApiDocument
  ]
  const found = compareDocuments(before, after, options).map(({ place, before, after }) => [
    place,
    before?.line,
    after?.line
  ])
  t.strictSame(found, [
    ['Pet.id', 10, 10],
    ['Pet.age', 11, 11],
    ['Pet.sizes[]', 12, 12]
  ])
})

t.test('compatible changes of schemas that are alike are each found where they are', async t => {
  const pet = (more: string) => `{ properties: { id: { type: string }${more} } }`
  const response = (more: string) => `{ properties: { sold: ${pet(more)}, all: { items: ${pet(more)} } } }`
  t.strictSame(changesBetween('response', response(''), response(', age: { type: integer }')), [
    'compatible response-property-added: POST /pets response 200.sold.age',
    'compatible response-property-added: POST /pets response 200.all[].age'
  ])
})

t.test('the same comparison gives the same findings', async t => {
  const file = 'openapi/petstore.yaml'
  const changed = readFileSync(file, 'utf8')
    .replace(/(?<=\n {4}PetFields:\n[\s\S]*?maxLength: )255/, '200')
    .replace('operationId: listPets', 'operationId: list')
  const run = () => compareDocuments(loadDocument(file), readDocument(changed, file), options)
  t.strictSame(run(), run())
  t.match(run(), [
    { rule: 'request-max-length-narrowed', place: 'PetFields.name', uses: ['POST /pets'] },
    { rule: 'operation-id-changed', category: 'sdk', uses: ['GET /pets'] },
    { level: 'compatible', place: 'PetFields.name', uses: ['GET /pets', 'POST /pets', 'GET /pets/{petId}'] }
  ])
})

t.test('what changes alike in equal schemas is told where each is written', async t => {
  const text = (limit: number) => {
    const schema = `{ properties: { by: { items: { anyOf: [{ type: integer }, { type: string, maxLength: ${limit} }] } } } }`
    const body = `requestBody: { content: { application/json: { schema: ${schema} } } }`
    return `openapi: 3.1.0
info: { title: Animals, version: 1.0.0 }
paths:
  /a: { post: { ${body}, responses: {} } }
  /b: { post: { ${body}, responses: {} } }
  /c: { post: { requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/C' } } } }, responses: {} } }
components:
  schemas:
    C: { properties: { inner: ${schema} } }`
  }
  const [before, after] = versions([9, 8], text)
  const found = compareDocuments(before, after, options)
  t.match(found, [
    { place: 'POST /a request body.by[]', before: { line: 4 }, after: { line: 4 } },
    { place: 'POST /b request body.by[]', before: { line: 5 }, after: { line: 5 } },
    { place: 'C.inner.by[]', before: { line: 9 }, after: { line: 9 } }
  ])
  t.equal(found.length, 3)
})

t.test('places whose names would be the same have different fingerprints', async t => {
  const body = (properties: string) => `
    openapi: 3.1.0
    info: { title: Animals, version: 1.0.0 }
    paths:
      /pets:
        post:
          requestBody: { content: { application/json: { schema: { properties: { ${properties} } } } } }
          responses: {}`
  const names = (limit: number) =>
    [
      `a: { properties: { b: { maxLength: ${limit} } }, additionalProperties: { maxLength: ${limit} } }`,
      `c: { items: { maxLength: ${limit} } }`,
      ...['a.b', 'a{}', 'c[]'].map(name => `'${name}': { maxLength: ${limit} }`)
    ].join(', ')
  const [before, after] = versions([9, 8], limit => body(names(limit)))
  const found = compareDocuments(before, after, options)
  t.strictSame(
    found.map(({ place }) => place.replace('POST /pets request body.', '')),
    ['a.b', 'a{}', 'c[]', '"a.b"', '"a{}"', '"c[]"']
  )
  t.equal(new Set(found.map(({ fingerprint }) => fingerprint)).size, 6)
})

t.test('a finding names the component that it is in, whatever dots its name has', async t => {
  const text = (limit: number) => `
    openapi: 3.1.0
    info: { title: Animals, version: 1.0.0 }
    paths:
      /pets:
        get:
          parameters: [{ $ref: '#/components/parameters/Limit' }]
          responses: { '200': { description: All, content: { application/json: { schema: { $ref: '#/components/schemas/v1.Pet' } } } } }
        post:
          parameters: [{ name: page, in: query, schema: { maximum: ${limit} } }]
          responses: {}
    components:
      parameters: { Limit: { name: limit, in: query, schema: { type: integer, maximum: ${limit} } } }
      schemas: { v1.Pet: { properties: { tags.name: { items: { maxLength: ${300 - limit} } } } } }`
  const [before, after] = versions([100, 50], text)
  const found = compareDocuments(before, after, options).map(({ place, component }) => [place, component])
  t.strictSame(found, [
    ['shared parameter Limit', 'shared parameter Limit'],
    ['v1.Pet."tags.name"[]', 'v1.Pet'],
    ['POST /pets query parameter page', undefined]
  ])
})

t.test('what was removed is shown at its closest container that is left', t => {
  const limit = 'parameters: [{ name: limit, in: query, schema: { type: integer } }]'
  const [removed] = findingsBetween('operation', limit, '')
  const listed = (...names: string[]) =>
    `parameters: [${names.map(name => `{ name: ${name}, in: query, schema: {} }`).join(', ')}]`
  const [item] = findingsBetween('operation', listed('a', 'b'), listed('b'))
  t.match(item?.parent, { line: 11 }, 'not the item that has its index now')
  const [kept] = findingsBetween('operation', 'deprecated: false', 'deprecated: true')
  t.match(removed, { rule: 'request-parameter-removed', before: { file: 'before.yaml' }, after: undefined })
  t.strictSame(removed?.parent, { ...removed?.parent, file: 'after.yaml', line: 7 })
  t.equal(kept?.parent, undefined)
  t.end()
})
