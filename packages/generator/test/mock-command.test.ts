import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { childEnvironment, projectFolder, run, scriptPath } from '../../../test/start-server.ts'
import { exampleResponses } from '../../check/src/index.ts'
import { freePort } from '../../fastify/test/store/postgres-server.ts'

const content = (schema: object, more: object = {}) => ({ content: { 'application/json': { schema, ...more } } })
const Bell = {
  type: 'object',
  required: ['id', 'tone'],
  properties: { id: { type: 'integer', format: 'int64', minimum: 1 }, tone: { enum: ['low', 'high'] } },
  additionalProperties: false
}
const bell = { id: 7, tone: 'low' }
const contract = {
  openapi: '3.1.0',
  info: { title: 'Bells', version: '1.0.0' },
  servers: [{ url: '/v1' }],
  security: [{ key: [] }],
  paths: {
    '/bells': {
      get: {
        operationId: 'listBells',
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1 } }],
        responses: {
          200: { description: 'All.', ...content({ type: 'array', items: Bell }) },
          '5XX': { description: 'No.', ...content({ type: 'string', enum: ['no'] }) }
        }
      },
      post: {
        operationId: 'addBell',
        requestBody: { required: true, ...content(Bell) },
        responses: {
          201: {
            description: 'It.',
            ...content(Bell, { examples: { bad: { value: { id: 'x' } }, good: { value: bell } } })
          },
          409: {
            description: 'No.',
            ...content({ type: 'object', properties: { why: { const: 'full' } }, required: ['why'] })
          }
        }
      }
    },
    '/sounds': {
      get: {
        operationId: 'listSounds',
        responses: {
          200: {
            description: 'All.',
            headers: {
              'X-Kind': { schema: { type: 'string' }, required: true, example: 'small' },
              'X-Name': { schema: { type: 'string' }, required: true, example: '\u{1f514}' },
              'Transfer-Encoding': { schema: { type: 'string' }, required: true, example: 'chunked' }
            },
            content: {
              'audio/ogg': {},
              'text/csv': { schema: { type: 'string' }, example: 'id,tone' },
              'application/json': { schema: { type: 'array', items: Bell, maxItems: 0 } }
            }
          }
        }
      }
    },
    '/odd': { get: { operationId: 'odd', responses: { 200: { description: 'It.', ...content({ typo: 1 }) } } } }
  },
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } }
}

t.test('a mock responds with examples and made values, and judges requests', async t => {
  const file = join(t.testdir(), 'bells.json')
  writeFileSync(file, JSON.stringify(contract))
  const mock = run(
    t,
    process.execPath,
    [scriptPath('packages/generator/bin/generator.js'), 'mock', file, '--port', '0'],
    {
      cwd: projectFolder,
      env: {}
    }
  )
  const [, url] = await mock.printed(
    /bells\.json: 3 operations at (http:\S+\/v1)\n {2}documentation at http:\S+\/docs\/\n {2}501 GET \/odd: typo is unknown/
  )
  const send = async (path: string, { method = 'GET', body, ...headers }: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: 'Bearer anything', connection: 'close', ...headers },
      ...(body !== undefined && { body })
    })
    const text = await response.text()
    const type = response.headers.get('content-type') ?? ''
    if (/^(?:text|audio)\//.test(type)) return { status: response.status, type, body: text }
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  const add = (body: unknown, headers = {}) =>
    send('/bells', { method: 'POST', body: JSON.stringify(body), 'content-type': 'application/json', ...headers })

  // An example that does not match its schema is skipped.
  t.strictSame(await add(bell), { status: 201, body: bell })
  const made = await send('/bells')
  t.match(made, { status: 200, body: [{ id: Number, tone: /low|high/ }] })
  const [example] = exampleResponses(contract)
  t.match(example, { operationId: 'listBells', ...made }, 'what a new project responds')
  t.strictSame(await send('/bells'), made, 'the same again')

  t.match(await add({ id: 0, tone: 'low' }), { status: 400, body: { message: /^body\.id must be an integer from 1/ } })
  t.match(await send('/bells?limit=no'), { status: 400, body: { message: /limit/ } })
  t.match(await send('/bells', { authorization: '' }), { status: 401 })
  t.match(await send('/bells', { authorization: 'Basic YTpi' }), { status: 401 })
  t.match(await send('/nothing'), { status: 404 })
  t.match(await send('/odd?any=thing'), { status: 501 })
  const page = await fetch(/documentation at (\S+)/.exec(mock.output().stdout)?.[1] ?? '')
  t.match(await page.text(), /<title>Bells/)

  const sounds = async (accept: string) => send('/sounds', { accept })
  t.strictSame(await sounds('*/*'), { status: 200, body: [] })
  const { headers } = await fetch(`${url}/sounds`, { headers: { authorization: 'Bearer anything' } })
  t.strictSame([headers.get('x-kind'), headers.get('x-name')], ['small', null], 'without what HTTP cannot carry')
  t.strictSame(
    await sounds('text/csv'),
    { status: 200, type: 'text/csv', body: 'id,tone' },
    'nothing that the client does not accept'
  )
  t.match(await sounds('audio/*'), { status: 200, type: 'audio/ogg' })
  t.match(await sounds('image/*'), { status: 406 })
  t.match(await send('/sounds', { accept: 'text/csv', prefer: 'dynamic' }), { status: 200, type: 'text/csv' })

  t.strictSame(await add(bell, { prefer: 'code=409' }), { status: 409, body: { why: 'full' } })
  t.strictSame(await send('/bells', { prefer: 'code=507' }), { status: 507, body: 'no' }, 'one of a range')
  t.strictSame(await add(bell, { prefer: 'example=bad' }), { status: 201, body: { id: 'x' } })
  t.match(await add(bell, { prefer: 'code=404' }), { status: 400, body: { message: /declares 201, 409/ } })
  const drawn = await Promise.all(Array.from({ length: 12 }, () => send('/bells', { prefer: 'dynamic' })))
  t.ok(drawn.every(({ status, body }) => status === 200 && Array.isArray(body)))
  t.ok(new Set(drawn.map(({ body }) => JSON.stringify(body))).size > 1, 'they differ')
})

t.test('a mock listens at the PORT and HOST of the environment, unless it is told otherwise', async t => {
  const file = join(t.testdir(), 'bells.json')
  writeFileSync(file, JSON.stringify(contract))
  const port = await freePort()
  const env = { PORT: String(port), HOST: '127.0.0.2' }
  const start = async (...args: string[]) => {
    const mock = run(t, process.execPath, [scriptPath('packages/generator/bin/generator.js'), 'mock', file, ...args], {
      cwd: projectFolder,
      env
    })
    return (await mock.printed(/at http:\/\/(\S+)\/v1/))[1]
  }
  t.equal(await start(), `127.0.0.2:${port}`)
  t.not(await start('--port', '0'), `127.0.0.2:${port}`)
})

t.test('a pattern that the generator has tried does not hold up a mock', async t => {
  const file = join(t.testdir(), 'words.json')
  const word = { name: 'word', in: 'query', schema: { type: 'string', pattern: '^([a-z]+)*$', default: 'abc' } }
  const get = { operationId: 'get', parameters: [word], responses: { 204: { description: 'Yes.' } } }
  const paths = { '/': { get } }
  writeFileSync(file, JSON.stringify({ openapi: '3.1.0', info: { title: 'Words', version: '1.0.0' }, paths }))
  const mock = run(
    t,
    process.execPath,
    [scriptPath('packages/generator/bin/generator.js'), 'mock', file, '--port', '0'],
    { cwd: projectFolder }
  )
  const [, url] = await mock.printed(/at (http\S+)/)
  // Without V8's linear engine, matching would take years.
  t.equal((await fetch(`${url}?word=${'a'.repeat(60)}!`)).status, 400)
})

t.test('mock wants a document', async t => {
  const withPort = (PORT: string, ...args: string[]) =>
    spawnSync(process.execPath, [scriptPath('packages/generator/bin/generator.js'), 'mock', ...args], {
      encoding: 'utf8',
      // As npm run mock.
      env: { ...childEnvironment, npm_lifecycle_event: 'mock', PORT }
    })
  const mock = (...args: string[]) => withPort('', ...args)
  t.match(withPort('80000', 'package.json'), { status: 2, stderr: /^PORT must be a number from 0 to 65535\n/ })
  t.match(mock(), { status: 2, stderr: /^one OpenAPI document is expected\n\nUsage: npm run mock -- FILE/ })
  t.match(mock('nothing.yaml'), { status: 2, stderr: /^there is no file nothing\.yaml/ })
  t.match(mock('package.json', '--port', 'x'), { status: 2, stderr: /^--port must be/ })
  t.match(mock('package.json'), { status: 1, stderr: /^package\.json:1:1: this is not an OpenAPI document/ })
})
