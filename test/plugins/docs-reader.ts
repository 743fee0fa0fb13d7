import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import { openBrowser, openContext } from '../browser.ts'
import { buildTestApp, withKey } from '../build-test-app.ts'

export const key = withKey.authorization.slice('Bearer '.length)
/** More digits than JSON.parse keeps. */
export const large = '9007199254740993'

export interface Docs {
  app: FastifyInstance
  port: number
  /** Where the service is. */
  here: string
  /**
   * A test with the page in a browser that has never seen it. In the end it must have asked no other server than the one
   * that it came from, and nothing may stand in the console, where breaches of its policy and errors of its code would be.
   */
  pageTest(
    name: string,
    options: BrowserContextOptions & Partial<Where>,
    body: (t: Test, opened: Opened) => Promise<void>
  ): Promise<void>
}

interface Where {
  hash: string
  base: string
  /** What the page gets in place of the contract. */
  document: string
}

interface Opened {
  page: Page
  /** Whatever the page asked for, in order. */
  requests: { method: string; url: string; body: string | null }[]
}

/** The documentation of a service with three animals, and a browser, in which `animals.test` is this host too. */
export const openDocs = async (t: Test): Promise<Docs> => {
  const app = await buildTestApp(t)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  for (const [name, categoryId] of [
    ['Rex', large],
    ['Mia', '-9223372036854775808'],
    ['Tom', '7']
  ]) {
    await app.inject({
      method: 'POST',
      url: '/v1/pets',
      headers: { ...withKey, 'content-type': 'application/json' },
      payload: `{"name":"${name}","categoryId":${categoryId}}`
    })
  }
  const here = `http://127.0.0.1:${port}`
  const browser = await openBrowser(t, { args: ['--host-resolver-rules=MAP animals.test 127.0.0.1'] })

  const pageTest: Docs['pageTest'] = async (name, { hash = '', base = here, document, ...options }, body) => {
    await t.test(name, async t => {
      const context = await openContext(browser, { viewport: { width: 1280, height: 900 }, ...options })
      t.teardown(() => context.close())
      const page = await context.newPage()
      const requests: Opened['requests'] = []
      const complaints: string[] = []
      page.on('request', each => requests.push({ method: each.method(), url: each.url(), body: each.postData() }))
      page.on('console', message => {
        // Browsers note each answer that is an error; that of an operation is what was asked for.
        if (!message.location().url.startsWith(`${base}/v1/`)) complaints.push(`${message.type()}: ${message.text()}`)
      })
      page.on('pageerror', error => complaints.push(String(error)))
      if (document !== undefined)
        await page.route('**/openapi.json', route => route.fulfill({ contentType: 'application/json', body: document }))
      await page.goto(`${base}/docs/${hash}`)
      await operation(page, 'listPets').waitFor()
      await body(t, { page, requests })
      const elsewhere = requests.filter(({ url }) => !url.startsWith(`${base}/`) && !/^(data:|about:)/.test(url))
      t.strictSame(elsewhere, [], 'it asks no other server')
      t.strictSame(complaints, [], 'nothing stands in the console')
    })
  }
  return { app, port, here, pageTest }
}

const tags = { listPets: 'animals', createPet: 'animals', getPet: 'animals', listOrders: 'store' }
export type Name = keyof typeof tags
export const names = Object.keys(tags) as Name[]
export const operation = (page: Page, name: Name) => page.locator(`#operations-${tags[name]}-${name}`)
export const open = (page: Page, name: Name) => operation(page, name).locator('.opblock-summary-control').click()
export const contents = (page: Page) => page.getByRole('navigation', { name: 'Contents' })
export const answer = (page: Page, name: Name) => operation(page, name).locator('.live-responses-table')
export const section = (page: Page, id: string) => page.locator(`details#${id}`)

export const authorize = async (page: Page) => {
  await page.getByRole('button', { name: 'Authorize', exact: true }).click()
  await page.locator('#auth-bearer-value').fill(key)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** Executes the operation; gives the status that the page then shows. */
export const tryOut = async (page: Page, name: Name) => {
  const button = (label: string) => operation(page, name).getByRole('button', { name: label })
  // What an earlier execution has brought stays until the next response is there, and could be taken for it.
  if ((await answer(page, name).count()) > 0) await button('Clear').click()
  await answer(page, name).waitFor({ state: 'detached' })
  const response = page.waitForResponse(each => each.url().includes('/v1/'))
  await button('Execute').click()
  const status = (await response).status()
  await answer(page, name)
    .locator('tbody .response-col_status', { hasText: String(status) })
    .waitFor()
  return status
}
