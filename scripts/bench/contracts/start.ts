import { type AddressInfo, connect } from 'node:net'
import type { AnyHandler } from '../../../packages/fastify/src/operations/handlers.ts'
import { contractIn } from '../../../packages/generator/src/mock/contract-in.ts'
import { serviceOf } from '../../../packages/generator/trials/generality/generated-service.ts'
import { usage } from '../../../packages/generator/trials/generality/usage.ts'

// Run with a folder: starts what was generated there, and prints the time and memory used until the first response.

const contract = await contractIn(process.argv[2] ?? '')
const unwritten: AnyHandler = async () => ({ status: 501 })
const handlers = Object.fromEntries(Object.keys(contract.operations).map(id => [id, unwritten]))
const service = serviceOf(contract, { handlers, verify: () => ({ id: 'bench', scopes: [] }) })
const app = await service.build({ store: await service.openStore({ path: ':memory:' }) })
await app.listen({ port: 0, host: '127.0.0.1' })
// A plain socket: the client of node:http would load undici, which takes 5 % of all this.
connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  .once('data', () => {
    process.stdout.write(JSON.stringify(usage()))
    process.exit()
  })
  .end('GET /nothing/here HTTP/1.1\r\nHost: a.example\r\n\r\n')
