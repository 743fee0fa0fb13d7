import type { DatabaseSync, StatementSync } from 'node:sqlite'

export interface StatementOptions {
  /** Whether integers in rows are bigints; otherwise those beyond 2^53 throw. */
  readBigInts?: boolean
  /** Whether rows are arrays; otherwise they are objects. */
  returnArrays?: boolean
}

/** A statement with these options; `db.prepare` ignores them before Node.js 24.14. */
export const prepareWith = (
  db: DatabaseSync,
  sql: string,
  { readBigInts = false, returnArrays = false }: StatementOptions
): StatementSync => {
  const statement = db.prepare(sql)
  statement.setReadBigInts(readBigInts)
  statement.setReturnArrays(returnArrays)
  return statement
}
