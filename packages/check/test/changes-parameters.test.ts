import t from 'tap'
import { changesBetween, findingsBetween } from './changes-between.ts'

const parameters = (...list: string[]) => `parameters: [${list.map(each => `{ ${each} }`).join(', ')}]`
const limit = (attributes: string) => parameters(`name: limit, in: query, ${attributes}`)
const place = 'POST /pets query parameter limit'

t.test('a parameter of a path belongs to all its operations, and is reported once', async t => {
  const document = (maximum: number) => `
    paths:
      /pets:
        parameters: [{ name: limit, in: query, schema: { type: integer, maximum: ${maximum} } }]
        get: { responses: {} }
        post: { responses: {} }
        put: { parameters: [{ name: limit, in: query, schema: { type: integer } }], responses: {} }`
  t.match(findingsBetween('document', document(10), document(5)), [
    {
      rule: 'request-maximum-narrowed',
      place: '/pets query parameter limit',
      uses: ['GET /pets', 'POST /pets'],
      witness: 6
    }
  ])
})

t.test('each bound that is new in a parameter is proved by a value beyond it', async t => {
  const found = findingsBetween(
    'operation',
    limit('schema: { type: integer }'),
    limit('schema: { type: integer, exclusiveMinimum: 5, exclusiveMaximum: 50 }')
  )
  const witnesses = new Map(found.map(({ rule, witness }) => [rule, Number(witness)]))
  t.strictSame([...witnesses.keys()].sort(), ['request-maximum-narrowed', 'request-minimum-narrowed'])
  t.ok((witnesses.get('request-maximum-narrowed') ?? 0) >= 50)
  t.ok((witnesses.get('request-minimum-narrowed') ?? 9) <= 5)
})

t.test('moving a parameter from an operation to its path changes nothing', async t => {
  const own = 'parameters: [{ name: limit, in: query, schema: { type: integer } }]'
  t.strictSame(
    changesBetween(
      'document',
      `paths: { /pets: { get: { ${own}, responses: {} } } }`,
      `paths: { /pets: { ${own}, get: { responses: {} } } }`
    ),
    []
  )
})

t.test('a parameter of the components is reported once', async t => {
  const document = (required: boolean) => `
    paths:
      /pets: { get: { parameters: [{ $ref: '#/components/parameters/Limit' }], responses: {} } }
      /dogs: { get: { parameters: [{ $ref: '#/components/parameters/Limit' }], responses: {} } }
    components: { parameters: { Limit: { name: limit, in: query, required: ${required}, schema: { type: integer } } } }`
  t.match(findingsBetween('document', document(false), document(true)), [
    { rule: 'request-parameter-became-required', place: 'shared parameter Limit', uses: ['GET /pets', 'GET /dogs'] }
  ])
})

t.test('headers are matched case-insensitively, and those of HTTP itself are ignored', async t => {
  const header = (name: string) => parameters(`name: ${name}, in: header, schema: { type: string }`)
  t.strictSame(changesBetween('operation', header('X-Shop'), header('x-shop')), [])
  t.strictSame(changesBetween('operation', header('Accept'), header('authorization')), [])
  t.strictSame(changesBetween('operation', header('Content-Type'), ''), [])
})

t.test('a parameter with a new location is one change, and its values are not compared', async t => {
  const moved = findingsBetween(
    'operation',
    limit('schema: { type: string }'),
    parameters('name: limit, in: cookie, required: true, schema: { type: integer }')
  )
  t.match(moved, [{ rule: 'request-parameter-moved', was: 'in query', is: 'in cookie' }])
  t.equal(moved.length, 1)
})

t.test('a style matters only if it makes a difference', async t => {
  const inQuery = (schema: string, writing: string) => limit(`schema: { ${schema} }, ${writing}`)
  const changed = [`breaking request-parameter-serialization-changed: ${place}`]
  const unclear = [`undecided request-parameter-serialization-unclear: ${place}`]
  const cases: [schema: string, before: string, after: string, expected: string[]][] = [
    ['type: integer', 'explode: true', 'explode: false', []],
    ['type: integer', '', 'style: form', []],
    ['type: array, items: {}', '', 'explode: true', []],
    ['type: array, items: {}', '', 'explode: false', changed],
    ['type: array, items: {}', 'explode: false', 'style: pipeDelimited', changed],
    ['type: array, items: {}', 'explode: true', 'style: pipeDelimited, explode: true', []],
    ['type: object', '', 'style: deepObject', changed],
    ['type: object', 'style: deepObject', 'style: deepObject, explode: true', []],
    ['type: [string, array], items: {}', '', 'explode: false', changed],
    ['oneOf: [{ type: string }, { type: integer }]', '', 'explode: false', []],
    ['enum: [a, b]', '', 'explode: false', []],
    ['const: 1', '', 'explode: false', []],
    ['allOf: [{ description: any }, { type: array, items: {} }]', '', 'explode: false', changed],
    ['anyOf: [{ type: string }, {}]', '', 'explode: false', unclear],
    ['', '', 'explode: false', unclear],
    ['', '', 'style: deepObject', changed]
  ]
  for (const [schema, before, after, expected] of cases) {
    t.strictSame(
      changesBetween('operation', inQuery(schema, before), inQuery(schema, after)),
      expected,
      `{ ${schema} } from { ${before} } to { ${after} }`
    )
  }
  const inHeader = (type: string, explode: boolean) =>
    parameters(`name: a, in: header, schema: { type: ${type} }, explode: ${explode}`)
  t.strictSame(changesBetween('operation', inHeader('array', false), inHeader('array', true)), [])
  t.strictSame(changesBetween('operation', inHeader('object', false), inHeader('object', true)), [
    'breaking request-parameter-serialization-changed: POST /pets header parameter a'
  ])
})

t.test('a parameter of a media type', async t => {
  const json = (schema: string) => limit(`content: { application/json: { schema: { ${schema} } } }`)
  t.strictSame(changesBetween('operation', json('maximum: 10'), json('maximum: 5')), [
    `breaking request-maximum-narrowed: ${place}`
  ])
  t.match(findingsBetween('operation', limit('schema: { type: object }'), json('type: object')), [
    { rule: 'request-parameter-serialization-changed', was: 'text', is: 'application/json' }
  ])
})

t.test('adding a schema narrows what may be sent', async t => {
  t.match(findingsBetween('operation', limit('description: any'), limit('schema: { type: integer }')), [
    { level: 'breaking', place, before: { file: 'before.yaml' }, after: { file: 'after.yaml' } }
  ])
  t.strictSame(
    findingsBetween('operation', limit('schema: { type: integer }'), limit('description: any')).filter(
      ({ level }) => level !== 'compatible'
    ),
    []
  )
})

t.test('a default counts, directly or by reference, unless the value is required', async t => {
  const document = (value: number, required = false) => `
    paths: { /pets: { post: { parameters: [{ name: limit, in: query, required: ${required}, schema: { $ref: '#/components/schemas/Limit' } }], responses: {} } } }
    components: { schemas: { Limit: { type: integer, default: ${value} } } }`
  t.match(findingsBetween('document', document(10), document(20)), [
    { rule: 'request-parameter-default-changed', was: '10', is: '20' }
  ])
  t.strictSame(changesBetween('document', document(10, true), document(20, true)), [])
})

t.test('a default of a property counts in requests', async t => {
  const pet = (value: string) => `{ type: object, properties: { kind: { type: string, ${value} } } }`
  t.strictSame(changesBetween('request', pet('default: cat'), pet('default: dog')), [
    'breaking request-property-default-changed: POST /pets request body.kind'
  ])
  t.strictSame(changesBetween('response', pet('default: cat'), pet('default: dog')), [])
  const required = (value: string) => `{ required: [kind], ${pet(value).slice(2)}`
  t.strictSame(changesBetween('request', required('default: cat'), required('default: dog')), [])
  const variants = (...values: string[]) => `oneOf: [${values.map(value => pet(`default: ${value}`)).join(', ')}]`
  t.strictSame(changesBetween('request', variants('cat', 'dog'), variants('dog', 'cat')), [], 'in whatever order')
})

t.test('values of parameters are equal if their text is', async t => {
  const levels = (before: string, after: string) =>
    findingsBetween('operation', limit(`schema: { ${before} }`), limit(`schema: { ${after} }`)).map(
      ({ level }) => level
    )
  const gravest = (before: string, after: string) =>
    ['breaking', 'undecided', 'compatible'].find(level => levels(before, after).some(each => each === level))
  t.equal(gravest('type: integer', 'type: string'), 'compatible')
  t.equal(gravest('type: boolean', 'type: string'), 'compatible')
  t.equal(gravest('type: string', 'type: integer'), 'breaking')
  t.equal(gravest('type: integer', 'type: string, maxLength: 1'), 'breaking')
  t.equal(gravest("type: string, enum: ['1', '2']", 'type: integer'), 'compatible')
  t.equal(gravest("type: string, enum: ['1', all]", 'type: integer'), 'breaking')
  t.equal(gravest('type: array, items: { type: integer }', 'type: string'), 'breaking')
})
