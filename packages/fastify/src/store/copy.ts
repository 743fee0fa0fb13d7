import { createHash, type Hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A value that every database can store. */
export type Value = null | bigint | number | string | Uint8Array

/** Values in the order of the table's columns. */
export type CopiedRow = readonly Value[]

export interface CopiedTable {
  name: string
  /** By name. */
  columns: readonly string[]
  /** The columns of the primary key, in its order. */
  key: readonly string[]
}

/** A database that is copied, or copied into. */
export interface CopyEnd {
  /** For people. */
  readonly name: string
  /** By name. */
  tables(): Promise<CopiedTable[]>
  count(table: CopiedTable): Promise<number>
  /** All rows of one moment by ascending key (in byte order), in batches of this size; the last one is smaller, or empty. */
  batches(table: CopiedTable, size: number): AsyncGenerator<CopiedRow[], void>
  /** Inserts all rows or, if it throws, none. */
  insert(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void>
  /** The highest id ever assigned; 0 if the table assigns none. */
  lastId(table: CopiedTable): Promise<bigint>
  /** Makes later ids greater than this one. */
  raiseLastId(table: CopiedTable, id: bigint): Promise<void>
}

export interface CopyOptions {
  signal: AbortSignal
  /** Shows progress. */
  show?: ((what: string) => void) | undefined
}

export interface Copied extends Sum {
  table: string
  /** Rows that an earlier run had copied. */
  found: number
}

/** What is compared of a table. */
interface Sum {
  rows: number
  /** SHA-256 of all rows. */
  digest: string
}

/** Source and target do not permit a copy; running it again does not help. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch'
}

const BATCH = 1000

/**
 * Copies all rows of one database to another that is empty, or has only what an earlier run has copied. Then reads both
 * again, and compares them.
 * @throws Mismatch if the target has other rows, if both differ at the end, or if the source was written meanwhile
 */
export const copyAll = async (source: CopyEnd, target: CopyEnd, options: CopyOptions): Promise<Copied[]> => {
  const tables = await tablesOf(source, target)
  const before = new Map<CopiedTable, Progress>()
  for (const table of tables) before.set(table, await copyTable(source, target, table, options))
  const copied: Copied[] = []
  for (const [table, { found, seen, lastId }] of before) {
    const { ours, theirs, difference } = await compareTable(source, target, table, options)
    // If each table still has the rows of the first reading, nothing was written in between.
    if (isOther(ours, seen) || (await source.lastId(table)) !== lastId)
      throw new Mismatch(
        `${source.name} was written meanwhile, in ${table.name}: stop what writes to it, and copy into a new database`
      )
    if (isOther(ours, theirs))
      throw new Mismatch(
        `${table.name} differs, first at ${difference}: ${source.name} has ${told(ours)}, and ${target.name} ${told(theirs)}`
      )
    copied.push({ table: table.name, found, ...ours })
  }
  return copied
}

const tablesOf = async (source: CopyEnd, target: CopyEnd): Promise<CopiedTable[]> => {
  const [tables, others] = await Promise.all([source.tables(), target.tables()])
  const described = (all: readonly CopiedTable[]) =>
    all.map(({ name, columns, key }) => `${name} (${columns.join(', ')}; key: ${key.join(', ')})`)
  const [ours, theirs] = [described(tables), described(others)]
  const different = [
    ...ours.filter(each => !theirs.includes(each)).map(each => `${source.name} has ${each}`),
    ...theirs.filter(each => !ours.includes(each)).map(each => `${target.name} has ${each}`)
  ]
  if (different.length > 0) throw new Mismatch(`the tables differ: ${different.join('; ')}`)
  const keyless = tables.find(({ key }) => key.length === 0)
  if (keyless !== undefined) throw new Mismatch(`the table ${keyless.name} has no primary key`)
  return tables
}

interface Progress {
  found: number
  /** What was read from the source. */
  seen: Sum
  lastId: bigint
}

const copyTable = async (
  source: CopyEnd,
  target: CopyEnd,
  table: CopiedTable,
  { signal, show }: CopyOptions
): Promise<Progress> => {
  const { name } = table
  show?.(`copying ${name}`)
  const total = await source.count(table)
  const lastId = await source.lastId(table)
  // First of all: however this ends, no id will be assigned twice.
  await target.raiseLastId(table, lastId)
  const seen = new Rows()
  const there = target.batches(table, BATCH)
  let found = 0
  try {
    for await (const rows of source.batches(table, BATCH)) {
      await interruptible(signal)
      const lines = seen.add(rows)
      const known = (await there.next()).value ?? []
      const other = known.findIndex((row, i) => lineOf(row) !== lines[i])
      if (other !== -1)
        throw new Mismatch(
          `${target.name} has other rows than ${source.name}, first in ${name} at ${keyOf(table, known[other])}: copy into a new database`
        )
      found += known.length
      if (known.length < BATCH) await there.return()
      if (known.length < rows.length) await target.insert(table, rows.slice(known.length))
      show?.(`copying ${name}: ${percent(seen.count, total)}`)
    }
  } finally {
    await there.return()
  }
  return { found, seen: seen.end(), lastId }
}

/** What a table has on both sides, and where they first differ. */
const compareTable = async (
  source: CopyEnd,
  target: CopyEnd,
  table: CopiedTable,
  { signal, show }: CopyOptions
): Promise<{ ours: Sum; theirs: Sum; difference: string | undefined }> => {
  const { name } = table
  show?.(`comparing ${name}`)
  const total = await source.count(table)
  const sides = [source, target].map(side => ({ batches: side.batches(table, BATCH), rows: new Rows() }))
  let difference: string | undefined
  try {
    for (;;) {
      await interruptible(signal)
      const read = await Promise.all(sides.map(({ batches }) => batches.next()))
      if (read.every(({ done }) => done)) break
      const batches = read.map(({ value }) => value ?? [])
      const [ours = [], theirs = []] = batches.map((rows, i) => sides[i]?.rows.add(rows))
      const longer = ours.length > theirs.length ? ours : theirs
      const at = longer.findIndex((_, i) => ours[i] !== theirs[i])
      if (at !== -1) difference ??= keyOf(table, batches[0]?.[at] ?? batches[1]?.[at])
      show?.(`comparing ${name}: ${percent(sides[0]?.rows.count ?? 0, total)}`)
    }
  } finally {
    await Promise.all(sides.map(({ batches }) => batches.return()))
  }
  const [ours, theirs] = sides.map(({ rows }) => rows.end()) as [Sum, Sum]
  return { ours, theirs, difference }
}

const isOther = (one: Sum, other: Sum) => one.rows !== other.rows || one.digest !== other.digest
const told = ({ rows, digest }: Sum) => `${rows} rows with the digest ${digest}`

// SQLite is synchronous, and signals are noticed only between turns of the event loop.
const interruptible = async (signal: AbortSignal) => {
  await nextTurn()
  signal.throwIfAborted()
}

const percent = (done: number, total: number) => `${Math.floor((100 * done) / Math.max(done, total, 1))} %`

/** Counts rows and computes their digest. */
class Rows {
  count = 0
  readonly #hash: Hash = createHash('sha256')

  /** One string per row. */
  add(rows: readonly CopiedRow[]): string[] {
    const lines = rows.map(lineOf)
    for (const line of lines) this.#hash.update(line)
    this.count += rows.length
    return lines
  }

  end(): Sum {
    return { rows: this.count, digest: this.#hash.digest('hex') }
  }
}

/** A line that is equal only for equal values. */
const lineOf = (row: CopiedRow): string => `${row.map(textOf).join()}\n`

const textOf = (value: Value): string => {
  if (value instanceof Uint8Array) return `x${Buffer.from(value).toString('hex')}`
  return typeof value === 'bigint' ? `${value}n` : JSON.stringify(value)
}

const keyOf = ({ columns, key }: CopiedTable, row: CopiedRow = []): string =>
  key.map(column => `${column} ${textOf(row[columns.indexOf(column)] ?? null).replace(/n$/, '')}`).join(', ')
