import t from 'tap'
import { readDocument } from '../../document/src/document.ts'
import { checkLive } from '../src/live/live.ts'
import {
  contract,
  failing,
  giving,
  goodService,
  key,
  listen,
  run,
  type ServiceRequest,
  type ServiceResponse
} from './live-service.ts'

t.test('live: created resources that cannot be found again are counted', async t => {
  const good = goodService()
  const withoutUrl = (request: ServiceRequest): ServiceResponse | undefined => {
    const response = good(request)
    return response?.status === 201
      ? { ...response, headers: { ...response.headers, location: '' }, body: '{}' }
      : response
  }
  const lost = await listen(t, withoutUrl)
  t.match(await run(lost.url), { created: 4, left: [], lost: { 'POST /things': 4 }, uncertain: {} })

  const vague = await listen(t, request => {
    const response = good(request)
    return response?.status === 201 ? { ...response, status: request.body.includes('kind') ? 500 : 202 } : response
  })
  t.match(await run(vague.url), { created: 0, left: [], lost: {}, uncertain: { 'POST /things': Number } })

  const keeping = await listen(t, request => (request.method === 'DELETE' ? failing(400) : goodService()(request)))
  t.match((await run(keeping.url)).left, ['/things/1'])
})

t.test('live: what is still there after its DELETE is left, whatever the DELETE responds with', async t => {
  const good = goodService()
  const { url } = await listen(t, request => {
    if (request.method !== 'DELETE') return good(request)
    const isKept = good({ ...request, method: 'GET' })?.body.includes('"kind"') === false
    return isKept ? { status: 204, headers: {}, body: '' } : good(request)
  })
  const { created, left, failures } = await run(url)
  t.strictSame([created, left], [4, ['/things/1']], 'the others are removed')
  t.match(failures, [{ operation: 'GET /things/{thingId}', what: 'after DELETE', wrong: /^responds with 200/ }])

  const other = goodService()
  const keeping = await listen(t, request =>
    request.method === 'DELETE' ? { status: 204, headers: {}, body: '' } : other(request)
  )
  const all = await run(keeping.url)
  t.match(all, { created: 4, left: ['/things/1', '/things/2', '/things/3', '/things/4'] })
  t.match(
    all.failures.filter(({ what }) => what === 'after DELETE'),
    [{ operation: 'GET /things/{thingId}' }]
  )

  const third = goodService()
  const soon = await listen(t, request => (request.method === 'DELETE' ? failing(202) : third(request)))
  const later = await run(soon.url)
  t.equal(later.left.length, 4)
  t.strictSame(
    later.failures.filter(({ what }) => what === 'after DELETE'),
    [],
    '202 only promises it'
  )
})

t.test('live: a DELETE that the contract does not have removes only what is gone then', async t => {
  const good = goodService()
  const { url } = await listen(t, request => (request.method === 'DELETE' ? giving(200, '{}') : good(request)))
  const silent = readDocument(contract.replace(/ {4}delete:\n(?: {6}.*\n)+/, ''), 'things.yaml')
  const { created, left, failures } = await checkLive(silent, { url, keys: [key] })
  t.strictSame([created, left.length], [4, 4])
  t.ok(failures.some(({ operation }) => operation === 'DELETE /things/{thingId}'))
  t.notOk(failures.some(({ what }) => what === 'after DELETE'))
})

t.test('live: resources of others are not touched', async t => {
  const good = goodService()
  good({
    method: 'POST',
    path: '/api/things',
    query: new URLSearchParams(),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"size":1}'
  })
  const { url, requests } = await listen(t, request => (request.method === 'POST' ? failing(400) : good(request)))
  const { gaps } = await run(url)
  t.ok(
    requests.some(each => each.startsWith('GET /api/things/1 ')),
    'it is looked at'
  )
  t.notOk(requests.some(each => /^(?:DELETE|PUT|PATCH)/.test(each)))
  t.match(gaps, [{ operation: 'DELETE /things/{thingId}', reason: /and it has created nothing there$/ }])
})
