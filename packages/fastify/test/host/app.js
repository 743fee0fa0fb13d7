import { join } from 'node:path'
import { ApiError, contractPlugin, contractOf } from '@contract-first/fastify'
import autoload from '@fastify/autoload'
import { compiled } from './fixture/compiled.js'
import * as generated from './fixture/operations.ts'

// An application with plugins that others have, and the contract of the fixture in it.

const folder = new URL('fixture/', import.meta.url)
const contract = contractOf(
  { ...generated, compiled },
  { contract: new URL('openapi.yaml', folder), generated: folder }
)

const brick = { id: 1n, name: 'Brick', weight: 9007199254740993n, shape: 'square', open: false }
const handlers = {
  listThings: async () => ({ status: 200, body: [brick] }),
  createThing: async ({ body }) => ({ status: 201, body: { id: 2n, ...body }, headers: { Location: 'things/2' } }),
  getThing: async ({ params, request, reply, principal }) => {
    if (params.thingId !== 1n) throw new ApiError(404, 'thing_not_found', `No thing has id ${params.thingId}.`)
    reply.setCookie('seen', principal.id)
    return { status: 200, body: { ...brick, name: request.cookies.name ?? 'none' } }
  },
  changeThing: async ({ body }) => ({ status: 200, body: { ...brick, ...body } }),
  removeThing: async () => ({ status: 204 }),
  getWeather: async () => ({ status: 200, body: { sunny: true } })
}
const verifiers = {
  bearerAuth: async (_scheme, _credential, _scopes, request) => {
    try {
      const { sub } = await request.jwtVerify()
      return { id: sub }
    } catch {
      return undefined
    }
  }
}

// fastify-cli counts the arguments.
export default async (app, _options) => {
  app.register(autoload, { dir: join(import.meta.dirname, 'plugins') })
  app.register(autoload, { dir: join(import.meta.dirname, 'routes') })
  app.register(contractPlugin, { contract, handlers, verifiers, prefix: '/api', docs: true, realm: 'things' })
}
