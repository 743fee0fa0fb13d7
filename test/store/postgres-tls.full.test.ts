import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import t, { type Test } from 'tap'
import { startPostgres } from '../../packages/fastify/test/store/postgres-server.ts'
import { newPet } from '../animals.ts'
import { openPostgresStore } from '../open-store.ts'

// The server's certificate is for localhost, issued by ca.pem. Both are valid for a hundred years; CA keys are not kept.
const pathOf = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url))
const read = (name: string) => readFileSync(pathOf(name), 'utf8')

const start = async (t: Test) => {
  const server = await startPostgres({
    settings: { ssl: 'on', ssl_cert_file: 'server.pem', ssl_key_file: 'server.key' },
    files: { 'server.pem': read('server.pem'), 'server.key': read('server.key') }
  })
  t.teardown(() => server.remove())
  return server
}

t.test('TLS is used as the URL says, and never falls back to plain text', async t => {
  const { port, url } = await start(t)
  const open = (host: string, query: string) =>
    openPostgresStore({ url: `postgres://postgres@${host}:${port}/postgres?${query}`, startupDeadlineMs: 0 })
  const observer = new pg.Client(url)
  await observer.connect()
  t.teardown(() => observer.end())
  const verified = `sslmode=verify-full&sslrootcert=${pathOf('ca.pem')}`
  for (const [query, isEncrypted] of [
    [verified, true],
    ['sslmode=no-verify', true],
    ['sslmode=disable', false],
    ['', false]
  ] as const) {
    const store = await open('localhost', query)
    await store.pets.create(newPet())
    // Until a connection is authenticated, PostgreSQL shows it as plain text.
    const { rows } = await observer.query(
      `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
      WHERE client_port > 0 AND pid <> pg_backend_pid() AND state <> 'starting'`
    )
    t.strictSame(rows, [{ ssl: isEncrypted }], query)
    await store.close()
    // A closed connection remains for a moment.
    while ((await observer.query('SELECT FROM pg_stat_activity WHERE client_port > 0')).rowCount !== 1);
  }
  for (const [host, query, message] of [
    ['localhost', `sslmode=verify-full&sslrootcert=${pathOf('other-ca.pem')}`, /certificate/],
    ['localhost', 'sslmode=verify-full', /certificate/],
    ['127.0.0.1', verified, /IP: 127\.0\.0\.1 is not in the cert/]
  ] as const)
    await t.rejects(open(host, query), { message }, `${host} ${query}`)
})

t.test('a server without TLS is refused if the URL requires it', async t => {
  const server = await startPostgres()
  t.teardown(() => server.remove())
  const { url } = server
  for (const mode of ['verify-full', 'no-verify'])
    await t.rejects(openPostgresStore({ url: `${url}?sslmode=${mode}`, startupDeadlineMs: 0 }), {
      message: /The server does not support SSL connections/
    })
})
