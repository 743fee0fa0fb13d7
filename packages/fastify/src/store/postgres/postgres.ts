import { setTimeout as delay } from 'node:timers/promises'
import { LIFETIME_MS, sweepExpired } from '../idempotency.ts'
import { withoutPassword } from '../location.ts'
import { type Store, type StoreEvents, StoreUnavailable } from '../store.ts'
import { Connections, READ_ONLY } from './connections.ts'
import { PostgresKeys } from './keys.ts'
import { migrate, UnusableDatabase } from './migrations.ts'
import { Replica } from './replica.ts'
import { isUnavailable } from './result-codes.ts'
import { NOW_MS, type PostgresSchema } from './schema.ts'
import { Statements } from './statements.ts'
import { requireTurns } from './turns.ts'

export interface PostgresOptions extends StoreEvents {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with several hosts separated by commas. */
  url: string
  /** A replica for lists and gets. */
  replicaUrl?: string | undefined
  /** For `pg_stat_activity`. */
  applicationName?: string
  /** How long the start waits for the database. */
  startupDeadlineMs?: number
}

// For a batch each of gets, lists and creates, and one for keys.
const MAX_CONNECTIONS = 4

// If it hangs, the first reads go to the primary after one and a half times this.
const REPLICA_TIMEOUT_MS = 1000

const STARTUP_DEADLINE_MS = 5000
const STARTUP_RETRY_MS = 100

const MAX_SWEPT = 500

/**
 * A store in a PostgreSQL database, which any number of nodes may have open.
 * @throws Error naming the hosts, if the database cannot be reached, belongs to another service, has a newer version, or ignores
 * advisory locks, or naming a statement that the database cannot run
 */
export const openPostgres = async <T extends object>(
  schema: PostgresSchema<T>,
  options: PostgresOptions
): Promise<Store & T> => {
  const { url, replicaUrl, onMigration, applicationName } = options
  const { startupDeadlineMs = STARTUP_DEADLINE_MS } = options
  const primary = new Connections({ url, writable: true, max: MAX_CONNECTIONS, applicationName })
  const replica = replicaUrl === undefined ? undefined : replicaAt(replicaUrl, options)
  const closeConnections = () => Promise.all([primary.close(), replica?.close()])
  try {
    await within(startupDeadlineMs, async () => {
      await requireTurns(primary, schema.applicationId)
      await primary.with(client => migrate(client, schema, onMigration))
    })
    const statements = new Statements(primary, replica, schema.applicationId)
    const keys = new PostgresKeys(statements)
    const tables = schema.tables({
      select: statements.select.bind(statements),
      insert: statements.insert.bind(statements),
      read: statements.read.bind(statements),
      write: statements.write.bind(statements),
      transaction: statements.transaction.bind(statements)
    })
    await within(startupDeadlineMs, () => statements.prepare())
    return storeOf({ primary, statements, keys, tables, closeConnections })
  } catch (error) {
    await closeConnections()
    // If several addresses of a host fail, the error has no message.
    const { message, code } = error as NodeJS.ErrnoException
    throw new Error(`cannot open the database ${withoutPassword(url)}: ${message || code}`, { cause: error })
  }
}

const replicaAt = (url: string, { applicationName, onReplicaFailure, onReplicaReturn }: PostgresOptions): Replica => {
  const timeoutMs = REPLICA_TIMEOUT_MS
  const connections = new Connections({ url, writable: false, max: MAX_CONNECTIONS, timeoutMs, applicationName })
  return new Replica(connections, onReplicaFailure, onReplicaReturn)
}

/** Retries while the database cannot be reached. */
const within = async (deadlineMs: number, attempt: () => Promise<unknown>): Promise<void> => {
  const deadline = performance.now() + deadlineMs
  for (;;) {
    try {
      await attempt()
      return
    } catch (error) {
      if (error instanceof UnusableDatabase || !isUnavailable(error) || performance.now() >= deadline) throw error
      await delay(STARTUP_RETRY_MS)
    }
  }
}

interface Parts<T> {
  primary: Connections
  statements: Statements
  keys: PostgresKeys
  tables: T
  closeConnections(): Promise<unknown>
}

const storeOf = <T extends object>({ primary, statements, keys, tables, closeConnections }: Parts<T>): Store & T => {
  const sweeper = sweepExpired(() => sweep(statements))
  const end = async () => {
    sweeper.stop()
    await Promise.all([keys.close(), statements.close()])
    await closeConnections()
  }
  let closed: Promise<void> | undefined
  return {
    ...tables,
    keys,
    keepsIdempotencyKeys: true,
    check: async () => {
      statements.check()
      const [row] = await primary.read(READ_ONLY)
      if (row?.[0] !== 'off') throw new StoreUnavailable('the database is read-only')
    },
    isNew: async () => {
      const tables = await primary.run(`SELECT quote_ident(table_name) FROM information_schema.columns
        WHERE table_schema = current_schema() AND is_identity = 'YES'`)
      const isEmpty = ['keys', ...tables.flat()].map(table => `NOT EXISTS (SELECT 1 FROM ${table})`)
      const [row] = await primary.run(`SELECT ${isEmpty.join(' AND ')}`)
      return row?.[0] === true
    },
    figures: () => statements.figures,
    close: () => {
      closed ??= end()
      return closed
    }
  }
}

// Skips rows that another node is deleting. By the database's clock, since a node's own may be a day ahead.
const sweep = async (statements: Statements): Promise<number> => {
  const swept = await statements.write(
    `DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM idempotency_keys WHERE created_at < ${NOW_MS} - ${LIFETIME_MS} ORDER BY created_at
       LIMIT ${MAX_SWEPT} FOR UPDATE SKIP LOCKED)) RETURNING 1`
  )
  return swept.length
}
