import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import t from 'tap'
import { startPostgres } from '../../packages/fastify/test/store/postgres-server.ts'
import { extent } from '../extent.ts'
import { startServer } from '../start-server.ts'
import { RetryingClients } from './retrying-clients.ts'

t.setTimeout(600_000)

const query = async (port: number, text: string): Promise<unknown[]> => {
  const client = new pg.Client(`postgres://postgres@127.0.0.1:${port}/postgres`)
  await client.connect()
  try {
    return (await client.query({ text, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

const kinds = ['create', 'get', 'list', 'ready']

/** Resolves once commits on the primary wait for its standby. */
const waitForStandby = async (port: number): Promise<void> => {
  await query(port, `ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await query(port, 'SELECT pg_reload_conf()')
  while ((await query(port, 'SELECT sync_state FROM pg_stat_replication'))[0] !== 'sync') await delay(10)
}

t.test('primaries are killed with -9 and standbys promoted: nothing acknowledged is lost', async t => {
  let primary = await startPostgres()
  let standby = await startPostgres({ primary })
  t.teardown(() => Promise.all([primary.remove(), standby.remove()]))
  await waitForStandby(primary.port)

  // The first is the standby, which cannot write.
  const url = `postgres://postgres@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/postgres`
  const start = () => startServer(t, { cwd: t.testdir(), env: { DATABASE_URL: url, LOG_LEVEL: 'warn' } })
  const first = await start()
  const nodes = [first, { ...(await start()), key: first.key }]
  const clients = new RetryingClients(t, nodes)

  for (let round = 0; round < extent(2, 6); round++) {
    await clients.created(40)
    const beganMs = performance.now()
    await primary.kill()
    await delay(extent(500, 2000))
    const refused = (what: string) =>
      clients.within(beganMs, performance.now()).some(each => each.what === what && each.status === 503)
    // On a busy machine, later than that.
    while (!kinds.every(refused)) await delay(20)
    const promotedMs = performance.now()
    standby.promote()
    const { successMs, lastFailureMs } = await clients.recovered(promotedMs)
    const failed = clients.within(beganMs, promotedMs).filter(({ status }) => status === 503)
    t.comment(
      `${failed.length} × 503; success after ${successMs.toFixed(0)} ms, last failure after ${lastFailureMs.toFixed(0)} ms from the promotion`
    )
    t.pass('requests of every kind get 503 while there is no primary')
    t.ok(successMs < 8000)

    // A new standby replaces the old primary, whose log may end with records that the new primary never received.
    await primary.remove()
    const { port } = primary
    primary = standby
    standby = await startPostgres({ primary, port })
    await waitForStandby(primary.port)
  }
  await clients.end(t)
  for (const node of nodes) {
    t.equal(node.process.exitCode, null, 'without a restart')
    t.equal(node.output().stderr, '')
    t.match(node.output().stdout, /the store is unavailable/)
  }
})
