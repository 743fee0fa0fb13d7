import { writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import pino, { type DestinationStream, type Level, type Logger } from 'pino'
import sonicBoom, { type SonicBoom } from 'sonic-boom'
import { withoutKeys } from '../api-keys/hidden-keys.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** For operators: the requests, and what happens to the service. */
    serviceLog: ServiceLog
    /** The request, with a `log` that writes; not set where Fastify's own does. */
    withLog?: (request: FastifyRequest) => FastifyRequest
  }
}

export interface LogOptions {
  /** A level of pino, or `silent`; lines below it are not written. */
  level?: string
  /** Where lines are written. Default: standard output. */
  stream?: DestinationStream
}

export type ServiceLog = Logger & {
  /** Writes a line that is already in pino's JSON format and contains no key. Logging an object costs seven times as much. */
  writeLine(line: string): void
}

export const serviceLog = ({ level = 'info', stream = pino.destination(1) }: LogOptions): ServiceLog => {
  // No line contains a key, even if a client put one into a URL or an error quotes it.
  const keyless = { write: (line: string) => stream.write(withoutKeys(line)) }
  // No pid and host name: whoever collects the lines knows process and machine better.
  return Object.assign(pino({ level, base: null }, keyless), { writeLine: (line: string) => void stream.write(line) })
}

/** The beginning of a line of this level, up to its time. */
export const lineHead = (level: Level): string => `{"level":${pino.levels.values[level]},"time":`

/**
 * Fastify's logger, used only at `debug` or below. It makes a child logger and two listeners for each request, one of its
 * highest costs, for messages that only help debugging.
 */
export const frameworkLog = (log: Logger): { loggerInstance: FastifyBaseLogger } | { logger: false } =>
  log.isLevelEnabled('debug') ? { loggerInstance: log } : { logger: false }

/**
 * Makes `request.log` write into the log of the service, where Fastify has no logger of its own. It is made when a handler or a
 * verifier first asks for it; for hooks (`isForHooks`), which also have `app.log`, at once.
 */
export const loggedRequests = (app: FastifyInstance, log: ServiceLog, isForHooks: boolean): void => {
  const silent = app.log
  if (log.isLevelEnabled('debug')) return
  if (isForHooks) {
    app.log = log
    app.setChildLoggerFactory((_logger, { reqId }) => log.child({ requestId: reqId }))
  }
  app.decorate('withLog', request => {
    if (request.log === silent) request.log = log.child({ requestId: request.id })
    return request
  })
}

/** Whether a warning may be logged: at most once a minute. */
export const onceAMinute = (): (() => boolean) => {
  let lastMs = Number.NEGATIVE_INFINITY
  return () => {
    const nowMs = performance.now()
    const isTime = nowMs - lastMs >= 60_000
    if (isTime) lastMs = nowMs
    return isTime
  }
}

/** Logs that something fails at most once a minute, and that it works (again) once `isOut`, as after a logged failure. */
export const outageLog = (log: () => ServiceLog | undefined, failure: string, success: string, isOut = false) => {
  const mayWarn = onceAMinute()
  return {
    fail: (fields: object) => {
      if (!mayWarn()) return
      isOut = true
      log()?.warn(fields, failure)
    },
    succeed: () => {
      if (isOut) log()?.info(success)
      isOut = false
    }
  }
}

/** Standard output: for people on a terminal, for machines elsewhere. Several processes may share it. */
export const standardOutput = async (isShared = false): Promise<LogOutput> =>
  new LogOutput(process.stdout.isTTY ? await prettyLines() : undefined, isShared ? atomicLength : collectLength)

/** Formats lines for people; `undefined` if pino-pretty is not installed. */
const prettyLines = async (): Promise<((line: string) => string) | undefined> => {
  const { prettyFactory } = await import('pino-pretty').catch(() => ({ prettyFactory: undefined }))
  return prettyFactory?.({
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    // A request at a glance; its other fields follow.
    ignore: 'traceId,method,path,status,durationMs',
    messageFormat: ({ msg, method, path, status = 'aborted', durationMs }) => {
      const duration = durationMs === undefined ? '' : ` ${durationMs} ms`
      const request = method === undefined ? '' : `${method} ${path} ${status}${duration}`
      return msg === 'request' ? request : [request, msg].filter(each => each !== '').join(' ')
    }
  })
}

/** Standard output, without blocking. Up to 16 MiB wait for a slow reader; further lines are dropped and counted. */
export class LogOutput implements DestinationStream {
  /** Lines that were dropped. */
  dropped = 0
  readonly #format: (line: string) => string
  readonly #maxWrite: number
  #stream: SonicBoom
  /** Lines that are being collected. */
  #lines = ''
  #count = 0
  #bytes = 0
  #isScheduled = false
  /** Lines passed on since everything was last written. */
  #unwritten = 0
  #hasFailed = false

  /** Writes whole lines, and no more than `maxWrite` bytes at once unless a single line is longer. */
  constructor(format: (line: string) => string = line => line, maxWrite = collectLength) {
    this.#format = format
    this.#maxWrite = maxWrite
    this.#stream = this.#open()
    process.once('exit', () => {
      // Only then do lines stay in order, and nothing waits for a reader that has stopped.
      if (this.#unwritten === 0) this.#writeLast()
    })
  }

  write(line: string): void {
    const text = this.#format(line)
    const bytes = Buffer.byteLength(text)
    if (this.#bytes + bytes > this.#maxWrite) this.#pass()
    this.#lines += text
    this.#bytes += bytes
    this.#count++
    if (!this.#isScheduled) {
      this.#isScheduled = true
      setTimeout(() => {
        this.#isScheduled = false
        this.#pass()
      }, collectMs)
    }
  }

  /** Resolves once everything is written, or after a second. */
  async flush(): Promise<void> {
    this.#pass()
    const untilMs = performance.now() + flushMs
    while (this.#unwritten > 0 && performance.now() < untilMs) await delay(collectMs)
  }

  #open(): SonicBoom {
    // Access makes it non-blocking, so that a write to a full pipe fails with EAGAIN. A thread that waits for a reader would keep
    // the process from exiting.
    void process.stdout
    return new sonicBoom.SonicBoom({
      fd: 1,
      minLength: 1,
      maxLength: maxWaitingBytes,
      maxWrite: this.#maxWrite,
      retryEAGAIN: () => false
    })
      .on('drop', () => this.#drop(this.#count))
      .on('drain', () => {
        this.#unwritten = 0
        this.#hasFailed = false
      })
      .on('error', this.#fail)
  }

  #pass(): void {
    if (this.#count === 0) return
    this.#unwritten += this.#count
    this.#stream.write(this.#lines)
    this.#lines = ''
    this.#bytes = 0
    this.#count = 0
  }

  #drop(count: number): void {
    this.dropped += count
    this.#unwritten -= count
  }

  #fail = (error: NodeJS.ErrnoException): void => {
    if (error.code === 'EAGAIN' || error.code === 'EBUSY') {
      this.#retryIn(fullMs)
      return
    }
    if (!this.#hasFailed) console.error(`The log cannot be written: ${error.message}`)
    this.#hasFailed = true
    if (error.code !== 'EPIPE') this.#retryIn(retryMs)
    else {
      // The reader has gone; another may open a named pipe.
      this.#drop(this.#unwritten)
      this.#stream.destroy()
      this.#stream = this.#open()
    }
  }

  /** SonicBoom's own `flushSync` retries for ever if writing fails. */
  #writeLast(): void {
    try {
      writeFileSync(1, this.#lines)
    } catch {
      // Nowhere left to report it.
    }
  }

  #retryIn(ms: number): void {
    const stream = this.#stream
    setTimeout(() => stream === this.#stream && stream.flush(), ms).unref()
  }
}

// Each write wakes another thread, which costs half a request.
const collectMs = 10
const collectLength = 64 * 1024

// Linux writes that much to a pipe as a whole or not at all (PIPE_BUF). Of a longer write, a full pipe takes a
// part, and another process's lines could end up in the middle of one.
const atomicLength = 4096

const flushMs = 1_000

// How long to wait for a slow reader, and after a failed write.
const fullMs = 20
const retryMs = 1_000

// Memory must not fill if standard output is a pipe that nobody reads.
const maxWaitingBytes = 16 * 1024 * 1024
