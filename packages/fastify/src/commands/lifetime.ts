import closeWithGrace from 'close-with-grace'
import { ContractNotServed } from '../contract/contract.ts'
import { ConfigError } from '../errors/config-error.ts'
import { StoreUnavailable } from '../store/store.ts'
import { boundPatterns } from './linear-patterns.ts'

/** Runs a start; on an error, prints it, on one line if that explains it, and exits with 1. */
export const runStart = async (start: () => Promise<void>): Promise<void> => {
  try {
    boundPatterns()
    await start()
  } catch (error) {
    console.error(explained(error))
    // Not `exitCode`: what a failed start leaves open would keep the process alive.
    process.exit(1)
  }
}

/** A service that has started. */
export interface Running {
  log: { error(what: unknown): void }
  /** Shuts down; if sudden, without the delay for load balancers. */
  end(isSudden: boolean): Promise<void>
}

export interface EndOptions {
  /** Signals that end it. Default: all that mean an end. */
  signals?: readonly NodeJS.Signals[]
  /** How long the shutdown may take. */
  deadlineMs?: number
  /** Where errors of the shutdown are logged. */
  log?: Running['log']
}

/**
 * Starts, and shuts down after a signal or an uncaught error, even during the start. `started` settles with the start;
 * `end` acts like a first signal, and is safe to repeat.
 */
export const runUntilEnd = (
  start: (ending: AbortSignal) => Promise<Running | undefined>,
  options: EndOptions
): { started: Promise<void>; end: () => void } => {
  const ending = new AbortController()
  const starting = start(ending.signal)
  let log: Running['log'] = console
  const close = async (isSudden: boolean) => {
    ending.abort()
    const running = await starting.catch(() => undefined)
    await running?.end(isSudden)
  }
  const end = closeOnSignal(close, { ...options, log: { error: what => log.error(what) } })
  const started = starting.then(running => {
    log = running?.log ?? log
  })
  return { started, end }
}

/**
 * Shuts down after a signal or an uncaught error: exits once `close` resolves, or with 1 at the deadline. Ctrl-C arrives
 * twice, from the terminal and from npm; a second signal after more than a second exits at once. Returns a function that
 * begins the shutdown without a signal.
 */
export const closeOnSignal = (
  close: (isSudden: boolean) => Promise<void>,
  { signals = endSignals, deadlineMs = 10_000, log = console }: EndOptions = {}
): (() => void) => {
  let since: number | undefined
  const skip = [...endSignals, ...crashes, 'beforeExit' as const]
  const grace = closeWithGrace({ delay: deadlineMs, skip, logger: log }, async ({ err }) => {
    since = performance.now()
    if (err) log.error(err)
    await close(err !== undefined)
  })
  const end = () => {
    if (since === undefined) grace.close()
  }
  const onSignal = () => {
    if (since !== undefined && performance.now() - since > impatienceMs) process.exit(1)
    end()
  }
  for (const signal of signals) process.on(signal, onSignal)
  return end
}

const impatienceMs = 1000

export const endSignals = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR2'] as const

// Never handled: after a JavaScript handler, the CPU would execute the same instruction for ever, while the process keeps
// its port and sends no response.
const crashes = ['SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV'] as const

const explained = (error: unknown): unknown => {
  if (error instanceof ConfigError || error instanceof ContractNotServed) return error.message
  const { code, message, cause } = error as NodeJS.ErrnoException
  if (error instanceof StoreUnavailable && cause instanceof Error)
    return `${message} (${cause.message}): stop the process that uses it, or free space on the disk, and start again.`
  if (error instanceof StoreUnavailable) return message
  if (code === 'EADDRINUSE') return `${message}: another process uses it; set PORT to another number.`
  if (code === 'EADDRNOTAVAIL' || code === 'EACCES' || code === 'ENOTFOUND')
    return `${message}: set HOST or PORT to one that this machine has and that you may use.`
  return error
}
