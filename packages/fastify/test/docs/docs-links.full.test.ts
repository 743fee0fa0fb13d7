import t from 'tap'
import { museum, openContracts } from './serve-docs.ts'

const openContract = await openContracts(t)

t.test('a contract of ten operations or fewer has no search', async t => {
  const page = await openContract(t, museum)
  t.equal(await page.getByRole('searchbox').count(), 0)
})

t.test('in one of more, the search filters the operations of the page and of its contents', async t => {
  const operations = Array.from({ length: 11 }, (_, index) => [
    `/rooms/${index}/a-collection-with-a-long-name`,
    {
      get: {
        operationId: `getRoom${index}`,
        summary: `Show room ${index}`,
        tags: ['Rooms'],
        responses: museum.paths['/museum-hours'].get.responses
      }
    }
  ])
  const page = await openContract(t, { ...museum, paths: { ...museum.paths, ...Object.fromEntries(operations) } })
  const search = page.getByRole('searchbox', { name: 'Search operations' })
  const shown = () => page.locator('.opblock').count()
  const listed = () => page.locator('.contents-operation').count()
  t.equal(await shown(), 20, 'with a webhook')
  t.equal(await listed(), 19)
  for (const [text, count] of [
    ['room 7', 1],
    ['DELETE', 1],
    ['buymuseumtickets', 1],
    ['special-events {eventId}', 3],
    ['tickets', 2],
    ['nothing like it', 0]
  ] as const) {
    await search.fill(text)
    await page
      .getByRole('status')
      .filter({ hasText: `${count} of 19 operations` })
      .waitFor()
    t.equal(await shown(), count + 1, text)
    t.equal(await listed(), count)
  }
  await page.evaluate("location.hash = '#/Rooms/getRoom3'")
  await page.locator('#operations-Rooms-getRoom3 .responses').waitFor()
  t.equal(await search.inputValue(), '', 'a link to an operation that was not found ends the search')
})

t.test('contents, fresh links and search lead to each of 300 operations, whatever its name', async t => {
  const names: (readonly [string, string] | readonly [])[] = [
    ['a/b', 'repos/get'],
    ['two words', 'get them  all'],
    ['100%', '50%25%2F'],
    ['#1', '?x=1&y#2'],
    [`it's "so"`, `<b>\\"'&amp;`],
    ['größe', 'größe_ändern'],
    ['日本', '一覧.json'],
    []
  ]
  const paths = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => {
      const [tag, operationId] = names[index % 40] ?? [index < 200 ? 'many' : 'more', `get${index}`]
      // Those after the first forty have the same tags again.
      const isAgain = index >= 40 && operationId !== undefined
      const operation = {
        ...(operationId !== undefined && { operationId: isAgain ? `${operationId}${index}` : operationId }),
        ...(tag !== undefined && { tags: [tag] }),
        summary: `Operation ${index}`
      }
      return [`/path/${index}/größe/{id}`, { get: operation }]
    })
  )
  const page = await openContract(t, {
    openapi: '3.1.0',
    info: { title: 'Many', version: '1.0.0', description: '## 概要\n\nText\n\n## 詳細\n\nThe details' },
    'x-tagGroups': [
      { name: '検索', tags: ['more'] },
      { name: '更新', tags: ['many'] }
    ],
    paths
  })
  const entries = await page
    .locator('.contents-operation a')
    .evaluateAll(all => all.map(each => [String(each.getAttribute('href')), String(each.textContent)] as const))
  t.equal(entries.length, 300)
  t.equal(new Set(entries.map(([href]) => href)).size, 300)
  // The last ones of a short page cannot be at the top of the screen.
  const isInView = (top: number) => top > -50 && top < 450
  /** Waits until the operation is open, with the focus. */
  const requireOpen = async (index: number) => {
    const shown = page.locator('.opblock.is-open', { has: page.locator(`[data-path^="/path/${index}/"]`) })
    await shown.locator('.samples').waitFor()
    await shown.locator('.opblock-summary-control:focus').waitFor()
    const top = () => shown.evaluate(each => each.getBoundingClientRect().top)
    for (let tries = 0; tries < 50 && !isInView(await top()); tries++) await page.waitForTimeout(20)
    t.ok(isInView(await top()), `operation ${index} is in view, at ${await top()}`)
  }
  const chosen = entries.filter(([, text]) => Number(text.slice(10)) < 8 || /(?:39|99)$/.test(text))
  t.equal(chosen.length, 14)
  for (const [href, text] of chosen.toReversed()) {
    await page.locator('.contents').getByRole('link', { name: text, exact: true }).click()
    await requireOpen(Number(text.slice(10)))
    t.equal(await page.evaluate('location.hash'), new URL(href, page.url()).hash, href)
  }
  const search = page.getByRole('searchbox')
  for (const [href, text] of chosen) {
    const [, id = ''] = href.slice(2).split('/').map(decodeURIComponent)
    await search.fill(id.startsWith('get/') || id.startsWith('get_') ? `/path/${text.slice(10)}/` : id)
    await page
      .getByRole('status')
      .filter({ hasText: /^\d+ of 300/ })
      .waitFor()
    await page.locator('.contents').getByRole('link', { name: text, exact: true }).click()
    await requireOpen(Number(text.slice(10)))
    await page.evaluate(`location.hash = ${JSON.stringify(chosen.at(href === chosen[0]?.[0] ? 1 : 0)?.[0])}`)
    await page.locator('input[type=search]:placeholder-shown').waitFor()
  }
  const { origin } = new URL(page.url())
  for (const [href, text] of chosen.filter(([, text]) => /(?:[0247]|299)$/.test(text))) {
    await page.goto('about:blank')
    await page.goto(`${origin}/docs/${href}`)
    await requireOpen(Number(text.slice(10)))
  }
  for (const [name, heading] of [
    ['検索', '検索'],
    ['更新', '更新'],
    ['詳細', 'The details']
  ] as const) {
    await page.locator('.contents').getByRole('link', { name, exact: true }).click()
    const target = page.locator('section, details').filter({ has: page.locator(':focus') })
    await target.getByText(heading).first().waitFor()
  }
})
