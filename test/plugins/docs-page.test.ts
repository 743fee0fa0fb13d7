import { readFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { isLong } from '../extent.ts'
import {
  answer,
  authorize,
  contents,
  key,
  large,
  names,
  open,
  openDocs,
  operation,
  section,
  tryOut
} from './docs-reader.ts'

const { app, port, here, pageTest } = await openDocs(t)
const contract = readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8')

// As operators put one in front: it takes a prefix off the path.
const prefix = '/some/prefix'
const proxy = createServer((request, response) => {
  const { url = '', method, headers } = request
  if (!url.startsWith(`${prefix}/`)) return void response.writeHead(404).end()
  const options = { port, method, path: url.slice(prefix.length), headers }
  const forwarded = httpRequest({ host: '127.0.0.1', ...options }, answer => {
    response.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.pipe(response)
  })
  request.pipe(forwarded)
})
await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
t.teardown(() => {
  proxy.closeAllConnections()
  proxy.close()
})

pageTest('who has authorized once need not again, not even after a reload', {}, async (t, { page }) => {
  await open(page, 'listPets')
  t.equal(await tryOut(page, 'listPets'), 401)
  await authorize(page)
  t.equal(await tryOut(page, 'listPets'), 200)
  await page.reload()
  await open(page, 'createPet')
  t.equal(await tryOut(page, 'createPet'), 201)
})

const proxied = `http://animals.test:${(proxy.address() as AddressInfo).port}${prefix}`
for (const [where, base] of Object.entries({
  'over plain HTTP at a host that is not this one, behind a proxy that takes off a prefix': proxied,
  ...(isLong && { 'over plain HTTP at a host that is not this one': `http://animals.test:${port}` })
})) {
  pageTest(
    `operations are tried out on the very server that serves the page, ${where}`,
    { base },
    async (t, { page, requests }) => {
      t.equal(await page.evaluate('isSecureContext'), false)
      t.match(await page.locator('.addresses').textContent(), `${base}/v1 – answers what is tried out here`)
      await authorize(page)
      for (const [name, status] of [
        ['createPet', 201],
        ['listPets', 200],
        ['getPet', 200]
      ] as const) {
        await open(page, name)
        t.equal(await tryOut(page, name), status, name)
      }
      const asked = requests.filter(({ url }) => url.includes('/v1/')).map(({ method, url }) => `${method} ${url}`)
      t.strictSame(asked, [`POST ${base}/v1/pets`, `GET ${base}/v1/pets?limit=20`, `GET ${base}/v1/pets/1`])
    }
  )
}

pageTest('the curl line is what was sent', { hash: '#/animals/createPet' }, async (t, { page }) => {
  await authorize(page)
  const body = `{\n  "name": "It's \\"$HOME\\"",\n  "categoryId": ${large}\n}`
  await operation(page, 'createPet').locator('textarea').fill(body)
  await tryOut(page, 'createPet')
  t.equal(
    await operation(page, 'createPet').locator('.curl').textContent(),
    [
      "curl -X 'POST' \\",
      `  '${here}/v1/pets' \\`,
      "  -H 'accept: */*' \\",
      `  -H 'Authorization: Bearer ${key}' \\`,
      "  -H 'Content-Type: application/json' \\",
      `  -d '${body.replaceAll("'", "'\\''")}'`
    ].join('\n')
  )
})

pageTest(
  'a deprecated operation looks so, and says since when, until when, and what to use',
  {},
  async (t, { page }) => {
    const entry = contents(page)
      .getByRole('listitem')
      .filter({ has: page.locator('[href="#/animals/getPet"]') })
      .last()
    t.match(await entry.textContent(), 'deprecated')
    const strike = (element: object) => getComputedStyle(element).textDecorationLine
    t.equal(await entry.getByRole('link').evaluate(strike), 'line-through')
    const path = operation(page, 'getPet').locator('[data-path]')
    t.equal(await path.evaluate(strike), 'line-through')
    t.equal(await operation(page, 'getPet').locator('.mark').textContent(), 'deprecated')
    t.equal(await page.locator('.notice').count(), 0)

    await entry.getByRole('link').click()
    const notice = operation(page, 'getPet').locator('.notice')
    t.equal(
      await notice.textContent(),
      'Deprecated since 20 November 2026. It works until 5 December 2030, and may be removed from then on. ' +
        'Use GET /pets (List all animals) instead.'
    )
    await notice.getByRole('link').click()
    await operation(page, 'listPets').getByRole('button', { name: 'Execute' }).waitFor()
    t.equal(new URL(page.url()).hash, '#/animals/listPets')
    await page.goBack()
    t.equal(new URL(page.url()).hash, '#/animals/getPet')
    t.equal(await operation(page, 'listPets').locator('.mark').count(), 0)
  }
)

pageTest(
  'an experimental operation is marked, and cannot be tried out where the contract says so',
  {},
  async (t, { page }) => {
    t.match(
      await contents(page).getByRole('listitem').filter({ hasText: 'List orders' }).last().textContent(),
      'experimental'
    )
    t.equal(await operation(page, 'listOrders').locator('.mark').textContent(), 'experimental')
    for (const name of names) {
      await open(page, name)
      await operation(page, name).locator('.responses-table').first().waitFor()
      const buttons = operation(page, name).getByRole('button', { name: /Try it out|Execute|Cancel/ })
      t.equal(await buttons.count(), name === 'listOrders' ? 0 : 2, name)
    }
    t.equal(
      await operation(page, 'listOrders').locator('.notice').textContent(),
      'Experimental: it may still change in any way. It cannot be tried out here.'
    )
  }
)

pageTest('the groups of the contract are headings, and lead there from the contents', {}, async (t, { page }) => {
  const headings = page.locator('main').getByRole('heading', { level: 2 })
  t.strictSame(await headings.allTextContents(), ['Pets', 'Store', 'Changelog'])
  const { 'x-tagGroups': groups } = JSON.parse(contract)
  for (const { name, tags: itsTags } of groups) {
    const group = page.locator('section[id^=group-]').filter({ has: page.getByRole('heading', { level: 2, name }) })
    t.strictSame(await group.locator('h3').evaluateAll(all => all.map(each => each.dataset.tag)), itsTags)
    const link = contents(page).getByRole('link', { name, exact: true })
    t.equal(await link.getAttribute('href'), `#${await group.getAttribute('id')}`)
    await link.focus()
    await page.keyboard.press('Enter')
    await group.locator(':focus').waitFor()
    t.equal(await page.evaluate('location.hash'), await link.getAttribute('href'))
  }
})

pageTest('integers of 64 bits are shown and sent as they are', {}, async (t, { page, requests }) => {
  await authorize(page)
  await open(page, 'listPets')
  await tryOut(page, 'listPets')
  const body = await answer(page, 'listPets').locator('.highlight-code').textContent()
  t.match(body, `"categoryId": ${large},`)
  t.match(body, '"categoryId": -9223372036854775808,')

  const download = page.waitForEvent('download')
  await answer(page, 'listPets').getByRole('button', { name: 'Download' }).click()
  t.match(readFileSync(await (await download).path(), 'utf8'), `"categoryId": ${large},`)

  await open(page, 'getPet')
  const parameter = operation(page, 'getPet').locator('[data-param-name=petId]')
  t.match(await parameter.textContent(), 'minimum: -9223372036854775808maximum: 9223372036854775807')
  await parameter.getByRole('textbox').fill('9223372036854775807')
  t.equal(await tryOut(page, 'getPet'), 404)
  t.equal(requests.at(-1)?.url, `${here}/v1/pets/9223372036854775807`)

  await open(page, 'createPet')
  await operation(page, 'createPet').locator('textarea').fill('{"name":"Max","categoryId":9223372036854775807}')
  await tryOut(page, 'createPet')
  t.equal(requests.at(-1)?.body, '{"name":"Max","categoryId":9223372036854775807}')
  t.match(await answer(page, 'createPet').textContent(), '"categoryId": 9223372036854775807,')
  await operation(page, 'createPet').getByText('Schema', { exact: true }).first().click()
  const model = operation(page, 'createPet').locator('.opblock-section-request-body .json-schema-2020-12').first()
  await model.getByRole('button', { name: 'Expand all' }).first().click()
  await model.getByText('[-9223372036854775808, 9223372036854775807]').first().waitFor()
})

const document = contract.replace(/("NewRex":.*?"categoryId": )7/s, `$1${large}`)
pageTest(
  'so are those in examples, which are what is sent unless it is changed',
  { document },
  async (t, { page, requests }) => {
    t.not(document, contract)
    await authorize(page)
    await open(page, 'createPet')
    t.match(await operation(page, 'createPet').locator('textarea').inputValue(), `"categoryId": ${large}\n`)
    await tryOut(page, 'createPet')
    t.match(requests.at(-1)?.body, `"categoryId": ${large}\n`)
  }
)

pageTest(
  'the next page is one button away, and its cursor is shown',
  { hash: '#/animals/listPets' },
  async (t, { page }) => {
    await authorize(page)
    const list = operation(page, 'listPets')
    await list.locator('[data-param-name=limit]').getByRole('textbox').fill('1')
    await list.locator('[data-param-name=status]').getByRole('combobox').selectOption('available')
    await tryOut(page, 'listPets')
    const next = list.locator('.next-page')
    for (const name of ['Rex', 'Mia', 'Tom']) {
      // The request is shown before its response is: only this tells that the page before is gone.
      await answer(page, 'listPets').getByText(`"${name}"`).waitFor()
      const cursor = await next.locator('code').textContent()
      t.match(await next.textContent(), `cursor ${cursor}`)
      const asked = page.waitForRequest(/cursor=/)
      await next.getByRole('button', { name: 'Next page' }).click()
      t.equal((await asked).url(), `${here}/v1/pets?limit=1&status=available&cursor=${cursor}`)
      await list.locator('.request-url', { hasText: String(cursor) }).waitFor()
      t.equal(await list.locator('[data-param-name=cursor]').getByRole('textbox').inputValue(), cursor)
    }
    await list.locator('[data-param-name=limit]').getByRole('textbox').fill('100')
    await tryOut(page, 'listPets')
    t.equal(await next.count(), 0)
  }
)

pageTest(
  'once loaded, only what may have changed is asked for again, and comes in no bytes when it has not',
  {},
  async (t, { page }) => {
    const answered: string[] = []
    const watch = (
      request: { url?: string },
      response: { once: (event: 'finish', done: () => void) => void; statusCode: number }
    ) => void response.once('finish', () => answered.push(`${response.statusCode} ${request.url}`))
    app.server.on('request', watch)
    t.teardown(() => app.server.off('request', watch))
    await page.goto('about:blank')
    await page.goto(`${here}/docs/`)
    await operation(page, 'listPets').waitFor()
    t.strictSame(answered.toSorted(), ['304 /docs/', '304 /openapi.json'])
  }
)

pageTest(
  'addresses lead to operations, groups and sections, and open them',
  { hash: '#errors' },
  async (t, { page }) => {
    await section(page, 'errors').getByRole('cell', { name: 'pet_not_found' }).waitFor()
    await page.locator('#errors > summary:focus').waitFor()
    t.equal(await page.evaluate('location.hash'), '#errors')
    for (const [href, shown] of [
      ['#authentication', section(page, 'authentication').getByText('Authorization: Bearer')],
      ['#/animals/createPet', operation(page, 'createPet').getByRole('button', { name: 'Execute' })],
      ['#large-integers', section(page, 'large-integers').getByText('JSON.parse')],
      ['#schemas', page.locator('#schemas').getByText('PetStatus')],
      ['#versions-and-deprecation', section(page, 'versions-and-deprecation').getByText('successor-version')],
      ['#changelog', section(page, 'changelog').getByRole('heading', { name: '1.0.0' })]
    ] as const) {
      t.equal(await shown.isVisible(), false, href)
      await contents(page).locator(`[href="${href}"]`).click()
      await shown.waitFor()
      t.equal(await page.evaluate('location.hash'), href)
    }
    await section(page, 'errors').locator('summary').click()
    await contents(page).locator('[href="#errors"]').click()
    await section(page, 'errors').getByText('pet_not_found').first().waitFor()
    t.equal(page.context().pages().length, 1, 'no other window')
  }
)

pageTest(
  'the changelog of the contract can be read on the page, and as a file',
  { hash: '#changelog' },
  async (t, { page, requests }) => {
    await section(page, 'changelog').getByRole('heading', { name: '1.0.0' }).waitFor()
    t.ok(requests.some(({ url }) => url === `${here}/changelog.md`))
    t.equal(await section(page, 'changelog').getByText('<!--').count(), 0)
  }
)

pageTest('what is said of all operations stands in sections, which are closed', {}, async (t, { page }) => {
  const { info } = JSON.parse(contract)
  const titles = [...info.description.matchAll(/^## (.*)$/gm)].map(([, title]) => title)
  const all = page.locator('details')
  t.strictSame(await all.locator('summary').allTextContents(), [...titles, 'Changelog'])
  t.strictSame(
    await all.evaluateAll(all => all.map(each => 'open' in each && each.open)),
    [...titles, 'Changelog'].map(() => false)
  )
})

pageTest('it names the service, and has nothing to choose where there is one thing', {}, async (t, { page }) => {
  t.equal(await page.title(), 'Animal Store')
  t.equal(await page.locator('.topbar, .logo, select#select, select#servers').count(), 0)
  t.strictSame(await page.locator('.addresses code').allTextContents(), [
    `${here}/v1`,
    'https://api.animal-store.example/v1',
    'https://staging.animal-store.example/v1'
  ])
})

declare const getComputedStyle: (element: object) => { textDecorationLine: string }
