import Fastify from 'fastify'
import glue from 'fastify-openapi-glue'
import { isToken, listen, missing, order } from './listen.js'

const serviceHandlers = {
  createOrder: async ({ body }, reply) => {
    reply.code(201)
    return { id: 1, ...body }
  },
  ...(!missing && { getOrder: async ({ params }) => order(params.orderId) })
}
const securityHandlers = {
  bearerAuth: async ({ headers }) => {
    if (!isToken(headers.authorization?.slice('Bearer '.length))) throw new Error('The token is not valid.')
  }
}

const app = Fastify({ ajv: { customOptions: { strict: false } } })
const specification = new URL('../openapi.yaml', import.meta.url).pathname
await app.register(glue, { specification, serviceHandlers, securityHandlers, prefix: 'v1' })
await listen(app)
