import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import type { Test } from 'tap'
import { docs } from '../../src/docs/docs.ts'
import { routedMethods } from '../../src/routing/methods.ts'

/** The origin of a server that has only the documentation of a contract. */
export const serveDocs = async (t: Test, contract: object, clientPackage?: string): Promise<string> => {
  const app = Fastify({ routerOptions: { querystringParser: text => text as never } })
  t.teardown(() => app.close())
  app.decorate('routedMethods', routedMethods([]))
  const json = Buffer.from(JSON.stringify(contract))
  const documents = { yaml: json, json, changelog: Buffer.from('# Changelog\n') }
  await app.register(docs, { basePath: '/v1', operations: {}, documents, clientPackage })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}
