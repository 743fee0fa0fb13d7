import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { run, scriptPath } from '../../../../test/start-server.ts'
import { derivedContract } from '../derived-contract.ts'

const yaml = `openapi: 3.1.0
info: { title: Streams, version: 1.0.0 }
paths:
  /events:
    get:
      operationId: events
      responses: { '200': { description: Events, content: { text/event-stream: {} } } }
`

const service = `
import { contractOf, createService, keysTable } from '${scriptPath('packages/fastify/src/index.ts')}'
import { compiled } from './compiled.js'
import * as generated from './operations.ts'

const file = new URL('petstore.yaml', import.meta.url)
const contract = contractOf({ ...generated, compiled }, { contract: file, generated: new URL('./', import.meta.url) })
const body = async function* () {
  yield 'data: ' + process.pid + '\\n\\n'
  await new Promise(() => {})
}
await createService({
  name: 'Streams',
  realm: 'streams',
  databasePath: 'streams.db',
  schema: { applicationId: 7, migrations: [keysTable], counted: {}, tables: () => ({}) },
  load: async () => ({ contract, handlers: () => ({ events: async () => ({ status: 200, body: body() }) }) })
}).run(['server'])
`

const start = async (t: Test, env: Record<string, string>) => {
  const { files } = await derivedContract(t, yaml)
  const cwd = t.testdirName
  for (const name of ['openapi.json', 'CHANGELOG.md']) writeFileSync(join(cwd, name), files.get(name) ?? '{}')
  writeFileSync(join(cwd, 'service.ts'), service)
  const server = run(t, process.execPath, [join(cwd, 'service.ts')], { cwd, env: { PORT: '0', ...env } })
  const [, origin = ''] = await server.printed(/service +(http:\S+)/)
  /** A client that has received its first event: the process that sent it, and how the rest ends. */
  const client = async () => {
    const response = await fetch(`${origin}/events`)
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const first = Buffer.from((await reader.read()).value ?? '').toString()
    return { pid: Number(/\d+/.exec(first)?.[0]), rest: reader.read() }
  }
  return { server, client }
}

type Started = Awaited<ReturnType<typeof start>>

/** Sends SIGTERM while these clients' streams are open; `streams` is how many there were in all. */
const endProperly = async (t: Test, { server }: Started, clients: readonly Client[], streams: number) => {
  const signalled = performance.now()
  server.process.kill('SIGTERM')
  t.strictSame(await server.ended, { code: 0, signal: null })
  const ms = performance.now() - signalled
  t.ok(ms < 5_000, `${ms} ms`)
  for (const { rest } of clients) t.match(await rest, { done: true }, 'and no error')
  const { stdout, stderr } = server.output()
  t.equal(stderr, '')
  t.notMatch(stdout, /"level":[45]0/)
  t.equal([...stdout.matchAll(/"operationId":"events","status":200/g)].length, streams)
}
type Client = Awaited<ReturnType<Started['client']>>

t.test('with open event streams, SIGTERM ends a process properly', async t => {
  const started = await start(t, {})
  await endProperly(t, started, [await started.client(), await started.client()], 2)
})

t.test('with open event streams, workers are replaced in order, and SIGTERM ends them properly', async t => {
  const started = await start(t, { WORKERS: '2' })
  const { server, client } = started
  const { pid, rest } = await client()
  server.process.kill('SIGHUP')
  t.match(await rest, { done: true })
  await server.printed(new RegExp(`"worker":${pid},.*"msg":"a worker was replaced"`))
  while (server.output().stdout.split('a worker was replaced').length < 3) await delay(20)
  const clients = [await client(), await client()]
  for (const each of clients) t.not(each.pid, pid, 'a client that connects again gets another worker')
  await endProperly(t, started, clients, 3)
})
