import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import t, { type Test } from 'tap'
import { digestOf, keyIdOf, newApiKey } from '../packages/fastify/src/api-keys/api-key.ts'
import { newDatabase } from '../packages/fastify/test/store/new-database.ts'
import { startPostgres } from '../packages/fastify/test/store/postgres-server.ts'
import { extent } from './extent.ts'
import { projectFolder, resultOf, run, type Server, scriptPath, sendRequest, startServer } from './start-server.ts'

const key = newApiKey('ast')
const rex = '{"name":"Rex","categoryId":7}'

const startNode = (t: Test, url: string, env: Record<string, string> = {}): Promise<Server> =>
  startServer(t, { cwd: projectFolder, env: { API_KEYS: key, DATABASE_URL: url, ...env } })

const startNodes = async (t: Test, url: string): Promise<[Server, Server]> =>
  Promise.all([startNode(t, url), startNode(t, url)])

const create = async (node: Server): Promise<number> => {
  const { status, text } = await sendRequest(node, key, '/v1/pets', { method: 'POST', body: rex })
  if (status !== 201) throw new Error(text)
  return JSON.parse(text).id
}

/** A page's ids, and the query of the next page. */
const page = async ({ origin }: Server, query: string): Promise<{ ids: number[]; next: string | undefined }> => {
  const response = await fetch(`${origin}/v1/pets${query}`, { headers: { authorization: `Bearer ${key}` } })
  const [, next] = /^<([^>]*)>; rel="next"$/.exec(response.headers.get('link') ?? '') ?? []
  const pets = (await response.json()) as { id: number }[]
  return { ids: pets.map(({ id }) => id), next }
}

const keys = (t: Test, url: string, ...args: string[]) =>
  resultOf(
    run(t, process.execPath, [scriptPath('src/main.js'), 'keys', ...args], {
      cwd: projectFolder,
      env: { DATABASE_URL: url }
    })
  )

const statusOf = async (node: Server, key: string | undefined) => (await sendRequest(node, key, '/v1/pets')).status

t.test('a new key is valid on all nodes at once, and a revoked one invalid within a second', async t => {
  const url = await newDatabase(t)
  const nodes = await startNodes(t, url)
  const [issued = ''] = /ast_live_\w+/.exec((await keys(t, url, 'issue')).stdout) ?? []
  for (const node of nodes) t.equal(await statusOf(node, issued), 200)
  t.equal((await keys(t, url, 'revoke', keyIdOf(digestOf(issued)))).code, 0)
  await delay(1000)
  for (const node of nodes) t.equal(await statusOf(node, issued), 401)
})

t.test('nodes read what others write, and accept the cursors of others', async t => {
  const url = await newDatabase(t)
  const nodes = await startNodes(t, url)
  const [one, other] = nodes
  for (const node of [one, other, other, one, one]) {
    const id = await create(node)
    for (const each of nodes) t.equal((await sendRequest(each, key, `/v1/pets/${id}`)).status, 200)
  }
  const first = await page(one, '?limit=2')
  const second = await page(other, first.next ?? '')
  const third = await page(one, second.next ?? '')
  t.strictSame([first.ids, second.ids, third], [[1, 2], [3, 4], { ids: [5], next: undefined }])
})

/**
 * Follows the links, on the nodes in turn, and requests the last page again until `isOver`. Animals of a page must stay
 * where they are.
 */
const follow = async (t: Test, nodes: readonly Server[], isOver: () => boolean): Promise<number[]> => {
  const seen: number[] = []
  let query = '?limit=20'
  let shown: number[] = []
  for (let turn = 0; ; turn++) {
    const isLast = isOver()
    const { ids, next } = await page(nodes[turn % nodes.length] as Server, query)
    if (shown.some((id, i) => id !== ids[i])) t.fail(`a page had ${shown} before, and has ${ids} now`)
    shown = ids
    if (next === undefined && !isLast) continue
    seen.push(...ids)
    if (next === undefined) return seen
    query = next
    shown = []
  }
}

t.test('pages neither skip nor repeat an animal while several nodes add animals', async t => {
  const url = await newDatabase(t)
  const nodes = await startNodes(t, url)
  // Commits of different lengths would overtake each other if they did not take turns.
  const client = new pg.Client(url)
  await client.connect()
  await client.query(`
    CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_sleep(random() * 0.01); RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON pets DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.id % 10 = 0) EXECUTE FUNCTION pause()`)
  await client.end()
  const count = extent(500, 20_000)
  const created: number[] = []
  let begun = 0
  const write = async (node: Server) => {
    while (begun++ < count) created.push(await create(node))
  }
  let isOver = false
  const readers = [nodes, nodes.toReversed()].map(each => follow(t, each, () => isOver))
  await Promise.all(nodes.flatMap(node => Array.from({ length: 4 }, () => write(node))))
  isOver = true
  const walks = await Promise.all(readers)
  t.equal(created.length, count)
  created.sort((a, b) => a - b)
  for (const seen of walks) t.strictSame(seen, created)
})

/** The status and body of /readyz. */
const readiness = async ({ operators }: Server) => {
  const response = await fetch(`${operators}/readyz`)
  return { status: response.status, body: (await response.json()) as object }
}

t.test('each node reports whether it can reach the database, and recovers once it can', async t => {
  const server = await startPostgres()
  t.teardown(() => server.remove())
  const nodes = await startNodes(t, server.url)
  await create(nodes[0])
  for (const node of nodes) t.strictSame(await readiness(node), { status: 200, body: { status: 'ready' } })
  await server.stop()
  for (const node of nodes) {
    const message = 'The store is unavailable: the database cannot be reached.'
    t.strictSame(await readiness(node), { status: 503, body: { code: 'service_unavailable', message, status: 503 } })
    t.equal(await statusOf(node, key), 503)
    await node.printed(/"path":"\/readyz".*"type":"StoreUnavailable".*ECONNREFUSED/)
  }
  await server.start()
  for (const node of nodes) {
    t.equal(await statusOf(node, key), 200)
    while ((await readiness(node)).status !== 200) await delay(20)
  }
  t.equal(await create(nodes[1]), 2)
})

t.test('nodes are killed, stopped and started in any order', async t => {
  const url = await newDatabase(t)
  const [one, other] = await startNodes(t, url)
  t.equal(await create(one), 1)
  one.process.kill('SIGKILL')
  await one.ended
  t.equal(await create(other), 2)
  const third = await startNode(t, url)
  other.process.kill('SIGTERM')
  t.equal((await other.ended).code, 0)
  t.equal(await create(third), 3)
  third.process.kill('SIGKILL')
  await third.ended
  const last = await startNode(t, url)
  t.strictSame((await page(last, '')).ids, [1, 2, 3])
})

t.test('a node may have several workers', async t => {
  const url = await newDatabase(t)
  const node = await startNode(t, url, { WORKERS: '2' })
  for (;;) {
    const { body } = await readiness(node)
    if ((body as { workers?: number }).workers === 2) break
    await delay(20)
  }
  const ids = await Promise.all(Array.from({ length: 20 }, () => create(node)))
  t.equal(new Set(ids).size, 20)
  t.strictSame(
    (await page(node, '')).ids,
    ids.toSorted((a, b) => a - b)
  )
  node.process.kill('SIGTERM')
  t.equal((await node.ended).code, 0)
})
