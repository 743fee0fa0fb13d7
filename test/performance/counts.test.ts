import { join } from 'node:path'
import t from 'tap'
import { Client } from '../../scripts/bench/client.ts'
import { prepareDatabase } from '../../scripts/bench/database.ts'
import { scenariosOf } from '../../scripts/bench/scenarios.ts'
import { startService } from '../../scripts/bench/servers.ts'
import { bounds } from './bounds.ts'
import type { Counts } from './counters.ts'

const database = await prepareDatabase(join(t.testdir(), 'animals.db'), 1000)
const server = await startService(database.url, { preload: new URL('counters.ts', import.meta.url).href })
t.teardown(() => server.end())
const client = new Client(server.port)
t.teardown(() => client.close())
const scenarios = scenariosOf(database)
const requests = Object.entries(bounds.requests).map(([name, bound]) => {
  const { request } = scenarios[name as keyof typeof bounds.requests]
  return { name, request, bound }
})

const send = async (request: Buffer, times: number) => {
  for (let i = 0; i < times; i++) await client.send(request)
}

/** What the server does in one of many such requests. */
const perRequest = async (request: Buffer, times: number): Promise<Counts> => {
  const before = (await server.ask('counts')) as Counts
  await send(request, times)
  const after = (await server.ask('counts')) as Counts
  const each = (figure: keyof Counts) => (after[figure] - before[figure]) / times
  return {
    modules: each('modules'),
    allocated: each('allocated'),
    headers: each('headers'),
    statements: each('statements')
  }
}

t.test('the start loads no more modules than before', async t => {
  await server.send(scenarios.list.request)
  const { modules } = (await server.ask('counts')) as Counts
  t.ok(modules <= bounds.modules, `${modules} modules of at most ${bounds.modules}`)
})

for (const { name, request, bound } of requests)
  t.test(`${name}: the response has no more bytes than before`, async t => {
    const { length } = await client.send(request)
    t.ok(length <= bound.responseBytes, `${length} bytes of at most ${bound.responseBytes}`)
  })

t.test('requests allocate no more than before', async t => {
  // Warm-up: compiled code allocates less, and what gets compiled depends on how often and with what it has run.
  for (const { request } of requests) await send(request, 500)
  for (const { name, request, bound } of requests) {
    let least = Number.POSITIVE_INFINITY
    for (let i = 0; i < 2 || (i < 20 && least > bound.allocated); i++)
      least = Math.min(least, (await perRequest(request, 300)).allocated)
    t.ok(least <= bound.allocated, `${name}: ${Math.round(least)} bytes of at most ${bound.allocated}`)
  }
})

t.test('requests set no more headers and run no more statements than before', async t => {
  await server.ask('count calls')
  let counted = 0
  for (const { name, request, bound } of requests) {
    const { headers, statements } = await perRequest(request, 50)
    t.ok(headers <= bound.headers, `${name}: ${headers} calls for headers, of at most ${bound.headers}`)
    // Rounded, since the store looks for writes of other processes a few times a second.
    t.ok(
      Math.floor(statements) <= bound.statements,
      `${name}: ${statements} statements, of at most ${bound.statements}`
    )
    t.ok(headers > 0, 'headers are counted')
    counted += statements
  }
  t.ok(counted > 0, 'statements are counted')
})
