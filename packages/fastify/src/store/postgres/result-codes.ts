import pg from 'pg'
import { StoreUnavailable } from '../store.ts'

const codeOf = (error: unknown): string => (error instanceof pg.DatabaseError ? (error.code ?? '') : '')

// https://www.postgresql.org/docs/current/errcodes-appendix.html: failures of the environment, not of the statement,
// which may succeed later, with their meaning. The first match counts.
const SURROUNDINGS: readonly (readonly [code: string, reason: string])[] = [
  ['08', 'the database cannot be reached'],
  // A migration has changed a column's type since the statement was prepared on this connection.
  ['0A000', 'the database has just been migrated'],
  // It is a standby, perhaps a former primary.
  ['25006', 'the database is read-only'],
  ['28', 'the database rejects the user or the password'],
  ['3D000', 'the server has no such database'],
  ['40', 'the database has canceled a statement because of others'],
  ['53100', 'the disk of the database is full'],
  ['53300', 'the database has no free connection'],
  ['53', 'the database lacks memory or another resource'],
  ['55P03', 'the database has waited too long for a lock'],
  ['57014', 'the database takes too long for a statement'],
  ['57', 'the database is starting or shutting down, or has cut the connection'],
  ['58', 'the database cannot read or write its files']
]

const reasonOf = (error: unknown): string => {
  const code = codeOf(error)
  const known = SURROUNDINGS.find(([start]) => code.startsWith(start))
  if (known !== undefined) return known[1]
  // Messages of timeouts of connecting and of queries.
  const isTimeout = /time(?:d )?out/i.test((error as Error).message)
  return isTimeout ? 'the database does not respond in time' : 'the database cannot be reached'
}

/** Whether the connection can no longer be used. */
export const isBroken = (error: unknown): boolean =>
  !(error instanceof pg.DatabaseError) || /^(?:08|0A000|25006|57P0)/.test(codeOf(error))

/** Whether the database, not the statement, is to blame; everything else that the driver throws comes from the network. */
export const isUnavailable = (error: unknown): boolean => {
  if (error instanceof TypeError || error instanceof RangeError) return false
  return !(error instanceof pg.DatabaseError) || SURROUNDINGS.some(([start]) => codeOf(error).startsWith(start))
}

/** Whether a row of the statement is invalid, so that nothing was written: 22 is data, 23 a constraint. */
export const isOfRow = (error: unknown): boolean => /^2[23]/.test(codeOf(error))

/** What a failed statement throws: StoreUnavailable, or the error itself if it is a bug. */
export const failure = (error: unknown): unknown =>
  error instanceof StoreUnavailable || !isUnavailable(error)
    ? error
    : new StoreUnavailable(reasonOf(error), { cause: error })
