import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import type { CallOptions, ClientError, ClientOptions, Int64 } from '../../../generated/client.ts'
import { buildTestApp, withKey } from '../../../test/build-test-app.ts'
import { derive } from '../src/generate.ts'

/** The key of `withKey`, without the word Bearer. */
export const apiKey = withKey.authorization.replace('Bearer ', '')

/** The base URL of a service with its own store. */
export const service = async (t: Test): Promise<string> => {
  const app = await buildTestApp(t)
  return `${await app.listen({ host: '127.0.0.1', port: 0 })}/v1`
}

export type Responder = (received: ReceivedRequest, response: ServerResponse) => void

export interface ReceivedRequest {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** A server that responds with `respond`, closed with the test, and all requests that it has received. */
export const serve = async (t: Test, respond: Responder) => {
  const all: ReceivedRequest[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const received = { method, url, headers, body: await text(request) }
    all.push(received)
    respond(received, response)
  })
  server.listen(0, '127.0.0.1')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, all }
}

/** Sends a JSON response. */
export const json = (
  response: ServerResponse,
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {}
) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

/** The error that a call must fail with. */
export const errorOf = async (call: Promise<unknown>): Promise<ClientError> => {
  try {
    await call
  } catch (error) {
    return error as ClientError
  }
  throw new Error('the call succeeded')
}

/** The client of any contract, with loose types: the real ones are tested elsewhere. */
export interface AnyClient extends Record<string, AnyCall> {
  addThing: AnyCall
  getMoved: AnyCall
  getNumber: AnyCall
  getThing: AnyCall
  listThings: AnyCall
  putThing: AnyCall
}
// biome-ignore lint/suspicious/noExplicitAny: the responses of any contract
type AnyCall = (input?: object, options?: CallOptions) => Promise<any> & AsyncIterable<any>
type AnyCreateClient = (options: ClientOptions<Int64> & Record<string, unknown>) => AnyClient

/** The folder of what is generated from a contract of the fixtures. */
export const derivedFolder = async (t: Test, fixture: string): Promise<string> => {
  const folder = join(t.testdir(), fixture)
  mkdirSync(folder)
  const files = await derive(join(import.meta.dirname, `fixtures/supported/${fixture}.yaml`))
  for (const [name, text] of files) writeFileSync(join(folder, name), text)
  return folder
}

/** Creates clients for a contract of the fixtures. */
export const derivedClient = async (t: Test, fixture: string): Promise<AnyCreateClient> =>
  createClientIn(await derivedFolder(t, fixture))

export const createClientIn = async (folder: string): Promise<AnyCreateClient> => {
  const { createClient } = await import(pathToFileURL(join(folder, 'client.ts')).href)
  return createClient
}
