import { newApiKey } from '../packages/fastify/src/api-keys/api-key.ts'
import { isWithoutArguments } from '../packages/fastify/src/commands/command.ts'
import { animalStore } from '../src/animal-store.ts'

const usage = `Usage: npm run screenshot

Takes the README's picture of the documentation page.`

if (!isWithoutArguments(usage, process.argv.slice(2))) process.exit()

// Only now, since the browser's library takes a while to load.
const { launchBrowser } = await import('../test/browser.ts')
const store = await animalStore.openStore({ path: ':memory:' })
const app = await animalStore.build({ store, apiKeys: [newApiKey('ast')] })
const browser = await launchBrowser()
try {
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const page = await browser.newPage({ viewport: { width: 1440, height: 1080 }, colorScheme: 'light' })
  await page.goto(`${origin}/docs/#/animals/createPet`)
  await page.locator('#operations-animals-createPet .sample').waitFor()
  // Scrolls to the operations, and hides the focus outline.
  await page.evaluate("document.activeElement.blur(); document.querySelector('#group-pets').scrollIntoView()")
  await page.screenshot({ path: '.github/docs-page.png' })
} finally {
  await browser.close()
  await app.close()
  await store.close()
}
