import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { limits, operations } from '../../generated/operations.ts'
import { NewPet as NewPetSchema, PetStatus } from '../../generated/request-schemas.ts'
import { Pet as PetSchema } from '../../generated/response-schemas.ts'
import { digestOf, isApiKey, keyIdOf } from '../../packages/fastify/src/api-keys/api-key.ts'
import { parseJson } from '../../packages/fastify/src/node/json.ts'
import { requestIdOf } from '../../packages/fastify/src/observability/request-log.ts'
import { LogOutput, lineHead } from '../../packages/fastify/src/observability/service-log.ts'
import { cursorAfter, positionOf } from '../../packages/fastify/src/operations/cursor.ts'
import { Connections } from '../../packages/fastify/src/store/postgres/connections.ts'
import type { Row } from '../../packages/fastify/src/store/postgres/schema.ts'
import { animalStore } from '../../src/animal-store.ts'
import type { AnimalStore } from '../../src/store/animal-store.ts'
import type { NewPet, Pet } from '../../src/store/pets.ts'
import { locationOf } from './database.ts'
import type { FloorVariant } from './servers.ts'

// node floor.ts <url of the database> <variant>: the least that this contract costs on Node.js. The same store, checks,
// responses and log lines as the service, written by hand for these URLs alone; what the service costs beyond it is the
// price of deriving everything from the contract.

const serve = (store: AnimalStore) => {
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 72_000
    },
    (request: LoggedRequest, response) => {
      request.beganMs = performance.now()
      respond(store, request, response).catch(error => {
        console.error(error)
        fail(response, 503, 'service_unavailable', 'The store is temporarily unavailable; try again.', [
          'retry-after',
          '1'
        ])
      })
    }
  )
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
}

interface LoggedRequest extends IncomingMessage {
  beganMs?: number
  keyId?: string
  refusedKeyId?: string
}

const respond = async (store: AnimalStore, request: LoggedRequest, response: ServerResponse): Promise<void> => {
  const url = request.url ?? ''
  const method = request.method ?? ''
  const at = url.indexOf('?')
  const path = at === -1 ? url : url.slice(0, at)
  const query = at === -1 ? '' : url.slice(at + 1)
  const id = path.length > petPath.length && path.startsWith(petPath) ? path.slice(petPath.length) : undefined
  const lifecycle = id === undefined || id.includes('/') ? none : getPetIsDeprecated

  const { authorization } = request.headers
  if (authorization === undefined || !/^bearer /i.test(authorization))
    return fail(response, 401, 'api_key_missing', keyMissing, [...lifecycle, 'www-authenticate', challenge])
  const key = authorization.slice('bearer '.length)
  const keyId = isApiKey(key) ? await store.keys.use(digestOf(key), Date.now()) : undefined
  if (keyId === undefined) {
    if (isApiKey(key)) request.refusedKeyId = keyIdOf(digestOf(key))
    return fail(response, 401, 'api_key_invalid', 'The API key is not valid.', [
      ...lifecycle,
      'www-authenticate',
      `${challenge}, error="invalid_token"`
    ])
  }
  request.keyId = keyId

  if (path === '/v1/pets') {
    if (method === 'GET') return listPets(store, query, response)
    if (method === 'POST') return createPet(store, query, request, response)
    return fail(response, 405, 'method_not_allowed', 'The methods are GET, HEAD, POST and OPTIONS.', none)
  }
  if (id === undefined || id.includes('/'))
    return fail(response, 404, 'path_not_found', `Nothing exists at ${path}.`, none)
  if (method !== 'GET') return fail(response, 405, 'method_not_allowed', 'The methods are GET and HEAD.', none)
  return getPet(store, id, query, response)
}

const listPets = async ({ pets }: AnimalStore, query: string, response: ServerResponse) => {
  let limit: number = limitRule.default
  let status: Pet['status'] | undefined
  let after = 0n
  const seen = new Set<string>()
  for (const pair of query === '' ? none : query.split('&')) {
    const [name = '', value = ''] = pair.split('=', 2)
    if (seen.has(name)) return refuse(response, `query parameter ${name} occurs more than once`)
    seen.add(name)
    if (name === 'limit') {
      limit = /^[1-9]\d{0,2}$/.test(value) ? Number(value) : 0
      if (limit < limitRule.minimum || limit > limitRule.maximum)
        return refuse(response, `query parameter limit must be from ${limitRule.minimum} to ${limitRule.maximum}`)
    } else if (name === 'status') {
      if (!isStatus(value)) return refuse(response, `query parameter status must be one of ${statuses.join(', ')}`)
      status = value
    } else if (name === 'cursor') {
      const position = positionOf(value)
      if (position === undefined) return refuse(response, 'query parameter cursor was not issued by this service')
      after = position
    } else return refuse(response, `query parameter ${name} does not exist`)
  }

  const found = await pets.list({ after, limit: limit + 1, status })
  if (found.length <= limit) return send(response, 200, none, JSON.stringify(found.map(plain)))
  found.pop()
  const filter = status === undefined ? '' : `&status=${status}`
  const cursor = cursorAfter(found[limit - 1]?.id ?? 0n)
  const link = ['link', `<?cursor=${cursor}&limit=${limit}${filter}>; rel="next"`]
  return send(response, 200, link, JSON.stringify(found.map(plain)))
}

const getPet = async ({ pets }: AnimalStore, idText: string, query: string, response: ServerResponse) => {
  const id = int64(/^(?:0|-?[1-9]\d{0,18})$/.test(idText) ? BigInt(idText) : undefined)
  if (id === undefined) return refuse(response, 'path parameter petId must be an integer', getPetIsDeprecated)
  if (query !== '') return refuse(response, 'there is no query parameter', getPetIsDeprecated)
  const pet = await pets.get(id)
  if (pet === undefined) return fail(response, 404, 'pet_not_found', `No pet has id ${id}.`, getPetIsDeprecated)
  return send(response, 200, getPetIsDeprecated, JSON.stringify(plain(pet)))
}

const createPet = async ({ pets }: AnimalStore, query: string, request: IncomingMessage, response: ServerResponse) => {
  if (!/^application\/json\s*(?:;\s*charset="?utf-8"?)?$/i.test(request.headers['content-type'] ?? ''))
    return fail(response, 415, 'unsupported_media_type', 'The body must be application/json in UTF-8.', hangUp)
  const bytes = await bodyOf(request)
  if (bytes === undefined)
    return fail(response, 413, 'body_too_large', `The body is larger than ${limits.bodyBytes} bytes.`, hangUp)
  let body: unknown
  try {
    body = parseJson(bytes)
  } catch (error) {
    return fail(response, 400, 'malformed_json', `The body must be well-formed JSON: ${error}.`, none)
  }
  const pet = newPetOf(body)
  if (typeof pet === 'string') return refuse(response, pet)
  if (query !== '') return refuse(response, 'there is no query parameter')
  const created = await pets.create(pet)
  return send(response, 201, ['location', `pets/${created.id}`], JSON.stringify(plain(created)))
}

const bodyOf = (request: IncomingMessage) =>
  new Promise<Buffer | undefined>((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > limits.bodyBytes) return resolve(undefined)
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > limits.bodyBytes) resolve(undefined)
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
    request.on('error', reject)
  })

/** The pet of a valid body, or else the violation. */
const newPetOf = (body: unknown): NewPet | string => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'body must be an object'
  for (const name in body) if (!Object.hasOwn(fields, name)) return `body.${name} does not exist`
  const pet: Record<string, unknown> = {}
  for (const { name, isRequired, byDefault, read, rule } of readers) {
    const { [name]: given = byDefault } = body as Record<string, unknown>
    if (given === undefined && !isRequired) continue
    const value = read(given)
    if (value === undefined) return `body.${name} must be ${rule}`
    pet[name] = value
  }
  return pet as unknown as NewPet
}

const int64 = (value: unknown) =>
  typeof value === 'bigint' && value >= -(2n ** 63n) && value < 2n ** 63n ? value : undefined
const isStatus = (value: unknown): value is Pet['status'] => statuses.includes(value as Pet['status'])

interface Field {
  type: string
  format?: string
  enum?: readonly unknown[]
  pattern?: string
  default?: unknown
}

/** Reads a field's value for the store; `undefined` if the contract does not allow it. */
const readerOf = (
  name: string,
  { type, format, enum: allowed, pattern = '' }: Field
): ((value: unknown) => unknown) => {
  if (allowed !== undefined) return value => (allowed.includes(value) ? value : undefined)
  if (format === 'int64') return value => int64(Number.isSafeInteger(value) ? BigInt(value as number) : value)
  const form = new RegExp(pattern, 'u')
  if (type === 'string') return value => (typeof value === 'string' && form.test(value) ? value : undefined)
  if (type === 'integer') return value => (Number.isSafeInteger(value) ? value : undefined)
  if (type === 'number' || type === 'boolean') return value => (typeof value === type ? value : undefined)
  throw new Error(`the floor cannot read ${name} yet, of type ${type}`)
}

const exact = (value: bigint) => {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(value))
}

const send = (response: ServerResponse, status: number, headers: readonly string[], body: string) => {
  const length = String(Buffer.byteLength(body))
  const id = requestIdOf(response.req)
  const all = [...headers, ...secured, 'content-type', 'application/json', 'content-length', length, 'x-request-id', id]
  response.writeHead(status, all).end(body)
  const { method, url = '', beganMs = 0, keyId, refusedKeyId, socket } = response.req as LoggedRequest
  const path = JSON.stringify(url.split('?', 1)[0])
  const whose =
    keyId === undefined ? `"address":"${socket.remoteAddress}","refusedKeyId":"${refusedKeyId}"` : `"keyId":"${keyId}"`
  log.write(
    `${infoHead}${Date.now()},"requestId":"${id}","traceId":"${id}","method":"${method}","path":${path},"status":${status},` +
      `"durationMs":${performance.now() - beganMs},${whose},"msg":"request"}\n`
  )
}
const fail = (response: ServerResponse, status: number, code: string, message: string, headers: readonly string[]) =>
  send(response, status, headers, JSON.stringify({ code, message, status }))
const refuse = (response: ServerResponse, violation: string, headers: readonly string[] = none) =>
  fail(response, 400, 'invalid_request', `${violation}.`, headers)

const log = new LogOutput()
const infoHead = lineHead('info')
const none: readonly string[] = []
const fields: Readonly<Record<string, Field>> = NewPetSchema.properties
const required: readonly string[] = NewPetSchema.required
const readers = Object.entries(fields).map(([name, field]) => ({
  name,
  isRequired: required.includes(name),
  byDefault: field.default,
  read: readerOf(name, field),
  rule: JSON.stringify(field)
}))
// Spells out the fields, as one would by hand: a loop over their names takes three times as long.
const plain: (pet: Pet) => object = new Function(
  'exact',
  `return pet => ({ ${Object.entries<Field>(PetSchema.properties).map(([name, { format }]) =>
    format === 'int64' ? `${name}: exact(pet.${name})` : `${name}: pet.${name}`
  )} })`
)(exact)
const secured = ['x-content-type-options', 'nosniff', 'cache-control', 'no-store']
const hangUp = ['connection', 'close']
const petPath = '/v1/pets/'
const limitRule = operations.listPets.input.query.properties.limit
const statuses: readonly Pet['status'][] = PetStatus.enum
const challenge = 'Bearer realm="animal-store"'
const keyMissing = 'An API key is required: send it in the header Authorization: Bearer <API key>.'
const getPetIsDeprecated = Object.entries(operations.getPet.lifecycle.deprecation.headers).flat()

/** The store, but with one commit for each row. */
const committingEach = (store: AnimalStore): AnimalStore => {
  let last: Promise<unknown> = Promise.resolve()
  const create = (pet: NewPet) => {
    const created = last.then(() => store.pets.create(pet))
    last = created.catch(() => {})
    return created
  }
  return { ...store, pets: { ...store.pets, create } }
}

/** The store in PostgreSQL, but with one query for each request. */
const queryingEach = (store: AnimalStore, url: string): AnimalStore => {
  const connections = new Connections({ url, max: 10, writable: true })
  const columns = 'id, name, category_id, status'
  const toPet = ([id, name, categoryId, status]: Row) => ({ id, name, categoryId, status }) as Pet
  const pets: Pick<AnimalStore['pets'], 'get' | 'list' | 'create'> = {
    get: async id => {
      const [row] = await connections.run(`SELECT ${columns} FROM pets WHERE id = $1`, [id])
      return row && toPet(row)
    },
    list: async ({ after, limit, status }) => {
      const filter = status === undefined ? '' : ' AND status = $3'
      const text = `SELECT ${columns} FROM pets WHERE id > $1${filter} ORDER BY id LIMIT $2`
      const rows = await connections.run(text, [after, limit, ...(status === undefined ? [] : [status])])
      return rows.map(toPet)
    },
    create: async pet => {
      const text = 'INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING id'
      const [row] = await connections.run(text, [pet.name, pet.categoryId, pet.status])
      return { ...pet, id: row?.[0] as bigint }
    }
  }
  return { ...store, pets: { ...store.pets, ...pets } }
}

const [url = '', variant = 'in-batches'] = process.argv.slice(2)
const store = await animalStore.openStore(locationOf(url))
const variants: Record<FloorVariant, () => AnimalStore> = {
  'in-batches': () => store,
  'one-commit-each': () => committingEach(store),
  'one-query-each': () => queryingEach(store, url)
}
serve(variants[variant as FloorVariant]())
