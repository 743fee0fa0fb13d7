import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import t from 'tap'
import { startPostgres } from '../../packages/fastify/test/store/postgres-server.ts'
import { openPostgresStore } from '../open-store.ts'

t.test('while the database cannot be used, the check gives the reason, without hosts and users', async t => {
  const server = await startPostgres()
  t.teardown(() => server.remove())
  const admin = new pg.Client(server.url)
  const sql = async (...statements: string[]) => {
    for (const statement of statements) await admin.query(statement)
  }
  await admin.connect()
  await sql('CREATE ROLE shop LOGIN', 'CREATE DATABASE shop OWNER shop')
  const url = new URL(server.url)
  url.pathname = '/shop'
  url.username = 'shop'
  const store = await openPostgresStore({ url: url.href })
  t.teardown(() => store.close())
  const cut = `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'shop'`
  const suspended: number[] = []
  const resume = async () => {
    for (const pid of suspended.splice(0)) process.kill(pid, 'SIGCONT')
  }
  t.teardown(resume)

  const faults: Record<string, [begin: () => Promise<unknown>, end: () => Promise<unknown>]> = {
    'the database is read-only': [
      () => sql('ALTER DATABASE shop SET default_transaction_read_only = on', cut),
      () => sql('ALTER DATABASE shop RESET default_transaction_read_only', cut)
    ],
    'the database has no free connection': [
      () => sql('ALTER ROLE shop CONNECTION LIMIT 0', cut),
      () => sql('ALTER ROLE shop CONNECTION LIMIT -1')
    ],
    'the database rejects the user or the password': [
      () => sql('ALTER ROLE shop NOLOGIN', cut),
      () => sql('ALTER ROLE shop LOGIN')
    ],
    'the server has no such database': [
      () => sql(cut, 'ALTER DATABASE shop RENAME TO away'),
      () => sql('ALTER DATABASE away RENAME TO shop')
    ],
    'the database does not respond in time': [
      async () => {
        const { rows } = await admin.query(`SELECT pid FROM pg_stat_activity WHERE usename = 'shop'`)
        suspended.push(server.pid, ...rows.map(({ pid }) => pid))
        for (const pid of suspended) process.kill(pid, 'SIGSTOP')
      },
      resume
    ],
    'the database cannot be reached': [() => admin.end().then(server.stop), server.start]
  }
  // The first check may still meet a connection that has just been cut.
  const lasting = async () => {
    for (;;) {
      const error: Error | undefined = await store.check().then(
        () => undefined,
        error => error
      )
      if (!error?.message.includes('has cut the connection')) return error
      await delay(20)
    }
  }
  for (const [message, [begin, end]] of Object.entries(faults)) {
    await begin()
    t.match(await lasting(), { name: 'StoreUnavailable', message })
    await end()
    for (;;) {
      const [{ status }] = await Promise.allSettled([store.check()])
      if (status === 'fulfilled') break
      await delay(20)
    }
  }
})
