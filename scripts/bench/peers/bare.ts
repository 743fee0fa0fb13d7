import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Animal, challenge, keyRefused, type NewAnimal, openAnimals } from './animals.ts'

// node bare.ts <url of the database>: the least that these requests cost on Node.js. Checks the key, routes, and
// responds by hand: no log, metrics or request ids, and only the headers that a body needs.

const animals = openAnimals(process.argv[2] ?? '')

const serve = (request: IncomingMessage, response: ServerResponse) => {
  if (!animals.isKey(request.headers.authorization))
    return send(response, 401, JSON.stringify(keyRefused), ['www-authenticate', challenge])
  const { method, url = '' } = request
  const at = url.indexOf('?')
  const path = at === -1 ? url : url.slice(0, at)
  if (path === '/v1/pets') {
    if (method === 'GET') return listPets(at === -1 ? '' : url.slice(at + 1), response)
    if (method === 'POST') return createPet(request, response)
  }
  const [, id] = /^\/v1\/pets\/(\d{1,16})$/.exec(path) ?? []
  if (id === undefined || method !== 'GET') return fail(response, 404, 'path_not_found')
  const animal = animals.get(Number(id))
  if (animal === undefined) return fail(response, 404, 'pet_not_found')
  send(response, 200, JSON.stringify(plain(animal)))
}

const listPets = (query: string, response: ServerResponse) => {
  let limit = 20
  let cursor: string | undefined
  for (const pair of query === '' ? [] : query.split('&')) {
    const [name, value = ''] = pair.split('=', 2)
    if (name === 'limit' && /^\d{1,3}$/.test(value)) limit = Number(value)
    else if (name === 'cursor' && /^[\w-]{11}$/.test(value)) cursor = value
    else return fail(response, 400, 'invalid_request')
  }
  if (limit < 1 || limit > 100) return fail(response, 400, 'invalid_request')
  const { found, link } = animals.list(cursor, limit)
  send(response, 200, JSON.stringify(found.map(plain)), link === undefined ? [] : ['link', link])
}

const createPet = (request: IncomingMessage, response: ServerResponse) => {
  const chunks: Buffer[] = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    const animal = newAnimalOf((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))?.toString() ?? '')
    if (animal === undefined) return fail(response, 400, 'invalid_request')
    animals.create(animal).then(
      created => send(response, 201, JSON.stringify(plain(created)), ['location', `pets/${created.id}`]),
      () => fail(response, 503, 'service_unavailable')
    )
  })
}

const newAnimalOf = (text: string): NewAnimal | undefined => {
  try {
    const { name, categoryId, status = 'available', ...rest } = JSON.parse(text)
    const isName = typeof name === 'string' && nameForm.test(name)
    const isValid = isName && Number.isSafeInteger(categoryId) && statuses.has(status) && Object.keys(rest).length === 0
    return isValid ? { name, categoryId, status } : undefined
  } catch {
    return undefined
  }
}

/** Ids are safe integers; categories need not be. */
const plain = ({ id, name, categoryId, status }: Animal) => {
  const category = Number(categoryId)
  const exact = Number.isSafeInteger(category) ? category : JSON.rawJSON(String(categoryId))
  return { id: Number(id), name, categoryId: exact, status }
}

const send = (response: ServerResponse, status: number, body: string, headers: string[] = []) => {
  const length = String(Buffer.byteLength(body))
  response.writeHead(status, ['content-type', 'application/json', 'content-length', length, ...headers]).end(body)
}
const fail = (response: ServerResponse, status: number, code: string) =>
  send(response, status, JSON.stringify({ code, message: code, status }))

const nameForm = /^\P{Cc}{1,255}$/u
const statuses = new Set(['available', 'pending', 'sold'])

// The same as Fastify's default.
const server = createServer({ keepAliveTimeout: 72_000 }, serve).listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
)
