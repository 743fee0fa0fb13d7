import type { FastifyReply } from 'fastify'

/** Tells caches that the response depends on a header of the request (RFC 9110, section 12.5.5). */
export const varyBy = (reply: FastifyReply, header: string): void => {
  const others = reply.getHeader('vary')
  reply.header('vary', others === undefined ? header : `${others}, ${header}`)
}
