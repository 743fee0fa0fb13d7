import { execFile } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { openBrowser, openContext } from './browser.ts'
import { buildTestApp, withKey } from './build-test-app.ts'
import { checkPage, requireNoViolations, violations } from './docs-checks.ts'

const run = promisify(execFile)
const app = await buildTestApp(t)
await app.listen({ host: '127.0.0.1', port: 0 })
const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
const key = withKey.authorization.slice('Bearer '.length)
const browser = await openBrowser(t)

/** The page, with an operation open if one is named. */
const openPage = async (t: Test, operation = ''): Promise<Page> => {
  const context = await openContext(browser, {
    viewport: { width: 1440, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write']
  })
  t.teardown(() => context.close())
  const page = await context.newPage()
  await page.goto(`${origin}/docs/${operation && `#/animals/${operation}`}`)
  await page.locator('#operations-animals-getPet').waitFor()
  if (operation !== '') await page.locator(`#operations-animals-${operation} .responses`).waitFor()
  return page
}

t.test('everyone can read the page, and an open operation fits on the screen', async t => {
  await checkPage(t, await openPage(t))
})

t.test('a planted fault is found', async t => {
  const page = await openPage(t)
  await page.evaluate(`document.querySelector('main').append(document.createElement('img'))`)
  t.match(await violations(page), [/^image-alt – img/])
})

/** The sample that is shown for a language, once it has this text, from the clipboard. */
const copied = async (page: Page, language: string, text: string | RegExp): Promise<string> => {
  const samples = page.locator('.samples')
  await samples.getByLabel('Language').selectOption(language)
  await samples.locator('.sample', { hasText: text }).waitFor()
  await samples.getByRole('button', { name: `Copy: the request with ${language}` }).click()
  const sample = await page.evaluate<string>('navigator.clipboard.readText()')
  t.equal(sample, await samples.locator('.sample').textContent())
  return sample
}

/** How to run the samples; each prints the status or the body of the response. */
const runs: Record<string, (sample: string) => Promise<{ stdout: string }>> = {
  curl: sample => run('sh', ['-c', `${sample} --silent --show-error --include`]),
  JavaScript: sample => run(process.execPath, ['--input-type=module', '--eval', sample]),
  TypeScript: sample => {
    const client = JSON.stringify(import.meta.resolve('../generated/client.ts'))
    const local = sample.replace("'@animal-store/contract/client'", client)
    return run(process.execPath, ['--input-type=module', '--eval', local])
  }
}

t.test('samples of the request are what the form holds, masked, exact and ready to run', async t => {
  const page = await openPage(t, 'createPet')
  t.equal(await page.locator('.live-response').count(), 0, 'before anything is sent')
  await page.getByRole('button', { name: 'Authorize', exact: true }).click()
  await page.getByLabel('API key').fill(key)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  for (const [language, runSample] of Object.entries(runs)) {
    const name = `It's "${language}"`
    const body = `{"name": ${JSON.stringify(name)}, "categoryId": 9007199254740993}`
    await page.getByRole('textbox', { name: 'Request body' }).fill(body)
    await page.getByRole('textbox', { name: 'Idempotency-Key' }).fill(language)
    // The form tells what was typed a little later.
    const typed = new RegExp(`Idempotency-Key['"]?: ['"]?${language}`)
    const sample = await copied(page, language, typed)
    t.notMatch(await page.locator('.samples').textContent(), key, 'no sample has the key')
    const { stdout } = await runSample(sample.replace('YOUR_API_KEY', key))
    t.match(stdout, '201', sample)
    t.match(stdout, '9007199254740993')
  }
  const pets = (await app.inject({ url: '/v1/pets', headers: withKey })).body
  for (const language of Object.keys(runs)) t.match(pets, JSON.stringify(`It's "${language}"`))
  t.equal(await page.locator('.sample-install').textContent(), 'npm install @animal-store/contract')
})

t.test('samples have the parameters of the form, also with large identifiers', async t => {
  const page = await openPage(t, 'getPet')
  const identifier = page.getByRole('textbox', { name: 'petId' })
  await identifier.fill('9223372036854775807')
  for (const [language, runSample] of Object.entries(runs)) {
    const sample = await copied(page, language, '9223372036854775807')
    const { stdout } = await runSample(sample.replace('YOUR_API_KEY', key))
    t.match(stdout, '404', language)
    t.match(stdout, '9223372036854775807')
  }
  await identifier.fill('')
  t.match(await copied(page, 'curl', '{petId}'), `curl -g '${origin}/v1/pets/{petId}'`, 'a missing one is left open')
})

t.test('a response other than a success shows what it means, and the rest once it is opened', async t => {
  const page = await openPage(t, 'createPet')
  const responses = page.locator('.responses .response[data-code]')
  const lines = await responses.locator('> summary').allInnerTexts()
  t.match(lines, [
    /201\s+The animal with its new id/,
    /400\s+The body is not JSON.*\s+invalid_request/,
    /401\s+The API key is missing or invalid.*\s+api_key_missing\s+api_key_invalid/,
    /409/,
    /413/,
    /415/,
    /422\s+The Idempotency-Key was used for another request\s+idempotency_key_reused/,
    /429/,
    /500\s+The service has failed\s+internal_error/,
    /503/
  ])
  for (const [index, response] of (await responses.all()).entries()) {
    const isOpen = (await response.getAttribute('open')) !== null
    t.equal(isOpen, index === 0, lines[index] ?? '')
  }
  const shared = page.locator('.shared-headers')
  t.match(await shared.innerText(), /Headers of all responses but 401\s+RateLimit-Policy\s+RateLimit/)
  const described = page.getByText('How many requests (q) a key may make')
  t.equal(await described.isVisible(), false)
  await shared.locator('summary').click()
  await described.waitFor()
  t.equal(await described.count(), 1, 'they are described once')

  const unauthorized = page.locator('.response[data-code="401"]')
  await unauthorized.locator('summary').focus()
  await page.keyboard.press('Enter')
  await unauthorized.getByText('"api_key_missing"').waitFor()
  await unauthorized.getByRole('combobox', { name: 'Example' }).selectOption('keyInvalid')
  await unauthorized.getByText('"api_key_invalid"').waitFor()
  t.match(await unauthorized.locator('dl').textContent(), 'WWW-Authenticate')
  await unauthorized.getByRole('tab', { name: 'Schema' }).click()
  await unauthorized.locator('.field-name', { hasText: 'code' }).waitFor()
})

t.test('request and response are side by side where the window is wide', async t => {
  const page = await openPage(t, 'listPets')
  // Both at once: the page may be scrolling.
  const tops = () =>
    page
      .locator('.opblock-body :is(.opblock-section, .responses-wrapper)')
      .evaluateAll(parts =>
        ['opblock-section', 'responses-wrapper'].map(part =>
          Math.round(parts.find(each => each.classList.contains(part))?.getBoundingClientRect().y ?? 0)
        )
      )
  const [formTop, responsesTop] = await tops()
  t.equal(formTop, responsesTop)
  await page.setViewportSize({ width: 375, height: 667 })
  const [above = 0, below = 0] = await tops()
  t.ok(above < below)
})

t.test('a response is shown as it was received, and its buttons do not cover it', async t => {
  const page = await openPage(t, 'getPet')
  await page.setViewportSize({ width: 375, height: 667 })
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.locator('.live-response').waitFor()
  const folded = page.locator('.received-headers > summary')
  t.match(
    await folded.innerText(),
    /^\d+ headers, with .*\bdeprecation\b.*\bwww-authenticate\b/,
    'those of the contract'
  )
  await folded.click()
  const headers = await page.locator('.received-headers').innerText()
  t.match(headers, 'www-authenticate: Bearer realm="animal-store"')
  t.match(headers, 'sunset: Thu, 05 Dec 2030 00:00:00 GMT')
  const [code, download] = [
    page.locator('.live-response .highlight-code').first(),
    page.getByRole('button', { name: 'Download' })
  ]
  const body = await code.boundingBox()
  const button = await download.boundingBox()
  t.ok(body && button && button.y >= body.y + body.height, 'Download is below the body')
})

t.test('everyone can read received responses, and the dialog while a key is stored', async t => {
  const page = await openPage(t)
  const requireNone = (what: string) => requireNoViolations(t, page, what)
  await page.getByRole('button', { name: 'Authorize', exact: true }).click()
  await page.getByLabel('API key').fill(key)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).waitFor()
  await requireNone('the dialog while a key is stored')
  await page.keyboard.press('Escape')
  for (const operation of ['listPets', 'createPet', 'getPet']) {
    const shown = page.locator(`#operations-animals-${operation}`)
    await shown.locator('.opblock-summary-control').click()
    await shown.getByRole('button', { name: 'Send', exact: true }).click()
    await shown.locator('.live-response').waitFor()
    await shown.locator('.sent summary').click()
  }
  await page.getByRole('region', { name: 'History' }).waitFor()
  await requireNone('after Send')
  await page.keyboard.press('Control+k')
  await page.getByRole('option').first().waitFor()
  await requireNone('the search')
})

t.test('an authorized page says where the key is, and forgets it when told so', async t => {
  const page = await openPage(t)
  const stored = () => page.evaluate<string>('JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie')
  await page.getByRole('button', { name: 'Authorize', exact: true }).click()
  await page
    .getByRole('dialog')
    .getByText('is kept in this browser, even after you close the page, until you remove it here')
    .waitFor()
  t.strictSame(await violations(page), [])
  await page.getByLabel('API key').fill(key)
  t.notMatch(await stored(), key)
  await page.keyboard.press('Enter')
  t.match(await stored(), key)
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByLabel('API key').waitFor()
  t.notMatch(await stored(), key)
  t.strictSame(await page.getByRole('dialog').getByRole('button').allInnerTexts(), ['Close', 'Save'])
})

t.test('everything from the first look to the response works by keys alone, with the focus in sight', async t => {
  const page = await openPage(t)
  const press = async (...keys: string[]) => {
    for (const each of keys) await page.keyboard.press(each)
  }
  const focused = () => page.evaluate<{ name: string; isSeen: boolean; isPage: boolean }>(focusNow)
  /** What has the focus once it is what is meant; the ring around it, or around what it is in, is on the screen. */
  const focusOn = async (name: string, ...keys: string[]) => {
    for (let presses = 0; presses < 80; presses++) {
      const now = await focused()
      if (presses > 0 && !now.isPage && !now.isSeen) t.fail(`the focus on ${now.name} cannot be seen`)
      if (now.name === name && now.isSeen) return t.pass(`the focus is on ${name}`)
      await press(...keys)
      if (keys.length === 0) await page.waitForTimeout(50)
    }
    return t.fail(`${name} has not got the focus, but ${(await focused()).name}`)
  }

  await press('/')
  await focusOn('Search')
  await page.keyboard.type('add animal')
  await page.getByRole('option', { name: 'Add an animal' }).first().waitFor()
  await press('Enter')
  const operation = page.locator('#operations-animals-createPet')
  await operation.locator('.responses').waitFor()
  await focusOn('POST/petsAdd an animal')

  // The lock of the operation leads to the dialog, and Escape back.
  await focusOn('Authorize this operation', 'Shift+Tab')
  await press('Enter')
  await focusOn('API key')
  await page.keyboard.type(key)
  await press('Enter')
  await page.getByRole('dialog').getByText('Saved in this browser').waitFor()
  await focusOn('Close')
  await press('Escape')
  await focusOn('Authorize this operation: saved')

  await focusOn('Idempotency-Key', 'Tab')
  await page.keyboard.type('by-keys')
  await focusOn('Request body', 'Tab')
  await press('Control+a')
  await page.keyboard.insertText('{"name": "Keys", "categoryId": 9007199254740993}')
  await focusOn('Send', 'Tab')
  await press('Enter')
  const response = operation.locator('.live-response')
  await response.locator('.live-status', { hasText: '201' }).waitFor()
  await focusOn('Send')

  // The response is read by its own controls: its body can be scrolled, its headers unfold.
  await focusOn('response body', 'Tab')
  t.match(await response.getByRole('group', { name: 'response body' }).textContent(), '9007199254740993')
  await focusOn('9 headers, with location', 'Tab')
  await press('Enter')
  await response.getByText('location: pets/').waitFor()

  await focusOn('Reset', 'Shift+Tab')
  await press('Enter')
  await response.waitFor({ state: 'detached' })
  await focusOn('Reset')
  t.equal(await operation.getByRole('textbox', { name: 'Idempotency-Key' }).inputValue(), '')
})

/** What has the focus, by its name for assistive technology, and whether its outline is on the screen. */
const focusNow = `(() => {
  const element = document.activeElement
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
  const { top, bottom, left, right, width } = element.getBoundingClientRect()
  const label = element.labels?.[0]?.textContent
  const name = (element.ariaLabel || label || element.placeholder || element.textContent).replace(/\\s+/g, ' ').trim()
  const hasRing = (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || boxShadow !== 'none'
  const isOnScreen = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth && width > 0
  return { name: name.slice(0, 60), isSeen: hasRing && isOnScreen, isPage: element === document.body }
})()`
