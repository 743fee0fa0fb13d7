import { fileURLToPath } from 'node:url'
import addFormats from 'ajv-formats'
import Fastify from 'fastify'
import { OpenAPIBackend } from 'openapi-backend'
import { isToken, listen, missing, order } from './listen.js'

// As its README has it, responses are validated by a handler of one's own.
const api = new OpenAPIBackend({
  definition: fileURLToPath(new URL('../openapi.yaml', import.meta.url)),
  apiRoot: '/v1',
  customizeAjv: ajv => addFormats(ajv) ?? ajv
})
api.register({
  createOrder: async ({ request }, _request, reply) => {
    reply.code(201)
    return { id: 1, ...request.requestBody }
  },
  ...(!missing && { getOrder: async ({ request }) => order(Number(request.params.orderId)) }),
  validationFail: ({ validation }, _request, reply) => reply.code(400).send({ message: validation.errors[0].message }),
  unauthorizedHandler: (_context, _request, reply) => reply.code(401).send({ message: 'unauthorized' }),
  notFound: (_context, _request, reply) => reply.code(404).send({ message: 'not found' }),
  methodNotAllowed: (_context, _request, reply) => reply.code(405).send({ message: 'method not allowed' }),
  notImplemented: (_context, _request, reply) => reply.code(501).send({ message: 'not implemented' }),
  postResponseHandler: (context, _request, reply) => {
    if (context.operation === undefined || reply.sent) return context.response
    const { errors } = context.api.validateResponse(context.response, context.operation, reply.statusCode)
    if (!errors) return context.response
    return reply.code(502).send({ message: 'the response breaks the contract' })
  }
})
api.registerSecurityHandler('bearerAuth', ({ request }) => isToken(request.headers.authorization?.slice('Bearer '.length)))
await api.init()

const app = Fastify()
app.route({
  method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  url: '/*',
  handler: async (request, reply) => {
    const { method, url: path, body, query, headers } = request
    return api.handleRequest({ method, path, body, query, headers }, request, reply)
  }
})
await listen(app)
