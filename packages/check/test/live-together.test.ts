import { type FastifyError, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import t, { type Test } from 'tap'
import { readDocument } from '../../document/src/document.ts'
import { checkLive } from '../src/live/live.ts'

const contract = `
openapi: 3.1.0
info: { title: Shop, version: 1.0.0, description: Another method gets a 405. }
security: [{ key: [] }]
paths:
  /pets:
    get:
      parameters:
        - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 100 } }
        - { name: sort, in: query, schema: { enum: [name, age] } }
      responses:
        '200':
          description: All
          headers: { X-Total: { required: true, schema: { type: integer } } }
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Pet' } } } }
        '400': { $ref: '#/components/responses/Error' }
        '401': { $ref: '#/components/responses/Error' }
    post:
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/NewPet' } } }
      responses:
        '201':
          description: Made
          headers: { Location: { required: true, schema: { type: string } } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } }
        '400': { $ref: '#/components/responses/Error' }
        '401': { $ref: '#/components/responses/Error' }
        '415': { $ref: '#/components/responses/Error' }
  /pets/{petId}:
    parameters:
      - { name: petId, in: path, required: true, schema: { type: integer, minimum: 1 } }
    get:
      responses:
        '200':
          description: One
          content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } }
        '400': { $ref: '#/components/responses/Error' }
        '401': { $ref: '#/components/responses/Error' }
        '404': { $ref: '#/components/responses/Error' }
    delete:
      responses:
        '204': { description: Gone }
        '401': { $ref: '#/components/responses/Error' }
        '404': { $ref: '#/components/responses/Error' }
  /owners:
    get:
      responses:
        '200':
          description: All
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Owner' } } } }
        '401': { $ref: '#/components/responses/Error' }
    post:
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/Owner' } } }
      responses:
        '201':
          description: Made
          content: { application/json: { schema: { $ref: '#/components/schemas/Owner' } } }
        '400': { $ref: '#/components/responses/Error' }
        '401': { $ref: '#/components/responses/Error' }
  /orders:
    get:
      responses:
        '200': { description: All, content: { application/json: { schema: { type: array } } } }
        '401': { $ref: '#/components/responses/Error' }
  /reports:
    get:
      parameters:
        - { name: X-Tenant, in: header, required: true, schema: { type: integer, minimum: 1 } }
      responses:
        '200':
          description: One
          content:
            application/json:
              schema:
                type: object
                properties:
                  made: { type: string, format: date-time }
                  state: { enum: [new, done] }
                  note: { type: string }
        '400': { $ref: '#/components/responses/Error' }
        '401': { $ref: '#/components/responses/Error' }
  /status:
    get:
      security: []
      responses:
        '200':
          description: Fine
          content: { application/json: { schema: { type: object, properties: { up: { type: boolean } } } } }
components:
  securitySchemes: { key: { type: http, scheme: bearer } }
  responses:
    Error:
      description: Wrong
      content:
        application/json:
          schema:
            type: object
            properties: { code: { type: string }, message: { type: string } }
            required: [code, message]
  schemas:
    NewPet:
      type: object
      properties:
        name: { type: string, minLength: 1, maxLength: 20 }
        age: { type: integer, minimum: 0 }
      required: [name]
      additionalProperties: false
    Pet:
      type: object
      properties:
        id: { type: integer }
        name: { type: string }
        age: { type: integer }
      required: [id, name]
      additionalProperties: false
    Owner:
      type: object
      properties:
        name: { type: string, minLength: 1 }
        email: { type: string, format: email }
        pets: { type: integer, minimum: 0, maximum: 9 }
      required: [name]
      additionalProperties: false
`

const key = 'right-key'

/** A service as if written in a hurry; comments say what is wrong. */
const shop = async (t: Test) => {
  const app = fastify()
  const pets = new Map<string, object>()
  const wrong = { code: 'wrong', message: 'It is wrong.' }
  const onRequest = async ({ headers }: FastifyRequest, reply: FastifyReply) =>
    headers.authorization === `Bearer ${key}` ? undefined : reply.code(401).send(wrong)
  // Wrong: validation errors have Fastify's shape, as does a 404 where the contract requires a 405.
  app.setErrorHandler<FastifyError>(({ statusCode = 500, validation, message }, _, reply) =>
    reply.code(statusCode).send(validation ? { statusCode, error: 'Bad Request', message } : wrong)
  )
  const size = { type: 'integer', minimum: 1 }
  // Wrong: the limit has no maximum, the list has no total, and its items have internal properties.
  const querystring = { type: 'object', properties: { limit: size, sort: { enum: ['name', 'age'] } } }
  app.get('/pets', { onRequest, schema: { querystring } }, () =>
    [...pets.values()].map(pet => ({ ...pet, internal: true }))
  )
  const name = { type: 'string', minLength: 1, maxLength: 20 }
  const age = { type: 'integer', minimum: 0 }
  const body = { type: 'object', properties: { name, age }, required: ['name'], additionalProperties: false }
  // Wrong: Fastify converts types and removes undeclared properties instead of rejecting them.
  app.post('/pets', { onRequest, schema: { body } }, (request, reply) => {
    const id = pets.size + 1
    const pet = { id, ...Object(request.body) }
    pets.set(`${id}`, pet)
    return reply.code(201).header('location', `/pets/${id}`).send(pet)
  })
  const path = '/pets/:id'
  // Wrong: there is a pet for every id, and it has no name.
  app.get(path, { onRequest }, () => ({ id: 1, age: 2 }))
  app.put(path, { onRequest }, () => ({ id: 1, age: 2 }))
  app.delete(path, { onRequest }, (_, reply) => reply.code(204).send())
  // Wrong: no key is needed, and a number is sent as a text.
  app.get('/owners', () => [{ name: 'Ann', pets: '2' }])
  // Wrong: the body is not validated, and the status is not 201.
  app.post('/owners', { onRequest }, () => ({ name: 'Ann' }))
  // Wrong: the header is not required, and a date, an enum value and a text are invalid.
  app.get('/reports', { onRequest }, () => ({ made: 'yesterday', state: 'old', note: null }))
  app.get('/status', (_, reply) => reply.type('text/html').send('{"up":true}'))
  // GET /orders is missing.
  t.teardown(() => app.close())
  return app.listen({ port: 0, host: '127.0.0.1' })
}

const valid = 'a valid request'
const invalidBody = 'has a body that the contract does not allow:'
const otherMethod = 'a method that the path does not have'

t.test('live: faults that come together are told once each, in the words of the contract', async t => {
  const { failures, notes, gaps } = await checkLive(readDocument(contract, 'shop.yaml'), {
    url: await shop(t),
    keys: [key]
  })
  t.strictSame(gaps, [])
  const told = (differences: typeof failures) =>
    differences.map(({ operation, others, what, wrong }) =>
      [[operation, ...others].join(', '), what, wrong.replace(/:? [{[].*/, '')].join(' | ')
    )
  t.strictSame(told(notes), [
    'GET /pets | query parameter limit: any value | returns 7 items for limit=1',
    'DELETE /pets/{petId} | path parameter petId: a value that nothing has | responds with 204'
  ])
  t.strictSame(told(failures), [
    `GET /pets | ${valid} | has no X-Total header`,
    `GET /pets | ${valid} | ${invalidBody} undeclared property /0/internal`,
    `GET /pets, POST /pets | query parameter limit: of another type | ${invalidBody} missing property /code`,
    'GET /pets | query parameter limit: above its maximum | responds with 200,',
    'POST /pets | body: .name of another type, .age of another type, with an undeclared property | responds with 201,',
    'POST /pets | a body of another media type | responds with 400,',
    `GET /pets/{petId} | ${valid} | ${invalidBody} missing property /name`,
    'GET /pets/{petId} | path parameter petId: a value that nothing has | responds with 200,',
    'GET /pets/{petId} | path parameter petId: of another type, not a whole number, below its minimum | responds with 200,',
    'GET /pets/{petId} | after DELETE | responds with 200,',
    `GET /owners | ${valid} | ${invalidBody} /0/pets must be integer, not "2"`,
    'GET /owners | without a key, with a wrong key | responds with 200,',
    `POST /owners | ${valid} | responds with 200, which is not declared`,
    'POST /owners | body: of another type, .name of another type, .name too short, .email of another type, .email not in its format, .pets of another type, .pets not a whole number, .pets below its minimum, .pets above its maximum, with an undeclared property, without name | responds with 200,',
    `GET /orders | ${valid}, without a key, with a wrong key | responds with 404, which is not declared`,
    `GET /reports | ${valid} | ${invalidBody} /made must match format "date-time", not "yesterday"`,
    `GET /reports | ${valid} | ${invalidBody} /state must be equal to one of the allowed values (new, done), not "old"`,
    `GET /reports | ${valid} | ${invalidBody} /note must be string, not null`,
    'GET /reports | header parameter X-Tenant: of another type, not a whole number, below its minimum, missing | responds with 200,',
    `GET /status | ${valid} | has the media type text/html`,
    `PUT /pets/{petId} | ${otherMethod} | responds with 200`,
    `PATCH /pets/{petId} | ${otherMethod} | responds with 404`
  ])
  const owner = failures.find(({ wrong }) => wrong.includes('/0/pets'))
  t.match(owner?.curl, '"Authorization: Bearer $KEY"', 'a request with the key still shows it when others are rejected')
})
