import { StoreUnavailable } from '../store.ts'

// https://sqlite.org/rescode.html: failures of the environment, not of the call, which may succeed later.
const ENVIRONMENT = new Set([
  3, // PERM
  5, // BUSY
  6, // LOCKED
  7, // NOMEM
  8, // READONLY
  10, // IOERR
  11, // CORRUPT
  13, // FULL
  14, // CANTOPEN
  15, // PROTOCOL
  26 // NOTADB
])
const BUSY = 5
const IOERR = 10
const IOERR_WRITE = 778

// node:sqlite reports extended codes; their low byte is the kind.
const resultCode = (error: unknown): number | undefined => {
  // Anything can be thrown within a transaction.
  const { errcode } = Object(error)
  return typeof errcode === 'number' ? errcode & 0xff : undefined
}

/** Whether a file could not be opened or written: READONLY, IOERR, FULL or CANTOPEN. */
export const isFileError = (error: unknown): boolean => [8, 10, 13, 14].includes(resultCode(error) ?? 0)

export const isBusy = (error: unknown): boolean => resultCode(error) === BUSY

/** Whether a COMMIT that failed like this may have written all its rows. */
export const mayHaveWritten = (error: unknown): boolean =>
  resultCode(error) === IOERR && (error as { errcode?: unknown }).errcode !== IOERR_WRITE

/** Whether the file's content is invalid: 11 is CORRUPT, 26 is NOTADB. */
export const isDamaged = (error: unknown): boolean => [11, 26].includes(resultCode(error) ?? 0)

const isClosed = (error: unknown): boolean => Object(error).code === 'ERR_INVALID_STATE'

/** Whether the store, not the call, is to blame. */
export const isUnavailable = (error: unknown): boolean => ENVIRONMENT.has(resultCode(error) ?? 0) || isClosed(error)

/** What a failed read throws: StoreUnavailable, or the error itself if it is a bug. */
export const readFailure = (error: unknown): unknown =>
  isUnavailable(error) ? new StoreUnavailable('the database cannot be read now', { cause: error }) : error
