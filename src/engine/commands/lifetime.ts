import closeWithGrace from 'close-with-grace'
import { ConfigError } from '../config-error.ts'
import { ContractNotServed } from '../operations/contract.ts'
import { StoreUnavailable } from '../store/store.ts'

/** Runs the start of a process; what stops it is told, in one line where that explains it, and the exit code is 1. */
export const runStart = async (start: () => Promise<void>): Promise<void> => {
  try {
    await start()
  } catch (error) {
    console.error(explained(error))
    // Whatever a start that has failed leaves open must not keep the process.
    process.exit(1)
  }
}

export interface EndOptions {
  /** How long an end may take. */
  deadlineMs?: number
  /** Where it is told what is wrong with an end. */
  log?: { error(what: unknown): void }
}

/**
 * Ends the process after a signal, and after an error that nobody has caught: once `close` is done, or hard, with the
 * exit code 1, at the deadline. Ctrl-C arrives twice, from the terminal and from npm; a second signal that comes later
 * means impatience.
 */
export const closeOnSignal = (
  close: (isSudden: boolean) => Promise<void>,
  { deadlineMs = 10_000, log = console }: EndOptions = {}
): void => {
  let since: number | undefined
  const skip = [...signals, ...crashes, 'beforeExit' as const]
  const grace = closeWithGrace({ delay: deadlineMs, skip, logger: log }, async ({ err }) => {
    since = performance.now()
    if (err) log.error(err)
    await close(err !== undefined)
  })
  const onSignal = () => {
    if (since === undefined) grace.close()
    else if (performance.now() - since > impatienceMs) process.exit(1)
  }
  for (const signal of signals) process.on(signal, onSignal)
}

const impatienceMs = 1000

const signals = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR2'] as const

// After these nothing can go on. A handler in JavaScript would be called for ever, with the processor at the same
// instruction again each time, while the process keeps its port and answers nobody.
const crashes = ['SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV'] as const

const explained = (error: unknown): unknown => {
  if (error instanceof ConfigError || error instanceof ContractNotServed) return error.message
  const { code, message, cause } = error as NodeJS.ErrnoException
  if (error instanceof StoreUnavailable && cause instanceof Error)
    return `${message} (${cause.message}): end the process that holds it, or make room on the disk, and start again.`
  if (error instanceof StoreUnavailable) return message
  if (code === 'EADDRINUSE') return `${message}: something else listens there; set PORT to another number.`
  if (code === 'EADDRNOTAVAIL' || code === 'EACCES' || code === 'ENOTFOUND')
    return `${message}: set HOST or PORT to an address that this machine has and you may use.`
  return error
}
