import type { FastifyReply } from 'fastify'
import { RequestLog } from '../../../packages/fastify/src/observability/request-log.ts'

export * from '../../../packages/fastify/src/observability/request-log.ts'
export const requestIdOf = () => '-'

const { begin } = RequestLog.prototype
RequestLog.prototype.begin = function (request, { raw }) {
  // What it uses of a reply, except that the header is not set.
  const reply = { raw, header: () => reply } as unknown as FastifyReply
  begin.call(this, request, reply)
}
