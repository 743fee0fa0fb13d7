import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../../test/browser.ts'
import { quantile } from './measure.ts'

interface Load {
  /** From the request for the page until its main element can be clicked. */
  ms: number
  /** Over the wire, headers included. */
  bytes: number
  requests: number
}

/**
 * The documentation page, in turn with a page of one button, each in a browser with an empty cache. The server has
 * compressed its files before.
 */
export const measurePage = async (origin: string, rounds: number) => {
  const bare = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Bare</title><button>Here</button>')
  }).listen(0, '127.0.0.1')
  await once(bare, 'listening')
  const bareUrl = `http://127.0.0.1:${(bare.address() as AddressInfo).port}/`
  const browser = await launchBrowser()
  try {
    const loadPage = () => load(browser, `${origin}/docs/`, '.opblock-summary-control')
    const loadBare = () => load(browser, bareUrl, 'button')
    const { bytes, requests } = await loadPage()
    const loads = { page: [] as number[], bare: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      loads.bare.push((await loadBare()).ms)
      loads.page.push((await loadPage()).ms)
    }
    const ratios = loads.page.map((ms, round) => ms / (loads.bare[round] ?? Number.NaN))
    return {
      pageMs: quantile(loads.page, 0.5),
      bareMs: quantile(loads.bare, 0.5),
      ratio: quantile(ratios, 0.5),
      bytes,
      requests
    }
  } finally {
    await browser.close()
    bare.close()
  }
}

const load = async (browser: Browser, url: string, selector: string): Promise<Load> => {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    const finished: ReturnType<typeof sizeOf>[] = []
    const sizeOf = async (request: { sizes(): Promise<{ responseHeadersSize: number; responseBodySize: number }> }) => {
      const { responseHeadersSize, responseBodySize } = await request.sizes()
      return responseHeadersSize + responseBodySize
    }
    page.on('requestfinished', request => finished.push(sizeOf(request)))
    const begunMs = performance.now()
    await page.goto(url, { waitUntil: 'commit' })
    await page.locator(selector).first().click({ trial: true })
    const ms = performance.now() - begunMs
    const sizes = await Promise.all(finished)
    return { ms, bytes: sizes.reduce((sum, each) => sum + each, 0), requests: sizes.length }
  } finally {
    await context.close()
  }
}
