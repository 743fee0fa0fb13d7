import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { firstLargeId, largeCategoryId } from '../../../scripts/demo/animals.ts'
import { newPage } from '../../browser.ts'
import { demoKey, endsCleanly, npm, rex, startDemo } from './start-demo.ts'

t.test('npm run demo: Ctrl-C to all ends it cleanly', async t => {
  const demo = await startDemo(t, { command: npm })
  const { pid = Number.NaN } = demo.process
  t.equal(await endsCleanly(t, demo, () => process.kill(-pid, 'SIGINT')), 0)
})

t.test('a page of another origin on this machine uses it from a browser', async t => {
  const pages = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>A frontend</title>')
  }).listen(0)
  t.teardown(() => pages.close())
  await once(pages, 'listening')
  const { port } = pages.address() as AddressInfo
  const { origin } = await startDemo(t)
  const page = await newPage(t)
  /** What a script on the page can read. */
  const call = (path: string, headers = {}, init: { method?: string; body?: string } = {}) =>
    page.evaluate(
      async ([url, options]) => {
        const response = await fetch(url, options)
        return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
      },
      [origin + path, { ...init, headers: { authorization: `Bearer ${demoKey}`, ...headers } }] as const
    )
  for (const host of ['localhost', '127.0.0.1']) {
    await page.goto(`http://${host}:${port}/`)
    const listed = await call('/v1/pets?limit=3')
    t.match(listed, { status: 200, text: /"categoryId":7,/ })
    const [, next = ''] = /^<(\?cursor=\S+)>; rel="next"$/.exec(listed.headers.link ?? '') ?? []
    t.match(await call(`/v1/pets${next}`), { status: 200, text: /^\[\{"id":4,/ })
    const created = await call('/v1/pets', { 'content-type': 'application/json' }, { method: 'POST', body: rex })
    t.match(created, { status: 201, headers: { location: /^pets\/\d+$/ } })
    t.match(await call('/v1/pets', { prefer: 'code=503' }), {
      status: 503,
      headers: { 'retry-after': '1', 'preference-applied': 'code=503' },
      text: /service_unavailable/
    })
    t.match(await call(`/v1/pets/${firstLargeId}`), { status: 200, text: `"categoryId":${largeCategoryId}` })
    t.match(await call('/v1/pets/1'), { headers: { deprecation: /^@\d+$/, sunset: /GMT$/ } })
    t.match(await call('/v1/pets/0', { prefer: 'code=418' }), { status: 400, text: /it declares 200, 400/ })
  }
})
