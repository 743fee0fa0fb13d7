import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { bodyTooLarge } from '../errors.ts'

type Done = (error: Error | null, body?: Buffer) => void

/**
 * Reads the body of a request; `undefined` if it is empty. Most arrive in one packet with their header section, and are
 * taken at once: Fastify's `parseAs` lets each flow, with three listeners, which is 5 % of a create.
 */
export const readBody = ({ raw, routeOptions }: FastifyRequest, done: Done): void => {
  const limit = routeOptions.bodyLimit
  if (Number(raw.headers['content-length']) > limit) {
    done(bodyTooLarge(limit))
    return
  }
  // Then all of the packet has been parsed.
  process.nextTick(() => {
    if (!raw.complete) {
      collect(raw, limit, done)
      return
    }
    const body: Buffer | null = raw.read()
    if (body !== null && body.length > limit) done(bodyTooLarge(limit))
    else done(null, body ?? undefined)
  })
}

const collect = (raw: IncomingMessage, limit: number, done: Done) => {
  const chunks: Buffer[] = []
  let bytes = 0
  const stopWith = (error: Error | null, body?: Buffer) => {
    raw.off('data', add).off('end', end).off('error', stopWith)
    done(error, body)
  }
  const add = (chunk: Buffer) => {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > limit) stopWith(bodyTooLarge(limit))
  }
  const end = () => stopWith(null, bytes === 0 ? undefined : Buffer.concat(chunks, bytes))
  raw.on('data', add).on('end', end).on('error', stopWith)
}
