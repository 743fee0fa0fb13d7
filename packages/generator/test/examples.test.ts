import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { exampleResponses } from '../../check/src/index.ts'
import { derive, Outcome } from '../src/generate.ts'

const contract = `openapi: 3.1.0
info: { title: Bells, version: 1.0.0 }
paths:
  /shown:
    get:
      operationId: getShown
      responses:
        default: { description: An error }
        '201':
          description: It
          content:
            application/json:
              schema: &bell
                type: object
                required: [id, tone]
                properties:
                  id: { type: integer, format: int64, minimum: 7 }
                  tone: { type: string, pattern: '^[a-g]$' }
              examples:
                wrong: { value: { id: 1 } }
                right: { value: { id: 9007199254740995, tone: c } }
  /made:
    get:
      operationId: getMade
      responses: { 2XX: { description: It, content: { application/json: { schema: *bell } } } }
  /nothing:
    get:
      operationId: getNothing
      responses:
        '204': { description: Nothing, headers: { X-Tone: { required: true, schema: { type: string, enum: [a, b] } } } }
  /untyped:
    get:
      operationId: getUntyped
      responses:
        '200':
          description: It
          content: { application/json: { schema: { properties: { tone: { properties: { of: { type: string } } } }, required: [tone] } } }
  /null:
    get:
      operationId: getNull
      responses:
        '200':
          description: It
          content: { application/json: { schema: { type: [string, 'null'], example: null }, example: null } }
        '201':
          description: A reference
          content: { application/json: { schema: { $ref: '#/components/schemas/Note' }, example: null } }
        '202':
          description: What is not written yet
          content: { application/json: { schema: { type: string, example: }, example: } }
  /impossible:
    get:
      operationId: getImpossible
      responses:
        '200':
          description: It
          content: { application/json: { schema: { type: object, required: [weight], additionalProperties: false } } }
  /refused:
    get:
      operationId: getRefused
      responses: { '200': { description: It, content: { application/json: { schema: { tyqe: object } } } } }
components:
  schemas:
    Note: { type: [string, 'null'], description: A note }
`

t.test('examples are handlers that return the first example that is right, or what the schemas allow', async t => {
  const folder = t.testdir({ 'bells.yaml': contract })
  const derived = (examples: boolean) =>
    derive(join(folder, 'bells.yaml'), undefined, new Outcome(), { contract: 'bells.yaml', examples })
  const files = await derived(true)
  writeFileSync(join(folder, 'examples.mjs'), files.get('examples.js') ?? '')
  const { examples } = await import(pathToFileURL(join(folder, 'examples.mjs')).href)
  t.strictSame(Object.keys(examples), ['getShown', 'getMade', 'getNothing', 'getUntyped', 'getNull'])
  t.strictSame(await examples.getShown(), {
    status: 201,
    body: { id: 9007199254740995n, tone: 'c' }
  })
  t.strictSame(await examples.getMade(), { status: 200, body: { id: 7, tone: 'a' } })
  t.strictSame(await examples.getNothing(), { status: 204, headers: { 'X-Tone': 'a' } })
  t.match(await examples.getUntyped(), { status: 200, body: { tone: { of: /./ } } })
  t.strictSame(await examples.getNull(), { status: 200, body: null })
  const { responses } = JSON.parse(files.get('openapi.json') ?? '').paths['/null'].get
  t.strictSame(
    Object.values<{ content: object }>(responses).map(
      each => JSON.stringify(each.content).match(/"example":null/g)?.length
    ),
    [2, 1, undefined]
  )
  t.match(files.get('examples.d.ts'), /^readonly "getMade": Example$/m)
  t.notOk((await derived(false)).has('examples.js'))
})

t.test('what is made has no property that only a variant it does not match declares', t => {
  const User = { type: 'object', required: ['login'], properties: { login: { type: 'string' } } }
  const Team = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, description: { type: ['string', 'null'] } }
  }
  const content = { 'application/json': { schema: { oneOf: [User, Team] } } }
  const owned = {
    openapi: '3.1.0',
    info: { title: 'Owned', version: '1.0.0' },
    paths: { '/owner': { get: { operationId: 'getOwner', responses: { 200: { description: 'It', content } } } } }
  }
  t.match(exampleResponses(owned), [{ operationId: 'getOwner', body: { description: undefined, login: String } }])
  t.end()
})

t.test('what is made has the examples of its parts that are right', t => {
  const named = { type: 'object', properties: { name: { type: 'string', example: 'Ada' } } }
  const Person = {
    allOf: [
      named,
      {
        required: ['id'],
        properties: {
          id: { type: 'integer', example: 12 },
          born: { type: 'string', format: 'date', example: '10 December' },
          tags: { type: 'array', items: { type: 'string', examples: ['new'] } },
          insurer: { oneOf: [{ type: 'object', example: {} }, { $ref: '#/components/schemas/Insurer' }] },
          mother: { $ref: '#/components/schemas/Person' }
        }
      }
    ]
  }
  const Insurer = { type: 'string', minLength: 3, example: 'public' }
  const content = { 'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Person' } } } }
  const people = {
    openapi: '3.1.0',
    info: { title: 'People', version: '1.0.0' },
    paths: { '/people': { get: { operationId: 'getPeople', responses: { 200: { description: 'All', content } } } } },
    components: { schemas: { Person, Insurer } }
  }
  const [shown] = exampleResponses(people)
  const born = /^\d{4}-\d\d-\d\d$/
  const person = { id: 12, name: 'Ada', born, tags: ['new'], insurer: 'public', mother: { id: 12, name: 'Ada' } }
  t.match(shown, { operationId: 'getPeople', body: [person] })
  t.end()
})

t.test('a stream of values has an example, in a new project and in the mock', async t => {
  const item = { type: 'object', required: ['id'], properties: { id: { type: 'integer', minimum: 7 } } }
  const streams: Record<string, [media: object, text: string]> = {
    'application/x-ndjson': [{ schema: item }, '{"id":7}\n'],
    'application/jsonl': [{ itemSchema: item }, '{"id":7}\n'],
    'application/ndjson': [{ schema: { type: 'array', items: item, minItems: 2 } }, '{"id":7}\n{"id":7}\n'],
    'application/json-seq': [{ schema: item }, '\x1e{"id":7}\n'],
    'application/x-jsonlines': [{ schema: item, example: '{"id":1}\n{"id":2}\n' }, '{"id":1}\n{"id":2}\n'],
    'text/event-stream': [{ schema: item }, 'data: {"id":7}\n\n'],
    'text/event-stream; version=1': [
      { schema: { type: 'object', required: ['data'], properties: { data: item } } },
      'data: {"id":7}\n\n'
    ],
    'text/event-stream; charset=utf-8': [
      { schema: { type: 'object' }, examples: { one: { dataValue: { event: 'rung', data: 'a\nb' } } } },
      'event: rung\ndata: a\ndata: b\n\n'
    ]
  }
  const document = {
    openapi: '3.2.0',
    info: { title: 'Bells', version: '1.0.0' },
    paths: Object.fromEntries(
      Object.entries(streams).map(([type, [media]], index) => [
        `/${index}`,
        { get: { operationId: `get${index}`, responses: { 200: { description: 'It', content: { [type]: media } } } } }
      ])
    )
  }
  t.strictSame(
    exampleResponses(document as never).map(({ mediaType, body }) => [mediaType, body]),
    Object.entries(streams).map(([type, [, text]]) => [type, text])
  )
})
