import type { FastifyBaseLogger } from 'fastify'
import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino'

declare module 'fastify' {
  interface FastifyInstance {
    /** What operators read: faults and warnings of the service. */
    serviceLog: FastifyBaseLogger
  }
}

export type LogOptions = LoggerOptions & { stream?: DestinationStream }

export const serviceLog = ({ stream, ...options }: LogOptions): Logger =>
  stream ? pino(options, stream) : pino(options)

/**
 * Fastify's own use of a log. It would make a child and two listeners for each request, which is one of the
 * dearest things of a request; what it has to tell concerns those who debug, so that it gets none above that level.
 */
export const frameworkLog = (log: Logger): { loggerInstance: FastifyBaseLogger } | { logger: false } =>
  log.isLevelEnabled('debug') ? { loggerInstance: log } : { logger: false }
