import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { parse } from 'yaml'
import { openBrowser, openContext } from '../../../../test/browser.ts'
import { docs } from '../../src/docs/docs.ts'
import { routedMethods } from '../../src/routing/methods.ts'

export const museum = parse(
  readFileSync(new URL('../../../../test/contracts/museum/openapi.yaml', import.meta.url), 'utf8')
)

/** Starts a browser; each call of the function opens the documentation of a contract, from a server of its own. */
export const openContracts = async (t: Test) => {
  const browser = await openBrowser(t)
  return async (t: Test, contract: object | string): Promise<Page> => {
    const origin = await serveDocs(t, contract, '@things/client')
    const page = await (await openContext(browser, { viewport: { width: 1440, height: 900 } })).newPage()
    t.teardown(() => page.context().close())
    await page.goto(`${origin}/docs/`)
    await page.locator('.opblock').first().waitFor()
    return page
  }
}

/** The origin of a server that has only the documentation of a contract. */
const serveDocs = async (t: Test, contract: object | string, clientPackage: string): Promise<string> => {
  const app = Fastify({ routerOptions: { querystringParser: text => text as never } })
  t.teardown(() => app.close())
  app.decorate('routedMethods', routedMethods([]))
  const json = Buffer.from(typeof contract === 'string' ? contract : JSON.stringify(contract))
  const documents = { yaml: json, json, changelog: Buffer.from('# Changelog\n') }
  await app.register(docs, { basePath: '/v1', operations: {}, documents, clientPackage })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}
