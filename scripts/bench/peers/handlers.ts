import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Animals, NewAnimal } from './animals.ts'

type ListRequest = FastifyRequest<{ Querystring: { limit: number; cursor?: string } }>
type CreateRequest = FastifyRequest<{ Body: NewAnimal }>
type GetRequest = FastifyRequest<{ Params: { petId: number } }>

/** The handlers of both servers on Fastify. */
export const handlersOf = (animals: Animals) => ({
  listPets: async ({ query: { limit, cursor } }: ListRequest, reply: FastifyReply) => {
    const { found, link } = animals.list(cursor, limit)
    if (link !== undefined) reply.header('link', link)
    return found
  },

  createPet: async ({ body }: CreateRequest, reply: FastifyReply) => {
    // fastify-openapi-glue does not fill in a default that is reached through allOf.
    const { status = 'available' } = body
    const created = await animals.create({ ...body, status })
    reply.code(201).header('location', `pets/${created.id}`)
    return created
  },

  getPet: async ({ params: { petId } }: GetRequest, reply: FastifyReply) => {
    const found = animals.get(petId)
    if (found !== undefined) return found
    reply.code(404)
    return { code: 'pet_not_found', message: `No pet has id ${petId}.`, status: 404 }
  }
})
