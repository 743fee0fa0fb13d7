import type { Once } from './idempotency.ts'

type TypeOf<Value> = [Value] extends [string]
  ? 'text' | 'timestamp'
  : [Value] extends [bigint]
    ? 'bigint'
    : [Value] extends [number]
      ? 'integer' | 'real'
      : [Value] extends [boolean]
        ? 'boolean'
        : 'json'

interface Options<Value> {
  /**
   * `integer` is a safe integer. `timestamp` is a text such as `2026-11-27T10:00:00.123Z`, kept in milliseconds since 1970:
   * other time zones and more digits are taken, and not kept. `json` is for lists and objects.
   */
  readonly type: TypeOf<NonNullable<Value>>
  /** What rows get that are inserted without it, as older nodes do. */
  readonly default?: NonNullable<Value>
  /** SQL that both databases understand, such as `length(name) < 9`. */
  readonly check?: string
  /** For `json`: the names whose integers are bigints, in lists as well; for a list of bigints, the column's own. */
  readonly bigints?: readonly string[]
}

/** Where a column is NULL, rows lack an `optional` member, and have null for a `nullable` one. */
type Column<Value> = undefined extends Value
  ? Options<Value> & { readonly optional: true }
  : null extends Value
    ? Options<Value> & { readonly nullable: true }
    : TypeOf<Value> | Options<Value>

type Name<Row> = keyof Row & string
type Comparable<Row> = { [K in Name<Row>]-?: Row[K] extends string | number | bigint | boolean ? K : never }[Name<Row>]

/** A table with an `id` that the database assigns: ids begin at 1, only grow, to at most 2^53 - 1, and are never used twice. */
export interface TableDefinition<Row> {
  readonly name: string
  /** Every member of a row; in SQL, `categoryId` is `category_id`. */
  readonly columns: { readonly [K in Name<Row>]-?: Column<Row[K]> }
  /** Columns that `list` can ask a value of. */
  readonly filters?: readonly Name<Row>[]
  /** Orders of `list` besides ascending ids: a column, with `-` in front if it descends. Equal rows are ordered by id. */
  readonly orders?: readonly `${'' | '-'}${Comparable<Row>}`[]
}

export interface Defined<Row, D> {
  readonly definition: D
  /** Only a type. */
  readonly row?: Row
}

/** Defines a table once for both databases: `defineTable<Pet>()({ name: 'pets', columns: { id: 'bigint', name: 'text' } })`. */
export const defineTable =
  <Row extends { id: bigint | number }>() =>
  <const D extends TableDefinition<Row>>(definition: D): Defined<Row, D> => ({ definition })

/**
 * Where a page begins: after the row with these values of its order's column and of its id. A bigint is an id alone.
 */
export type Position = bigint | readonly unknown[]

/** Values that cannot be a position in this order. */
export class InvalidPosition extends Error {
  override readonly name = 'InvalidPosition'
}

/** Access to the rows of a table, whatever the database. */
export interface Table<Row extends { id: unknown }, Filter extends keyof Row, Order> {
  /** The row, or `undefined` if none has this id. @throws StoreUnavailable if the store cannot be read now */
  get(id: Row['id']): Promise<Row | undefined>
  /**
   * At most `limit` rows (at least 1) after a position, by default from the first on, and by ascending id. The cost depends on
   * `limit`, not on how many there are, if an index has filters and order.
   * @throws StoreUnavailable if the store cannot be read now, or InvalidPosition
   */
  list(
    page: { [F in Filter]?: NonNullable<Row[F]> | undefined } & {
      after?: Position | undefined
      limit: number
      order?: Order | undefined
    }
  ): Promise<Row[]>
  /**
   * The row with its new id, once it is on the disk: it survives crashes of the process and of the system.
   * With `once`, safe to repeat for at least 24 hours: the row is added the first time only. Without, each call adds a row.
   * @throws StoreUnavailable if the row could not be stored; then it is not, except as StoreUnavailable describes
   * @throws KeyReused if another request had this key, or InProgress while the first request with this key has no result
   */
  create(row: Omit<Row, 'id'>, once?: Once): Promise<Row>
  /**
   * The changed row, once it is on the disk; `undefined` if none has this id. Absent members stay; null removes optional ones, as
   * in a JSON Merge Patch (RFC 7396). @throws StoreUnavailable as `create` does
   */
  update(
    id: Row['id'],
    changes: { [K in Exclude<keyof Row, 'id'>]?: Row[K] | undefined | (undefined extends Row[K] ? null : never) }
  ): Promise<Row | undefined>
  /** Whether there was a row with this id, once it is gone from the disk. @throws StoreUnavailable as `create` does */
  delete(id: Row['id']): Promise<boolean>
}

type Listed<D, Key extends string> = D extends { readonly [K in Key]: readonly (infer Each)[] } ? Each : never

/** The table that a definition makes. */
export type TableOf<T> =
  T extends Defined<infer Row extends { id: unknown }, infer D>
    ? Table<Row, Listed<D, 'filters'> & keyof Row, Listed<D, 'orders'>>
    : never

/** A part of a transaction, to be run with `yield*`. */
export type Steps<T> = Generator<unknown, T, unknown>

/** The same methods as steps of a transaction; `once` concerns the whole. */
type InSteps<T> = {
  [M in keyof T]: T[M] extends (first: infer First, second: infer Second) => Promise<infer Result>
    ? (...values: M extends 'update' ? [First, Second] : [First]) => Steps<Result>
    : never
}

// biome-ignore lint/suspicious/noExplicitAny: of rows of any type
export type Definitions = Readonly<Record<string, Defined<any, any>>>

/** The tables of these definitions, and transactions over them. */
export type TablesOf<D extends Definitions> = { readonly [name in keyof D]: TableOf<D[name]> } & Transactions<{
  readonly [name in keyof D]: InSteps<TableOf<D[name]>>
}>

interface Transactions<Tx> {
  /**
   * What `work` returns, once all its steps are durable; if it throws, none of them is. Others see nothing in between, and no
   * two run at the same time, even on different nodes. It can wait for nothing but its steps, and a step that fails ends it
   * without its `catch` and `finally`:
   *
   *     transaction(function* (tx) {
   *       const order = yield* tx.orders.create({ customer })
   *       for (const line of lines) yield* tx.lines.create({ ...line, orderId: order.id })
   *       return order.id
   *     }, once)
   *
   * With `once`, `work` returns an id, which is all that a repeated call gets.
   * @throws StoreUnavailable, KeyReused or InProgress as `create` does, or what `work` throws
   */
  transaction(work: (tx: Tx) => Steps<bigint>, once: Once | undefined): Promise<bigint>
  transaction<T>(work: (tx: Tx) => Steps<T>): Promise<T>
}
