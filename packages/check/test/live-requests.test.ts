import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { loadDocument, readDocument } from '../../document/src/document.ts'
import type { Json } from '../../document/src/json.ts'
import { coverageTable } from '../src/live/coverage.ts'
import { curlOf } from '../src/live/differences.ts'
import { checkLive } from '../src/live/live.ts'
import { Things } from '../src/live/things.ts'
import { basePathOf, operationsOf, type Parameter } from '../src/operations/operations.ts'
import { jsonOf, nothingWritten, readingsOf, write } from '../src/operations/parameters.ts'
import { randomNumbers } from '../src/samples/random.ts'
import { Schemas } from '../src/samples/schemas.ts'
import { Values } from '../src/samples/values.ts'

const documentOf = (paths: object, rest: object = {}) =>
  readDocument(JSON.stringify({ openapi: '3.1.0', info: { title: 'x', version: '1' }, paths, ...rest }), 'x.json')

t.test('requests: values are serialized in the style of their parameter', async t => {
  const colour: [name: string, value: Json][] = [
    ['text', 'blue'],
    ['list', ['blue', 'black']],
    ['object', { R: 100, G: 200 }]
  ]
  const expected: Record<string, [text: string, list: string, object: string]> = {
    'path simple false': ['blue', 'blue,black', 'R,100,G,200'],
    'path simple true': ['blue', 'blue,black', 'R=100,G=200'],
    'path label false': ['.blue', '.blue,black', '.R,100,G,200'],
    'path label true': ['.blue', '.blue.black', '.R=100.G=200'],
    'path matrix false': [';color=blue', ';color=blue,black', ';color=R,100,G,200'],
    'path matrix true': [';color=blue', ';color=blue;color=black', ';R=100;G=200'],
    'query form false': ['color=blue', 'color=blue,black', 'color=R,100,G,200'],
    'query form true': ['color=blue', 'color=blue&color=black', 'R=100&G=200'],
    'query spaceDelimited false': ['color=blue', 'color=blue%20black', 'color=R%20100%20G%20200'],
    'query pipeDelimited false': ['color=blue', 'color=blue%7Cblack', 'color=R%7C100%7CG%7C200'],
    'query deepObject true': [
      'color=blue',
      'color%5B0%5D=blue&color%5B1%5D=black',
      'color%5BR%5D=100&color%5BG%5D=200'
    ],
    'header simple false': ['blue', 'blue,black', 'R,100,G,200'],
    'header simple true': ['blue', 'blue,black', 'R=100,G=200'],
    'cookie form true': ['color=blue', 'color=blue&color=black', 'R=100&G=200']
  }
  for (const [how, texts] of Object.entries(expected)) {
    const [where, style = '', explode] = how.split(' ')
    const parameter = { name: 'color', in: where, style, explode: explode === 'true', isJson: false } as Parameter
    for (const [index, [name, value]] of colour.entries()) {
      const to = nothingWritten()
      write(to, parameter, value)
      const written = {
        path: to.path.get('color'),
        query: to.query.join('&'),
        header: to.headers.get('color'),
        cookie: to.cookies.join('&')
      }
      t.equal(written[parameter.in as keyof typeof written], texts[index], `${how} ${name}`)
    }
  }
  const to = nothingWritten()
  write(to, { name: 'a b', in: 'query', style: 'form', explode: true, isJson: true } as Parameter, { big: 2n ** 63n })
  t.strictSame(to.query, ['a%20b=%7B%22big%22%3A9223372036854775808%7D'])
})

t.test('requests: a text may have several meanings', async t => {
  t.strictSame(
    jsonOf('{"a": 1, "a": 9007199254740993}'),
    { a: 9007199254740993n },
    'in a response, the last key counts'
  )
  for (const text of ['{', '['.repeat(10_000), `${'['.repeat(10_000)}${']'.repeat(10_000)}`])
    t.equal(jsonOf(text), undefined, text.slice(0, 2))
  t.strictSame(readingsOf('5'), ['5', 5, ['5'], [5]])
  t.strictSame(readingsOf('9007199254740993')[1], 9007199254740993n)
  t.strictSame(readingsOf('a,1'), ['a,1', ['a', '1'], ['a', 1]])
  t.strictSame(readingsOf('true')[1], true)
})

t.test('requests: the curl command survives the shell', async t => {
  const args = (line: string) =>
    execFileSync('sh', ['-c', line.replace(/(^|\| )curl /, "$1printf '%s\\n' ")], {
      env: { ...process.env, KEY: 'secret $key' }
    })
      .toString()
      .trimEnd()
      .split('\n')
  const credential = { in: 'header', name: 'Authorization', scheme: 'Bearer' } as const
  t.strictSame(
    args(
      curlOf({
        method: 'PUT',
        url: "http://x/a'b?c=$(d)",
        headers: { 'X-A': '`e`' },
        body: '{"f":"\'"}',
        credential: { credential }
      })
    ),
    [
      '-i',
      '-X',
      'PUT',
      '-H',
      'Authorization: Bearer secret $key',
      '-H',
      'X-A: `e`',
      '--data-binary',
      '{"f":"\'"}',
      "http://x/a'b?c=$(d)"
    ]
  )
  t.equal(curlOf({ method: 'GET', url: 'http://x/', headers: {} }), "curl -i 'http://x/'")
  t.equal(curlOf({ method: 'HEAD', url: 'http://x/{a}', headers: {} }), "curl -I -g 'http://x/{a}'")
})

t.test('requests: values are valid or invalid as intended, for Ajv as well', async t => {
  const folder = fileURLToPath(new URL('../../../test/contracts/oai-examples/', import.meta.url))
  const files = [
    ...readdirSync(folder)
      .filter(name => name.endsWith('.yaml'))
      .map(name => folder + name),
    fileURLToPath(new URL('../../../test/contracts/museum/openapi.yaml', import.meta.url)),
    fileURLToPath(new URL('../../../openapi/petstore.yaml', import.meta.url))
  ]
  let count = 0
  for (const file of files) {
    const document = loadDocument(file)
    const schemas = new Schemas(document)
    const values = new Values(schemas.solver, randomNumbers(1))
    for (const { id, parameters, body } of operationsOf(document)) {
      const nodes = [
        ...parameters.map(({ schema }) => schema),
        ...(body?.content ?? []).map(([, node]) => node.get('schema'))
      ]
      for (const schema of nodes.map(node => schemas.request(node))) {
        for (const { what, value } of values.valid(schema)) {
          count++
          t.equal(schemas.faultOf(schema, value), undefined, `${id} ${what}`)
        }
        for (const { what, value } of values.invalid(schema)) {
          count++
          t.type(schemas.faultOf(schema, value), 'string', `${id} ${what}`)
        }
      }
    }
  }
  t.ok(count > 200)
})

t.test('requests: the nearest server determines the base URL', async t => {
  const servers = (url: string) => ({ servers: [{ url, variables: { stage: { default: 'test' } } }] })
  const document = documentOf(
    { '/a': { get: { responses: {} }, ...servers('/x') }, '/b': { get: { responses: {}, ...servers('') } } },
    servers('https://h/{stage}/v1/')
  )
  t.equal(basePathOf(document), '/test/v1')
  t.strictSame(
    operationsOf(document).map(each => basePathOf(document, each)),
    ['/x', '']
  )
  t.equal(basePathOf(documentOf({})), '')
})

t.test('requests: created resources are found by URL or id', async t => {
  const responses = {}
  const [list, make, , sub] = [
    { method: 'GET', path: '/pets' },
    { method: 'POST', path: '/pets' },
    { method: 'GET', path: '/pets/{petId}' },
    { method: 'POST', path: '/pets/{petId}/toys' }
  ]
  const document = documentOf({
    '/pets': { get: { responses }, post: { responses } },
    '/pets/{petId}': { get: { responses } },
    '/pets/{petId}/toys': { post: { responses } },
    '/pets/{petId}/toys/{toy_id}': { get: { responses } }
  })
  const operations = operationsOf(document)
  const of = ({ method, path }: { method: string; path: string } = { method: '', path: '' }) => {
    const found = operations.find(each => each.method === method && each.path === path)
    if (found === undefined) throw new Error(`there is no ${method} ${path}`)
    return found
  }
  const learned = (
    what: { method: string; path: string } | undefined,
    url: string,
    body: unknown,
    headers = {},
    status = 201
  ) => {
    const things = new Things(operations)
    const thing = things.learn(of(what), 'http://h/v1', `http://h/v1${url}`, {
      status,
      headers,
      body: Buffer.from(JSON.stringify(body))
    })
    return thing && [thing.path, thing.values, thing.isOwn]
  }
  const own = (...values: string[]) => ['/pets/{petId}', values, true]
  t.strictSame(learned(make, '/pets', {}, { location: 'pets/5' }), own('5'))
  t.strictSame(learned(make, '/pets', {}, { location: '/v1/pets/a%20b' }), own('a b'))
  t.strictSame(learned(make, '/pets', { id: 17 }, { location: '/elsewhere' }), own('17'))
  t.strictSame(learned(make, '/pets', { pet_id: 'x', id: 'y' }), own('x'))
  t.equal(learned(make, '/pets', { category: { id: 7 } }), undefined, 'another thing is not taken for it')
  t.equal(learned(make, '/pets', { id: 5 }, {}, 400), undefined)
  t.equal(learned(make, '/pets', { id: 5 }, {}, 200), undefined, 'it may have been there before')
  t.strictSame(learned(sub, '/pets/3/toys', { toyId: 4 }), ['/pets/{petId}/toys/{toy_id}', ['3', '4'], true])
  t.strictSame(learned(list, '/pets', { data: [{ id: 2 }, { id: 3 }], total: 2 }, {}, 200), [
    '/pets/{petId}',
    ['2'],
    false
  ])
  t.equal(learned(list, '/pets', [], {}, 200), undefined)

  const things = new Things(operations)
  const response = (id: number) => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify([{ id }])) })
  things.learn(of(list), 'http://h', 'http://h/pets', response(1))
  t.equal(things.for('/pets/{petId}', { ownOnly: true }), undefined)
  t.match(things.for('/pets/{petId}/toys'), { values: ['1'], isOwn: false })
  things.learn(of(make), 'http://h', 'http://h/pets', { ...response(2), status: 201, body: Buffer.from('{"id":2}') })
  t.match(things.for('/pets/{petId}/toys'), { values: ['2'], isOwn: true }, 'its own one comes first')
})

/** The requests that a server gets from a run over a contract with one operation. */
const liveRun = async (t: Test, document: ReturnType<typeof documentOf>, key?: string) => {
  const requests: { line: string; headers: Record<string, unknown>; body: string }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    requests.push({ line: `${request.method} ${request.url}`, headers: request.headers, body })
    response.writeHead(500).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const report = await checkLive(document, { url, keys: key === undefined ? [] : [key] })
  return { requests, report }
}

const responses = { default: { description: 'x' } }

t.test('requests: texts in a query have letters beyond ASCII, too', async t => {
  const parameters = [{ name: 'q', in: 'query', schema: { type: 'string', maxLength: 20 } }]
  const { requests } = await liveRun(t, documentOf({ '/a': { get: { parameters, responses } } }))
  t.ok(requests.some(({ line }) => decodeURIComponent(line) === 'GET /a?q=é 😀'))
})

t.test('requests: a key is sent where its scheme requires, and never reported', async t => {
  const schemes: [scheme: object, line: string, headers: object, curl: string][] = [
    [{ type: 'http', scheme: 'Basic' }, 'GET /a', { authorization: 'Basic bWU6a2V5' }, '--user "$KEY"'],
    [{ type: 'oauth2', flows: {} }, 'GET /a', { authorization: 'Bearer me:key' }, '-H "Authorization: Bearer $KEY"'],
    [{ type: 'apiKey', in: 'header', name: 'X-Key' }, 'GET /a', { 'x-key': 'me:key' }, '-H "X-Key: $KEY"'],
    [{ type: 'apiKey', in: 'query', name: 'k' }, 'GET /a?k=me%3Akey', {}, '--url-query "k=$KEY"'],
    [{ type: 'apiKey', in: 'cookie', name: 'k' }, 'GET /a', { cookie: 'k=me%3Akey' }, '-H "Cookie: k=$KEY"']
  ]
  for (const [scheme, line, headers, curl] of schemes) {
    const document = documentOf(
      { '/a': { get: { responses } } },
      { security: [{ s: [] }], components: { securitySchemes: { s: scheme } } }
    )
    const { requests, report } = await liveRun(t, document, 'me:key')
    const [, , without, wrong, right] = requests
    t.equal(without?.line, 'GET /a')
    t.notMatch(JSON.stringify(wrong), /me(?::|%3A)key|bWU6a2V5/)
    t.equal(right?.line, line)
    t.match(right?.headers, headers)
    t.ok(
      report.failures.some(each => each.curl.includes(curl)),
      curl
    )
    t.notMatch(JSON.stringify(report), 'me:key')
  }
})

t.test('requests: a key in a cookie is sent beside other cookies', async t => {
  const parameters = [{ name: 'c', in: 'cookie', required: true, schema: { enum: ['x'] } }]
  const scheme = { type: 'apiKey', in: 'cookie', name: 'k' }
  const document = documentOf(
    { '/a': { get: { parameters, responses } } },
    { security: [{ s: [] }], components: { securitySchemes: { s: scheme } } }
  )
  const { requests } = await liveRun(t, document, 'key')
  t.equal(requests[0]?.headers.cookie, 'c=x; k=key')
})

t.test('requests: what cannot be tested is reported', async t => {
  const body = (type: string) => ({ required: true, content: { [type]: { schema: { type: 'object' } } } })
  const document = documentOf(
    {
      '/certificate': { get: { security: [{ tls: [] }], responses } },
      '/upload': { post: { requestBody: body('application/xml'), responses } },
      '/impossible': { get: { parameters: [{ name: 'n', in: 'query', required: true, schema: false }], responses } },
      '/others': { delete: { responses } }
    },
    { components: { securitySchemes: { tls: { type: 'mutualTLS' } } } }
  )
  const { requests, report } = await liveRun(t, document)
  t.strictSame(report.gaps, [
    { operation: 'POST /upload', reason: 'no body can be made for the media type application/xml' },
    { operation: 'GET /certificate', reason: 'needs tls, which one key cannot satisfy' },
    { operation: 'GET /impossible', reason: 'no value can be found for the query parameter n' },
    {
      operation: 'DELETE /others',
      reason: 'DELETE is sent only to what this run has created, and it has created nothing there'
    }
  ])
  t.ok(
    requests.every(({ line }) => line.startsWith('GET ')),
    'and nothing else is tried in its place'
  )
})

t.test('requests: an optional key is not required', async t => {
  const schemes = { components: { securitySchemes: { s: { type: 'http', scheme: 'bearer' } } } }
  const document = documentOf({ '/a': { get: { security: [{}, { s: [] }], responses } } }, schemes)
  const without = await liveRun(t, document)
  t.strictSame(without.report.gaps, [])
  t.equal(without.requests[0]?.headers.authorization, undefined)
  const { requests } = await liveRun(t, document, 'key')
  t.equal(requests[0]?.headers.authorization, 'Bearer key')
})

t.test('requests: schemas of real contracts cause no errors', async t => {
  const schema = { anyOf: [{ type: 'string', pattern: '^[\\w-.]+$' }, { enum: [2 ** 53] }] }
  const text = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'x', version: '1' },
    paths: {},
    components: { schemas: { S: schema } }
  })
  const document = readDocument(text.replace('9007199254740992', '9007199254740993'), 'x.json')
  const schemas = new Schemas(document)
  const lowered = schemas.response(document.root.get('components')?.get('schemas')?.get('S'))
  t.equal(schemas.faultOf(lowered, 'a-b.c'), undefined)
  t.equal(schemas.faultOf(lowered, 9007199254740993n), undefined)
  t.equal(schemas.faultOf(lowered, 9007199254740992n), '9007199254740992 is not an allowed value')
  t.type(schemas.faultOf(lowered, 'a b'), 'string')
})

t.test('requests: examples come first, each in its own request', async t => {
  const document = documentOf({
    '/a/{id}': {
      get: {
        parameters: [
          {
            name: 'id',
            in: 'path',
            required: true,
            schema: { type: 'string' },
            examples: { none: { value: 'no' }, one: { value: 'yes' } }
          },
          { name: 'q', in: 'query', schema: { type: 'integer', example: 3 } },
          { name: 'c', in: 'cookie', schema: { type: 'boolean' } }
        ],
        responses: { 404: { description: 'x', content: { 'application/json': { examples: { none: { value: {} } } } } } }
      }
    },
    '/form': {
      post: {
        requestBody: {
          content: { 'application/x-www-form-urlencoded': { schema: { type: 'object' }, example: { a: 'b c', d: 1 } } }
        },
        responses
      }
    },
    '/bytes': { post: { requestBody: { content: { 'application/octet-stream': {} } }, responses } },
    '/parts': {
      post: {
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: { type: 'object', properties: { file: { type: 'string', format: 'binary' } } },
              example: { title: 'b; c', file: 'text' }
            }
          }
        },
        responses
      }
    },
    '/text': {
      post: { requestBody: { required: true, content: { 'text/plain': { schema: { const: 'hello' } } } }, responses }
    }
  })
  const { requests, report } = await liveRun(t, document)
  const of = (path: string) => requests.filter(({ line }) => line.includes(path))
  t.strictSame(
    of('/a/')
      .slice(0, 3)
      .map(({ line }) => line),
    ['GET /a/yes', 'GET /a/no', 'GET /a/a']
  )
  t.ok(requests.some(({ line }) => line === 'GET /a/yes?q=3'))
  t.ok(requests.some(({ headers }) => headers.cookie === 'c=true'))
  t.match(of('/form')[0], { body: 'a=b+c&d=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } })
  t.match(of('/bytes')[0], { body: '\0\ufffd\r\n\ufffd(' })
  t.match(of('/parts')[0], {
    body: /\r\nContent-Disposition: form-data; name="file"; filename="file"\r\n\r\ntext\r\n--/,
    headers: { 'content-type': /^multipart\/form-data; boundary=/ }
  })
  const curls = report.failures.map(({ curl }) => curl)
  t.ok(curls.some(each => each.startsWith("printf '\\000\\377\\015\\012\\303\\050' | curl -i ")))
  t.ok(curls.some(each => each.includes("--form-string 'title=b; c' -F 'file=text;filename=file'")))
  t.match(of('/text')[0], { body: 'hello', headers: { 'content-type': 'text/plain' } })
})

t.test('requests: the table also shows undeclared statuses', async t => {
  const cell = (status: string, isDeclared: boolean, isSeen: boolean) => ({ status, isDeclared, isSeen })
  const rows = [
    { operation: 'GET /a', cells: [cell('200', true, true), cell('default', true, false)] },
    { operation: 'POST /long', cells: [cell('201', true, false), cell('418', false, true)] }
  ]
  t.equal(
    coverageTable(rows),
    [
      '            200   201       418         default',
      'GET /a      seen                        not seen',
      'POST /long        not seen  undeclared'
    ].join('\n')
  )
})
