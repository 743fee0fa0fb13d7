import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { freePort } from '../../../test/free-port.ts'
import { runHere } from '../../../test/run-here.ts'
import { projectFolder, run, scriptPath } from '../../../test/start-server.ts'
import { exampleResponses } from '../../check/src/index.ts'
import { runGenerator } from '../src/index.ts'

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
  // Where the documentation would be otherwise.
  servers: [{ url: '/docs' }],
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
    '/words': {
      get: {
        operationId: 'listWords',
        parameters: [{ name: 'word', in: 'query', schema: { type: 'string', pattern: '^([a-z]+)*$', default: 'abc' } }],
        responses: { 204: { description: 'Yes.' } }
      }
    },
    '/odd': { get: { operationId: 'odd', responses: { 200: { description: 'It.', ...content({ typo: 1 }) } } } }
  },
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } }
}

const start = (t: Test, args: string[], env: Record<string, string>) =>
  run(t, process.execPath, [scriptPath('packages/generator/bin/generator.js'), 'mock', ...args], {
    cwd: projectFolder,
    env
  })

t.test('a mock responds with examples and made values, and judges requests', async t => {
  const file = join(t.testdir(), 'bells.json')
  writeFileSync(file, JSON.stringify(contract))
  const mock = start(t, [file, '--port', '0'], { PORT: '1' })
  const [, url] = await mock.printed(
    /bells\.json: 4 operations at (http:\S+\/docs)\n {2}documentation at http:\S+\/-\/docs\/\n {2}501 GET \/odd: typo is unknown/
  )
  t.notMatch(url, '127.0.0.1:1/', 'the option counts, not the environment')
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
  // Without V8's linear engine, matching would take years. The generator has tried the pattern before.
  t.equal((await send(`/words?word=${'a'.repeat(60)}!`)).status, 400)
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

t.test('a mock listens at the PORT and HOST of the environment', async t => {
  const file = join(t.testdir(), 'bells.json')
  writeFileSync(file, JSON.stringify(contract))
  const port = await freePort()
  const mock = start(t, [file], { PORT: String(port), HOST: '127.0.0.2' })
  t.equal((await mock.printed(/at http:\/\/(\S+)\/docs/))[1], `127.0.0.2:${port}`)
})

t.test('mock wants a document', async t => {
  const { PORT } = process.env
  t.teardown(() => {
    if (PORT === undefined) delete process.env.PORT
    else process.env.PORT = PORT
  })
  const withPort = (port: string, ...args: string[]) => {
    process.env.PORT = port
    return runHere(t, projectFolder, () => runGenerator(['mock', ...args], 'npm run'))
  }
  const mock = (...args: string[]) => withPort('', ...args)
  t.match(await withPort('80000', 'package.json'), { status: 2, stderr: /^PORT must be a number from 0 to 65535\n/ })
  t.match(await mock(), { status: 2, stderr: /^one OpenAPI document is expected\n\nUsage: npm run mock -- FILE/ })
  t.match(await mock('nothing.yaml'), { status: 2, stderr: /^there is no file nothing\.yaml/ })
  t.match(await mock('package.json', '--port', 'x'), { status: 2, stderr: /^--port must be/ })
  t.match(await mock('package.json'), { status: 1, stderr: /^package\.json:1:1: this is not an OpenAPI document/ })
})
