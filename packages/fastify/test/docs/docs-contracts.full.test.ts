import { readFileSync } from 'node:fs'
import t from 'tap'
import { checkPage } from '../../../../test/docs-checks.ts'
import { openDocs } from './docs-reader.ts'
import { museum, openContracts } from './serve-docs.ts'

const openContract = await openContracts(t)

t.test('with any contract, everyone can read the page, and an open operation fits on the screen', async t => {
  await checkPage(t, await openContract(t, museum))
})

const { pageTest } = await openDocs(t)
pageTest(
  'the same holds for parameters and bodies of every type',
  { viewport: { width: 1440, height: 900 } },
  (t, { page }) => checkPage(t, page)
)

t.test('of a long response, the beginning is shown at once, and the rest when asked for', async t => {
  const paths = { '/long': { get: { operationId: 'getLong', responses: { 200: { description: 'It is long' } } } } }
  const page = await openContract(t, { openapi: '3.1.0', info: { title: 'Long', version: '1.0.0' }, paths })
  const text = `[${Array.from({ length: 20_000 }, (_, id) => `{"id":${id},"weight":9007199254740993}`).join()}]`
  await page.route('**/long', route => route.fulfill({ contentType: 'application/json', body: text }))
  await page.locator('.opblock-summary-control').click()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  const body = page.getByRole('group', { name: 'response body' })
  const beginning = (await body.textContent()) ?? ''
  t.ok(beginning.length > 90_000 && beginning.length <= 100_000, `${beginning.length} characters`)
  t.equal(await body.locator('span').count(), 0, 'it has no colours')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  const whole = readFileSync(await (await download).path(), 'utf8')
  t.equal(whole.replace(/\s/g, ''), text)
  t.ok(whole.startsWith(beginning))
  await page.getByRole('button', { name: /^Show the other \d+ kB$/ }).click()
  await body.getByText('"id": 19999').waitFor()
  t.equal(await body.textContent(), whole)
})

t.test('bare URLs in descriptions are links, those in code are not', async t => {
  const description =
    'See https://a.example/x?y=1, (https://b.example) or [c](https://c.example), <https://d.example>, not `https://e.example`.'
  const page = await openContract(t, {
    openapi: '3.1.0',
    info: { title: 'Links', version: '1.0.0', description },
    paths: { '/links': { get: { operationId: 'getLinks' } } }
  })
  const links = await page.locator('.about .renderedMarkdown a').evaluateAll(all => all.map(each => `${each}`))
  t.strictSame(links, ['https://a.example/x?y=1', 'https://b.example/', 'https://c.example/', 'https://d.example/'])
})

t.test('an operation without responses, which OpenAPI 3.1 allows, has samples', async t => {
  const paths = { '/silence': { get: { operationId: 'keepSilence' } } }
  const page = await openContract(t, { openapi: '3.1.0', info: { title: 'Silence', version: '1.0.0' }, paths })
  await page.locator('.opblock-summary-control').click()
  await page.locator('.sample', { hasText: '/silence' }).waitFor()
  t.strictSame(await page.locator('.opblock').getByRole('heading', { level: 4, name: 'Responses' }).count(), 0)
})

t.test('what an operation refers to is shown, wherever it is in the contract', async t => {
  const json = (schema: object) => ({ content: { 'application/json': { schema } } })
  const page = await openContract(t, {
    openapi: '3.1.0',
    info: { title: 'Trees', version: '1.0.0' },
    components: {
      parameters: { Depth: { name: 'depth', in: 'query', schema: { $ref: '#/components/schemas/Depth' } } },
      responses: { Tree: { description: 'A tree', ...json({ $ref: '#/components/schemas/Tree' }) } },
      schemas: {
        Depth: { type: 'integer', maximum: 7 },
        Tree: {
          type: 'object',
          properties: { leaf: { $ref: '#/paths/~1leaves/post/requestBody/content/application~1json/schema' } }
        }
      }
    },
    paths: {
      '/trees': {
        parameters: [{ $ref: '#/components/parameters/Depth' }],
        get: { operationId: 'getTree', responses: { 200: { $ref: '#/components/responses/Tree' } } },
        delete: { operationId: 'fellTree', responses: { 204: { description: 'Felled' } } }
      },
      '/leaves': {
        post: {
          operationId: 'addLeaf',
          requestBody: json({ type: 'object', properties: { colour: { const: 'green' } } }),
          responses: { 204: { description: 'Added' } }
        }
      }
    }
  })
  for (const [id, text] of [
    ['getTree', '"colour": "green"'],
    ['fellTree', 'at most 7'],
    ['addLeaf', '"colour": "green"']
  ]) {
    const operation = page.locator(`#operations-default-${id}`)
    await operation.locator('.opblock-summary-control').click()
    await operation
      .locator('.opblock-body')
      .getByText(text ?? '')
      .first()
      .waitFor()
  }
})

t.test('a schema is a list of fields with what each must be, and what is in them unfolds', async t => {
  const schemas = {
    Named: { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 1, maxLength: 9 } } },
    Cat: {
      allOf: [{ $ref: '#/components/schemas/Named' }],
      required: ['lives'],
      properties: {
        lives: { type: 'integer', format: 'int64', minimum: 1, maximum: 99, default: 9 },
        kittens: { type: 'array', maxItems: 3, items: { $ref: '#/components/schemas/Cat' } },
        mood: { enum: ['calm', null], description: 'How it *is*', deprecated: true },
        sound: { type: 'string', pattern: '^[`m]+$' }
      },
      unevaluatedProperties: false
    },
    Dog: { type: 'object', additionalProperties: { type: 'number', exclusiveMinimum: 0 }, not: { required: ['cat'] } },
    'Odd/name~': {
      oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
      discriminator: { propertyName: 'kind', mapping: { meows: '#/components/schemas/Cat' } }
    }
  }
  const page = await openContract(t, {
    openapi: '3.1.0',
    info: { title: 'Animals', version: '1.0.0' },
    components: { schemas },
    paths: { '/animals': { get: { operationId: 'listAnimals', responses: { 204: { description: 'None' } } } } }
  })
  const all = page.locator('#schemas')
  const unfold = (label: string) => all.locator('summary', { hasText: label }).last().click()
  const texts = () => all.locator('.fields > .field').allInnerTexts()
  await unfold('Schemas')
  await unfold('Odd/name~')
  await all.getByText('One of, by kind', { exact: true }).waitFor()
  await unfold('Dog')
  t.match(await all.locator('pre').innerText(), /"not": \{\s+"required"/)
  t.match(await texts(), [/^any name\s+number\s+more than 0$/])
  await unfold('Dog')
  await unfold('meows: Cat')
  await all.getByText('How it is').waitFor()
  t.match(await texts(), [
    /^name\s+string\s+required\s+1 to 9 characters$/,
    /^lives\s+integer\s+int64\s+required\s+1 to 99 · default 9$/,
    /^kittens\s+array<Cat>\s+at most 3 items\s+5 fields$/,
    /^mood\s+string \| null\s+deprecated\s+How it is\s+one of calm null$/,
    /^sound\s+string\s+matches \^\[`m\]\+\$$/
  ])
  for (const count of [10, 15]) {
    await unfold('5 fields')
    // A schema may contain itself.
    await all
      .locator('.fields > .field')
      .nth(count - 1)
      .waitFor()
  }
  t.equal(await all.getByText('no other fields').count(), 3)
})

t.test('samples have the servers of an operation, relative to the contract', async t => {
  const operation = (operationId: string) => ({ operationId, responses: { 204: { description: 'Done' } } })
  const page = await openContract(t, {
    openapi: '3.1.0',
    info: { title: 'Versions', version: '1.0.0' },
    servers: [{ url: 'v1' }],
    paths: {
      '/new': { get: operation('getNew') },
      '/old': { servers: [{ url: 'v0' }], get: operation('getOld') }
    }
  })
  const { origin } = new URL(page.url())
  for (const [id, url, isClients] of [
    ['getNew', `${origin}/v1/new`, true],
    // The client has one base URL.
    ['getOld', `${origin}/v0/old`, false]
  ] as const) {
    const operation = page.locator(`#operations-default-${id}`)
    await operation.locator('.opblock-summary-control').click()
    await operation.locator('.sample', { hasText: `curl '${url}'` }).waitFor()
    const languages = await operation.getByLabel('Language').locator('option').allInnerTexts()
    t.equal(languages.includes('TypeScript'), isClients)
  }
})
