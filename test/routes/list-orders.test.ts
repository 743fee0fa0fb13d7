import t from 'tap'
import { newApiKey } from '../../src/api-key.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { buildTestApp, withKey } from '../build-test-app.ts'
import { allowOf, fault } from './client.ts'
import { failingStore, logged } from './failing-store.ts'
import {
  judgedInOrder,
  noKey,
  overloaded,
  tooManyRequests,
  unknownParameter,
  uriTooLong,
  wrongMethod
} from './order-of-judgement.ts'

const url = '/v1/store/orders'
const announced = fault(501, 'not_implemented', 'listOrders is not available yet.')
/** One that has the form, so that the store is asked whether it is valid. */
const unknownKey = () => ({ authorization: `Bearer ${newApiKey()}` })

t.test('listOrders: is announced, and answered 501', async t => {
  const app = await buildTestApp(t)
  const response = await app.inject({ url, headers: withKey })
  t.equal(response.statusCode, 501)
  t.strictSame(response.json(), announced)
  t.equal(response.headers['content-type'], 'application/json')
})

t.test('listOrders: neither parameters nor a body nor a broken store change that', async t => {
  const app = await buildTestApp(t, { store: failingStore(new StoreUnavailable('locked')) })
  t.strictSame((await app.inject({ url: `${url}?limit=0&%zz`, headers: withKey })).json(), announced)
  const withBody = { url, headers: { ...withKey, 'content-type': 'text/plain' }, payload: 'no JSON' }
  t.strictSame((await app.inject(withBody)).json(), announced)
})

t.test('listOrders: a missing or invalid key is answered 401', async t => {
  const app = await buildTestApp(t)
  t.match((await app.inject({ url })).json(), { status: 401, code: 'api_key_missing' })
  t.match((await app.inject({ url, headers: unknownKey() })).json(), { status: 401, code: 'api_key_invalid' })
})

t.test('listOrders: while the store cannot say whether a key is valid, the answer is 503', async t => {
  const { lines, logger } = logged()
  const app = await buildTestApp(t, { store: failingStore(new StoreUnavailable('locked')), logger })
  const response = await app.inject({ url, headers: unknownKey() })
  t.strictSame(response.json(), fault(503, 'service_unavailable', 'The store cannot answer now; try again.'))
  t.equal(response.headers['retry-after'], '1')
  t.match(lines, [{ err: { message: 'locked' } }])
})

t.test('listOrders: when the look-up of a key fails, the answer is 500, and the log has why', async t => {
  for (const [thrown, shown] of [
    [new Error('no such table: keys'), 'no such table: keys'],
    ['a text', 'a text']
  ] as const) {
    const { lines, logger } = logged()
    const app = await buildTestApp(t, { store: failingStore(thrown), logger })
    const response = await app.inject({ url, headers: unknownKey() })
    t.strictSame(response.json(), fault(500, 'internal_error', 'Internal error.'))
    t.ok(JSON.stringify(lines).includes(shown), JSON.stringify(lines))
  }
})

t.test('listOrders: HEAD has the headers of GET and no body', async t => {
  const app = await buildTestApp(t)
  const head = await app.inject({ method: 'HEAD', url, headers: withKey })
  const { date: _, 'x-request-id': id, ...headers } = (await app.inject({ url, headers: withKey })).headers
  t.ok(id)
  t.equal(head.statusCode, 501)
  t.equal(head.payload, '')
  t.match(head.headers, headers)
})

t.test('listOrders: OPTIONS names the methods, without a key', async t => {
  const response = await (await buildTestApp(t)).inject({ method: 'OPTIONS', url })
  t.equal(response.statusCode, 204)
  t.equal(response.headers.allow, allowOf('/store/orders'))
})

t.test('listOrders: addresses beside it are answered 404', async t => {
  const app = await buildTestApp(t)
  for (const beside of [`${url}/`, `${url}/1`, '/v1/store', '/v1/orders']) {
    t.match((await app.inject({ url: beside, headers: withKey })).json(), { code: 'path_not_found' }, beside)
  }
})

const notImplemented = { name: 'an operation that is not available yet', status: 501, code: 'not_implemented' }
const otherPath = {
  name: 'a longer path',
  status: 404,
  code: 'path_not_found',
  spoil: (draft: { path: string }) => {
    draft.path += '/1'
  }
}

// What comes after 501 has to be no fault of its own here: it is the operation itself that is not there.
judgedInOrder(t, 'listOrders', { path: url }, [
  uriTooLong,
  overloaded,
  noKey,
  tooManyRequests,
  otherPath,
  wrongMethod,
  notImplemented
])
t.test('listOrders: 501 comes before an unknown parameter', async t => {
  const app = await buildTestApp(t)
  const query: string[] = []
  unknownParameter.spoil?.({ method: 'GET', path: url, query, headers: {} })
  t.strictSame((await app.inject({ url: `${url}?${query}`, headers: withKey })).json(), announced)
})
