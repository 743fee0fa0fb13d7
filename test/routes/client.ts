import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { withKey } from '../build-test-app.ts'
import { parseExact } from '../contract-judge.ts'
import { petstore } from '../petstore.ts'

const { contract, operations } = petstore

/** The requests that tests of the pet operations make all the time, each with a key. */
export const client = (app: FastifyInstance) => ({
  list: (query = '') => app.inject({ url: `/v1/pets${query}`, headers: withKey }),
  get: (id: string | number | bigint) => app.inject({ url: `/v1/pets/${id}`, headers: withKey }),
  /** A text or bytes go out as they are, anything else as JSON. */
  create: (body: unknown, headers: Record<string, string> = {}) =>
    app.inject({
      method: 'POST',
      url: '/v1/pets',
      headers: { ...withKey, 'content-type': 'application/json', ...headers },
      payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    })
})

/** What `Allow` names for a path of the contract. */
export const allowOf = (path: string): string => {
  const methods = operations.filter(each => each.path === path).map(each => each.method)
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
}

/** The body with all its integers as bigint, so that none is rounded. */
export const exact = (response: LightMyRequestResponse): unknown => parseExact(response.payload)

/** The target of `rel="next"`, as a client appends it to the address of the list. */
export const nextOf = (response: LightMyRequestResponse): string | undefined =>
  /^<([^>]*)>; rel="next"$/.exec(String(response.headers.link ?? ''))?.[1]

const fields = petstore.resolved(contract.components.schemas.PetFields).properties
export const longestName: number = fields.name.maxLength
export const statuses: string[] = contract.components.schemas.PetStatus.enum
/** As an error names them. */
export const fieldNames = `there are ${Object.keys(fields).join(', ')}`

export const fault = (status: number, code: string, message: string) => ({ code, message, status })
export const invalid = (message: string) => fault(400, 'invalid_request', message)
