import { tableOf } from './parameters.ts'
import type { Columns } from './schema.ts'

/**
 * The SQL that inserts many rows at once, in three layers:
 *
 * 1. `request` has what to insert, numbered by `#`, each with an id of its own;
 * 2. `stored` has, for each idempotency key, the id of the row that was first inserted with it, now or earlier;
 * 3. `added` inserts all rows but those whose key has been used before.
 *
 * For example, Tom's key is new, and Ada was inserted before with hers, as 3:
 *
 *     #  name  once_key  request.id  stored.id  added  result
 *     1  Rex   NULL      7                      yes    7
 *     2  Tom   k         8           8          yes    8
 *     3  Ada   j         9           3          no     3, and whether it was for the same request
 */
export interface Insertion {
  /** If no request has a key: the second layer costs most of the statement. */
  readonly plain: string
  /** The columns have those of `onceColumns`, too. */
  readonly keyed: string
}

export const onceColumns = { once_owner: 'text', once_key: 'text', once_fingerprint: 'text' } as const

export const insertionInto = (table: string, columns: Columns, lock: number): Insertion => {
  const names = ['id', ...Object.keys(columns)].join(', ')

  // Ids come from the sequence once the turn has begun. Not from RETURNING, whose order PostgreSQL does not promise.
  const request = (columns: Columns) => `
    turn AS MATERIALIZED (SELECT pg_advisory_xact_lock(${lock}, hashtext('${table}'))),
    request AS MATERIALIZED (
      SELECT q.*, nextval((SELECT pg_get_serial_sequence('${table}', 'id')::regclass)) AS id
      FROM turn CROSS JOIN ${tableOf(columns)})`

  // The update changes nothing, but returns rows that another node has committed since this statement began.
  const stored = `
    stored AS (
      INSERT INTO idempotency_keys AS known (owner, key, fingerprint, id)
      SELECT once_owner, once_key, decode(once_fingerprint, 'hex'), id FROM request WHERE once_key IS NOT NULL
      ON CONFLICT (owner, key) DO UPDATE SET fingerprint = known.fingerprint
      RETURNING owner, key, fingerprint, id)`

  const added = (condition: string) => `
    added AS (
      INSERT INTO ${table} (${names}) OVERRIDING SYSTEM VALUE SELECT ${names} FROM request ${condition})`

  return {
    plain: `WITH ${request(columns)}, ${added('')}
      SELECT id FROM request ORDER BY "#"`,
    keyed: `WITH ${request({ ...columns, ...onceColumns })}, ${stored},
      ${added('WHERE once_key IS NULL OR id IN (SELECT id FROM stored)')}
      SELECT coalesce(stored.id, request.id), coalesce(stored.fingerprint = decode(once_fingerprint, 'hex'), true)
      FROM request LEFT JOIN stored ON stored.owner = once_owner AND stored.key = once_key ORDER BY "#"`
  }
}
