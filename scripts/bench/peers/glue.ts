import { fileURLToPath } from 'node:url'
import Fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify'
import glue from 'fastify-openapi-glue'
import { challenge, linkAfter, type NewAnimal, openAnimals, positionOf } from './animals.ts'

// node glue.ts <url of the database>: the contract served by fastify-openapi-glue, as its documentation shows it, and
// without a log.

const animals = openAnimals(process.argv[2] ?? '')

const serviceHandlers = {
  listPets: async (
    {
      query: { limit, status, cursor }
    }: FastifyRequest<{ Querystring: { limit: number; status?: string; cursor?: string } }>,
    reply: FastifyReply
  ) => {
    const found = animals.list(cursor === undefined ? 0n : positionOf(cursor), limit + 1, status)
    if (found.length <= limit) return found
    found.pop()
    reply.header('link', linkAfter(found.at(-1)?.id ?? 0n, limit, status))
    return found
  },

  createPet: async ({ body }: FastifyRequest<{ Body: NewAnimal }>, reply: FastifyReply) => {
    // The plugin does not fill in a default that is reached through allOf.
    const { status = 'available' } = body
    const created = await animals.create({ ...body, status })
    reply.code(201).header('location', `pets/${created.id}`)
    return created
  },

  getPet: async ({ params: { petId } }: FastifyRequest<{ Params: { petId: number } }>, reply: FastifyReply) => {
    const found = animals.get(petId)
    if (found !== undefined) return found
    reply.code(404)
    return { code: 'pet_not_found', message: `No pet has id ${petId}.`, status: 404 }
  }
}

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
  serviceHandlers,
  securityHandlers,
  prefix: 'v1'
})
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
