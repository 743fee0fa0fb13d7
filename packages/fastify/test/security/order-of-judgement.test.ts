import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { processBounds } from '../../src/http/overload.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { buildFixtureApp, contract, type FixtureOptions, things, withKey } from '../fixture-app.ts'

/** A request whose parts can be made invalid one by one. */
interface Draft {
  method: 'GET' | 'POST' | 'TRACE'
  path: string
  query: string[]
  headers: Record<string, string>
  payload?: string
}

interface Fault {
  status: number
  code: string
  spoil?: (draft: Draft) => void
  /** Options with which the app rejects the request. */
  options?: FixtureOptions
}

const { uriBytes, bodyBytes } = contract.limits
const unavailable = () => Promise.reject(new StoreUnavailable('locked'))

/** What may be wrong with a request, in the order of the contract's description. */
const faults = {
  'a URL that is too long': {
    status: 414,
    code: 'uri_too_long',
    spoil: draft => draft.query.push('x'.repeat(uriBytes))
  },
  overload: {
    status: 503,
    code: 'service_unavailable',
    options: { overload: { ...processBounds(), heapBytes: -1 } }
  },
  'a missing key': {
    status: 401,
    code: 'api_key_missing',
    spoil: ({ headers }) => {
      delete headers.authorization
    }
  },
  'a key that is used too often': {
    status: 429,
    code: 'rate_limited',
    options: { rateLimit: { requests: 0, windowSeconds: 60 } }
  },
  'an unknown path': {
    status: 404,
    code: 'path_not_found',
    spoil: draft => {
      draft.path += '/and/more'
    }
  },
  'a wrong method': {
    status: 405,
    code: 'method_not_allowed',
    spoil: draft => {
      draft.method = 'TRACE'
    }
  },
  'an operation that is gone': {
    status: 410,
    code: 'operation_removed',
    options: { removedOperations: 'gone', now: () => Date.UTC(2030, 11, 5) }
  },
  'an operation that is not available yet': { status: 501, code: 'not_implemented' },
  'a wrong media type': {
    status: 415,
    code: 'unsupported_media_type',
    spoil: ({ headers }) => {
      headers['content-type'] = 'text/plain'
    }
  },
  'a body that is too large': {
    status: 413,
    code: 'body_too_large',
    spoil: draft => {
      draft.payload = (draft.payload ?? '').padEnd(bodyBytes + 1)
    }
  },
  'a body that is not JSON': {
    status: 400,
    code: 'malformed_json',
    spoil: draft => {
      draft.payload = `x${draft.payload}`
    }
  },
  'an unknown parameter': {
    status: 400,
    code: 'invalid_request',
    spoil: draft => draft.query.push('nothing=1')
  },
  'a field that is missing': {
    status: 400,
    code: 'invalid_request',
    spoil: draft => {
      draft.payload = draft.payload?.replace('weight', 'nothing') ?? ''
    }
  },
  'a path parameter that is wrong': {
    status: 400,
    code: 'invalid_request',
    spoil: draft => {
      draft.path = draft.path.replace('9', 'nothing')
    }
  },
  'a store that is unavailable': {
    status: 503,
    code: 'service_unavailable',
    options: { handlers: { listThings: unavailable, createThing: unavailable, getThing: unavailable } }
  },
  'an unknown thing': { status: 404, code: 'thing_not_found' }
} satisfies Record<string, Fault>

type Name = keyof typeof faults
const all = Object.keys(faults) as Name[]
const ofBodies: Name[] = [
  'a wrong media type',
  'a body that is too large',
  'a body that is not JSON',
  'a field that is missing'
]
const ofOthers: Name[] = [
  'an operation that is gone',
  'an operation that is not available yet',
  'a path parameter that is wrong',
  'an unknown thing'
]
// For an operation that is not available yet, content is never checked.
const ofContent = all.slice(all.indexOf('a wrong media type'))

const operations: Record<string, { request: Partial<Draft>; without: Name[] }> = {
  listThings: { request: { path: '/v1/things' }, without: [...ofBodies, ...ofOthers] },
  createThing: {
    request: {
      method: 'POST',
      path: '/v1/things',
      headers: { 'content-type': 'application/json' },
      payload: '{"name":"Brick","weight":7}'
    },
    without: ofOthers
  },
  getThing: {
    request: { path: '/v1/things/9' },
    without: [...ofBodies, 'an operation that is not available yet']
  },
  listPlans: { request: { path: '/v1/plans' }, without: ['an operation that is gone', ...ofContent] }
}

for (const [operationId, { request, without }] of Object.entries(operations)) {
  t.test(`${operationId}: if a request has two faults, the first in the order determines the response`, async t => {
    const apps: Record<string, FastifyInstance> = {}
    const errorOf = async (names: readonly Name[]) => {
      const both: Fault[] = names.map(each => faults[each])
      const draft: Draft = {
        method: 'GET',
        path: '',
        query: [],
        ...request,
        headers: { ...withKey, ...request.headers }
      }
      for (const { spoil } of both) spoil?.(draft)
      const app = String(names.filter(each => 'options' in faults[each]))
      apps[app] ??= await buildFixtureApp(t, Object.assign({}, ...both.map(each => each.options)))
      const { path, query, ...rest } = draft
      const { status, code } = (await apps[app].inject({ ...rest, url: [path, ...query].join('?') })).json()
      return { status, code }
    }
    const possible = all.filter(each => !without.includes(each))
    for (const [index, name] of possible.entries()) {
      const { status, code } = faults[name]
      t.strictSame(await errorOf([name]), { status, code }, name)
      for (const later of possible.slice(index + 1))
        t.strictSame(await errorOf([later, name]), { status, code }, `${name}, together with ${later}`)
    }
  })
}

t.test('the description of the contract states this order', async t => {
  let step = 0
  for (const name of all.filter(each => each !== 'a store that is unavailable')) {
    const { status } = faults[name]
    step = things.order.findIndex((statuses, index) => index >= step && statuses.includes(status))
    t.not(step, -1, name)
  }
})
