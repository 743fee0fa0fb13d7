import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import pino, { type DestinationStream, type Level, type Logger } from 'pino'
import { withoutKeys } from '../api-key.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** What operators read: the requests, and what happens to the service. */
    serviceLog: ServiceLog
  }
}

export interface LogOptions {
  /** As pino names them, or `silent`; lines of lower ones are not made. */
  level?: string
  /** What each line is written to; standard output if `undefined`. */
  stream?: DestinationStream
}

export type ServiceLog = Logger & {
  /**
   * Takes a line that is JSON in pino's form already, and in which there is no key: making it of an object would cost
   * a request seven times as much.
   */
  writeLine(line: string): void
}

export const serviceLog = ({ level = 'info', stream = pino.destination(1) }: LogOptions): ServiceLog => {
  // Whoever logs, and whatever: a key that a client put into an address, or that an error shows, goes no further.
  const keyless = { write: (line: string) => stream.write(withoutKeys(line)) }
  // Which process and machine it is, whoever collects the lines knows better.
  return Object.assign(pino({ level, base: null }, keyless), { writeLine: (line: string) => void stream.write(line) })
}

/** The head of a line of this level, up to its time. */
export const lineHead = (level: Level): string => `{"level":${pino.levels.values[level]},"time":`

/**
 * Fastify's own use of a log. It would make a child and two listeners for each request, which is one of the
 * dearest things of a request; what it has to tell concerns those who debug, so that it gets none above that level.
 */
export const frameworkLog = (log: Logger): { loggerInstance: FastifyBaseLogger } | { logger: false } =>
  log.isLevelEnabled('debug') ? { loggerInstance: log } : { logger: false }

/** What makes lines for people, unless the service has been installed without it. */
export const prettyLines = async (): Promise<((line: string) => string) | undefined> => {
  const { prettyFactory } = await import('pino-pretty').catch(() => ({ prettyFactory: undefined }))
  return prettyFactory?.({
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    // A request at a glance; what else is known of it follows.
    ignore: 'traceId,method,path,status,durationMs',
    messageFormat: ({ msg, method, path, status = 'aborted', durationMs }) => {
      const request = method === undefined ? '' : `${method} ${path} ${status} ${durationMs ?? ''}`
      return msg === 'request' ? request : [request, msg].filter(each => each !== '').join(' ')
    }
  })
}

/** Standard output, written to without waiting for whoever reads it. */
export class LogOutput implements DestinationStream {
  /** Lines that were thrown away, since nobody took them. */
  dropped = 0
  readonly #format: (line: string) => string
  readonly #destination = pino.destination({
    dest: 1,
    sync: false,
    contentMode: 'buffer',
    maxLength: maxWaitingBytes
  })
  #lines = Buffer.allocUnsafe(collectBytes)
  #length = 0
  #isScheduled = false
  #isWriting = false
  #flushed: (() => void) | undefined

  constructor(format: (line: string) => string = line => line) {
    this.#format = format
    this.#destination.on('drop', (lines: Buffer) => {
      this.dropped += lines.toString('latin1').split('\n').length - 1
    })
    this.#destination.on('drain', () => {
      this.#isWriting = false
      this.#flushed?.()
    })
    // Before pino's own listener, which would wait for a reader that has stopped reading.
    process.prependOnceListener('exit', () => {
      if (this.#isWriting) return this.#destination.destroy()
      // Nothing else that is begun now would be finished.
      Object.assign(this.#destination, { sync: true })
      this.#pass()
    })
  }

  write(line: string): void {
    const text = this.#format(line)
    const most = maxBytesPerUnit * text.length
    if (this.#length + most > collectBytes) this.#pass()
    if (most > collectBytes) {
      this.#begin(Buffer.from(text))
      return
    }
    // As bytes, and at once: strings that wait are moved by each collection of garbage, which costs more than the write.
    this.#length += this.#lines.write(text, this.#length)
    if (this.#isScheduled) return
    this.#isScheduled = true
    setTimeout(this.#pass, collectMs)
  }

  /** Resolves once all is written; after a second even if nobody takes it. */
  async flush(): Promise<void> {
    this.#pass()
    if (!this.#isWriting) return
    const written = new Promise<void>(resolve => {
      this.#flushed = resolve
    })
    await Promise.race([written, delay(flushMs, undefined, { ref: false })])
  }

  #pass = (): void => {
    this.#isScheduled = false
    if (this.#length === 0) return
    const lines = this.#lines.subarray(0, this.#length)
    const areFew = this.#length <= fewBytes
    this.#length = 0
    if (!areFew) this.#lines = Buffer.allocUnsafe(collectBytes)
    this.#begin(areFew ? Buffer.from(lines) : lines)
  }

  #begin(lines: Buffer): void {
    this.#isWriting = true
    // In this mode it takes bytes, other than its types say.
    this.#destination.write(lines as unknown as string)
  }
}

// Each write wakes another thread, which costs as much as half a request.
const collectMs = 10
const collectBytes = 64 * 1024
// So few are copied; more are given away, and others take their place.
const fewBytes = 4 * 1024
// In UTF-8, of each unit of a JavaScript string.
const maxBytesPerUnit = 3

const flushMs = 1_000

// Where standard output is a pipe that nobody empties, memory must not fill.
const maxWaitingBytes = 16 * 1024 * 1024
