import { animalStore } from '../../src/animal-store.ts'
import { newApiKey } from '../../src/engine/operations/api-key.ts'
import { launchBrowser } from '../../test/browser.ts'

// The README's picture of the documentation page.
const store = await animalStore.openStore({ path: ':memory:' })
const app = await animalStore.build({ store, apiKeys: [newApiKey('ast')] })
const browser = await launchBrowser()
try {
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 }, colorScheme: 'light' })
  await page.goto(`${origin}/docs/`)
  await page.locator('#operations-store-listOrders').waitFor()
  await page.screenshot({ path: '.github/docs-page.png' })
} finally {
  await browser.close()
  await app.close()
  await store.close()
}
