import t from 'tap'
import { museum, openContracts } from './serve-docs.ts'

const openContract = await openContracts(t)

t.test('the search finds operations and sections by their words, the best first, with the keyboard alone', async t => {
  const schema = { type: 'object', properties: { chandelier: { type: 'string', description: 'Hangs from above' } } }
  const operation = (operationId: string, summary: string, more = {}) => ({
    operationId,
    summary,
    tags: ['All'],
    ...more
  })
  const page = await openContract(t, {
    ...museum,
    info: { ...museum.info, description: '## Lights\n\nEach has a lamp' },
    paths: {
      '/a': { get: operation('getOne', 'Shows a lamp', { description: 'Each with its bulb' }) },
      '/lamp': { get: operation('getTwo', 'Two') },
      '/c': { get: operation('lamp', 'Three') },
      '/d/{id}': {
        post: operation('getFour', 'Four', {
          parameters: [{ name: 'wattage', in: 'query', description: 'As bright as a lamp' }],
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Room' } } } }
        })
      }
    },
    components: { schemas: { Room: schema } }
  })
  const found = page.getByRole('option')
  const type = async (text: string) => {
    await page.getByRole('combobox', { name: 'Search' }).fill(text)
    await page.waitForTimeout(50)
    return (await found.allInnerTexts()).map(each => each.replace(/\s+/g, ' '))
  }
  await page.keyboard.press('/')
  await page.getByRole('combobox', { name: 'Search' }).waitFor()
  t.equal(await found.count(), 5, 'everything, before anything is typed')
  t.strictSame(await type('lamp'), [
    'GET Three /c',
    'GET Shows a lamp /a',
    'GET Two /lamp',
    'POST Four /d/{id}',
    'Lights'
  ])
  t.strictSame(await type('BULB lamp'), ['GET Shows a lamp /a'])
  for (const word of ['wattage', 'chandelier', 'hangs above', 'room', '/d/', 'post'])
    t.strictSame(await type(word), ['POST Four /d/{id}'], word)
  t.strictSame(await type('nothing like it'), [])
  await page.getByText('Nothing has all of these words').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  await type('lamp')
  for (const key of ['ArrowUp', 'ArrowUp', 'Enter']) await page.keyboard.press(key)
  await page.locator('#operations-All-getFour .samples').waitFor()
  await page.locator('#operations-All-getFour .opblock-summary-control:focus').waitFor()
  await page.locator('#operations-All-getFour').getByRole('textbox').first().focus()
  await page.keyboard.press('/')
  t.equal(await page.getByRole('dialog').count(), 0, 'in a field, a slash is a slash')
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
  const folded = page.locator('.branch-toggle[aria-expanded=false]')
  t.equal(await folded.count(), 8)
  while ((await folded.count()) > 0) await folded.first().click()
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
  for (const [href, text] of chosen) {
    const [, id = ''] = href.slice(2).split('/').map(decodeURIComponent)
    await page.keyboard.press('Control+k')
    const search = page.getByRole('combobox', { name: 'Search' })
    await search.fill(id.startsWith('get/') || id.startsWith('get_') ? `/path/${text.slice(10)}/` : id)
    await page.getByRole('option', { name: text, exact: false }).first().click()
    await requireOpen(Number(text.slice(10)))
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
