import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import t, { type Test } from 'tap'
import { startPostgres } from '../../packages/fastify/test/store/postgres-server.ts'
import { extent } from '../extent.ts'
import { type Server, startServer } from '../start-server.ts'
import { RetryingClients } from './retrying-clients.ts'

// Two nodes on one PostgreSQL server, and what can happen to it while clients create and read.

t.setTimeout(600_000)

interface Fault {
  begin(): Promise<unknown>
  end(): Promise<unknown>
  /** How long the fault lasts. */
  lastsMs: number
  /** What the log says. */
  logs?: RegExp
  /** Whether some requests must fail; otherwise some may. */
  fails?: boolean
  /** Whether the nodes report that they are not ready. */
  unready?: boolean
}

const server = await startPostgres({ settings: { max_connections: '20' } })
// A suspended process would outlive the server.
let suspended: number[] = []
const signal = (pid: number, name: NodeJS.Signals) => {
  try {
    process.kill(pid, name)
  } catch {
    // It has already exited.
  }
}
const resume = async () => {
  for (const pid of suspended.splice(0)) signal(pid, 'SIGCONT')
}
t.teardown(async () => {
  await resume()
  await server.remove()
})

const cwd = t.testdir()
const startNode = (t: Test) => startServer(t, { cwd, env: { DATABASE_URL: server.url, LOG_LEVEL: 'warn' } })

/** What a node has logged after the first `from` characters. */
const logOf = (node: Server, from: number) => node.output().stdout.slice(from)

const asAdmin = async <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client(server.url)
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
const admin = (...statements: string[]) =>
  asAdmin(async client => {
    for (const each of statements) await client.query(each)
  })

const first = await startNode(t)
const second = { ...(await startNode(t)), key: first.key }
const nodes: Server[] = [first, second]
const acknowledged = new Map<string, number>()

// The longest recovery on a busy machine; on an idle one it takes a fraction of a second.
const slackMs = 8000

const survives = (what: string, fault: Fault) =>
  t.test(what, async t => {
    const clients = new RetryingClients(t, nodes, acknowledged)
    const logged = nodes.map(node => node.output().stdout.length)
    await clients.created(20)
    const beganMs = performance.now()
    await fault.begin()
    await delay(fault.lastsMs)
    await fault.end()
    const endedMs = performance.now()
    const { successMs, lastFailureMs } = await clients.recovered(endedMs)
    for (const node of nodes) {
      t.equal(node.process.exitCode, null, 'no node has exited')
      t.equal(node.output().stderr, '')
    }
    await clients.end(t)

    const failed = clients.within(beganMs, endedMs).filter(({ status }) => status === 503)
    t.comment(
      `${failed.length} × 503; success after ${successMs.toFixed(0)} ms, last failure after ${lastFailureMs.toFixed(0)} ms from the end`
    )
    t.ok(successMs < slackMs)
    t.ok(lastFailureMs < slackMs)
    if (fault.fails)
      t.ok(
        failed.some(each => each.what === 'create'),
        'creates get 503'
      )
    if (fault.unready)
      t.ok(
        failed.some(each => each.what === 'ready'),
        'the nodes report that they are not ready'
      )
    if (fault.logs)
      nodes.forEach((node, index) => {
        t.match(logOf(node, logged[index] as number), fault.logs, 'the log says why')
      })
  })

const nothing = async () => {}

t.test('a node is killed with -9, and another takes its place', async t => {
  const rounds = extent(1, 10)
  const clients = new RetryingClients(t, nodes, acknowledged)
  for (let round = 0; round < rounds; round++) {
    await clients.created(20)
    const [victim] = nodes.splice(round % 2, 1) as [Server]
    const beganMs = performance.now()
    victim.process.kill('SIGKILL')
    await victim.ended
    await clients.created(40)
    const lost = clients.within(beganMs, performance.now()).filter(({ status }) => status === 0)
    t.comment(`${lost.length} requests without a response; the other node went on`)
    nodes.splice(round % 2, 0, { ...(await startNode(t.parent as Test)), key: first.key })
    clients.nodes.splice(0, 2, ...nodes)
  }
  await clients.created(40)
  await clients.end(t)
})

survives('stopped and started', {
  begin: () => server.stop(),
  end: () => server.start(),
  lastsMs: extent(500, 5000),
  logs: /the store is unavailable/,
  fails: true,
  unready: true
})

survives('kill -9, and started again', {
  begin: () => server.kill(),
  end: () => server.start(),
  lastsMs: extent(500, 5000),
  logs: /ECONNREFUSED/,
  fails: true,
  unready: true
})

survives('its connections are cut, one after the other', {
  begin: async () => {
    await asAdmin(async client => {
      for (let i = 0; i < extent(10, 200); i++) {
        await client.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1`
        )
        await delay(50)
      }
    })
  },
  end: nothing,
  lastsMs: 0
})

const hogs: pg.Client[] = []
survives('out of connections', {
  begin: () =>
    asAdmin(async client => {
      // Once a node's connection is cut, another client tries to take the free slot; the node may be faster.
      for (;;) {
        await client.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'Animal Store'`
        )
        const found = await Promise.allSettled(
          Array.from({ length: 20 }, async () => {
            const hog = new pg.Client(server.url)
            hog.on('error', () => {})
            await hog.connect()
            hogs.push(hog)
          })
        )
        const isFull = found.some(({ status }) => status === 'rejected')
        const { rows } = await client.query(
          `SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'Animal Store'`
        )
        if (isFull && rows[0].count === 0) return
      }
    }),
  end: () => Promise.all(hogs.splice(0).map(hog => hog.end())),
  lastsMs: extent(500, 5000),
  logs: /too many clients/,
  fails: true,
  unready: true
})

let unlock = nothing
survives('the table is locked for longer than a statement may take', {
  begin: async () => {
    const client = new pg.Client(server.url)
    await client.connect()
    await client.query('BEGIN; LOCK TABLE pets')
    unlock = async () => {
      await client.query('ROLLBACK')
      await client.end()
    }
  },
  end: () => unlock(),
  lastsMs: extent(3000, 20_000),
  logs: /statement timeout/,
  fails: true,
  unready: true
})

survives('read-only', {
  begin: () => admin('ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()'),
  end: () =>
    admin(
      'SET default_transaction_read_only = off',
      'ALTER SYSTEM RESET default_transaction_read_only',
      'SELECT pg_reload_conf()'
    ),
  lastsMs: extent(500, 5000),
  logs: /read-only/,
  fails: true,
  unready: true
})

survives('suspended', {
  begin: () =>
    asAdmin(async client => {
      const { rows } = await client.query('SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()')
      suspended = [server.pid, ...rows.map(({ pid }) => pid)]
      for (const pid of suspended) signal(pid, 'SIGSTOP')
    }),
  end: resume,
  lastsMs: extent(6000, 20_000),
  logs: /the store is unavailable/,
  fails: true,
  unready: true
})

survives('a migration runs', {
  begin: () =>
    asAdmin(async client => {
      await client.query('BEGIN; ALTER TABLE pets ADD COLUMN colour text')
      await delay(300)
      await client.query('COMMIT')
      await client.query('ALTER TABLE pets ALTER COLUMN name TYPE varchar(1000)')
    }),
  end: nothing,
  lastsMs: 0
})
