import { Batches, type Waiting } from '../batches.ts'
import { KeyReused, type Once, OnceAtATime } from '../idempotency.ts'
import { type StoreFigures, StoreUnavailable } from '../store.ts'
import type { Connections } from './connections.ts'
import { insertionInto, onceColumns } from './insertion.ts'
import { UnusableDatabase } from './migrations.ts'
import { listsOf, type Sent, tableOf, unusualTypesOf, writerOf } from './parameters.ts'
import type { Replica } from './replica.ts'
import { isOfRow, isUnavailable } from './result-codes.ts'
import type { Columns, PostgresAccess, Row, Transaction, Values } from './schema.ts'

/** Statements for many queries at once: a round trip costs five times as much as a further query in it. */
export class Statements implements PostgresAccess {
  readonly figures: StoreFigures
  readonly #primary: Connections
  readonly #replica: Replica | undefined
  readonly #lock: number
  readonly #reads: Pick<Batches<unknown, unknown>, 'close'>[] = []
  readonly #writes: Writes[]
  readonly #transactions: Batches<Work, unknown>
  readonly #atATime = new OnceAtATime()
  readonly #inProgress = new Set<{ begunMs: number }>()
  /** The last failure of each kind of batch that has not succeeded since. */
  readonly #failures = new Map<object, { error: StoreUnavailable; atMs: number }>()
  /** Statements made by `select` and `insert`, with their names for errors. */
  readonly #made: { name: string; columns: Columns; text: string }[] = []
  /** The base types of domains. */
  readonly #bases = new Map<string, string>()

  /** `lock` distinguishes the locks of this service from those of others in the same database. */
  constructor(primary: Connections, replica: Replica | undefined, lock: number) {
    this.#primary = primary
    this.#replica = replica
    this.#lock = lock
    // Nodes take turns, so that none waits for another's locks while that waits for its own.
    const turn = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}; SELECT pg_advisory_xact_lock(${lock}, ${TURN})`
    this.#transactions = this.#batches(async batch => {
      const [first] = batch
      if (batch.length === 1 && first?.query.isStatement)
        return first.resolve(await first.query.work((text, values) => primary.run(text, values)))
      const results = await primary.together(
        turn,
        batch.map(({ query }) => query.work)
      )
      for (const [i, result] of results.entries()) {
        if (result.status === 'fulfilled') batch[i]?.resolve(result.value)
        else batch[i]?.reject(result.reason)
      }
    }, MAX_TRANSACTIONS)
    this.#writes = [this.#transactions]
    this.figures = figuresOf(this.#writes, replica)
  }

  select<C extends Columns>(
    parameters: C,
    sql: string,
    from: 'replica' | 'present' | 'primary' = 'replica',
    order = '1'
  ): (values: Values<C>, tx?: Transaction) => Promise<Row[]> {
    const text = `SELECT found.*, q."#"::int4
      FROM ${tableOf(parameters)} CROSS JOIN LATERAL (${sql}) AS found
      ORDER BY q."#", ${order}`
    this.#made.push({ name: sql, columns: parameters, text })
    const write = writerOf(parameters, this.#baseOf)
    const batchesOn = (connections: Connections): Batches<Sent, Row[]> => {
      const work = async (batch: Waiting<Sent, Row[]>[]) => {
        const results: Row[][] = batch.map(() => [])
        const values = listsOf(
          parameters,
          batch.map(({ query }) => query)
        )
        for (const row of await connections.read(text, values))
          results[((row as unknown[]).pop() as number) - 1]?.push(row)
        batch.forEach(({ resolve }, i) => {
          resolve(results[i] as Row[])
        })
      }
      const isReplica = connections !== this.#primary
      // One at a time: with two in progress, batches are smaller, and a get costs 1.5 times as much.
      const batches = this.#batches(byHalves(work), MAX_READS, isReplica)
      this.#reads.push(batches)
      return batches
    }
    const primary = batchesOn(this.#primary)
    const within = async (tx: Transaction, sent: Sent) => {
      const rows = await tx(text, listsOf(parameters, [sent]))
      return rows.map(row => row.slice(0, -1))
    }
    const replica = this.#replica
    if (from === 'primary' || replica === undefined)
      return async (values, tx) => (tx === undefined ? primary.run(write(values)) : within(tx, write(values)))
    const copies = batchesOn(replica.connections)
    return async (values, tx) => {
      const sent = write(values)
      if (tx !== undefined) return within(tx, sent)
      const fromPrimary = () => primary.run(sent)
      const rows = await replica.either(() => copies.run(sent), fromPrimary)
      return from === 'present' && rows.length === 0 ? fromPrimary() : rows
    }
  }

  insert<C extends Columns>(
    table: string,
    columns: C
  ): (values: Values<C>, once?: Once, tx?: Transaction) => Promise<bigint> {
    type Insert = readonly [sent: Sent, once: Once | undefined]
    const { plain, keyed } = insertionInto(table, columns, this.#lock)
    const run = (queries: readonly Insert[]): Promise<Row[]> => {
      const sent = queries.map(([sent]) => sent)
      if (queries.every(([, once]) => once === undefined)) return this.#primary.run(plain, listsOf(columns, sent))
      const keys = queries.map(([, once]) => [once?.owner ?? null, once?.key ?? null, once?.fingerprint ?? null])
      const rows = sent.map((each, i) => [...each, ...(keys[i] as Sent)])
      return this.#primary.run(keyed, listsOf({ ...columns, ...onceColumns }, rows))
    }
    const work = async (batch: Waiting<Insert, bigint>[]) => {
      const stored = await run(batch.map(({ query }) => query))
      batch.forEach(({ resolve, reject }, i) => {
        const [id, isSame] = stored[i] as unknown as [bigint, boolean?]
        if (isSame === false) reject(new KeyReused('the key belongs to another request'))
        else resolve(id)
      })
    }
    // One at a time: a second would only wait for the first's turn to end.
    const batches = this.#batches(byHalves(work), MAX_WRITES)
    this.#writes.push(batches)
    this.#made.push({ name: `insert into ${table}`, columns, text: plain })
    const write = writerOf(columns, this.#baseOf)
    return async (values, once, tx) => {
      const sent = write(values)
      if (tx !== undefined) {
        const [row] = await tx(plain, listsOf(columns, [sent]))
        return row?.[0] as bigint
      }
      return this.#atATime.run(once, () => batches.run([sent, once]))
    }
  }

  read(text: string, values?: readonly unknown[]): Promise<Row[]> {
    return this.#primary.read(text, values)
  }

  write(text: string, values?: readonly unknown[]): Promise<Row[]> {
    return this.#transactions.run({ work: tx => tx(text, values), isStatement: true }) as Promise<Row[]>
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>, once?: Once): Promise<T> {
    const run = once === undefined ? work : (tx: Transaction) => runOnce(tx, work, once)
    return this.#atATime.run(once, () => this.#transactions.run({ work: run })) as Promise<T>
  }

  /** Lets the database plan all statements of `select` and `insert`. @throws Error naming one that it could not run */
  async prepare(): Promise<void> {
    for (const { name, columns, text } of this.#made)
      try {
        // Planned, since only then Citus refuses what it cannot do with a distributed table, of which pages could skip rows.
        await this.#primary.with(client => client.query(`EXPLAIN ${text}`, listsOf(columns, [])))
      } catch (cause) {
        const { code, message } = cause as NodeJS.ErrnoException
        // No statement was prepared that a migration could have changed: here, 0A000 is a feature that the database lacks.
        if (isUnavailable(cause) && code !== '0A000') throw cause
        throw new UnusableDatabase(`${name}: ${message}`, { cause })
      }
    const types = new Set(this.#made.flatMap(({ columns }) => unusualTypesOf(columns)))
    if (types.size === 0) return
    for (const [type, base] of await this.#primary.read(DOMAINS, [[...types]])) this.#bases.set(`${type}`, `${base}`)
  }

  /** @throws StoreUnavailable if the primary failed within the last second, or a batch has been taking longer than that */
  check(): void {
    const sinceMs = performance.now() - SLOW_MS
    for (const { error, atMs } of this.#failures.values()) if (atMs > sinceMs) throw error
    for (const { begunMs } of this.#inProgress)
      if (begunMs < sinceMs) throw new StoreUnavailable('the database takes longer than a second for a statement')
  }

  /** Rejects further inserts and waits for accepted ones; then does the same with queries. */
  async close(): Promise<void> {
    await Promise.all(this.#writes.map(each => each.close()))
    await Promise.all(this.#reads.map(each => each.close()))
  }

  #baseOf = (type: string): string => this.#bases.get(type) ?? type

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
          // Queries that have waited for one timeout would wait for another.
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

/** What `work` returned in the first request with this key, or returns now. */
const runOnce = async <T>(tx: Transaction, work: (tx: Transaction) => Promise<T>, once: Once): Promise<T> => {
  const { owner, key, fingerprint } = once
  // The update changes nothing, but waits for another node that has this key, and returns its row.
  const [row] = await tx(
    `INSERT INTO idempotency_keys AS known (owner, key, fingerprint, id) VALUES ($1, $2, decode($3, 'hex'), 0)
     ON CONFLICT (owner, key) DO UPDATE SET fingerprint = known.fingerprint RETURNING id, fingerprint = decode($3, 'hex')`,
    [owner, key, fingerprint]
  )
  const [known, isSame] = row as unknown as [bigint, boolean]
  if (!isSame) throw new KeyReused('the key belongs to another request')
  if (known !== 0n) return known as T
  const id = await work(tx)
  await tx('UPDATE idempotency_keys SET id = $3 WHERE owner = $1 AND key = $2', [owner, key, id])
  return id
}

interface Work {
  work(tx: Transaction): Promise<unknown>
  /** Whether it is a single statement, which needs no transaction of its own. */
  isStatement?: boolean
}

// Bounds how long other nodes wait for their turn.
const MAX_TRANSACTIONS = 50
const IDLE_MS = 2000
/** No table's name has this hash, nor is it that of migrations. */
const TURN = 1

// Bounds the rows of one response: a hundred pages of a hundred take 10 ms of the event loop.
const MAX_READS = 100
const MAX_WRITES = 500
const MAX_PENDING = 10_000
const SLOW_MS = 1000

type Writes = Pick<Batches<unknown, unknown>, 'close' | 'sizes' | 'failed' | 'pending'>

/** One object that adds up when read: every create reads `pending`, but hardly anybody the rest. */
const figuresOf = (writes: readonly Writes[], replica: Replica | undefined): StoreFigures => ({
  get batchSizes() {
    const sums: number[] = []
    for (const { sizes } of writes) for (const [size, count] of sizes.entries()) sums[size] = (sums[size] ?? 0) + count
    return sums
  },
  get failedCommits() {
    return writes.reduce((total, { failed }) => total + failed, 0)
  },
  get pending() {
    return writes.reduce((total, { pending }) => total + pending, 0)
  },
  get fallbacks() {
    return replica?.fallbacks ?? 0
  }
})

const DOMAINS = `WITH RECURSIVE step(name, type) AS (
    SELECT name, to_regtype(name)::oid FROM unnest($1::text[]) AS name
    UNION ALL SELECT name, typbasetype FROM step JOIN pg_type ON oid = step.type AND typtype = 'd')
  SELECT name, format_type(oid, NULL) FROM step JOIN pg_type ON oid = step.type AND typtype <> 'd'`

/** If one query is invalid, its statement has done nothing: so each half of the batch runs alone, until only invalid ones fail. */
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
