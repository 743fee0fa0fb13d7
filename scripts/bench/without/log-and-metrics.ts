import { RequestLog } from '../../../src/engine/observability/request-log.ts'

export * from '../../../src/engine/observability/request-log.ts'

RequestLog.prototype.begin = (request, reply) => {
  request.fault = null
  reply.header('x-request-id', request.id)
}
