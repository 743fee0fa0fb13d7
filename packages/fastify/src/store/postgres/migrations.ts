import type { PoolClient, QueryConfig } from 'pg'
import { isUnavailable } from './result-codes.ts'
import type { PostgresSchema } from './schema.ts'

type Versions = Pick<PostgresSchema, 'applicationId' | 'migrations'>

/** The second number of the lock that migrations take; no table's name has this hash. */
const MIGRATION_LOCK = 0

/** As long as a timer can wait: 24 days. */
export const NO_TIMEOUT = 2 ** 31 - 1

/** This program cannot use the database, however long it waits. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase'
}

/**
 * Migrates the database to the newest version, in one transaction. Safe to run on several nodes at once: the first one does
 * it, and the others wait.
 * @throws UnusableDatabase if another service has its tables there, a newer program has migrated it, or a migration fails
 */
export const migrate = async (
  client: PoolClient,
  { applicationId, migrations }: Versions,
  onMigration?: (version: number) => void
): Promise<void> => {
  const newest = migrations.length
  if ((await versionOf(client, { applicationId, migrations })) === newest) return
  // No timeouts: tables may be large, and another node may be migrating.
  const run = (text: string) => client.query({ text, query_timeout: NO_TIMEOUT } as QueryConfig)
  await run('BEGIN; SET LOCAL statement_timeout = 0')
  try {
    await run(`SELECT pg_advisory_xact_lock(${applicationId}, ${MIGRATION_LOCK})`)
    await client.query('CREATE TABLE IF NOT EXISTS schema_version (application_id int NOT NULL, version int NOT NULL)')
    const before = await versionOf(client, { applicationId, migrations })
    for (const [index, step] of migrations.entries()) {
      if (index < before) continue
      try {
        await run(step)
      } catch (cause) {
        if (isUnavailable(cause)) throw cause
        throw new UnusableDatabase(`migration ${index + 1} failed: ${(cause as Error).message}`, { cause })
      }
    }
    await client.query('DELETE FROM schema_version')
    await client.query(`INSERT INTO schema_version VALUES (${applicationId}, ${newest})`)
    await client.query('COMMIT')
    for (let version = before + 1; version <= newest; version++) onMigration?.(version)
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/** The database's version; 0 if it has none of the tables. @throws UnusableDatabase as `migrate` does */
export const versionOf = async (client: Pick<PoolClient, 'query'>, schema: Versions): Promise<number> => {
  const exists = await client.query("SELECT to_regclass('schema_version') AS name")
  if (exists.rows[0].name === null) return 0
  const found = await client.query('SELECT application_id, version FROM schema_version')
  const { application_id: owner = schema.applicationId, version = 0 } = found.rows[0] ?? {}
  if (owner !== schema.applicationId) throw new UnusableDatabase('it belongs to another service')
  const newest = schema.migrations.length
  if (version > newest)
    throw new UnusableDatabase(`its version ${version} is newer than this program, which supports up to ${newest}`)
  return version
}
