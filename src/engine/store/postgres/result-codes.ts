import pg from 'pg'
import { StoreUnavailable } from '../store.ts'

const codeOf = (error: unknown): string => (error instanceof pg.DatabaseError ? (error.code ?? '') : '')

// https://www.postgresql.org/docs/current/errcodes-appendix.html: failures of the environment, not of the statement,
// which may succeed later.
const SURROUNDINGS = [
  '08', // connection
  '0A000', // a migration has changed a column's type since the statement was prepared on this connection
  '25006', // read-only: a standby, or a primary that has become one
  '28', // authorization
  '3D000', // no such database
  '40', // deadlock
  '53', // out of disk, memory or connections
  '55P03', // lock not available
  '57', // canceled by a timeout, or the server is starting or ending
  '58' // input and output
]

/** Whether the connection can no longer be used. */
export const isBroken = (error: unknown): boolean =>
  !(error instanceof pg.DatabaseError) || /^(?:08|0A000|25006|57P0)/.test(codeOf(error))

/** Whether the database, not the statement, is to blame; everything else that the driver throws comes from the network. */
export const isUnavailable = (error: unknown): boolean => {
  if (error instanceof TypeError || error instanceof RangeError) return false
  return !(error instanceof pg.DatabaseError) || SURROUNDINGS.some(each => codeOf(error).startsWith(each))
}

/** Whether a row of the statement is invalid, so that nothing was written: 22 is data, 23 a constraint. */
export const isOfRow = (error: unknown): boolean => /^2[23]/.test(codeOf(error))

/** What a failed statement throws: StoreUnavailable, or the error itself if it is a bug. */
export const failure = (error: unknown, message = 'the database cannot be reached or used now'): unknown =>
  error instanceof StoreUnavailable || !isUnavailable(error) ? error : new StoreUnavailable(message, { cause: error })
