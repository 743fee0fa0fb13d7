import { RequestLog } from '../../../packages/fastify/src/observability/request-log.ts'

export * from '../../../packages/fastify/src/observability/request-log.ts'

RequestLog.prototype.begin = (request, reply) => {
  request.fault = null
  reply.header('x-request-id', request.id)
}
