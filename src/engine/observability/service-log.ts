import { write, writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import pino, { type DestinationStream, type Level, type Logger } from 'pino'
import { withoutKeys } from '../operations/api-key.ts'

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
      const duration = durationMs === undefined ? '' : ` ${durationMs} ms`
      const request = method === undefined ? '' : `${method} ${path} ${status}${duration}`
      return msg === 'request' ? request : [request, msg].filter(each => each !== '').join(' ')
    }
  })
}

/** Standard output, written to without waiting for whoever reads it; what cannot be written is dropped and counted. */
export class LogOutput implements DestinationStream {
  /** Lines that were thrown away, since nobody took them or they could not be written. */
  dropped = 0
  readonly #format: (line: string) => string
  /** Lines that are still collected. */
  #lines = Buffer.allocUnsafe(collectBytes)
  #length = 0
  #isScheduled = false
  /** What is to be written, in order. */
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #isWriting = false
  /** Whether the first of what waits goes on in a line of which a part is written. */
  #isInLine = false
  #hasFailed = false
  #retryAt = 0
  #flushed: (() => void) | undefined

  constructor(format: (line: string) => string = line => line) {
    this.#format = format
    // To have it opened: then a write to a full pipe fails with EAGAIN. A thread that waits for a reader would keep the
    // process from ending.
    void process.stdout
    process.once('exit', () => {
      // A reader that has stopped reading would be waited for.
      if (!this.#isWriting) this.#writeLast()
    })
  }

  write(line: string): void {
    const text = this.#format(line)
    const most = maxBytesPerUnit * text.length
    if (this.#length + most > collectBytes) this.#pass()
    if (most > collectBytes) {
      this.#add(Buffer.from(text))
      return
    }
    // As bytes, and at once: strings that wait are moved by each collection of garbage, which costs more than the write.
    this.#length += this.#lines.write(text, this.#length)
    if (this.#isScheduled) return
    this.#isScheduled = true
    setTimeout(this.#pass, collectMs)
  }

  /** Resolves once all is written or cannot be; after a second even if nobody takes it. */
  async flush(): Promise<void> {
    this.#retryAt = 0
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
    this.#add(areFew ? Buffer.from(lines) : lines)
  }

  #add(lines: Buffer): void {
    if (performance.now() < this.#retryAt || this.#waitingBytes + lines.length > maxWaitingBytes) {
      this.dropped += linesIn(lines)
      return
    }
    this.#waiting.push(lines)
    this.#waitingBytes += lines.length
    if (!this.#isWriting) this.#writeFirst()
  }

  #writeFirst = (): void => {
    const [first] = this.#waiting
    this.#isWriting = first !== undefined
    if (first !== undefined) write(1, first, this.#written)
    else this.#flushed?.()
  }

  #written = (error: NodeJS.ErrnoException | null, count: number): void => {
    if (error?.code === 'EAGAIN' || error?.code === 'EBUSY') {
      setTimeout(this.#writeFirst, fullMs).unref()
      return
    }
    const first = this.#waiting.shift() as Buffer
    if (error !== null) {
      this.#fail(error, first)
      return
    }
    this.#waitingBytes -= count
    this.#isInLine = first[count - 1] !== newline
    if (count < first.length) this.#waiting.unshift(first.subarray(count))
    else this.#hasFailed = false
    this.#writeFirst()
  }

  #fail(error: Error, first: Buffer): void {
    if (!this.#hasFailed)
      console.error(`The log cannot be written, and lines are dropped until it can: ${error.message}`)
    this.#hasFailed = true
    this.#retryAt = performance.now() + retryMs
    // A line of which a part is written is to end before others come.
    const endOfLine = this.#isInLine ? first.indexOf(newline) + 1 : 0
    const rest = first.subarray(0, endOfLine)
    for (const lines of [first.subarray(endOfLine), ...this.#waiting]) this.dropped += linesIn(lines)
    this.#waiting = rest.length > 0 ? [rest] : []
    this.#waitingBytes = rest.length
    this.#isWriting = false
    this.#flushed?.()
  }

  #writeLast(): void {
    let rest = Buffer.concat([...this.#waiting, this.#lines.subarray(0, this.#length)])
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(1, rest))
    } catch {
      // Nobody would learn of it any more.
    }
  }
}

const newline = 0x0a

const linesIn = (bytes: Buffer): number => {
  let count = 0
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) count++
  return count
}

// Each write wakes another thread, which costs as much as half a request.
const collectMs = 10
const collectBytes = 64 * 1024
// So few are copied; more are given away with the memory that they are in, and others take its place.
const fewBytes = collectBytes / 2
// In UTF-8, of each unit of a JavaScript string.
const maxBytesPerUnit = 3

const flushMs = 1_000

// How long to wait for a reader that is slower, and where writing has failed.
const fullMs = 20
const retryMs = 1_000

// Where standard output is a pipe that nobody empties, memory must not fill.
const maxWaitingBytes = 16 * 1024 * 1024
