import type { Connections } from './connections.ts'
import { UnusableDatabase } from './migrations.ts'

/** The second number of a lock that only this check takes; no table's name has this hash. */
const PROBE = 2

/**
 * Pages skip nothing because inserts take turns under an advisory lock. CockroachDB accepted such locks for years and ignored them.
 * @throws UnusableDatabase if a lock that one session holds is not refused to another
 */
export const requireTurns = async (connections: Connections, lock: number): Promise<void> => {
  const hold = `SELECT pg_advisory_xact_lock_shared(${lock}, ${PROBE})`
  // One message, and so one transaction and one round trip.
  const results = await connections.with(client =>
    client.query(
      `${hold}; SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${PROBE} AND pid = pg_backend_pid()`
    )
  )
  const [, shown] = results as unknown as { rows: unknown[] }[]
  if (shown?.rows.length !== 0) return
  // Some engines have locks, but do not show them there.
  const isRefused = await connections.with(async client => {
    await client.query(`BEGIN; ${hold}`)
    try {
      const tried = `SELECT pg_try_advisory_xact_lock(${lock}, ${PROBE}) AS given`
      return await connections.with(async other => (await other.query(tried)).rows[0]?.given === false)
    } finally {
      await client.query('ROLLBACK')
    }
  })
  if (!isRefused)
    throw new UnusableDatabase(
      'it accepts advisory locks but ignores them, so pages could skip what nodes add meanwhile'
    )
}
