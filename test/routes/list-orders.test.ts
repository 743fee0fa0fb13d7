import t from 'tap'
import { StoreUnavailable } from '../../src/store/store.ts'
import { buildTestApp, withKey } from '../build-test-app.ts'
import { allowOf, fault } from './client.ts'
import { failingStore } from './failing-store.ts'

const url = '/v1/store/orders'
const announced = fault(501, 'not_implemented', 'listOrders is not available yet.')

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
