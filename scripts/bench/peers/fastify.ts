import Fastify from 'fastify'
import { challenge, keyRefused, openAnimals } from './animals.ts'
import { handlersOf } from './handlers.ts'

// node fastify.ts <url of the database>: the same operations as written by hand on Fastify, with Fastify's own
// validation and serialization, and without a log.

const animals = openAnimals(process.argv[2] ?? '')
const { listPets, createPet, getPet } = handlersOf(animals)
const app = Fastify({ logger: false })

app.addHook('onRequest', (request, reply, done) => {
  if (animals.isKey(request.headers.authorization)) done()
  else reply.code(401).header('www-authenticate', challenge).send(keyRefused)
})

const status = { type: 'string', enum: ['available', 'pending', 'sold'] }
const fields = {
  name: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' },
  categoryId: { type: 'integer' }
}
const pet = {
  type: 'object',
  properties: { id: { type: 'integer' }, ...fields, status },
  required: ['id', 'name', 'categoryId', 'status']
}
const newPet = {
  type: 'object',
  properties: { ...fields, status: { ...status, default: 'available' } },
  required: ['name', 'categoryId'],
  additionalProperties: false
}
const page = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    cursor: { type: 'string', pattern: '^[\\w-]{11}$' }
  },
  additionalProperties: false
}
const error = {
  type: 'object',
  properties: { code: { type: 'string' }, message: { type: 'string' }, status: { type: 'integer' } }
}
const petId = { type: 'object', properties: { petId: { type: 'integer' } }, required: ['petId'] }

const listed = { 200: { type: 'array', items: pet }, 401: error }
app.get('/v1/pets', { schema: { querystring: page, response: listed } }, listPets)
app.post('/v1/pets', { schema: { body: newPet, response: { 201: pet, 401: error } } }, createPet)
app.get('/v1/pets/:petId', { schema: { params: petId, response: { 200: pet, 401: error, 404: error } } }, getPet)

console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
