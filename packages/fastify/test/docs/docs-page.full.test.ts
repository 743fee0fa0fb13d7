import { readFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { isLong } from '../../../../test/extent.ts'
import { contract } from '../fixture-app.ts'
import {
  authorize,
  contents,
  key,
  large,
  open,
  openDocs,
  operation,
  section,
  shownResponse,
  tryOut
} from './docs-reader.ts'

const { app, port, here, pageTest } = await openDocs(t)
const document = JSON.parse(contract.documents.json.toString())

// A reverse proxy that removes a prefix from the path.
const prefix = '/some/prefix'
const proxy = createServer((request, response) => {
  const { url = '', method, headers } = request
  if (!url.startsWith(`${prefix}/`)) return void response.writeHead(404).end()
  const options = { port, method, path: url.slice(prefix.length), headers }
  const forwarded = httpRequest({ host: '127.0.0.1', ...options }, forwardedResponse => {
    response.writeHead(forwardedResponse.statusCode ?? 500, forwardedResponse.headers)
    forwardedResponse.pipe(response)
  })
  request.pipe(forwarded)
})
await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
t.teardown(() => {
  proxy.closeAllConnections()
  proxy.close()
})

pageTest('one authorization is enough, even after a reload', {}, async (t, { page }) => {
  await open(page, 'listThings')
  t.equal(await tryOut(page, 'listThings'), 401)
  const notice = shownResponse(page, 'listThings').locator('.notice')
  t.match(await notice.textContent(), /^This operation needs a credential/)
  await notice.getByRole('button', { name: 'Authorize' }).click()
  await page.getByLabel('Bearer token').fill('wrong')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText('Saved in this browser').waitFor()
  await page.keyboard.press('Escape')
  t.equal(await tryOut(page, 'listThings'), 401)
  t.match(await notice.textContent(), /^The service did not accept what you saved/)
  await notice.getByRole('button', { name: 'Authorize' }).click()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.keyboard.press('Escape')
  await authorize(page)
  t.equal(await tryOut(page, 'listThings'), 200)
  await page.reload()
  await open(page, 'createThing')
  t.equal(await tryOut(page, 'createThing'), 201)
})

const proxied = `http://things.test:${(proxy.address() as AddressInfo).port}${prefix}`
for (const [where, base] of Object.entries({
  'over plain HTTP from another host, behind a proxy that removes a prefix': proxied,
  ...(isLong && { 'over plain HTTP from another host': `http://things.test:${port}` })
})) {
  pageTest(
    `operations are tried out on the server that serves the page, ${where}`,
    { base },
    async (t, { page, requests }) => {
      t.equal(await page.evaluate('isSecureContext'), false)
      t.match(await page.locator('.addresses').textContent(), `${base}/v1 – receives the requests that you send here`)
      await authorize(page)
      for (const [name, status] of [
        ['createThing', 201],
        ['listThings', 200],
        ['getThing', 200]
      ] as const) {
        await open(page, name)
        t.equal(await tryOut(page, name), status, name)
      }
      const samples = operation(page, 'getThing').locator('.samples')
      for (const [language, text] of [
        ['curl', `'${base}/v1/things/1'`],
        ['JavaScript', `'${base}/v1/things/1'`],
        ['TypeScript', `baseUrl: '${base}/v1'`]
      ] as const) {
        await samples.getByLabel('Language').selectOption(language)
        await samples.locator('.sample', { hasText: text }).waitFor()
      }
      const requested = requests.filter(({ url }) => url.includes('/v1/')).map(({ method, url }) => `${method} ${url}`)
      t.strictSame(requested, [`POST ${base}/v1/things`, `GET ${base}/v1/things?limit=20`, `GET ${base}/v1/things/1`])
    }
  )
}

pageTest('the curl command is the request that was sent', { hash: '#/things/createThing' }, async (t, { page }) => {
  await authorize(page)
  const body = `{\n  "name": "It's \\"$HOME\\"",\n  "weight": ${large}\n}`
  await operation(page, 'createThing').locator('textarea').fill(body)
  await tryOut(page, 'createThing')
  t.equal(
    await operation(page, 'createThing').locator('.curl').textContent(),
    [
      `curl -X POST '${here}/v1/things' \\`,
      "  -H 'accept: */*' \\",
      `  -H 'Authorization: Bearer ${key}' \\`,
      "  -H 'Content-Type: application/json' \\",
      `  --data-raw '${body.replaceAll("'", "'\\''")}'`
    ].join('\n')
  )
})

pageTest('a deprecated operation looks deprecated, with its dates and its replacement', {}, async (t, { page }) => {
  const entry = contents(page)
    .getByRole('listitem')
    .filter({ has: page.locator('[href="#/things/getThing"]') })
    .last()
  t.match(await entry.textContent(), 'deprecated')
  const strike = (element: object) => getComputedStyle(element).textDecorationLine
  t.equal(await entry.getByRole('link').evaluate(strike), 'line-through')
  const path = operation(page, 'getThing').locator('[data-path]')
  t.equal(await path.evaluate(strike), 'line-through')
  t.equal(await operation(page, 'getThing').locator('.mark').textContent(), 'deprecated')
  t.equal(await page.locator('.notice').count(), 0)

  await entry.getByRole('link').click()
  const notice = operation(page, 'getThing').locator('.notice')
  t.equal(
    await notice.textContent(),
    'Deprecated since 20 November 2026. It works until 5 December 2030, and may be removed after that. ' +
      'Use GET /things (Parameters of every type in the query, and in a header) instead.'
  )
  await notice.getByRole('link').click()
  await operation(page, 'listThings').getByRole('button', { name: 'Send', exact: true }).waitFor()
  t.equal(new URL(page.url()).hash, '#/things/listThings')
  await page.goBack()
  t.equal(new URL(page.url()).hash, '#/things/getThing')
  t.equal(await operation(page, 'listThings').locator('.mark').count(), 0)
})

pageTest(
  'an experimental operation is marked, and cannot be tried out if the contract says so',
  {},
  async (t, { page }) => {
    t.match(
      await contents(page).getByRole('listitem').filter({ hasText: 'Announced' }).last().textContent(),
      'experimental'
    )
    t.equal(await operation(page, 'listPlans').locator('.mark').textContent(), 'experimental')
    for (const name of ['getThing', 'listPlans'] as const) {
      await open(page, name)
      await operation(page, name).locator('.responses').waitFor()
      const buttons = operation(page, name).locator('.execute-wrapper').getByRole('button')
      t.strictSame(await buttons.allTextContents(), name === 'listPlans' ? [] : ['Send', 'Reset'])
    }
    t.equal(
      await operation(page, 'listPlans').locator('.notice').textContent(),
      'Experimental: it may change at any time. You cannot try it out here.'
    )
  }
)

pageTest('the page shows what the contract declares, and offers no other choices', {}, async (t, { page }) => {
  const { info, 'x-tagGroups': groups } = document
  t.equal(await page.title(), info.title)
  t.equal(await page.locator('.topbar, .logo, select#select, select#servers').count(), 0)
  t.strictSame(await page.locator('.addresses code').allTextContents(), [`${here}/v1`, 'https://things.example/v1'])

  const titles = [...info.description.matchAll(/^## (.*)$/gm)].map(([, title]) => title)
  t.strictSame(await page.locator('.article > h2').allTextContents(), titles)
  t.strictSame(await page.locator('details > summary').allTextContents(), ['Schemas', 'Changelog'])
  t.equal(await page.locator('details[open]').count(), 0)

  // A group of one tag has no other heading.
  const headings = page.locator('main').getByRole('heading')
  const named = groups.flatMap(({ name, tags }: { name: string; tags: string[] }) =>
    tags.length > 1 ? [name, ...tags] : [name]
  )
  t.strictSame(await headings.allTextContents(), [...named, 'Other operations', 'Schemas', 'Changelog'])
  for (const { name, tags } of groups) {
    const group = page.locator('section[id^=group-]').filter({ has: page.getByRole('heading', { level: 2, name }) })
    t.strictSame(await group.locator('.tag').evaluateAll(all => all.map(each => each.dataset.tag)), tags)
    const link = contents(page).getByRole('link', { name, exact: true })
    t.equal(await link.getAttribute('href'), `#${await group.getAttribute('id')}`)
    await link.focus()
    await page.keyboard.press('Enter')
    await group.locator(':focus').waitFor()
    t.equal(await page.evaluate('location.hash'), await link.getAttribute('href'))
  }
})

pageTest('64-bit integers are shown and sent exactly', {}, async (t, { page, requests }) => {
  await authorize(page)
  await open(page, 'listThings')
  await tryOut(page, 'listThings')
  const body = await shownResponse(page, 'listThings').getByRole('group', { name: 'response body' }).textContent()
  t.match(body, `"weight": ${large},`)
  t.match(body, '"weight": -9223372036854775808,')

  const download = page.waitForEvent('download')
  await shownResponse(page, 'listThings').getByRole('button', { name: 'Download' }).click()
  t.match(readFileSync(await (await download).path(), 'utf8'), `"weight": ${large},`)

  await open(page, 'getThing')
  const parameter = operation(page, 'getThing').locator('[data-param-name=thingId]')
  t.match(await parameter.textContent(), '1 to 9223372036854775807')
  await parameter.getByRole('textbox').fill('9223372036854775807')
  t.equal(await tryOut(page, 'getThing'), 404)
  t.equal(requests.at(-1)?.url, `${here}/v1/things/9223372036854775807`)

  await open(page, 'createThing')
  const sent = operation(page, 'createThing').locator('textarea')
  t.match(await sent.inputValue(), `"weight": ${large}\n`, 'the example')
  await tryOut(page, 'createThing')
  t.match(requests.at(-1)?.body, `"weight": ${large}\n`)
  await sent.fill('{"name":"Anvil","weight":9223372036854775807}')
  await tryOut(page, 'createThing')
  t.equal(requests.at(-1)?.body, '{"name":"Anvil","weight":9223372036854775807}')
  t.match(await shownResponse(page, 'createThing').textContent(), '"weight": 9223372036854775807,')
  await operation(page, 'createThing').getByText('Schema', { exact: true }).first().click()
  const schema = operation(page, 'createThing').locator('.opblock-section-request-body .schema')
  await schema.getByText('-9223372036854775808 to 9223372036854775807').waitFor()
})

pageTest('one button loads the next page, and its cursor is shown', {}, async (t, { page }) => {
  await authorize(page)
  await open(page, 'listThings')
  const list = operation(page, 'listThings')
  await list.locator('[data-param-name=limit]').getByRole('textbox').fill('1')
  await list.locator('[data-param-name=shape]').getByRole('combobox').selectOption('square')
  await tryOut(page, 'listThings')
  const next = list.locator('.next-page')
  for (const [name, weight] of [
    ['Feather', '-9223372036854775808'],
    ['Brick', '7']
  ] as const) {
    // The request is shown before its response, so only this shows that the previous page is gone.
    await shownResponse(page, 'listThings').getByText(`"${name}"`).waitFor()
    t.equal(await next.textContent(), `Next pageabove ${weight}`)
    const requested = page.waitForRequest(/above=/)
    await next.getByRole('button', { name: 'Next page' }).click()
    t.equal((await requested).url(), `${here}/v1/things?limit=1&above=${weight}&shape=square`)
    await list.locator('.request-url', { hasText: `above=${weight}` }).waitFor()
    t.equal(await list.locator('[data-param-name=above]').getByRole('textbox').inputValue(), weight)
  }
  await shownResponse(page, 'listThings').getByText('"Anvil"').waitFor()
  t.equal(await next.count(), 0)
})

pageTest(
  'on a reload, only what may have changed is requested again, and not sent again if it has not',
  {},
  async (t, { page }) => {
    const finished: string[] = []
    const watch = (
      request: { url?: string },
      response: { once: (event: 'finish', done: () => void) => void; statusCode: number }
    ) => void response.once('finish', () => finished.push(`${response.statusCode} ${request.url}`))
    app.server.on('request', watch)
    t.teardown(() => app.server.off('request', watch))
    await page.goto('about:blank')
    await page.goto(`${here}/docs/`)
    await operation(page, 'listThings').waitFor()
    t.strictSame(finished.toSorted(), ['304 /docs/', '304 /docs/json'])
  }
)

pageTest(
  'URLs lead to operations, groups and sections, including the changelog, and open them',
  { hash: '#changelog' },
  async (t, { page, requests }) => {
    await section(page, 'changelog').getByRole('heading', { name: '1.0.0' }).waitFor()
    await page.locator('#changelog > summary:focus').waitFor()
    t.equal(await page.evaluate('location.hash'), '#changelog')
    t.ok(requests.some(({ url }) => url === `${here}/changelog.md`))
    t.equal(await section(page, 'changelog').getByText('<!--').count(), 0)
    for (const [href, shown] of [
      ['#/things/createThing', operation(page, 'createThing').getByRole('button', { name: 'Send', exact: true })],
      ['#schemas', page.locator('#schemas').getByText('NewThing')]
    ] as const) {
      t.equal(await shown.isVisible(), false, href)
      await contents(page).locator(`[href="${href}"]`).click()
      await shown.waitFor()
      t.equal(await page.evaluate('location.hash'), href)
    }
    await section(page, 'errors').getByRole('cell', { name: 'thing_not_found' }).waitFor()
    await contents(page).locator('[href="#errors"]').click()
    await section(page, 'errors').locator('h2:focus').waitFor()
    t.equal(page.context().pages().length, 1, 'no other window opens')
  }
)

declare const getComputedStyle: (element: object) => { textDecorationLine: string }
