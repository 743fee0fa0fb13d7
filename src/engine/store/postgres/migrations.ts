import type { PoolClient } from 'pg'
import type { PostgresSchema } from './schema.ts'

type Versions = Pick<PostgresSchema, 'applicationId' | 'migrations'>

/** The second number of the lock that migrations take; no table's name has this hash. */
const MIGRATION_LOCK = 0

/**
 * Migrates the database to the newest version, in one transaction. Safe to run on several nodes at once: the first does
 * it, and the others wait.
 * @throws Error if another service has its tables there, or a newer program has migrated it
 */
export const migrate = async (
  client: PoolClient,
  { applicationId, migrations }: Versions,
  onMigration?: (version: number) => void
): Promise<void> => {
  const newest = migrations.length
  if ((await versionOf(client, { applicationId, migrations })) === newest) return
  // No statement of a migration may be ended halfway because the table is large.
  await client.query('BEGIN; SET LOCAL statement_timeout = 0')
  try {
    await client.query(`SELECT pg_advisory_xact_lock(${applicationId}, ${MIGRATION_LOCK})`)
    await client.query('CREATE TABLE IF NOT EXISTS schema_version (application_id int NOT NULL, version int NOT NULL)')
    const before = await versionOf(client, { applicationId, migrations })
    for (const [index, step] of migrations.entries()) {
      if (index < before) continue
      try {
        await client.query(step)
      } catch (cause) {
        throw new Error(`migration ${index + 1} failed: ${(cause as Error).message}`, { cause })
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

/** The database's version; 0 if it has none of the tables. @throws Error as `migrate` does */
export const versionOf = async (client: Pick<PoolClient, 'query'>, schema: Versions): Promise<number> => {
  const exists = await client.query("SELECT to_regclass('schema_version') AS name")
  if (exists.rows[0].name === null) return 0
  const found = await client.query('SELECT application_id, version FROM schema_version')
  const { application_id: owner = schema.applicationId, version = 0 } = found.rows[0] ?? {}
  if (owner !== schema.applicationId) throw new Error('it belongs to another service')
  const newest = schema.migrations.length
  if (version > newest)
    throw new Error(`its version ${version} is newer than this program, which supports up to ${newest}`)
  return version
}
