// What docs/hosting.md says of nginx and Kubernetes, with the configurations as they are there: only ports, files and the database
// are of this machine. A cluster is not needed: what it would do is done here, by the numbers of the manifest.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { parse } from 'yaml'
import { newDatabase } from '../packages/fastify/test/store/new-database.ts'
import { dockerfileAt } from './dockerfile.ts'
import { documentAt, sectionOf } from './documents.ts'
import { freePort } from './free-port.ts'
import { fetchOnce, inProject } from './installing.ts'
import { settings } from './settings.ts'
import { compiled, projectFolder, refusesConnections, resultOf, run } from './start-server.ts'

const guide = 'docs/hosting.md'
const blockWith = (text: string): string => {
  const [found, ...others] = documentAt(guide).blocks.filter(({ code }) => code.includes(text))
  if (found === undefined || others.length > 0) throw new Error(`${guide}: not one block has ${text}`)
  return found.code
}

/** A service with what nginx could spoil: an encoded path, integers beyond 2^53, pages, streams of events. */
const contract = `openapi: 3.1.0
info: { title: Parts, version: 1.0.0 }
servers: [{ url: v1 }]
paths:
  /parts:
    get:
      operationId: listParts
      parameters:
        - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 100, default: 20 } }
        - { name: cursor, in: query, schema: { type: string } }
      responses:
        '200':
          description: Parts
          headers: { Link: { schema: { type: string } } }
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Part' } } } }
        default: { $ref: '#/components/responses/Error' }
    post:
      operationId: createPart
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Part' } } } }
      responses:
        '201': { description: The part, content: { application/json: { schema: { $ref: '#/components/schemas/Part' } } } }
        default: { $ref: '#/components/responses/Error' }
  /names/{name}:
    get:
      operationId: getName
      parameters: [{ name: name, in: path, required: true, schema: { type: string } }]
      responses:
        '200': { description: It, content: { application/json: { schema: { type: string } } } }
        default: { $ref: '#/components/responses/Error' }
  /events: { get: { operationId: watch, responses: { '200': { $ref: '#/components/responses/Events' }, default: { $ref: '#/components/responses/Error' } } } }
  /changes: { get: { operationId: watchChanges, responses: { '200': { $ref: '#/components/responses/Events' }, default: { $ref: '#/components/responses/Error' } } } }
  /closed: { get: { operationId: getClosed, security: [{ key: [] }], responses: { default: { $ref: '#/components/responses/Error' } } } }
components:
  securitySchemes: { key: { type: http, scheme: bearer } }
  responses:
    Events: { description: Events, content: { text/event-stream: { schema: { type: object, properties: { data: { type: string } } } } } }
    Error: { description: What is wrong, content: { application/json: { schema: { type: object, required: [message], properties: { message: { type: string } } } } } }
  schemas:
    Part: { type: object, required: [id], properties: { id: { type: integer, format: int64 } } }
`
const program = `import { contractOf, createService, keysTable, pageOf, sse, unwritten } from '@contract-first/fastify'
import { compiled } from './generated/compiled.js'
import * as generated from './generated/operations.ts'

const file = path => new URL(path, import.meta.url)
const contract = contractOf({ ...generated, compiled }, { contract: file('openapi.yaml'), generated: file('generated/') })
const parts = [1n, 9007199254740993n].map(id => ({ id }))
const ended = signal => new Promise(resolve => signal.addEventListener('abort', resolve))
await createService({
  name: 'Parts',
  realm: 'parts',
  databasePath: ':memory:',
  schema: { applicationId: 0x50617274, migrations: [keysTable], counted: {}, tables: () => ({}) },
  load: async () => ({
    contract,
    handlers: () => ({
      listParts: ({ query }) =>
        pageOf(query, async ({ after, limit }) => parts.filter(({ id }) => id > after).slice(0, Number(limit))),
      createPart: async ({ body }) => ({ status: 201, body }),
      getName: async ({ params }) => ({ status: 200, body: params.name }),
      getClosed: unwritten,
      watch: async ({ signal }) => ({
        status: 200,
        body: (async function* () {
          yield 'data: first\\n\\n'
          await ended(signal)
        })()
      }),
      watchChanges: async ({ signal }) => ({
        status: 200,
        body: sse((async function* () {
          yield { data: 'first' }
          await ended(signal)
        })())
      })
    })
  })
}).run()
`

const hasNginx = spawnSync('nginx', ['-v']).status === 0

t.test('nginx in front of a service', hasNginx ? {} : { skip: 'there is no nginx here' }, async t => {
  const folder = t.testdir({
    'package.json': '{ "type": "module", "generator": { "contract": "openapi.yaml" } }',
    'openapi.yaml': contract,
    'service.js': program,
    nginx: {}
  })
  const generate = [join(projectFolder, 'packages/generator/bin/generator.js'), 'generate']
  t.match(await resultOf(run(t, process.execPath, generate, { cwd: folder })), { code: 0 })
  const section = sectionOf(guide, 'Behind nginx')
  const [, trusted = ''] = /`TRUST_PROXY=(\S+)`/.exec(section) ?? []
  const env = {
    NODE_ENV: 'production',
    PORT: '0',
    OPERATOR_PORT: '0',
    DATABASE_URL: 'sqlite::memory:',
    API_KEYS: 'k'.repeat(32)
  }
  const service = run(t, process.execPath, ['service.js', 'server'], {
    cwd: folder,
    env: { ...env, TRUST_PROXY: trusted }
  })
  const [, upstream = ''] = await service.printed(/"service":"http:[^"]*:(\d+)/)

  const port = await freePort()
  const certificate = (name: string) => inProject(`test/fixtures/tls/${name}`)
  const [, prefixed = ''] = /`(location [^`]*)`/.exec(section) ?? []
  const places = {
    '127.0.0.1:3000': `127.0.0.1:${upstream}`,
    'listen 443': `listen ${port}`,
    '# ssl_certificate, ssl_certificate_key': `ssl_certificate ${certificate('server.pem')}; ssl_certificate_key ${certificate('server.key')}; ${prefixed}`
  }
  let placed = blockWith('upstream api')
  for (const [documented, here] of Object.entries(places)) {
    t.ok(placed.includes(documented), documented)
    placed = placed.replace(documented, here)
  }
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(each => `${each}_temp_path ${each};`)
  writeFileSync(
    join(folder, 'nginx/nginx.conf'),
    // One process, so that nothing is left of it once it is killed.
    `daemon off; master_process off; pid nginx.pid; events {}
http { access_log off; ${temporary.join(' ')} ${placed} }`
  )
  const nginx = run(t, 'nginx', ['-p', join(folder, 'nginx'), '-c', 'nginx.conf', '-e', 'stderr'], { cwd: folder })
  const isReady = async () => (await send('/v1/parts').catch(() => undefined)) !== undefined

  interface Response {
    status: number | undefined
    headers: IncomingHttpHeaders
    text: string
  }
  const options = { port, host: '127.0.0.1', servername: 'localhost', ca: readFileSync(certificate('ca.pem')) }
  const send = (path: string, { body, ...others }: RequestOptions & { body?: string } = {}) =>
    new Promise<Response>((resolve, reject) => {
      // A response to a body that is too large may come before all of it is sent.
      const sent = request({ ...options, agent: false, path, ...others }, async response =>
        resolve({ status: response.statusCode, headers: response.headers, text: await text(response) })
      ).on('error', reject)
      sent.end(body)
    })
  const post = (body: string) =>
    send('/v1/parts', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  /** The beginning of a response that does not end, up to its first event. */
  const firstOf = (path: string) =>
    new Promise<string>((resolve, reject) => {
      let beginning = ''
      const sent = request({ ...options, agent: false, path }, response =>
        response.on('data', piece => {
          beginning += piece
          if (!/^data: .*\n\n/m.test(beginning)) return
          resolve(beginning)
          sent.destroy()
        })
      ).on('error', reject)
      sent.end()
    })
  const isOfNginx = { headers: { 'content-type': 'text/html' }, text: /nginx/ }
  const isOfService = { headers: { 'content-type': /^application\/json/ }, text: /^\{"message":/ }

  while (!(await isReady())) {
    if (nginx.process.exitCode !== null) throw new Error(nginx.output().stderr)
    await new Promise(resolve => setTimeout(resolve, 50))
  }

  t.test('documentation, lists and integers are what the service sends', async t => {
    t.match(await send('/docs/'), { status: 200, headers: { 'content-type': /^text\/html/ } })
    t.match(await send('/v1/parts'), { status: 200, text: '[{"id":1},{"id":9007199254740993}]' })
    t.match(await post('{"id":9007199254740995}'), { status: 201, text: '{"id":9007199254740995}' })
  })

  t.test('URLs arrive as they were sent, percent signs included', async t => {
    for (const [sent, name] of [
      ['a%2Fb', 'a/b'],
      ['a%252Fb', 'a%2Fb'],
      ['%C3%A9%20%2B', 'é +'],
      ['a%2F..%2Fb', 'a/../b']
    ])
      t.match(await send(`/v1/names/${sent}`), { status: 200, text: JSON.stringify(name) })
  })

  t.test('what is too large for the contract is judged by the service, the rest by nginx', async t => {
    t.match(await post(`"${'a'.repeat(70_000)}"`), { status: 413, ...isOfService })
    t.match(await post(`"${'a'.repeat(2_000_000)}"`), { status: 413, ...isOfNginx })
    t.match(await send('/v1/parts', { headers: { 'x-long': 'a'.repeat(15_000) } }), { status: 200 })
    const headers = { 'x-long': 'a'.repeat(10_000), 'x-longer': 'b'.repeat(10_000) }
    t.match(await send('/v1/parts', { headers }), { status: 431, ...isOfService })
    t.match(await send(`/v1/parts?a=${'a'.repeat(9_000)}`), { status: 414, ...isOfService })
  })

  t.test('events are sent at once, with the location and with the header of sse', async t => {
    t.match(await firstOf('/v1/events'), /^data: first$/m)
    t.match(await firstOf('/v1/changes'), /^data: first$/m)
  })

  t.test('the log has the address of the client, which cannot choose another', async t => {
    // On other systems, 127.0.0.2 has to be set up first.
    const localAddress = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1'
    for (const [id, headers] of Object.entries({ plain: {}, forged: { 'x-forwarded-for': '192.0.2.1' } })) {
      t.match(await send('/v1/closed', { localAddress, headers: { ...headers, 'x-request-id': id } }), { status: 401 })
      const [line] = await service.printed(new RegExp(`^.*"${id}".*$`, 'm'))
      t.equal(JSON.parse(line).address, localAddress)
    }
  })

  t.test('below a path prefix, links lead to it', async t => {
    const list = await send('/shop/v1/parts?limit=1')
    t.match(list, { status: 200, text: '[{"id":1}]' })
    const [, next = ''] = /^<(.*)>; rel="next"$/.exec(String(list.headers.link)) ?? []
    const { pathname, search } = new URL(next, 'https://api.example/shop/v1/parts?limit=1')
    t.match(await send(pathname + search), { status: 200, text: '[{"id":9007199254740993}]' })
    const headers = { authorization: `Bearer ${env.API_KEYS}` }
    t.match(await send('/shop/v1/names/a%2Fb', { headers }), { status: 404 }, 'nginx has decoded the path')
    const page = await send('/shop/docs/')
    t.equal(page.status, 200)
    for (const [, file = ''] of page.text.matchAll(/<script[^>]* src="([^"]*)"/g))
      t.match(await send(new URL(file, 'https://api.example/shop/docs/').pathname), { status: 200 }, file)
  })

  t.test('an idle connection is kept for longer than nginx keeps it; without a service, nginx responds', async t => {
    const direct = await fetch(`http://127.0.0.1:${upstream}/v1/parts`)
    await direct.text()
    t.match(section, 'idle for 60 s')
    t.equal(direct.headers.get('keep-alive'), `timeout=${/keep it for (\d+) s/.exec(section)?.[1]}`)
    service.process.kill('SIGTERM')
    t.match(await service.ended, { code: 0 })
    t.match(await send('/v1/parts'), { status: 502, ...isOfNginx })
  })
})

interface Probe {
  httpGet: { path: string; port: string }
  periodSeconds?: number
  failureThreshold?: number
}
const manifest = parse(blockWith('kind: Deployment'))
const pod = manifest.spec.template.spec
const [container] = pod.containers
const probes = Object.entries(container).filter(([name]) => name.endsWith('Probe')) as [string, Probe][]
/** As Kubernetes sets them, with the database of the secret. */
const variables = (databaseUrl: string): Record<string, string> =>
  Object.fromEntries(
    container.env.map(({ name, value }: { name: string; value?: string }) => [name, value ?? databaseUrl])
  )
const portNamed = (name: string): number | undefined =>
  container.ports.find((each: { name: string }) => each.name === name)?.containerPort

t.test('Kubernetes: the manifests have the fields of its API, and their numbers fit', async t => {
  const folder = fetchOnce('kubernetes-types', 'kubernetes-types@1.30.0')
  const types = (name: string) => join(folder, `node_modules/kubernetes-types/${name}/v1.d.ts`)
  const file = join(t.testdir(), 'manifest.ts')
  writeFileSync(
    file,
    `import type { Deployment } from '${types('apps')}'
import type { Container } from '${types('core')}'
export const service: Deployment = ${JSON.stringify(manifest)}
export const application: Partial<Container> = ${JSON.stringify(parse(blockWith('preStop: {')))}
// @ts-expect-error
export const other: Partial<Container> = { lifecycle: { preStopp: {} } }
`
  )
  const tsc = [inProject('node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--types', 'node', file]
  t.match(await resultOf(run(t, process.execPath, tsc, { cwd: t.testdirName })), { code: 0, stdout: '' })

  t.strictSame(manifest.spec.selector.matchLabels, manifest.spec.template.metadata.labels)
  const env = variables('')
  for (const name of Object.keys(env)) t.ok(settings().has(name), name)
  t.equal(String(portNamed('operators')), env.OPERATOR_PORT)
  t.equal(String(portNamed('http')), dockerfileAt(projectFolder).env.PORT, 'that of the image')
  for (const [name, { httpGet }] of probes) t.equal(httpGet.port, 'operators', name)
  t.ok(
    pod.terminationGracePeriodSeconds > Number(env.SHUTDOWN_DELAY) + Number(env.SHUTDOWN_TIMEOUT),
    'it has ended before it is killed'
  )
})

t.test('Kubernetes: a pod starts, is asked, and ends without losing a request', async t => {
  const { command, env: ofImage } = dockerfileAt(projectFolder)
  const [operators, port] = [await freePort(), await freePort()]
  // All but the ports, which may be taken here, and the cache, which would stand in the project.
  const env: Record<string, string> = {
    ...ofImage,
    ...compiled,
    ...variables(await newDatabase(t)),
    PORT: `${port}`,
    OPERATOR_PORT: `${operators}`
  }
  const start = (...args: string[]) => run(t, 'node', args, { cwd: projectFolder, env })
  const issue = await resultOf(start('src/main.js', 'keys', 'issue', '--name', 'web'))
  t.match(issue, { code: 0 }, 'as the guide says, before the first start')
  const pod1 = start(...command.slice(1))
  await pod1.printed(/is running"/)
  const get = async (path: string, at = port) => {
    const headers = { connection: 'close', authorization: `Bearer ${issue.stdout.trim()}` }
    return (await fetch(`http://127.0.0.1:${at}${path}`, { headers })).status
  }
  for (const [name, { httpGet }] of probes) t.equal(await get(httpGet.path, operators), 200, name)
  t.equal(await get('/v1/pets'), 200)

  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1000
  pod1.process.kill('SIGTERM')
  const isOver = refusesConnections(port).then(() => true)
  let last = 0
  for (;;) {
    const status = await get('/v1/pets').catch(() => undefined)
    if (status === undefined) break
    t.equal(status, 200)
    last = seconds()
    await Promise.race([isOver, new Promise(resolve => setTimeout(resolve, 100))])
  }
  t.ok(last > Number(env.SHUTDOWN_DELAY) - 0.5, `new connections were served for ${last} s`)
  t.match(await pod1.ended, { code: 0 })
  t.ok(seconds() < pod.terminationGracePeriodSeconds, `it ended after ${seconds()} s`)
})
