import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** What axe finds on a page with all of its rules. */
export const violations = async (page: Page): Promise<string[]> => {
  // Evaluated, since the page's policy forbids adding a script.
  await page.evaluate(axe)
  return page.evaluate(`axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => [id, target, failureSummary.split('\\n')[1].trim()].join(' – '))))`)
}

export const requireNoViolations = async (t: Test, page: Page, what: string): Promise<void> => {
  t.strictSame(
    await smallTargets(page),
    [],
    `${what}: each target is 24 pixels wide and high (WCAG 2.2, section 2.5.8)`
  )
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    t.strictSame(await violations(page), [], `${what}, ${colorScheme}`)
  }
}

/** Opens all operations, and waits until they are drawn. */
export const openAll = async (page: Page): Promise<void> => {
  const closed = page.locator('.opblock-summary-control[aria-expanded=false]')
  while ((await closed.count()) > 0) await closed.first().click()
  for (const operation of await page.locator('.opblock').all()) await operation.locator('.responses').waitFor()
}

const sizes = [
  { width: 1440, height: 900, screens: 1.5 },
  { width: 375, height: 667, screens: 4 }
]

/** Checks a page of the documentation with axe and against the screen's size: all operations closed and open, light and dark. */
export const checkPage = async (t: Test, page: Page): Promise<void> => {
  const requireNone = (what: string) => requireNoViolations(t, page, what)
  await requireNone('closed')
  await openAll(page)
  await requireNone('open')
  t.strictSame(await singleOptions(page), [], 'no select has a single option')
  t.notOk((await appearances(page)).includes('none'), 'each select looks like one')
  t.notMatch(await page.locator('main').textContent(), /Controls Accept|object \| \(any\)|array<any>/)
  for (const { width, height, screens } of sizes) {
    await page.setViewportSize({ width, height })
    for (const [name, pixels] of Object.entries(await heights(page)))
      t.ok(pixels <= screens * height, `${name} is ${pixels} pixels high at ${width} × ${height}`)
    t.equal(await page.evaluate('document.documentElement.scrollWidth'), width, 'nothing is wider than the screen')
  }
  await requireNone('open on a phone')
  await page.setViewportSize({ width: 320, height: 568 })
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), 320, 'nothing is wider than a narrow screen')
}

/** What can be pressed and is smaller, outside of texts. */
const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
    .filter(each => each.checkVisibility() && each.tabIndex >= 0 && !each.closest('p, td, .swagger-ui__skip-link'))
    .map(each => [each, each.getBoundingClientRect()])
    .filter(([, { width, height }]) => width < 24 || height < 24)
    .map(([each, { width, height }]) => each.outerHTML.slice(0, 100) + ' ' + width + ' × ' + height)`)

const heights = (page: Page): Promise<Record<string, number>> =>
  page.evaluate(`Object.fromEntries([...document.querySelectorAll('.opblock')]
    .map(each => [each.id, Math.round(each.getBoundingClientRect().height)]))`)

const singleOptions = (page: Page): Promise<string[]> =>
  page.evaluate(
    `[...document.querySelectorAll('select')].filter(each => each.options.length < 2).map(each => each.outerHTML)`
  )

const appearances = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('select')].map(each => getComputedStyle(each).appearance)`)
