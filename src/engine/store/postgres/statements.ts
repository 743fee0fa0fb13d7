import { Batches, type Waiting } from '../batches.ts'
import { KeyReused, type Once, OnceAtATime } from '../idempotency.ts'
import { type StoreFigures, StoreUnavailable } from '../store.ts'
import type { Connections } from './connections.ts'
import { Figures, type Writes } from './figures.ts'
import type { Replica } from './replica.ts'
import { isOfRow } from './result-codes.ts'
import type { Columns, PostgresAccess, Row, Values } from './schema.ts'

/** Statements that take many queries at once: a round trip costs five times a further query in it. */
export class Statements implements PostgresAccess {
  readonly figures: StoreFigures
  readonly #primary: Connections
  readonly #replica: Replica | undefined
  readonly #lock: number
  readonly #reads: Pick<Batches<unknown, unknown>, 'close'>[] = []
  readonly #writes: Writes[]
  readonly #singly: Batches<{ text: string; values: readonly unknown[] | undefined }, Row[]>
  readonly #atATime = new OnceAtATime()
  readonly #inProgress = new Set<{ begunMs: number }>()
  /** Failures of the database that no success of the same kind of batch has followed. */
  readonly #failures = new Map<object, { error: StoreUnavailable; atMs: number }>()

  /** `lock` distinguishes the locks of this service from those of others in the same database. */
  constructor(primary: Connections, replica: Replica | undefined, lock: number) {
    this.#primary = primary
    this.#replica = replica
    this.#lock = lock
    this.#singly = this.#batches(async batch => {
      for (const { query, resolve } of batch) resolve(await primary.run(query.text, query.values))
    }, 1)
    this.#writes = [this.#singly]
    this.figures = new Figures(this.#writes, replica)
  }

  select<C extends Columns>(
    parameters: C,
    sql: string,
    from: 'replica' | 'present' | 'primary' = 'replica'
  ): (values: Values<C>) => Promise<Row[]> {
    const names = Object.keys(parameters)
    const text = `SELECT found.*, q.n::int4
      FROM ${unnested(parameters)} AS q(${[...names, 'n'].join(', ')}) CROSS JOIN LATERAL (${sql}) AS found
      ORDER BY q.n, 1`
    const batchesOn = (connections: Connections): Batches<Values<C>, Row[]> => {
      const work = async (batch: Waiting<Values<C>, Row[]>[]) => {
        const results: Row[][] = batch.map(() => [])
        const values = columnsOf(
          names,
          batch.map(({ query }) => query)
        )
        for (const row of await connections.read(text, values)) results[(row.at(-1) as number) - 1]?.push(row)
        batch.forEach(({ resolve }, i) => {
          resolve(results[i] as Row[])
        })
      }
      const isReplica = connections !== this.#primary
      // One at a time: with two in progress, batches are smaller, and a get costs half as much again.
      const batches = this.#batches(byHalves(work), MAX_READS, isReplica)
      this.#reads.push(batches)
      return batches
    }
    const primary = batchesOn(this.#primary)
    const replica = this.#replica
    if (from === 'primary' || replica === undefined) return values => primary.run(values)
    const copies = batchesOn(replica.connections)
    return async values => {
      const fromPrimary = () => primary.run(values)
      const rows = await replica.either(() => copies.run(values), fromPrimary)
      return from === 'present' && rows.length === 0 ? fromPrimary() : rows
    }
  }

  insert<C extends Columns>(table: string, columns: C): (values: Values<C>, once?: Once) => Promise<bigint> {
    type Insert = readonly [values: Values<C>, once: Once | undefined]
    const names = Object.keys(columns)
    const once = { once_owner: 'text', once_key: 'text', once_fingerprint: 'text' }
    const all = [...names, ...Object.keys(once)]
    const lock = `pg_advisory_xact_lock(${this.#lock}, hashtext('${table}'))`
    // Ids come from the sequence once the turn has begun. Not from RETURNING, whose order PostgreSQL does not promise.
    const requests = (columns: Columns) => `WITH turn AS MATERIALIZED (SELECT ${lock}),
      request AS MATERIALIZED (
        SELECT q.*, nextval((SELECT pg_get_serial_sequence('${table}', 'id')::regclass)) AS id
        FROM turn CROSS JOIN ${unnested(columns)} AS q(${[...Object.keys(columns), 'n'].join(', ')}))`
    const added = `INSERT INTO ${table} (id, ${names.join(', ')}) OVERRIDING SYSTEM VALUE
        SELECT id, ${names.join(', ')} FROM request`
    const plain = `${requests(columns)}, added AS (${added}) SELECT id FROM request ORDER BY n`
    // The update changes nothing, but returns rows that another node has committed since this statement began.
    const keyed = `${requests({ ...columns, ...once })},
      stored AS (
        INSERT INTO idempotency_keys AS known (owner, key, fingerprint, id)
        SELECT once_owner, once_key, decode(once_fingerprint, 'hex'), id FROM request WHERE once_key IS NOT NULL
        ON CONFLICT (owner, key) DO UPDATE SET fingerprint = known.fingerprint
        RETURNING owner, key, fingerprint, id),
      added AS (${added} WHERE once_key IS NULL OR id IN (SELECT id FROM stored))
      SELECT coalesce(stored.id, request.id), coalesce(stored.fingerprint = decode(once_fingerprint, 'hex'), true)
      FROM request LEFT JOIN stored ON owner = once_owner AND key = once_key ORDER BY n`

    const work = async (batch: Waiting<Insert, bigint>[]) => {
      const isKeyed = batch.some(({ query }) => query[1] !== undefined)
      const rows = batch.map(({ query: [values, once] }) =>
        isKeyed
          ? { ...values, once_owner: once?.owner, once_key: once?.key, once_fingerprint: once?.fingerprint }
          : values
      )
      const stored = await this.#primary.run(isKeyed ? keyed : plain, columnsOf(isKeyed ? all : names, rows))
      batch.forEach(({ resolve, reject }, i) => {
        const [id, isSame] = stored[i] as unknown as [bigint, boolean?]
        if (isSame === false) reject(new KeyReused('the key belongs to another request'))
        else resolve(id)
      })
    }
    // One at a time: a second would only wait for the first's turn to end.
    const batches = this.#batches(byHalves(work), MAX_WRITES)
    this.#writes.push(batches)
    return (values, once) => this.#atATime.run(once, () => batches.run([values, once]))
  }

  read(text: string, values?: readonly unknown[]): Promise<Row[]> {
    return this.#primary.read(text, values)
  }

  write(text: string, values?: readonly unknown[]): Promise<Row[]> {
    return this.#singly.run({ text, values })
  }

  /** @throws StoreUnavailable if the primary has failed within the last second, or has worked on a batch for longer */
  check(): void {
    const sinceMs = performance.now() - SLOW_MS
    for (const { error, atMs } of this.#failures.values()) if (atMs > sinceMs) throw error
    for (const { begunMs } of this.#inProgress)
      if (begunMs < sinceMs) throw new StoreUnavailable('the database takes longer than a second for a statement')
  }

  /** Rejects further inserts and waits for those accepted, then the same for queries. */
  async close(): Promise<void> {
    await Promise.all(this.#writes.map(each => each.close()))
    await Promise.all(this.#reads.map(each => each.close()))
  }

  #batches<Q, R>(work: (batch: Waiting<Q, R>[]) => Promise<void>, size: number, isReplica = false): Batches<Q, R> {
    const run = async (batch: Waiting<Q, R>[]) => {
      const begun = { begunMs: performance.now() }
      if (!isReplica) this.#inProgress.add(begun)
      try {
        await work(batch)
        this.#failures.delete(batches)
      } catch (error) {
        const atMs = performance.now()
        if (error instanceof StoreUnavailable) {
          if (!isReplica) this.#failures.set(batches, { error, atMs })
          // Those that have waited for a timeout would wait for another.
          if (atMs - begun.begunMs > SLOW_MS) batches.rejectWaiting(error)
        }
        throw error
      } finally {
        this.#inProgress.delete(begun)
      }
    }
    const batches: Batches<Q, R> = new Batches(run, { size, maxPending: MAX_PENDING })
    return batches
  }
}

// Bounds the rows of one response: a hundred pages of a hundred take 10 ms of the event loop.
const MAX_READS = 100
const MAX_WRITES = 500
const MAX_PENDING = 10_000
const SLOW_MS = 1000

const unnested = (columns: Columns): string =>
  `unnest(${Object.values(columns)
    .map((type, i) => `$${i + 1}::${type}[]`)
    .join(', ')}) WITH ORDINALITY`

const columnsOf = (names: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): unknown[][] =>
  names.map(name => rows.map(row => row[name] ?? null))

/** If a query is invalid, its statement has done nothing: then each half of the batch runs, until those alone fail. */
const byHalves =
  <Q, R>(work: (batch: Waiting<Q, R>[]) => Promise<void>) =>
  async (batch: Waiting<Q, R>[]): Promise<void> => {
    try {
      await work(batch)
    } catch (error) {
      if (!isOfRow(error)) throw error
      if (batch.length === 1) return batch[0]?.reject(error)
      const middle = batch.length >> 1
      for (const half of [batch.slice(0, middle), batch.slice(middle)]) await byHalves(work)(half)
    }
  }
