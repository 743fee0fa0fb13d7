import type { Test } from 'tap'
import type { AnimalStoreOptions } from '../../src/animal-store.ts'
import { processBounds } from '../../src/plugins/overload.ts'
import { buildTestApp, withKey } from '../build-test-app.ts'
import { petstore } from '../petstore.ts'

const { contract } = petstore

/** A request in parts that can be spoiled one by one. */
export interface Draft {
  method: 'GET' | 'POST' | 'TRACE'
  path: string
  query: string[]
  headers: Record<string, string>
  payload?: string
}

export interface Fault {
  name: string
  status: number
  code: string
  spoil?: (draft: Draft) => void
  /** What of the service has to be otherwise. */
  options?: Partial<AnimalStoreOptions>
}

/** Every fault alone is answered as it says; of any two in one request, the one that the list has first. */
export const judgedInOrder = (t: Test, operationId: string, good: Partial<Draft>, faults: readonly Fault[]) => {
  const answer = async (t: Test, both: readonly Fault[]) => {
    const draft: Draft = {
      method: 'GET',
      path: '/v1/pets',
      query: [],
      ...good,
      headers: { ...withKey, ...good.headers }
    }
    const app = await buildTestApp(t, Object.assign({}, ...both.map(each => each.options)))
    for (const { spoil } of both) spoil?.(draft)
    const { path, query, ...request } = draft
    return (await app.inject({ ...request, url: [path, ...query].join('?') })).json()
  }

  faults.forEach((earlier, index) => {
    t.test(`${operationId}: ${earlier.name} is answered ${earlier.status}, whatever else is wrong`, async t => {
      t.match(await answer(t, [earlier]), { status: earlier.status, code: earlier.code }, 'alone')
      for (const later of faults.slice(index + 1)) {
        const { status, code } = await answer(t, [later, earlier])
        t.strictSame([status, code], [earlier.status, earlier.code], `together with ${later.name}`)
      }
    })
  })
}

const { uriBytes, bodyBytes } = contract['x-limits']

// The faults that any operation has to do with, in the order of the contract's description.
export const uriTooLong: Fault = {
  name: 'an address that is too long',
  status: 414,
  code: 'uri_too_long',
  spoil: draft => draft.query.push('x'.repeat(uriBytes))
}
export const overloaded: Fault = {
  name: 'a service that has too much to do',
  status: 503,
  code: 'service_unavailable',
  options: { overload: { ...processBounds(), heapBytes: -1 } }
}
export const noKey: Fault = {
  name: 'a missing key',
  status: 401,
  code: 'api_key_missing',
  spoil: ({ headers }) => {
    delete headers.authorization
  }
}
export const tooManyRequests: Fault = {
  name: 'a key that is used too often',
  status: 429,
  code: 'rate_limited',
  options: { rateLimit: { requests: 0, windowSeconds: 60 } }
}
export const unknownPath: Fault = {
  name: 'an unknown path',
  status: 404,
  code: 'path_not_found',
  spoil: draft => {
    draft.path = '/v1/nothing'
  }
}
export const wrongMethod: Fault = {
  name: 'a wrong method',
  status: 405,
  code: 'method_not_allowed',
  spoil: draft => {
    draft.method = 'TRACE'
  }
}
export const wrongType: Fault = {
  name: 'a wrong media type',
  status: 415,
  code: 'unsupported_media_type',
  spoil: ({ headers }) => {
    headers['content-type'] = 'text/plain'
  }
}
export const bodyTooLarge: Fault = {
  name: 'a body that is too large',
  status: 413,
  code: 'body_too_large',
  spoil: draft => {
    draft.payload = (draft.payload ?? '').padEnd(bodyBytes + 1)
  }
}
export const unknownParameter: Fault = {
  name: 'an unknown parameter',
  status: 400,
  code: 'invalid_request',
  spoil: draft => draft.query.push('nothing=1')
}
