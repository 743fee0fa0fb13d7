import pg from 'pg'
import type { Test } from 'tap'
import { type PostgresServer, startPostgres } from './postgres-server.ts'

let server: Promise<PostgresServer> | undefined
let count = 0

/** The URL of a server for this test process: TEST_DATABASE_URL, or else a server that ends with the process. */
export const serverUrl = async (): Promise<string> => {
  const { TEST_DATABASE_URL: given } = process.env
  if (given) return given
  server ??= startPostgres()
  return (await server).url
}

/** The URL of a new, empty schema, dropped after the test. For a store it is like a database, but it is created much faster. */
export const newDatabase = async (t: Test): Promise<string> => {
  const server = await serverUrl()
  const name = `test_${process.pid}_${count++}`
  const admin = async (sql: string) => {
    const client = new pg.Client(server)
    await client.connect()
    await client.query(sql)
    await client.end()
  }
  await admin(`CREATE SCHEMA ${name}`)
  t.teardown(() => admin(`DROP SCHEMA ${name} CASCADE`))
  const url = new URL(server)
  url.searchParams.set('options', `-c search_path=${name}`)
  return url.href
}
