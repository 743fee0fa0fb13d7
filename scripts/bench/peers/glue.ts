import { fileURLToPath } from 'node:url'
import Fastify, { type FastifyError, type FastifyRequest } from 'fastify'
import glue from 'fastify-openapi-glue'
import { challenge, openAnimals } from './animals.ts'
import { handlersOf } from './handlers.ts'

// node glue.ts <url of the database>: the contract served by fastify-openapi-glue, as its documentation shows it, and
// without a log.

const animals = openAnimals(process.argv[2] ?? '')

const securityHandlers = {
  bearerAuth: ({ headers }: FastifyRequest) => {
    if (!animals.isKey(headers.authorization)) throw new Error('The API key is not valid.')
  }
}

const codes: Record<number, string> = { 400: 'invalid_request', 401: 'api_key_invalid' }

const app = Fastify({ logger: false, ajv: { customOptions: { strict: false } } })
// Its own error body is not the contract's.
app.setErrorHandler<FastifyError>((error, _request, reply) => {
  const status = error.statusCode ?? 500
  if (status === 401) reply.header('www-authenticate', challenge)
  const code = codes[status] ?? 'internal_error'
  return reply.code(status).send({ code, message: error.message, status })
})
await app.register(glue, {
  specification: fileURLToPath(new URL('../../../openapi/petstore.yaml', import.meta.url)),
  serviceHandlers: handlersOf(animals),
  securityHandlers,
  prefix: 'v1'
})
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
