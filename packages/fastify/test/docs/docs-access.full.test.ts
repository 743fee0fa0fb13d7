import t from 'tap'
import { authorize, contents, key, names, open, openDocs, operation, shownResponse, tryOut } from './docs-reader.ts'

const { pageTest } = await openDocs(t)

/** The element with the focus, and whether the focus is visible. */
const focused = `(() => {
  const element = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  const last = window.lastFocused
  window.lastFocused = element
  return {
    name: element.ariaLabel || element.textContent.trim() || element.id,
    isPage: element === document.body,
    isSeen: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1,
    isAfter: last === undefined || (last.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) > 0
  }
})()`
interface Focused {
  name: string
  isPage: boolean
  isSeen: boolean
  isAfter: boolean
}

pageTest(
  'everything can be reached with the keyboard, in the order of the page, with a visible focus',
  {},
  async (t, { page }) => {
    const reached: string[] = []
    for (;;) {
      await page.keyboard.press('Tab')
      const { name, isPage, isSeen, isAfter } = await page.evaluate<Focused>(focused)
      if (isPage || reached.length === 200) break
      reached.push(name)
      if (!isSeen) t.fail(`the focus on ${name} is not visible`)
      if (!isAfter) t.fail(`${name} is out of order`)
    }
    for (const name of [
      'Skip to operations',
      'Dark mode',
      'Inventory',
      'Plans',
      'Errors',
      'Authorize',
      'GET/thingsParameters of every type in the query, and in a header',
      'POST/thingsA body of every type',
      'GET/things/{thingId}deprecatedDeprecated, with dates',
      'GET/plansexperimentalAnnounced',
      'GET/weatherPublic, and without a tag',
      'Schemas',
      'Changelog'
    ]) {
      t.ok(reached.includes(name), name)
    }
    t.equal(reached[0], 'Skip to operations')
    for (const key of ['Tab', 'Enter', 'Tab']) await page.keyboard.press(key)
    t.equal(await page.evaluate("document.querySelector('main').contains(document.activeElement)"), true, 'it skips')
  }
)

pageTest('an operation can be tried out with the keyboard alone', {}, async (t, { page }) => {
  const press = async (...keys: string[]) => {
    for (const each of keys) await page.keyboard.press(each)
  }
  const tabTo = async (name: RegExp) => {
    for (let presses = 0; presses < 60; presses++) {
      await press('Tab')
      if (name.test((await page.evaluate<Focused>(focused)).name)) return
    }
    t.fail(`${name} is not reached`)
  }
  await tabTo(/^Authorize$/)
  await press('Enter')
  await page.locator('.dialog input:focus').waitFor()
  await page.keyboard.insertText(key)
  const around = new Set<string>()
  for (let presses = 0; presses < 8; presses++) {
    await press('Tab')
    t.equal(await page.evaluate("document.activeElement.closest('[role=dialog]') !== null"), true)
    around.add((await page.evaluate<Focused>(focused)).name)
  }
  t.equal(around.size, 3, 'the dialog keeps the focus')
  await press('Shift+Tab')
  await page.getByLabel('Bearer token').focus()
  await press('Enter')
  await page.getByRole('dialog').getByText('Saved in this browser').waitFor()
  t.equal((await page.evaluate<Focused>(focused)).name, 'Close', 'the dialog keeps the focus')
  await press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.locator('button:focus', { hasText: 'Authorize' }).waitFor()
  await tabTo(/^GET\/thingsParameters/)
  await press('Enter')
  await operation(page, 'listThings').getByRole('textbox').first().waitFor()
  await tabTo(/^Send$/)
  await press('Enter')
  await shownResponse(page, 'listThings').locator('.live-status', { hasText: '200' }).waitFor()
  t.equal((await page.evaluate<Focused>(focused)).name, 'Send', 'the button keeps the focus')
  await press('Tab')
  t.equal((await page.evaluate<Focused>(focused)).name, 'Reset', 'then the focus moves on')
})

pageTest(
  'on a phone, nothing is wider than the screen',
  { viewport: { width: 375, height: 667 }, isMobile: true, hasTouch: true },
  async (t, { page }) => {
    const width = () => page.evaluate<number>('document.documentElement.scrollWidth')
    t.equal(await width(), 375)
    await page.getByRole('button', { name: 'Contents' }).click()
    t.equal(await contents(page).getByRole('link', { name: 'Deprecated, with dates' }).isVisible(), true)
    t.equal(await width(), 375)
    await contents(page).getByRole('link', { name: 'Deprecated, with dates' }).click()
    await contents(page).getByRole('link', { name: 'Deprecated, with dates' }).waitFor({ state: 'hidden' })
    await operation(page, 'getThing').getByRole('button', { name: 'Send', exact: true }).waitFor()
    await open(page, 'getThing')
    for (const name of names) {
      await open(page, name)
      await operation(page, name).locator('.responses').waitFor()
      t.equal(await width(), 375, name)
      await open(page, name)
    }
    await page.getByRole('button', { name: 'Authorize', exact: true }).click()
    t.equal(await width(), 375, 'with the dialog')
    await page.keyboard.press('Escape')
    await authorize(page)
    await open(page, 'listThings')
    await tryOut(page, 'listThings')
    t.equal(await width(), 375, 'with a response')
    const top = () => shownResponse(page, 'listThings').evaluate(each => each.getBoundingClientRect().top)
    for (let tries = 0; tries < 50 && ((await top()) < 0 || (await top()) > 400); tries++) await page.waitForTimeout(20)
    t.ok((await top()) >= 0 && (await top()) <= 400, 'the response is in view')
    await open(page, 'listThings')
    const unfoldAll = (selector: string) =>
      page.evaluate(`document.querySelectorAll('${selector}').forEach(each => each.click())`)
    await unfoldAll('summary')
    // Drawn after it has been opened.
    await page.locator('#schemas .schema').first().waitFor()
    await unfoldAll('#schemas .schema > summary')
    await page.locator('#schemas').getByText('-9223372036854775808 to 9223372036854775807').first().waitFor()
    t.equal(await width(), 375, 'with all sections and schemas')
  }
)

/** The contrast of texts with their background (WCAG 2.2, section 1.4.3), outside Swagger UI. */
const contrasts = `(() => {
  const rgb = colour => colour.match(/[\\d.]+/g).map(Number)
  const luminance = ([r, g, b]) =>
    [r, g, b].map(each => each / 255).map(each => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
      .reduce((sum, each, index) => sum + each * [0.2126, 0.7152, 0.0722][index], 0)
  const behind = element => {
    for (let at = element; at !== null; at = at.parentElement) {
      const [r, g, b, alpha = 1] = rgb(getComputedStyle(at).backgroundColor)
      if (alpha === 1) return [r, g, b]
    }
    return [255, 255, 255]
  }
  const own = '.contents a, .contents-method, .contents-button, .mark, .notice, .notice a, .documents a, .group > h2, ' +
    '.section h2, .article h2, .addresses dt, .addresses code, .next-page span, .next-page code, .field-limits, .opblock-deprecated .opblock-summary-method'
  return [...document.querySelectorAll(own)].map(element => {
    const [text, ground] = [rgb(getComputedStyle(element).color), behind(element)].map(luminance)
    const ratio = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05)
    return { name: element.className + ' ' + element.textContent.slice(0, 30), ratio }
  })
})()`

pageTest(
  'it is light or dark like the system, until the reader chooses, and readable in both',
  { hash: '#/things/getThing' },
  async (t, { page }) => {
    const isDark = () => page.evaluate("document.documentElement.classList.contains('dark-mode')")
    const requireContrast = async () => {
      const all = await page.evaluate<{ name: string; ratio: number }[]>(contrasts)
      t.ok(all.length > 30)
      t.strictSame(
        all.filter(({ ratio }) => ratio < 4.5),
        []
      )
    }
    await authorize(page)
    await open(page, 'listThings')
    await operation(page, 'listThings').locator('[data-param-name=limit]').getByRole('textbox').fill('1')
    await tryOut(page, 'listThings')
    t.equal(await isDark(), false)
    await requireContrast()
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.locator('html.dark-mode').waitFor()
    await requireContrast()
    await page.getByRole('button', { name: 'Light mode' }).waitFor()
    await page.emulateMedia({ colorScheme: 'light' })
    await page.locator('html:not(.dark-mode)').waitFor()

    await page.getByRole('button', { name: 'Dark mode' }).click()
    t.equal(await isDark(), true)
    await page.reload()
    t.equal(await isDark(), true, 'the choice is kept')
    await page.getByRole('button', { name: 'Light mode' }).click()
    t.equal(await isDark(), false)
  }
)
