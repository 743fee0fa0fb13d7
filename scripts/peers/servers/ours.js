import { contractOf, contractPlugin } from '@contract-first/fastify'
import Fastify from 'fastify'
import { compiled } from '../generated/compiled.js'
import * as generated from '../generated/operations.ts'
import { isToken, listen, missing, wrongId } from './listen.js'

const at = path => new URL(path, import.meta.url)
const contract = contractOf({ ...generated, compiled }, { contract: at('../openapi.yaml'), generated: at('../generated/') })

const handlers = {
  createOrder: async ({ body }) => ({ status: 201, body: { id: 1n, ...body } }),
  getOrder: missing
    ? undefined
    : async ({ params: { orderId: id } }) => ({ status: 200, body: { id, sku: 7n, quantity: id === BigInt(wrongId) ? 0 : 2 } })
}
const verifiers = { bearerAuth: (_scheme, { token }) => (isToken(token) ? { id: 'me' } : undefined) }

const app = Fastify()
await app.register(contractPlugin, { contract, handlers, verifiers })
await listen(app)
