import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import t, { type Test } from 'tap'
import { newApiKey } from '../packages/fastify/src/api-keys/api-key.ts'
import { type PostgresServer, startPostgres } from '../packages/fastify/test/store/postgres-server.ts'
import { newPet } from './animals.ts'
import { openPostgresStore } from './open-store.ts'
import { projectFolder, sendRequest, startServer } from './start-server.ts'

const rex = newPet()

const sql = async ({ url }: PostgresServer, text: string): Promise<unknown[]> => {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query({ text, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

/** A primary and a streaming standby, both with tables, since a missing table would count as a failure of the replica. */
const startPair = async (t: Test) => {
  const primary = await startPostgres()
  const standby = await startPostgres({ primary })
  t.teardown(() => Promise.all([standby.remove(), primary.remove()]))
  await (await openPostgresStore({ url: primary.url })).close()
  await until(() => isReplicated(standby, 0))
  return { primary, standby }
}

/** Whether the standby has this many pets. */
const isReplicated = async (standby: PostgresServer, count: number) =>
  (await sql(standby, 'SELECT id FROM pets').catch(() => undefined))?.length === count

const openNode = async (t: Test, { primary, standby }: { primary: PostgresServer; standby: PostgresServer }) => {
  const failures: unknown[] = []
  const store = await openPostgresStore({
    url: primary.url,
    replicaUrl: standby.url,
    onReplicaFailure: error => failures.push(error)
  })
  t.teardown(() => store.close())
  return { store, pets: store.pets, failures }
}

const until = async (holds: () => Promise<boolean>) => {
  while (!(await holds())) await delay(10)
}

const all = { after: 0n, limit: 100 }

t.test('reads go to the replica; a list may lag behind, but a new pet is found at once', async t => {
  const pair = await startPair(t)
  const [one, other] = [await openNode(t, pair), await openNode(t, pair)]
  const first = await one.pets.create(rex)
  await until(async () => (await other.pets.list(all)).length === 1)
  await sql(pair.standby, 'SELECT pg_wal_replay_pause()')
  const second = await one.pets.create(rex)
  for (const { pets } of [one, other]) {
    t.strictSame(await pets.list(all), [first], 'so it is from the replica')
    t.strictSame(await pets.get(second.id), second)
    t.strictSame(await pets.get(first.id), first)
    t.equal(await pets.get(3n), undefined)
  }
  await sql(pair.primary, 'ALTER TABLE pets RENAME TO away')
  t.strictSame(await other.pets.get(first.id), first, 'so it is from the replica')
  await sql(pair.primary, 'ALTER TABLE away RENAME TO pets')
  await sql(pair.standby, 'SELECT pg_wal_replay_resume()')
  await until(async () => (await other.pets.list(all)).length === 2)
  t.strictSame(await one.pets.list(all), [first, second])
  for (const { store, failures } of [one, other]) {
    t.equal(store.figures().fallbacks, 0)
    t.strictSame(failures, [])
  }
})

t.test('pages from a lagging replica skip no animal', async t => {
  const pair = await startPair(t)
  const writers = [await openNode(t, pair), await openNode(t, pair)]
  const reader = await openNode(t, pair)
  const isReplaying = ['pause', 'resume'].map(what => () => sql(pair.standby, `SELECT pg_wal_replay_${what}()`))
  let isOver = false
  const lag = async () => {
    for (let i = 0; !isOver; i++) {
      await isReplaying[i % 2]?.()
      await delay(20)
    }
    await isReplaying[1]?.()
  }
  const lagging = lag()
  await until(async () => (await reader.pets.list(all).catch(() => undefined)) !== undefined)
  const created: bigint[] = []
  const write = async ({ pets }: (typeof writers)[number]) => {
    for (let i = 0; i < 50; i++) created.push((await pets.create(rex)).id)
  }
  const seen: bigint[] = []
  const walk = async () => {
    while (seen.length < 400)
      seen.push(...(await reader.pets.list({ after: seen.at(-1) ?? 0n, limit: 20 })).map(({ id }) => id))
  }
  const walking = walk()
  await Promise.all([...writers, ...writers].flatMap(each => [write(each), write(each)]))
  isOver = true
  await lagging
  await walking
  t.strictSame(
    seen,
    created.toSorted((a, b) => Number(a - b))
  )
  t.strictSame(reader.failures, [])
})

t.test('reads that a replica does not respond to go to the primary', async t => {
  const pair = await startPair(t)
  const { pets, failures } = await openNode(t, pair)
  const pet = await pets.create(rex)
  await until(() => isReplicated(pair.standby, 1))
  t.strictSame(await pets.list(all), [pet])
  t.strictSame(failures, [])
  const pids = (await sql(pair.standby, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()')) as number[]
  const suspended = [pair.standby.pid, ...pids]
  const signal = (name: NodeJS.Signals) => {
    for (const pid of suspended) process.kill(pid, name)
  }
  signal('SIGSTOP')
  try {
    const reads = [pets.list(all), pets.get(pet.id).then(found => [found]), delay(100).then(() => pets.list(all))]
    for (const found of await Promise.all(reads)) t.strictSame(found, [pet])
    t.match(failures[0], { message: 'the database does not respond in time' })
  } finally {
    signal('SIGCONT')
  }
})

t.test('without the replica, reads go to the primary; then to the replica again', async t => {
  const { primary, standby } = await startPair(t)
  const key = newApiKey('ast')
  await standby.stop()
  const env = { API_KEYS: key, DATABASE_URL: primary.url, DATABASE_REPLICA_URL: standby.url }
  const server = await startServer(t, { cwd: projectFolder, env })
  const body = '{"name":"Rex","categoryId":7}'
  t.equal((await sendRequest(server, key, '/v1/pets', { method: 'POST', body })).status, 201)
  const list = async () => JSON.parse((await sendRequest(server, key, '/v1/pets')).text).length
  const fallbacks = async () => {
    const page = await (await fetch(`${server.operators}/metrics`)).text()
    return Number(/^store_replica_fallbacks_total (\d+)$/m.exec(page)?.[1])
  }
  for (let i = 0; i < 3; i++) t.equal(await list(), 1)
  t.equal((await sendRequest(server, key, '/v1/pets/1')).status, 200)
  t.equal(await fallbacks(), 4)
  t.equal((await fetch(`${server.operators}/readyz`)).status, 200)
  await server.printed(/"level":40.*ECONNREFUSED.*"msg":"the replica cannot be read: reads go to the primary"/)

  await standby.start()
  await until(() => isReplicated(standby, 1))
  await sql(standby, 'SELECT pg_wal_replay_pause()')
  t.equal((await sendRequest(server, key, '/v1/pets', { method: 'POST', body })).status, 201)
  await until(async () => (await list()) === 1)
  await standby.kill()
  await server.printed(/"level":30.*"msg":"the replica can be read again: reads go to it"/)
  // Its connections remain for a moment.
  await until(async () => (await list()) === 2)
  t.equal(server.output().stdout.split('the replica cannot be read').length, 2, 'once a minute')
})
