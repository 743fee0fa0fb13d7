import { mkdirSync } from 'node:fs'
import { newApiKey } from './packages/fastify/src/api-keys/api-key.ts'
import { animalStore } from './src/animal-store.ts'
import { launchBrowser } from './test/browser.ts'
const out = process.argv[2] ?? '/tmp/shots'
mkdirSync(out, { recursive: true })
const store = await animalStore.openStore({ path: ':memory:' })
const key = newApiKey('ast')
const app = await animalStore.build({ store, apiKeys: [key] })
const browser = await launchBrowser()
const origin = await app.listen({ host: '127.0.0.1', port: 0 })
const only = process.argv[3]
for (const [width, height] of [[1440, 900], [1280, 800], [390, 844]] as const)
  for (const colorScheme of ['light', 'dark'] as const) {
    if (only && only !== `${width}-${colorScheme}`) continue
    const context = await browser.newContext({ viewport: { width, height }, colorScheme })
    context.setDefaultTimeout(20000)
    const page = await context.newPage()
    const shot = async (name: string) => { await page.waitForTimeout(250); await page.screenshot({ path: `${out}/${width}-${colorScheme}-${name}.png` }) }
    const step = async (name: string, f: () => Promise<unknown>) => { try { await f(); await shot(name) } catch (e) { console.log(width, colorScheme, name, String(e).split('\n')[0]) } }
    await page.goto(`${origin}/docs/`)
    await page.locator('#operations-animals-getPet').waitFor()
    const narrow = width < 600
    await step('01-first', async () => {})
    await step('02-contents', async () => { if (narrow) await page.getByRole('button', { name: 'Contents' }).click(); else await page.locator('nav summary, nav [aria-expanded]').first().click() })
    await page.keyboard.press('Escape'); if (narrow) await page.reload()
    await page.locator('#operations-animals-getPet').waitFor()
    await step('03-search', async () => { await page.keyboard.press('Control+k'); await page.keyboard.type('pet', { delay: 30 }); await page.getByRole('option').first().waitFor() })
    await page.keyboard.press('Escape')
    await step('04-operation', async () => { await page.goto(`${origin}/docs/#/animals/createPet`); await page.locator('#operations-animals-createPet .responses').waitFor(); })
    await step('05-schema', async () => { const s = page.locator('#operations-animals-createPet .opblock-section-request-body'); await s.getByText('Schema', { exact: true }).first().click(); await s.scrollIntoViewIfNeeded() })
    await step('06-error', async () => { const o = page.locator('#operations-animals-createPet'); await o.getByRole('button', { name: 'Send', exact: true }).click(); await o.locator('.live-response').waitFor(); await page.waitForTimeout(500) })
    await step('07-dialog', async () => { await page.getByRole('button', { name: 'Authorize', exact: true }).first().click(); await page.getByLabel('API key').waitFor() })
    await step('08-dialog-saved', async () => { await page.getByLabel('API key').fill(key); await page.keyboard.press('Enter'); await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).waitFor() })
    await page.keyboard.press('Escape')
    await step('09-response', async () => { const o = page.locator('#operations-animals-createPet'); await o.getByRole('button', { name: 'Send', exact: true }).click(); await o.locator('.live-status', { hasText: '201' }).waitFor(); await page.waitForTimeout(500) })
    await step('10-samples', async () => { const s = page.locator('#operations-animals-createPet .samples'); await s.getByLabel('Language').selectOption('Python'); await s.locator('.sample', { hasText: 'requests' }).waitFor(); await s.evaluate((e: any) => e.scrollIntoView()) })
    await step('11-history', async () => { const h = page.getByRole('region', { name: 'History' }); await h.evaluate((e: any) => e.scrollIntoView()) })
    await step('12-schemas', async () => { await page.goto(`${origin}/docs/#schemas`); await page.locator('#schemas .schema').first().waitFor(); await page.locator('#schemas .schema > summary').nth(1).click() })
    await context.close()
  }
// Contact sheets.
import { readdirSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
const files = readdirSync(out).filter(f => /^\d/.test(f) && !f.includes('sheet')).sort()
for (const group of new Set(files.map(f => f.split('-').slice(0, 2).join('-')))) {
  const own = files.filter(f => f.startsWith(group))
  const narrow = group.startsWith('390')
  const page = await browser.newPage({ viewport: { width: 1600, height: 600 } })
  const { writeFileSync } = await import('node:fs')
  writeFileSync(`${out}/sheet.html`, `<body style="margin:4px;background:#888;display:flex;flex-wrap:wrap;gap:6px">${own.map(f => `<img src="${f}" style="width:${narrow ? 260 : 525}px">`).join('')}`)
  await page.goto(pathToFileURL(`${out}/sheet.html`).href)
  await page.screenshot({ path: `${out}/sheet-${group}.png`, fullPage: true })
  await page.close()
}
await browser.close(); await app.close(); await store.close()
