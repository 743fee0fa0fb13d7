import { spawnSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { childEnvironment } from '../../../test/start-server.ts'
import { derive } from '../src/generate.ts'

const root = join(import.meta.dirname, '../../..')
const fixtures = join(root, 'packages/generator/test/fixtures/generality')

const generality = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'packages/generator/trials/generality.ts'), ...args],
    {
      encoding: 'utf8',
      env: childEnvironment
    }
  )
  return { status, stdout, stderr }
}

t.test('generality counts and calls the operations of each document, and says why some are refused', async t => {
  const { status, stdout, stderr } = generality(fixtures)
  t.strictSame([status, stderr], [0, ''])
  const rows = stdout.split('\n').map(line => line.trim().split(/ {2,}/))
  const withoutMeasures = rows.slice(0, 5).map(row => [...row.slice(0, 9), row.at(-1)])
  t.strictSame(withoutMeasures, [
    ['document', 'operations', 'served', 'refused', 'carried', 'called', 'rejected', 'examples', 'unfit', 'runs'],
    ['forms.yaml', '3', '3', '0', '5', '3', '10', '0', '0', 'yes'],
    ['in-part.json', '4', '1', '3', '0', '1', '0', '0', '0', 'yes'],
    ['served.yaml', '3', '3', '0', '0', '3', '0', '1', '0', 'yes'],
    ['3 documents', '10', '7', '3', '5', '7', '10', '1', '0', '3']
  ])
  t.match(stdout, '  2 in 1: contains is not a key of a Schema object in OpenAPI 3.0, only in 3.1\n')
  t.match(
    stdout,
    '  1 in 1: $ref #/components/parameters/nowhere: it points to nothing; refer to something that exists\n'
  )
})

t.test('a refused part that is moved to the components goes with the operations that refer to it', async t => {
  const Loop = { type: 'object', required: ['next'], properties: { next: { $ref: '#/components/schemas/Loop' } } }
  const responses = (schema: object) => ({ 200: { description: 'It.', content: { 'application/json': { schema } } } })
  const folder = t.testdir()
  const paths = {
    '/a': {
      get: {
        operationId: 'getA',
        'x-holder': { type: 'object', properties: { loop: { $ref: '#/components/schemas/Loop' } } },
        responses: responses({ $ref: '#/paths/~1a/get/x-holder' })
      }
    },
    '/b': { get: { operationId: 'getB', responses: responses({ type: 'string' }) } }
  }
  writeFileSync(
    join(folder, 'loop.json'),
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Loop', version: '1.0.0' },
      paths,
      components: { schemas: { Loop } }
    })
  )
  const { status, stdout, stderr } = generality(folder)
  t.strictSame([status, stderr], [0, ''])
  t.match(stdout, /^loop\.json +2 +1 +1 .* yes$/m)
})

t.test('handlers of more operations than types are inferred for get generated types', async t => {
  const schema = { type: 'object', required: ['id'], properties: { id: { type: 'integer', format: 'int64' } } }
  const content = { 'application/json': { schema, example: { id: 7 } } }
  const paths = Object.fromEntries(
    Array.from({ length: 101 }, (_, at) => [
      `/bells/${at}`,
      {
        put: {
          operationId: `ring${at}`,
          requestBody: { content },
          responses: { 200: { description: 'Rung.', content } }
        }
      }
    ])
  )
  const folder = t.testdir()
  const file = join(folder, 'many.json')
  writeFileSync(file, JSON.stringify({ openapi: '3.1.0', info: { title: 'Bells', version: '1.0.0' }, paths }))
  const modules = await derive(file)
  t.match(modules.get('operation-entries.d.ts'), `JsonOf<types["ring0"]['responses'][200]`)
  const { status, stdout, stderr } = generality(folder)
  t.strictSame([status, stderr], [0, ''])
  t.match(stdout, /^many\.json +101 +101 +0 .* yes$/m)
})

t.test('handlers return integers as the variant that fits has them', async t => {
  const variant = (kind: string, format: string) => ({
    type: 'object',
    required: ['kind', 'id'],
    properties: { kind: { const: kind }, id: { type: 'integer', format } }
  })
  const Either = { oneOf: [variant('bell', 'int64'), variant('gong', 'int32')] }
  const schema = { $ref: '#/components/schemas/Alias' }
  const examples = { bell: { value: { kind: 'bell', id: 1 } }, gong: { value: { kind: 'gong', id: 1 } } }
  const responses = { 200: { description: 'One.', content: { 'application/json': { schema, examples } } } }
  const folder = t.testdir()
  writeFileSync(
    join(folder, 'variants.json'),
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Bells', version: '1.0.0' },
      paths: { '/bell': { get: { operationId: 'getBell', responses }, head: { responses } } },
      components: { schemas: { Alias: { $ref: '#/components/schemas/Either' }, Either } }
    })
  )
  t.match(generality(folder), { status: 0, stderr: '' })
})

t.test('a number that is rounded to the bound of its format is not sent as an invalid one', async t => {
  const schema = { type: 'object', required: ['pitch'], properties: { pitch: { type: 'number', format: 'float' } } }
  const content = { 'application/json': { schema }, examples: {} }
  const folder = t.testdir()
  writeFileSync(
    join(folder, 'float.json'),
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Bells', version: '1.0.0' },
      paths: {
        '/bell': {
          put: { operationId: 'tuneBell', requestBody: { content }, responses: { 204: { description: 'Tuned.' } } }
        }
      }
    })
  )
  t.match(generality(folder), { status: 0, stderr: '' })
})

t.test('values follow references where OpenAPI has none, as the generator does', async t => {
  const folder = t.testdir()
  const document = {
    openapi: '3.0.3',
    info: { title: 'Bells', version: '1.0.0' },
    paths: {
      '/bell': {
        put: {
          operationId: 'tuneBell',
          requestBody: { required: true, content: { $ref: '#/components/x-contents/bell' } },
          responses: { 200: { description: 'Tuned.', content: { $ref: '#/components/x-contents/bell' } } }
        }
      }
    },
    components: {
      'x-contents': { bell: { 'application/json': { schema: { $ref: '#/components/schemas/Bell' } } } },
      schemas: {
        Bell: { type: 'object', required: ['id'], properties: { $ref: '#/components/schemas/Base/properties' } },
        Base: { type: 'object', properties: { id: { type: 'integer' } } }
      }
    }
  }
  writeFileSync(join(folder, 'references.json'), JSON.stringify(document))
  t.match(generality(folder), { status: 0, stderr: '' })
})

t.test(
  'integers are sent as doubles where fractions are valid, any bytes as such, and names that are alike apart',
  async t => {
    const pitch = { type: 'number', format: 'int64' }
    const parameters = [
      { name: 'next_token', in: 'query', schema: { type: 'string', maxLength: 2048 } },
      { name: 'NextToken', in: 'query', schema: { type: 'string' } },
      { name: 'pitch', in: 'query', schema: pitch },
      { name: 'Content-Encoding', in: 'header', schema: { type: 'string' } },
      { name: 'User-Agent', in: 'header', required: true, schema: { type: 'string' } }
    ]
    const requestBody = { content: { '*/*': { schema: {} } } }
    const schema = {
      type: 'object',
      required: ['pitch'],
      properties: { pitch, id: { type: 'integer', format: 'int64' } }
    }
    const responses = { 200: { description: 'Tuned.', content: { 'application/json': { schema } } } }
    const folder = t.testdir()
    writeFileSync(
      join(folder, 'doubles.json'),
      JSON.stringify({
        openapi: '3.0.3',
        info: { title: 'Bells', version: '1.0.0' },
        paths: { '/bell': { put: { operationId: 'tuneBell', parameters, requestBody, responses } } }
      })
    )
    t.match(generality(folder), { status: 0, stderr: '' })
  }
)

t.test('a handler returns the default response with a status that no range declares', async t => {
  const folder = t.testdir()
  const json = (schema: object) => ({ 'application/json': { schema } })
  const responses = {
    '2XX': {
      description: 'Them.',
      content: { ...json({ type: 'array', items: { type: 'string' } }), 'text/html': { schema: { type: 'string' } } }
    },
    default: {
      description: 'Why not.',
      content: json({ type: 'object', required: ['message'], properties: { message: { type: 'string' } } })
    }
  }
  writeFileSync(
    join(folder, 'ranges.json'),
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Ranges', version: '1.0.0' },
      paths: { '/all': { get: { operationId: 'all', responses } } }
    })
  )
  const { status, stdout, stderr } = generality(folder)
  t.strictSame([status, stderr], [0, ''], stdout)
  t.match(stdout, /^ranges\.json +1 +1 +0 +0 +1 /m)
})

t.test('a property is in no request if any of its schemas says readOnly', async t => {
  const folder = t.testdir()
  const put = (schema: object) => ({
    put: {
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: { 200: { description: 'Done.', content: { 'application/json': { schema } } } }
    }
  })
  const Id = { type: 'string', readOnly: true }
  const id = { allOf: [{ $ref: '#/components/schemas/Id' }, { minLength: 3 }] }
  const name = { type: 'string' }
  const document = {
    openapi: '3.1.0',
    info: { title: 'Bells', version: '1.0.0' },
    paths: {
      '/closed': put({
        type: 'object',
        additionalProperties: false,
        required: ['id', 'name'],
        properties: { id, name }
      }),
      '/parts': put({
        unevaluatedProperties: false,
        allOf: [
          { type: 'object', properties: { id: Id } },
          { type: 'object', required: ['id', 'name'], properties: { id: { type: 'string', minLength: 2 }, name } }
        ]
      })
    },
    components: { schemas: { Id } }
  }
  writeFileSync(join(folder, 'read-only.json'), JSON.stringify(document))
  const { status, stdout, stderr } = generality(folder)
  t.strictSame([status, stderr], [0, ''])
  t.match(stdout, /^read-only\.json +2 +2 +0 +\d+ +2 /m)
})

t.test('an operation that is refused is not counted again as one that another is reached for', async t => {
  const get = (operationId: string, more = {}) => ({
    get: { operationId, ...more, responses: { 204: { description: 'None.' } } }
  })
  const folder = t.testdir()
  const paths = {
    '/bells': get('list'),
    '/bells#all': get('all', { parameters: [{ $ref: '#/components/parameters/nowhere' }] })
  }
  writeFileSync(
    join(folder, 'bells.json'),
    JSON.stringify({ openapi: '3.1.0', info: { title: 'Bells', version: '1.0.0' }, paths })
  )
  const { status, stdout, stderr } = generality(folder)
  t.strictSame([status, stderr], [0, ''])
  t.match(stdout, /^bells\.json +2 +1 +1 /m)
})

t.test('generality fails if a document does not run, and says why', async t => {
  const folder = t.testdir()
  cpSync(fixtures, folder, { recursive: true })
  writeFileSync(join(folder, 'of-1.json'), '{"swagger": "1.2", "paths": {}}')
  const { status, stdout, stderr } = generality(folder)
  t.equal(status, 1)
  t.match(stdout, /^of-1\.json .* no$/m)
  t.match(stdout, /^served\.yaml .* yes$/m)
  t.match(
    stderr,
    /of-1\.json does not run:\nof-1\.json:1:2: this is not an OpenAPI document of version 3\.0, 3\.1 or 3\.2, or Swagger 2\.0/
  )
})

t.test('generality wants a folder with documents', async t => {
  t.match(generality(), { status: 2, stderr: /^one folder is expected\n\nUsage: npm run generality -- FOLDER/ })
  t.match(generality('nowhere'), { status: 2, stderr: /^there is no folder nowhere/ })
  t.match(generality('.', '--jobs', '0'), { status: 2, stderr: /^--jobs must be a number, 1 or more/ })
  t.match(generality(t.testdir()), { status: 1, stderr: /contains no OpenAPI document/ })
  t.match(generality('--help'), { status: 0, stdout: /^Usage: npm run generality/ })
})
