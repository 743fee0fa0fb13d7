import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import type * as Module from '../../../generated/client.ts'
import type * as Middleware from '../../../generated/client-middleware.ts'
import { newPage } from '../../../test/browser.ts'
import { buildTestApp } from '../../../test/build-test-app.ts'
import { apiKey } from './clients.ts'

const generated = new URL('../../../generated/', import.meta.url)
const html = '<!doctype html><link rel="icon" href="data:,">'

/** A page of another origin than the service, with the client as a bundler would produce it. */
const openPage = async (t: Test) => {
  const server = createServer(({ url = '/' }, response) => {
    const [, name] = /^\/client\/([\w-]+\.ts)$/.exec(url) ?? []
    if (name === undefined && url !== '/') return response.writeHead(404).end()
    response.setHeader('content-type', name === undefined ? 'text/html' : 'text/javascript')
    response.end(name === undefined ? html : stripTypeScriptTypes(readFileSync(new URL(name, generated), 'utf8')))
  })
  const origin = await new Promise<string>(resolve =>
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  )
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const app = await buildTestApp(t, { corsOrigins: [origin] })
  const baseUrl = `${await app.listen({ host: '127.0.0.1', port: 0 })}/v1`
  const page = await newPage(t)
  const loaded: string[] = []
  page.on('request', request => loaded.push(request.url()))
  page.on('pageerror', error => t.fail(error.message))
  await page.goto(origin)
  return { page, baseUrl, loaded, origin }
}

// Functions passed to `evaluate` run in the page: they have no closure, and use the page's `import`.
declare const load: () => Promise<typeof Module>
const loader = `globalThis.load = () => import('/client/client.ts')`

t.test('the client works in a browser, from a page of another origin', async t => {
  const { page, baseUrl, loaded, origin } = await openPage(t)
  await page.evaluate(loader)

  const ordinary = await page.evaluate(
    async ({ baseUrl, apiKey }) => {
      const { createClient } = await load()
      const reported: unknown[] = []
      const client = createClient({ baseUrl, apiKey, onDeprecated: each => reported.push(each) })
      for (let id = 1; id <= 5; id++)
        await client.createPet({
          body: { name: `Rex ${id}`, categoryId: id, status: id % 2 === 1 ? 'sold' : 'pending' }
        })
      const ids: number[] = []
      for await (const { id } of client.listPets({ status: 'sold', limit: 1 })) ids.push(id)
      const { status, body } = await client.getPet({ petId: 9 })
      const created = await client.createPet({ body: { name: 'Mia', categoryId: 1 } })
      return { ids, reported, status, body, location: created.headers.get('location') }
    },
    { baseUrl, apiKey }
  )
  t.strictSame(ordinary, {
    ids: [1, 3, 5],
    reported: [
      {
        operationId: 'getPet',
        since: '2026-11-20',
        removalDate: '2030-12-05',
        replacedBy: 'listPets',
        page: `${baseUrl.replace('/v1', '')}/docs/#/animals/getPet`
      }
    ],
    status: 404,
    body: { code: 'pet_not_found', message: 'No pet has id 9.', status: 404 },
    location: 'pets/6'
  })
  t.notOk(
    loaded.some(url => url.includes('schemas')),
    'the schemas are loaded only if they are imported'
  )

  const exact = await page.evaluate(
    async ({ baseUrl, apiKey }) => {
      const { createClient } = await load()
      const seen: object[] = []
      const validate = (schema: object) => {
        seen.push(schema)
        return undefined
      }
      const client = createClient({ baseUrl, apiKey, int64: 'bigint', validate })
      const values: string[] = []
      for (const categoryId of [9007199254740993n, 2n ** 63n - 1n, -(2n ** 63n)]) {
        const { body } = await client.createPet({ body: { name: 'Rex', categoryId } })
        if ('id' in body) values.push(`${typeof body.categoryId} ${body.categoryId}`)
      }
      return { values, schemas: seen.map(each => Object.keys(each)) }
    },
    { baseUrl, apiKey }
  )
  t.strictSame(exact.values, ['bigint 9007199254740993', 'bigint 9223372036854775807', 'bigint -9223372036854775808'])
  t.ok(exact.schemas.every(keys => keys.includes('properties')))
  t.ok(loaded.includes(`${origin}/client/client-schemas.ts`))

  const refused = await page.evaluate(
    async ({ baseUrl, apiKey }) => {
      const { ClientError, createClient } = await load()
      const told = async (call: Promise<unknown>) => {
        const error = await call.then(
          () => undefined,
          each => each
        )
        return error instanceof ClientError ? { kind: error.kind, message: error.message } : `${error}`
      }
      const client = createClient({ baseUrl, apiKey })
      const controller = new AbortController()
      const aborted = told(client.listPets({}, { signal: controller.signal }))
      controller.abort('enough')
      return [
        await told(client.getPet({ petId: 7 })),
        await told(createClient({ baseUrl: baseUrl.replace('/v1', '/v2'), apiKey }).listPets()),
        await told(createClient({ baseUrl: 'nowhere' }).listPets()),
        await told(createClient({ baseUrl: 'http://127.0.0.1:1' }).listPets()),
        await aborted
      ]
    },
    { baseUrl, apiKey }
  )
  t.match(refused, [
    { kind: 'inexact', message: /body.categoryId is 9007199254740993/ },
    {
      kind: 'undeclared-status',
      message: /^listPets got 404 path_not_found, which the contract does not declare/
    },
    { kind: 'undeclared-status', message: /^listPets got 404, which the contract does not declare$/ },
    { kind: 'network', message: 'listPets got no response from http://127.0.0.1:1/pets: Failed to fetch' },
    'enough'
  ])
})

t.test('a redirect that a browser hides is an error, too', async t => {
  const { page, origin } = await openPage(t)
  await page.route('**/v1/pets', route => route.fulfill({ status: 307, headers: { location: '/elsewhere' } }))
  await page.evaluate(loader)
  const message = await page.evaluate(async baseUrl => {
    const { createClient } = await load()
    const call = createClient({ baseUrl }).createPet({ body: { name: 'Rex', categoryId: 1 } })
    return call.catch((error: Error) => error.message)
  }, `${origin}/v1`)
  t.equal(message, 'createPet got a redirect, which the client does not follow and a browser does not show')
})

t.test('an upload tells how far it is', async t => {
  const { page, baseUrl } = await openPage(t)
  await page.evaluate(loader)
  const middleware = '/client/client-middleware.ts'
  const found = await page.evaluate(
    async ({ baseUrl, apiKey, middleware }) => {
      const { createClient } = await load()
      const { fetchWithProgress } = (await import(middleware)) as typeof Middleware
      const progress: number[][] = []
      const fetch = fetchWithProgress(({ sent, total }) => progress.push([sent, total]))
      const client = createClient({ baseUrl, apiKey, fetch, retries: false })
      const created = await client.createPet({ body: { name: 'Rex', categoryId: 1 } })
      const { length } = await client.listPets().orThrow()
      const large = new Request(`${baseUrl}/pets`, { method: 'POST', body: new Blob([new Uint8Array(3_000_000)]) })
      const { status } = await fetch(large).catch(() => ({ status: 0 }))
      const controller = new AbortController()
      const call = client.createPet({ body: { name: 'Mia', categoryId: 1 } }, { signal: controller.signal })
      controller.abort('enough')
      const aborted = await call.catch(error => error)
      const nobody = createClient({ baseUrl: 'http://127.0.0.1:1', fetch, retries: false })
      const { kind } = await nobody.createPet({ body: { name: 'Rex', categoryId: 1 } }).catch(error => error)
      return {
        id: 'id' in created.body && created.body.id,
        location: created.headers.get('location'),
        length,
        progress,
        status,
        aborted,
        kind
      }
    },
    { baseUrl, apiKey, middleware }
  )
  t.match(found, { id: 1, location: 'pets/1', length: 1, aborted: 'enough', kind: 'network' })
  t.strictSame(found.progress[0], [29, 29])
  t.ok(found.progress.some(([sent = 0, total]) => sent > 29 && total === 3_000_000))
})
