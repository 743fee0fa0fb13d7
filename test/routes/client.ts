import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { parseExact } from '../../packages/fastify/test/contract-judge.ts'
import { withKey } from '../build-test-app.ts'
import { petstore } from '../petstore.ts'

const { contract } = petstore

/** Requests that many tests of the pet operations send, each with a key. */
export const client = (app: FastifyInstance) => ({
  list: (query = '') => app.inject({ url: `/v1/pets${query}`, headers: withKey }),
  get: (id: string | number | bigint) => app.inject({ url: `/v1/pets/${id}`, headers: withKey }),
  /** A string or bytes are sent unchanged, anything else as JSON. */
  create: (body: unknown, headers: Record<string, string> = {}) =>
    app.inject({
      method: 'POST',
      url: '/v1/pets',
      headers: { ...withKey, 'content-type': 'application/json', ...headers },
      payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    })
})

/** The body with all its integers as bigint, so that none is rounded. */
export const exact = (response: LightMyRequestResponse): unknown => parseExact(response.payload)

/** The target of `rel="next"`, which a client appends to the URL of the list. */
export const nextOf = (response: LightMyRequestResponse): string | undefined =>
  /^<([^>]*)>; rel="next"$/.exec(String(response.headers.link ?? ''))?.[1]

const { properties } = petstore.resolved(contract.components.schemas.PetFields)
export const fields = Object.keys(properties)
export const longestName: number = properties.name.maxLength
export const statuses: string[] = contract.components.schemas.PetStatus.enum

export const fault = (status: number, code: string, message: string) => ({ code, message, status })
export const invalid = (message: string) => fault(400, 'invalid_request', message)
