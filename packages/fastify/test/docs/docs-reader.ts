import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import { openBrowser, openContext } from '../../../../test/browser.ts'
import { brick, buildFixtureApp, withKey } from '../fixture-app.ts'

export const key = withKey.authorization.slice('Bearer '.length)
/** An integer that JSON.parse rounds. */
export const large = '9007199254740993'

export interface Docs {
  app: FastifyInstance
  port: number
  /** The origin of the service. */
  here: string
  /**
   * A test with the page in a browser that has cached only its files. The page must send requests to no server but its
   * own, and the console, which would show violations of its policy and errors of its code, must stay empty. With
   * options other than `hash` and `base`, the browser has cached nothing.
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
}

interface Opened {
  page: Page
  /** The page's requests, in order. */
  requests: { method: string; url: string; body: string | null }[]
}

/** By ascending weight. */
const all = [
  { ...brick, id: 2n, name: 'Feather', weight: -(2n ** 63n) },
  brick,
  { ...brick, id: 3n, name: 'Anvil', weight: BigInt(large) }
]

/** The documentation of a service with three things, and a browser for which `things.test` is this host, too. */
export const openDocs = async (t: Test): Promise<Docs> => {
  const app = await buildFixtureApp(t, {
    handlers: {
      listThings: async ({ query: { limit, above, shape = 'square' } }) => {
        const rest = all.filter(({ weight }) => above === undefined || weight > above)
        const page = rest.slice(0, limit)
        const next = `<?limit=${limit}&above=${page.at(-1)?.weight}&shape=${shape}>; rel="next"`
        return { status: 200, body: page, headers: rest.length > limit ? { Link: next } : {} }
      }
    }
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const here = `http://127.0.0.1:${port}`
  const browser = await openBrowser(t, { args: ['--host-resolver-rules=MAP things.test 127.0.0.1'] })
  const viewport = { width: 1280, height: 900 }
  // Loads and compiles the page's scripts once.
  const shared = await openContext(browser, { viewport })

  const pageTest: Docs['pageTest'] = async (name, { hash = '', base = here, ...options }, body) => {
    await t.test(name, async t => {
      const isOwn = Object.keys(options).length > 0
      const context = isOwn ? await openContext(browser, { viewport, ...options }) : shared
      const page = await context.newPage()
      t.teardown(async () => {
        await page.evaluate('localStorage.clear()')
        await (isOwn ? context : page).close()
      })
      const requests: Opened['requests'] = []
      const complaints: string[] = []
      page.on('request', each => requests.push({ method: each.method(), url: each.url(), body: each.postData() }))
      page.on('console', message => {
        // Browsers log every error response; those of operations are intended.
        if (!message.location().url.startsWith(`${base}/v1/`)) complaints.push(`${message.type()}: ${message.text()}`)
      })
      page.on('pageerror', error => complaints.push(String(error)))
      await page.goto(`${base}/docs/${hash}`)
      await operation(page, 'listThings').waitFor()
      await body(t, { page, requests })
      const elsewhere = requests.filter(({ url }) => !url.startsWith(`${base}/`) && !/^(data:|about:)/.test(url))
      t.strictSame(elsewhere, [], 'it sends requests to no other server')
      t.strictSame(complaints, [], 'the console is empty')
    })
  }
  return { app, port, here, pageTest }
}

const tags = {
  listThings: 'things',
  createThing: 'things',
  getThing: 'things',
  listPlans: 'plans',
  getWeather: 'default'
}
export type Name = keyof typeof tags
export const names = Object.keys(tags) as Name[]
export const operation = (page: Page, name: Name) => page.locator(`#operations-${tags[name]}-${name}`)
export const open = (page: Page, name: Name) => operation(page, name).locator('.opblock-summary-control').click()
export const contents = (page: Page) => page.getByRole('navigation', { name: 'Contents' })
export const shownResponse = (page: Page, name: Name) => operation(page, name).locator('.live-response')
export const section = (page: Page, id: string) => page.locator(`#${id}`)

export const authorize = async (page: Page) => {
  await page.getByRole('region', { name: 'Authorization' }).getByRole('button', { name: 'Authorize' }).click()
  await page.getByLabel('Bearer token').fill(key)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** Sends the request of the form, and returns the status that the page shows. */
export const tryOut = async (page: Page, name: Name) => {
  const response = page.waitForResponse(each => each.url().includes('/v1/'))
  await operation(page, name).getByRole('button', { name: 'Send', exact: true }).click()
  const status = (await response).status()
  // Until then, it says that the request is being sent.
  await shownResponse(page, name)
    .locator('.live-status', { hasText: String(status) })
    .waitFor()
  return status
}
