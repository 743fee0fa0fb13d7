import t from 'tap'
import { createClient } from '../../../generated/client.ts'
import { fetchThrough, type Middleware, renewCredential } from '../../../generated/client-middleware.ts'
import { newRex as rex } from '../../../test/animals.ts'
import { apiKey, errorOf, service } from './clients.ts'

t.test('requests and responses go through all middleware, which may replace them', async t => {
  const steps: string[] = []
  const step = (name: string): Middleware => ({
    onRequest: request => {
      steps.push(`${name} ${request.method}`)
      request.headers.append('x-steps', name)
    },
    onResponse: ({ status }) => void steps.push(`${name} ${status}`)
  })
  const seen: Request[] = []
  const server = async (request: Request) => {
    seen.push(request)
    return Response.json([], { headers: { 'x-from': 'server' } })
  }
  const client = (...middleware: Middleware[]) =>
    createClient({ baseUrl: 'http://a.example', retries: false, fetch: fetchThrough(middleware, server) })

  t.strictSame(await client(step('outer'), step('inner')).listPets().orThrow(), [])
  t.strictSame(steps, ['outer GET', 'inner GET', 'inner 200', 'outer 200'])
  t.equal(seen[0]?.headers.get('x-steps'), 'outer, inner')

  const elsewhere = { onRequest: (request: Request) => new Request('http://b.example/pets', request) }
  await client(elsewhere).listPets()
  t.equal(seen[1]?.url, 'http://b.example/pets')
  const cached = { onRequest: () => Response.json([{ id: 1 }]) }
  t.match(await client(step('outer'), cached).listPets().orThrow(), [{ id: 1 }])
  t.equal(seen.length, 2, 'nothing is sent')
  const other = { onResponse: async () => Response.json([{ id: 2 }]) }
  t.match(await client(other).listPets().orThrow(), [{ id: 2 }])
})

t.test('after a 401, a credential is renewed once for all requests, which are sent again', async t => {
  const baseUrl = await service(t)
  const session = { key: 'expired', renewals: 0, isOver: false }
  const renew = async () => {
    session.renewals++
    await new Promise(resolve => setTimeout(resolve, 20))
    if (session.isOver) throw new Error('the session is over')
    session.key = apiKey
    return { Authorization: `Bearer ${session.key}` }
  }
  const server = async (request: Request) => {
    if (session.isOver) request.headers.set('authorization', 'Bearer another')
    return fetch(request)
  }
  const through = fetchThrough([renewCredential(renew)], server)
  const client = createClient({ baseUrl, apiKey: () => session.key, retries: false, fetch: through })
  const all = await Promise.all([client.createPet({ body: rex }), client.listPets(), client.createPet({ body: rex })])
  t.strictSame([all.map(({ status }) => status), session.renewals], [[201, 200, 201], 1])

  session.key = 'expired'
  t.equal((await client.listPets()).status, 200, 'sent with the key from before')
  t.equal(session.renewals, 1)

  session.isOver = true
  session.key = apiKey
  t.match(await errorOf(client.listPets()), { kind: 'network', message: /the session is over$/ })
  t.equal(session.renewals, 2)
})
