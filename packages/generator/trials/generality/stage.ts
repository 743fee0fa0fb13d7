import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Reply } from '@contract-first/check/internals'
import type { Contract, Verify } from '@contract-first/fastify'
import { docsPrefixOf } from '../../../fastify/src/docs/urls.ts'
import { contractIn } from '../../src/mock/contract-in.ts'
import type { Stage } from './calls.ts'
import { serviceOf } from './generated-service.ts'
import type { Received } from './verdicts.ts'

export interface Started extends Stage {
  contract: Contract
  /** Accepted in place of every credential. */
  key: string
  close(): Promise<void>
}

const key = 'the-key-of-a-trial-with-more-than-32-letters'

const knowsKey: Verify = (_scheme, credential, scopes) => {
  const secret =
    credential.type === 'bearer' ? credential.token : credential.type === 'basic' ? credential.password : credential.key
  return secret === key ? { id: 'trial', scopes } : undefined
}

/** Starts what was generated in a folder. @throws Error if it does not start, or does not publish its contract */
export const start = async (folder: string): Promise<Started> => {
  const contract = await contractIn(folder)
  let received: Received[] = []
  let errors: string[] = []
  let reply: Reply = { status: 500, headers: {} }
  const handlerOf = (operationId: string) => async (input: Received['input']) => {
    const { body: arrived } = input
    received.push({ operationId, input: arrived instanceof Readable ? { ...input, body: await text(arrived) } : input })
    const { status, headers, type: contentType, body } = reply
    return { status, headers, contentType, ...(body !== undefined && { body }) }
  }
  const handlers = Object.fromEntries(Object.keys(contract.operations).map(id => [id, handlerOf(id)]))
  const service = serviceOf(contract, { handlers, verify: knowsKey })
  const store = await service.openStore({ path: ':memory:' })
  const app = await service.build({
    store,
    logger: { level: 'error', stream: { write: line => errors.push(line) } }
  })
  const close = async () => {
    await app.close()
    await store.close()
  }
  try {
    await app.ready()
    const url = `${docsPrefixOf(contract)}/openapi.json`
    const { statusCode } = await app.inject(url)
    if (statusCode !== 200) throw new Error(`it starts, but ${url} gets ${statusCode}`)
  } catch (error) {
    await close()
    throw error
  }
  return {
    app,
    contract,
    key,
    close,
    returns: next => {
      reply = next
    },
    events: () => {
      const events = { received, reasons: errors.map(messageOf).join('; ') }
      received = []
      errors = []
      return events
    }
  }
}

const messageOf = (line: string): string => {
  const { err, msg } = JSON.parse(line)
  return err?.message ?? msg
}
