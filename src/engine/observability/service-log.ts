import { writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import pino, { type DestinationStream, type Level, type Logger } from 'pino'
import sonicBoom, { type SonicBoom } from 'sonic-boom'
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

/**
 * Standard output, written to without waiting for whoever reads it. What cannot be written waits, as long as there is
 * room for it; what then comes is dropped and counted.
 */
export class LogOutput implements DestinationStream {
  /** Lines that were thrown away. */
  dropped = 0
  readonly #format: (line: string) => string
  #stream: SonicBoom
  /** Lines that are still collected. */
  #lines = ''
  #count = 0
  #isScheduled = false
  /** Lines that have been handed on since all were written. */
  #unwritten = 0
  #hasFailed = false

  constructor(format: (line: string) => string = line => line) {
    this.#format = format
    this.#stream = this.#open()
    process.once('exit', () => {
      // Lines come in order, and a reader that has stopped reading is not waited for.
      if (this.#unwritten === 0) this.#writeLast()
    })
  }

  write(line: string): void {
    this.#lines += this.#format(line)
    this.#count++
    if (this.#lines.length > collectLength) this.#pass()
    else if (!this.#isScheduled) {
      this.#isScheduled = true
      setTimeout(this.#pass, collectMs)
    }
  }

  /** Resolves once all is written; after a second even if it is not. */
  async flush(): Promise<void> {
    this.#pass()
    const untilMs = performance.now() + flushMs
    while (this.#unwritten > 0 && performance.now() < untilMs) await delay(collectMs)
  }

  #open(): SonicBoom {
    // To have it opened: then a write to a full pipe fails with EAGAIN. A thread that waits for a reader would keep the
    // process from ending.
    void process.stdout
    return new sonicBoom.SonicBoom({
      fd: 1,
      minLength: 1,
      maxLength: maxWaitingBytes,
      maxWrite: collectLength,
      retryEAGAIN: () => false
    })
      .on('drop', () => this.#drop(this.#count))
      .on('drain', () => {
        this.#unwritten = 0
        this.#hasFailed = false
      })
      .on('error', this.#fail)
  }

  #pass = (): void => {
    this.#isScheduled = false
    if (this.#count === 0) return
    this.#unwritten += this.#count
    this.#stream.write(this.#lines)
    this.#lines = ''
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
      // Whoever read it has gone, and has no use for what waits. Another reader may come to a named pipe.
      this.#drop(this.#unwritten)
      this.#stream.destroy()
      this.#stream = this.#open()
    }
  }

  /** SonicBoom's own `flushSync` tries again for ever where writing fails. */
  #writeLast(): void {
    try {
      writeFileSync(1, this.#lines)
    } catch {
      // Nobody would learn of it any more.
    }
  }

  #retryIn(ms: number): void {
    const stream = this.#stream
    setTimeout(() => stream === this.#stream && stream.flush(), ms).unref()
  }
}

// Each write wakes another thread, which costs as much as half a request.
const collectMs = 10
const collectLength = 64 * 1024

const flushMs = 1_000

// How long to wait for a reader that is slower, and where writing has failed.
const fullMs = 20
const retryMs = 1_000

// Where standard output is a pipe that nobody empties, memory must not fill.
const maxWaitingBytes = 16 * 1024 * 1024
