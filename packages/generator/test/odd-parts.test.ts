import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { extent } from '../../../test/extent.ts'
import { lineOf } from '../../document/src/load-error.ts'
import { derive, Outcome } from '../src/generate.ts'
import { Report } from '../src/problems.ts'

// An invalid part of a document refuses the operations that need it, and nothing else.

const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const done = { 204: { description: 'Done.' } }
const contract = {
  openapi: '3.1.0',
  info: { title: 'Bells', version: '1.0.0', contact: { name: 'Ann' }, license: { name: 'MIT', identifier: 'MIT' } },
  servers: [{ url: 'https://{host}.example/v1', variables: { host: { default: 'a', enum: ['a', 'b'] } } }],
  tags: [{ name: 'bells', externalDocs: { url: 'https://bells.example' } }],
  externalDocs: { url: 'https://bells.example' },
  security: [{ key: [] }],
  webhooks: { rung: { post: { requestBody: json({ $ref: '#/components/schemas/Told' }), responses: done } } },
  paths: {
    '/bells/{id}': {
      summary: 'A bell',
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
        { $ref: '#/components/parameters/Tones' }
      ],
      get: {
        operationId: 'getBell',
        tags: ['bells'],
        deprecated: true,
        'x-deprecated-since': '2029-01-01',
        'x-deprecated-sunset': '2030-01-01',
        responses: {
          200: { $ref: '#/components/responses/Bell' },
          default: {
            description: 'An error',
            headers: { Tone: { $ref: '#/components/headers/Tone' } },
            ...json({ oneOf: [{ $ref: '#/components/schemas/Bell' }, { type: 'null' }] })
          }
        }
      },
      put: {
        operationId: 'putBell',
        security: [{ basic: [] }, { oauth: ['ring'] }],
        servers: [{ url: '/other' }],
        requestBody: { $ref: '#/components/requestBodies/Bell' },
        callbacks: { rung: { '{$request.body#/url}': { post: { responses: done } } } },
        responses: { 204: { description: 'Done.', links: { again: { operationId: 'getBell' } } } }
      }
    },
    '/recordings': {
      post: {
        operationId: 'addRecording',
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                properties: { sound: { type: 'string', format: 'binary' }, seconds: { type: 'integer' } }
              },
              encoding: { sound: { contentType: 'audio/ogg' } }
            }
          }
        },
        responses: done
      }
    },
    '/inlined': { $ref: '#/components/pathItems/Inlined' },
    '/served': {
      get: {
        operationId: 'getServed',
        security: [],
        responses: { 200: { description: 'It.', ...json({ $ref: '#/components/schemas/Served' }) } }
      }
    }
  },
  components: {
    schemas: {
      Bell: {
        type: 'object',
        required: ['kind'],
        discriminator: { propertyName: 'kind', mapping: { hand: '#/components/schemas/HandBell' } },
        properties: {
          kind: { type: 'string' },
          size: { type: 'integer', minimum: 1, default: 3 },
          parts: { type: 'array', items: { $ref: '#/components/schemas/Bell' }, maxItems: 3 }
        }
      },
      HandBell: {
        allOf: [
          { $ref: '#/components/schemas/Bell' },
          { type: 'object', properties: { tone: { type: 'string', pattern: '^[a-h]', enum: ['a'] } } }
        ]
      },
      Told: { type: 'object', properties: { url: { type: 'string' } } },
      Unused: { type: 'object', properties: { url: { type: 'string' } } },
      Served: { type: 'object', properties: { name: { type: 'string' } } }
    },
    parameters: {
      Tones: {
        name: 'tones',
        in: 'query',
        style: 'form',
        explode: false,
        schema: { type: 'array', items: { type: 'string' } }
      }
    },
    headers: { Tone: { schema: { type: 'string' }, required: true } },
    responses: { Bell: { description: 'A bell', ...json({ $ref: '#/components/schemas/HandBell' }) } },
    requestBodies: { Bell: { required: true, ...json({ $ref: '#/components/schemas/Bell' }) } },
    examples: { Unused: { value: { kind: 'hand' } } },
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      basic: { type: 'http', scheme: 'basic' },
      oauth: { type: 'oauth2', flows: { implicit: { authorizationUrl: 'https://a.example', scopes: { ring: '' } } } }
    },
    pathItems: {
      Inlined: { get: { operationId: 'getInlined', responses: done } },
      Unused: { get: { operationId: 'getUnused', responses: done } }
    },
    callbacks: { Unused: { '{$request.body#/url}': { post: { responses: done } } } },
    links: { Unused: { operationId: 'getBell' } }
  }
}
/** The parts that the operation needs. */
const needed = [
  '/openapi',
  '/paths',
  '/paths/served',
  '/components',
  '/components/schemas',
  '/components/schemas/Served'
]

const outcomeOf = async (file: string) => {
  const outcome = new Outcome()
  const report = new Report()
  const files = await derive(file, report, outcome)
  const document = JSON.parse(files.get('openapi.json') as string)
  const refused = outcome.refused.map(({ method, path }) => `${method} ${path}`)
  return { document, report, refused, operations: outcome.operations }
}

t.test('whatever is wrong anywhere in a document, an operation that does not need it is served', async t => {
  const file = join(t.testdir(), 'bells.json')
  const places: { holder: object; key: string; at: string }[] = []
  const collect = (holder: object, around: string) => {
    for (const [key, each] of Object.entries(holder)) {
      const at = `${around}/${key.replace(/^\//, '')}`
      if (
        needed
          .slice(-1)
          .concat('/paths/served')
          .some(each => at.startsWith(each))
      )
        continue
      if (!needed.includes(at)) places.push({ holder, key, at })
      if (typeof each === 'object' && each !== null) collect(each, at)
    }
  }
  // A copy without shared objects, so that a change affects one place only.
  const document = JSON.parse(JSON.stringify(contract))
  collect(document, '')
  const junk = fc.constantFrom<unknown>(
    ...[null, 5, 'x', true, [], [null], ['x'], {}, { nonsense: 1 }, undefined],
    ...[{ $ref: 5 }, { $ref: '#/nowhere' }, { $ref: './none.yaml' }, { type: 'object', propertys: {} }]
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...places), junk, async ({ holder, key, at }, wrong) => {
      const right = Reflect.get(holder, key)
      if (wrong === undefined) Reflect.deleteProperty(holder, key)
      else Reflect.set(holder, key, wrong)
      writeFileSync(file, JSON.stringify(document))
      Reflect.set(holder, key, right)
      const { document: served, report, refused } = await outcomeOf(file)
      if (refused.includes('GET /served')) throw new Error('an operation that does not need it is refused')
      if (served.paths['/served'].get.responses[200] === undefined) throw new Error('it is not served')
      // If the operation were served without it, it would be dropped silently.
      const isOfOperation = /^\/paths\/.*\/(?:get|put|post)\//.test(at) && !/\/(?:callbacks|links)\b/.test(at)
      const leftOut = report.warnings.filter(({ message }) => message.includes('it is left out'))
      if (isOfOperation && leftOut.length > 0) throw new Error(leftOut.map(lineOf).join('\n'))
    }),
    { numRuns: extent(60, 3_000) }
  )
})

t.test('paths, texts and files that are odd refuse their own operations, and what has none is carried', async t => {
  const operation = '{ responses: { 204: { description: Done } } }'
  const folder = t.testdir({
    'broken.yaml': 'a: [}\n',
    'bells.yaml': `openapi: 3.0
info: { title: 5, version: 1.0, description: [a], contact: { url: {} } }
tags: 5
paths:
  '/nothing/^.*$': { description: x }
  note: { description: no path }
  '/any/*': { trace: ${operation} }
  /served: { get: { summary: {}, description: 5, responses: { 204: { description: Done } } } }
  /100%25/a%20b/~: { get: ${operation} }
  /method: { get: ${operation}, get: ${operation}, put: ${operation} }
  /path: { get: ${operation} }
  /served-too: { get: ${operation} }
  /path: { get: ${operation} }
  /tag: { get: { responses: { 204: { description: !own d } } } }
  /number: { get: { responses: { 200: { description: It, content: { application/json: { schema: { maximum: .inf } } } } } } }
  /merge: { get: { <<: merged, responses: { 204: { description: d } } } }
  /alias: { get: { responses: { 204: { description: *none } } } }
  /item: { $ref: './broken.yaml' }
  /response: { get: { responses: { 200: { $ref: './broken.yaml#/x' } } } }
x-unknown: *none
`
  })
  const yaml = await outcomeOf(join(folder, 'bells.yaml'))
  t.strictSame(yaml.refused, [
    'TRACE /any/*',
    'GET /method',
    'GET /path',
    'GET /tag',
    'GET /number',
    'GET /merge',
    'GET /alias',
    'ANY /item',
    'GET /response'
  ])
  t.equal(yaml.operations, 13)
  t.match(yaml.document, { openapi: '3.0.0', info: { title: '5', version: '1' } })
  const { warnings } = yaml.report
  for (const message of [
    /the path segment \^\.\*\$ is not supported; .*; the path has no operation, and is for readers$/,
    /^note is not a path, which starts with \/, and has no operation$/,
    /^openapi is 3, and read as 3\.0\.0$/,
    /^tags should be a list; no operation needs it, so it is left out$/,
    /^description is \["a"\], and is ignored; expected: a text$/
  ])
    t.ok(
      warnings.some(each => message.test(each.message)),
      String(message)
    )
})

t.test('a key that a JSON text repeats refuses the operations that need it', async t => {
  const operation = '{ "responses": { "204": { "description": "Done" } } }'
  const file = join(t.testdir(), 'bells.json')
  writeFileSync(
    file,
    `{ "openapi": "3.1.0", "info": { "title": "Bells", "title": "Bells", "version": "1" }, "paths": {
      "/bells": { "get": ${operation}, "put": ${operation}, "put": ${operation} },
      "/tones": { "get": ${operation} }, "/tones": { "get": ${operation} }
    } }`
  )
  const { refused, report } = await outcomeOf(file)
  t.strictSame(refused, ['PUT /bells', 'GET /tones'])
  t.match(report.warnings[0]?.message, /^this key is declared twice .*; no operation needs it, so it is left out$/)
})

t.test('what of Swagger 2.0 cannot be converted refuses what needs it', async t => {
  const responses = 'responses: { 204: { description: Done } }'
  const folder = t.testdir({
    'bells.yaml': `swagger: '2.0'
info: { title: Bells, version: '1' }
securityDefinitions: { key: { type: apiKey, in: header, name: Key }, none: null }
parameters:
  Tones: { name: tones, in: formData, type: array, items: { type: string }, collectionFormat: tsv }
  Nowhere: { name: n, type: string }
definitions: { Bell: { type: object } }
paths:
  /served: { get: { responses: { 200: { description: It, schema: { $ref: '#/definitions/Bell' } } } } }
  /no-place: { get: { parameters: [{ name: x, type: string }], ${responses} }, put: { ${responses} } }
  /shared: { get: { parameters: [{ $ref: '#/parameters/Nowhere' }], ${responses} } }
  /secured: { get: { security: [{ none: [] }], ${responses} } }
  /tsv: { get: { parameters: [{ name: x, in: query, type: array, items: { type: string }, collectionFormat: tsv }], ${responses} } }
  /form: { post: { parameters: [{ $ref: '#/parameters/Tones' }], ${responses} } }
  /parameters: { parameters: 5, get: { ${responses} } }
`
  })
  const { refused, operations } = await outcomeOf(join(folder, 'bells.yaml'))
  t.strictSame(refused, ['GET /no-place', 'GET /shared', 'GET /secured', 'GET /tsv', 'POST /form', 'ANY /parameters'])
  t.equal(operations, 8)
})
