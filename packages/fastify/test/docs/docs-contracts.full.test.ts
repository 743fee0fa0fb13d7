import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { openBrowser, openContext } from '../../../../test/browser.ts'
import { checkPage } from '../../../../test/docs-checks.ts'
import { openDocs } from './docs-reader.ts'
import { serveDocs } from './serve-docs.ts'

const museum = parse(readFileSync(new URL('../../../../test/contracts/museum/openapi.yaml', import.meta.url), 'utf8'))
const browser = await openBrowser(t)

/** The page of a contract, in a browser of its own. */
const openContract = async (t: Test, contract: object): Promise<Page> => {
  const origin = await serveDocs(t, contract, '@things/client')
  const page = await (await openContext(browser, { viewport: { width: 1440, height: 900 } })).newPage()
  t.teardown(() => page.context().close())
  await page.goto(`${origin}/docs/`)
  await page.locator('.opblock').first().waitFor()
  return page
}

t.test('with any contract, everyone can read the page, and an open operation fits on the screen', async t => {
  await checkPage(t, await openContract(t, museum))
})

const { pageTest } = await openDocs(t)
pageTest(
  'the same holds for parameters and bodies of every type',
  { viewport: { width: 1440, height: 900 } },
  (t, { page }) => checkPage(t, page)
)

t.test('a contract of ten operations or fewer has no search', async t => {
  const page = await openContract(t, museum)
  t.equal(await page.getByRole('searchbox').count(), 0)
})

t.test('in one of more, the search filters the operations of the page and of its contents', async t => {
  const operations = Array.from({ length: 11 }, (_, index) => [
    `/rooms/${index}/a-collection-with-a-long-name`,
    {
      get: {
        operationId: `getRoom${index}`,
        summary: `Show room ${index}`,
        tags: ['Rooms'],
        responses: museum.paths['/museum-hours'].get.responses
      }
    }
  ])
  const page = await openContract(t, { ...museum, paths: { ...museum.paths, ...Object.fromEntries(operations) } })
  const search = page.getByRole('searchbox', { name: 'Search operations' })
  const shown = () => page.locator('.opblock').count()
  const listed = () => page.locator('.contents-operation').count()
  t.equal(await shown(), 20, 'with a webhook')
  t.equal(await listed(), 19)
  for (const [text, count] of [
    ['room 7', 1],
    ['DELETE', 1],
    ['buymuseumtickets', 1],
    ['special-events {eventId}', 3],
    ['tickets', 2],
    ['nothing like it', 0]
  ] as const) {
    await search.fill(text)
    await page
      .getByRole('status')
      .filter({ hasText: `${count} of 19 operations` })
      .waitFor()
    t.equal(await shown(), count + 1, text)
    t.equal(await listed(), count)
  }
  await page.evaluate("location.hash = '#/Rooms/getRoom3'")
  await page.locator('#operations-Rooms-getRoom3 .responses').waitFor()
  t.equal(await search.inputValue(), '', 'a link to an operation that was not found ends the search')
})

t.test('contents, fresh links and search lead to each of 300 operations, whatever its name', async t => {
  const names: (readonly [string, string] | readonly [])[] = [
    ['a/b', 'repos/get'],
    ['two words', 'get them  all'],
    ['100%', '50%25%2F'],
    ['#1', '?x=1&y#2'],
    [`it's "so"`, `<b>\\"'&amp;`],
    ['größe', 'größe_ändern'],
    ['日本', '一覧.json'],
    []
  ]
  const paths = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => {
      const [tag, operationId] = names[index % 40] ?? [index < 200 ? 'many' : 'more', `get${index}`]
      // Those after the first forty have the same tags again.
      const isAgain = index >= 40 && operationId !== undefined
      const operation = {
        ...(operationId !== undefined && { operationId: isAgain ? `${operationId}${index}` : operationId }),
        ...(tag !== undefined && { tags: [tag] }),
        summary: `Operation ${index}`
      }
      return [`/path/${index}/größe/{id}`, { get: operation }]
    })
  )
  const page = await openContract(t, {
    openapi: '3.1.0',
    info: { title: 'Many', version: '1.0.0', description: '## 概要\n\nText\n\n## 詳細\n\nThe details' },
    'x-tagGroups': [
      { name: '検索', tags: ['more'] },
      { name: '更新', tags: ['many'] }
    ],
    paths
  })
  const entries = await page
    .locator('.contents-operation a')
    .evaluateAll(all => all.map(each => [String(each.getAttribute('href')), String(each.textContent)] as const))
  t.equal(entries.length, 300)
  t.equal(new Set(entries.map(([href]) => href)).size, 300)
  // The last ones of a short page cannot be at the top of the screen.
  const isInView = (top: number) => top > -50 && top < 450
  /** Waits until the operation is open, with the focus. */
  const requireOpen = async (index: number) => {
    const shown = page.locator('.opblock.is-open', { has: page.locator(`[data-path^="/path/${index}/"]`) })
    await shown.locator('.samples').waitFor()
    await shown.locator('.opblock-summary-control:focus').waitFor()
    const top = () => shown.evaluate(each => each.getBoundingClientRect().top)
    for (let tries = 0; tries < 50 && !isInView(await top()); tries++) await page.waitForTimeout(20)
    t.ok(isInView(await top()), `operation ${index} is in view, at ${await top()}`)
  }
  const chosen = entries.filter(([, text]) => Number(text.slice(10)) < 8 || /(?:39|99)$/.test(text))
  t.equal(chosen.length, 14)
  for (const [href, text] of chosen.toReversed()) {
    await page.locator('.contents').getByRole('link', { name: text, exact: true }).click()
    await requireOpen(Number(text.slice(10)))
    t.equal(await page.evaluate('location.hash'), new URL(href, page.url()).hash, href)
  }
  const search = page.getByRole('searchbox')
  for (const [href, text] of chosen) {
    const [, id = ''] = href.slice(2).split('/').map(decodeURIComponent)
    await search.fill(id.startsWith('get/') || id.startsWith('get_') ? `/path/${text.slice(10)}/` : id)
    await page
      .getByRole('status')
      .filter({ hasText: /^\d+ of 300/ })
      .waitFor()
    await page.locator('.contents').getByRole('link', { name: text, exact: true }).click()
    await requireOpen(Number(text.slice(10)))
    await page.evaluate(`location.hash = ${JSON.stringify(chosen.at(href === chosen[0]?.[0] ? 1 : 0)?.[0])}`)
    await page.locator('input[type=search]:placeholder-shown').waitFor()
  }
  const { origin } = new URL(page.url())
  for (const [href, text] of chosen.filter(([, text]) => /(?:[0247]|299)$/.test(text))) {
    await page.goto('about:blank')
    await page.goto(`${origin}/docs/${href}`)
    await requireOpen(Number(text.slice(10)))
  }
  for (const [name, heading] of [
    ['検索', 'more'],
    ['更新', 'many'],
    ['詳細', 'The details']
  ] as const) {
    await page.locator('.contents').getByRole('link', { name, exact: true }).click()
    const target = page.locator('section, details').filter({ has: page.locator(':focus') })
    await target.getByText(heading).first().waitFor()
  }
})

t.test('samples have forms, files and texts, and keys wherever they are sent', async t => {
  const responses = { 200: { description: 'Done', content: { 'application/json': {}, 'text/csv': {} } } }
  const operation = (scheme: string, type: string, schema: object, parameters: object[] = []) => ({
    post: {
      operationId: scheme,
      security: [{ [scheme]: [] }],
      parameters,
      requestBody: { content: { [type]: { schema } } },
      responses
    }
  })
  const file = { type: 'string', format: 'binary' }
  const name = { type: 'string', default: "it's" }
  const ids = { name: 'ids', in: 'query', schema: { type: 'array', items: { type: 'integer' }, default: [1, 2] } }
  const filter = { name: 'filter', in: 'query', style: 'deepObject', schema: { type: 'object', example: { a: 1 } } }
  const page = await openContract(t, {
    openapi: '3.1.0',
    info: { title: 'Forms', version: '1.0.0' },
    servers: [{ url: 'v1' }],
    components: {
      securitySchemes: {
        query: { type: 'apiKey', in: 'query', name: 'key' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
        basic: { type: 'http', scheme: 'basic' },
        header: { type: 'apiKey', in: 'header', name: 'X-Key' }
      }
    },
    paths: {
      '/parts': operation('query', 'multipart/form-data', { type: 'object', properties: { name, file } }, [ids]),
      '/fields': operation('cookie', 'application/x-www-form-urlencoded', { type: 'object', properties: { name } }),
      '/text': operation('basic', 'text/plain', { ...name, example: "it's" }),
      '/file': operation('header', 'application/octet-stream', file),
      '/json': { get: { operationId: 'list', parameters: [ids, filter], responses: { 204: { description: 'None' } } } }
    }
  })
  const v1 = `${new URL(page.url()).origin}/v1`
  const picture = { name: 'cat.png', mimeType: 'image/png', buffer: Buffer.from('cat') }
  for (const [id, command] of Object.entries({
    query: [
      `curl -X POST '${v1}/parts?ids=1&ids=2&key=YOUR_API_KEY'`,
      "--form-string 'name=it'\\''s'",
      "-F 'file=@cat.png'"
    ],
    cookie: [
      `curl -X POST '${v1}/fields'`,
      "-H 'Content-Type: application/x-www-form-urlencoded'",
      "-b 'session=YOUR_API_KEY'",
      "--data-raw 'name=it'\\''s'"
    ],
    basic: [
      `curl -X POST '${v1}/text'`,
      "-H 'Authorization: Basic YOUR_CREDENTIALS'",
      "-H 'Content-Type: text/plain'",
      "--data-raw 'it'\\''s'"
    ],
    header: [
      `curl -X POST '${v1}/file'`,
      "-H 'X-Key: YOUR_API_KEY'",
      "-H 'Content-Type: application/octet-stream'",
      "--data-binary '@cat.png'"
    ]
  })) {
    const shown = page.locator(`#operations-default-${id}`)
    await shown.locator('.opblock-summary-control').click()
    await shown.locator('.responses').waitFor()
    const input = shown.locator('input[type=file]')
    if ((await input.count()) > 0) await input.setInputFiles(picture)
    await shown.locator('.sample', { hasText: command.at(-1) ?? '' }).waitFor()
    t.equal(await shown.locator('.sample').textContent(), command.join(' \\\n  '))
  }
  const text = page.locator('#operations-default-basic')
  await text.getByLabel('Media type (sent as Accept)').selectOption('text/csv')
  await text.locator('.sample', { hasText: "-H 'Accept: text/csv'" }).waitFor()
  t.strictSame(await page.locator('.samples-names').first().getByRole('button').allInnerTexts(), ['curl', 'fetch'])
  const list = page.locator('#operations-default-list')
  await list.locator('.opblock-summary-control').click()
  await list.getByRole('button', { name: 'TypeScript' }).click()
  await list.locator('.sample', { hasText: 'await client.list({ ids: [1, 2] })' }).waitFor()
})

t.test('everything is sent as it was typed, and samples have the same', async t => {
  const typed = {
    text: '60503861139345408123',
    zeros: '007',
    exponent: '1e5',
    at: '@x;"\\',
    int64: '9223372036854775807',
    number: '1.50',
    object: '{"a":60503861139345408123}'
  }
  const schemaOf = (name: string) => {
    if (name === 'int64') return { type: 'integer', format: 'int64' }
    return { type: name === 'object' || name === 'number' ? name : 'string' }
  }
  const lists = {
    texts: { type: 'array', items: { type: 'string' } },
    ids: { type: 'array', items: { type: 'integer', format: 'int64' } }
  }
  const properties = { ...Object.fromEntries(Object.keys(typed).map(name => [name, schemaOf(name)])), ...lists }
  const inPlace = (place: string, style?: string) =>
    Object.entries(properties).map(([name, schema]) => ({
      ...{ name, in: place, required: place === 'path', schema },
      ...(name === 'object' && { style })
    }))
  const body = (type: string, more = {}) => ({
    requestBody: { content: { [type]: { schema: { type: 'object', properties }, ...more } } }
  })
  const path = `/path/${Object.keys(properties)
    .map(name => `{${name}}`)
    .join('/')}`
  const operations = {
    query: { get: { parameters: inPlace('query', 'deepObject') } },
    header: { get: { parameters: inPlace('header') } },
    // Swagger UI takes these two ids for the same.
    'form.fields': { post: body('application/x-www-form-urlencoded') },
    form_fields: { post: body('multipart/form-data', { encoding: { object: { contentType: 'application/json' } } }) },
    json: { post: body('application/json') }
  }
  const page = await openContract(t, {
    openapi: '3.1.0',
    info: { title: 'Typed', version: '1.0.0' },
    paths: {
      [path]: { get: { operationId: 'path', parameters: inPlace('path') } },
      ...Object.fromEntries(
        Object.entries(operations).map(([id, item]) => [
          `/${id}`,
          Object.fromEntries(Object.entries(item).map(([method, each]) => [method, { operationId: id, ...each }]))
        ])
      )
    }
  })
  // The browser does not tell the test what a form with files contains.
  await page.evaluate(`{
    const { fetch } = window
    window.fetch = async (url, options) => {
      window.sent = await new Request(url, options).text()
      return fetch(url, options)
    }
  }`)
  const json = `{"int64": 9223372036854775807, "number": 1.50, "text": "60503861139345408123"}`
  const object = encodeURIComponent(typed.object)
  const at = encodeURIComponent(typed.at)
  const values = `60503861139345408123/007/1e5/${at}/9223372036854775807/1.50`
  const fields = Object.entries(typed)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
  const twice = 'texts=007&texts=1e5&ids=9223372036854775807'
  for (const [id, url, sent, samples] of [
    [
      'path',
      `/path/${values}/a,60503861139345408123/007,1e5/9223372036854775807`,
      '',
      [`/path/${values}/a,60503861139345408123/007,1e5/9223372036854775807'`]
    ],
    [
      'query',
      `/query?${fields.replace(object, '').replace('object=', 'object[a]=60503861139345408123')}&${twice}`,
      '',
      [`object%5Ba%5D=60503861139345408123&${twice}'`]
    ],
    [
      'header',
      '/header',
      '',
      Object.entries(typed).map(([name, value]) => `${name}: ${name === 'object' ? 'a,60503861139345408123' : value}`)
    ],
    ['form.fields', '/form.fields', `${fields}&${twice}`, `${fields}&${twice}`.split('&')],
    [
      'form_fields',
      '/form_fields',
      undefined,
      [
        'text=60503861139345408123',
        'texts=007',
        'texts=1e5',
        'object="{\\"a\\":60503861139345408123}";type=application/json'
      ]
    ],
    ['json', '/json', json, [json]]
  ] as const) {
    const shown = page.locator('.opblock', { has: page.locator(`[data-path^="/${id}"]`) })
    await shown.locator('.opblock-summary-control').click()
    await shown.locator('.samples').waitFor()
    const isForm = id.startsWith('form')
    if (id === 'json') await shown.locator('textarea').fill(json)
    for (const [name, value] of id === 'json' ? [] : Object.entries(typed))
      await shown
        .locator(`[data-${isForm ? 'property' : 'param'}-name=${name}]`)
        .locator('input[type=text], textarea')
        .fill(value)
    for (const [name, items] of id === 'json'
      ? []
      : ([
          ['texts', ['007', '1e5']],
          ['ids', ['9223372036854775807']]
        ] as const))
      for (const [index, item] of items.entries()) {
        const field = shown.locator(`[data-${isForm ? 'property' : 'param'}-name=${name}]`)
        while ((await field.getByRole('textbox').count()) <= index)
          await field.getByRole('button', { name: /^Add/ }).click()
        await field.getByRole('textbox').nth(index).fill(item)
      }
    const requested = page.waitForRequest(each => new URL(each.url()).pathname.startsWith(`/${id}`))
    await shown.getByRole('button', { name: 'Execute' }).click()
    const request = await requested
    t.equal(decodeURIComponent(request.url()), decodeURIComponent(new URL(url, page.url()).href), id)
    await shown.locator('.curl').waitFor({ state: 'attached' })
    const received = await page.evaluate<string>('window.sent')
    if (sent === undefined)
      for (const [name, value] of [
        ...Object.entries(typed),
        ...[
          ['texts', '007'],
          ['texts', '1e5'],
          ['ids', '9223372036854775807']
        ]
      ])
        t.ok(
          received
            .replace('; filename="blob"\r\nContent-Type: application/json', '')
            .includes(`name="${name}"\r\n\r\n${value}\r\n`),
          `${name}=${value} in ${received}`
        )
    // Swagger UI does not keep the order of the fields.
    else t.strictSame(received.split('&').toSorted(), sent.split('&').toSorted())
    if (id === 'header')
      for (const [name, value] of Object.entries(typed))
        t.equal((await request.allHeaders())[name], name === 'object' ? 'a,60503861139345408123' : value)
    const commands = [await shown.locator('.sample').textContent(), await shown.locator('.curl').textContent()]
    for (const command of commands) for (const text of samples) t.match(command, text)
  }
})

t.test('examples of recursive schemas are valid, and optional objects are empty until something is typed', async t => {
  const node = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const text = { type: 'string' }
  const schemas = {
    Folder: { type: 'object', required: ['name'], properties: { name: text, parent: node('Folder') } },
    Tree: {
      type: 'object',
      required: ['name', 'parts', 'next'],
      properties: {
        name: text,
        parts: { type: 'array', items: node('Tree') },
        next: { oneOf: [node('Tree'), { type: 'null' }] },
        others: { type: 'object', additionalProperties: node('Tree') }
      }
    }
  }
  const filter = { type: 'object', properties: { a: text } }
  const json = (name: string) => ({ content: { 'application/json': { schema: node(name) } } })
  const fields = {
    name: text,
    note: text,
    filter,
    list: { type: 'array', items: text },
    chosen: { ...text, default: 'red' }
  }
  const form = { type: 'object', required: ['name'], properties: fields }
  const page = await openContract(t, {
    openapi: '3.1.0',
    info: { title: 'Trees', version: '1.0.0' },
    components: { schemas },
    paths: {
      '/folders': {
        post: {
          operationId: 'folders',
          requestBody: json('Folder'),
          responses: { 200: { description: '', ...json('Tree') } }
        }
      },
      '/trees': {
        get: {
          operationId: 'trees',
          parameters: [
            { name: 'filter', in: 'query', style: 'deepObject', schema: filter },
            { name: 'filters', in: 'query', schema: { type: 'array', items: filter } }
          ]
        }
      },
      '/form': {
        post: {
          operationId: 'form',
          requestBody: { content: { 'application/x-www-form-urlencoded': { schema: form } } }
        }
      }
    }
  })
  const open = async (id: string) => {
    const shown = page.locator(`#operations-default-${id}`)
    await shown.locator('.opblock-summary-control').click()
    await shown.locator('.sample').waitFor()
    return shown
  }
  const folders = await open('folders')
  const validator = new Ajv2020({ strict: false })
  for (const [name, example] of [
    ['Folder', await folders.locator('textarea').inputValue()],
    ['Tree', await folders.getByRole('group', { name: 'example of a 200' }).textContent()]
  ] as const)
    t.ok(validator.validate({ ...node(name), components: { schemas } }, JSON.parse(example ?? '')), example ?? name)
  const { origin } = new URL(page.url())
  const trees = await open('trees')
  t.equal(await trees.locator('.sample').textContent(), `curl '${origin}/trees'`)
  await trees.locator('[data-param-name=filter] textarea').fill('{"a":"1"}')
  await trees.locator('.sample', { hasText: 'filter%5Ba%5D=1' }).waitFor()
  const sent = await open('form')
  await sent.locator('.sample', { hasText: /--data-raw 'name=string&chosen=red'$/ }).waitFor()
  await sent.locator('[data-property-name=note] input[type=text]').fill('string')
  await sent.locator('.sample', { hasText: /--data-raw 'name=string&note=string&chosen=red'$/ }).waitFor()
})

t.test('of a long response, the beginning is shown at once, and the rest when asked for', async t => {
  const paths = { '/long': { get: { operationId: 'getLong', responses: { 200: { description: 'It is long' } } } } }
  const page = await openContract(t, { openapi: '3.1.0', info: { title: 'Long', version: '1.0.0' }, paths })
  const text = `[${Array.from({ length: 20_000 }, (_, id) => `{"id":${id},"weight":9007199254740993}`).join()}]`
  await page.route('**/long', route => route.fulfill({ contentType: 'application/json', body: text }))
  await page.locator('.opblock-summary-control').click()
  await page.getByRole('button', { name: 'Execute' }).click()
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
    ['fellTree', 'maximum: 7'],
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
        mood: { enum: ['calm', null], description: 'How it *is*', deprecated: true }
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
    /^kittens\s+array<Cat>\s+at most 3 items\s+4 fields$/,
    /^mood\s+string \| null\s+deprecated\s+How it is\s+one of calm null$/
  ])
  for (const count of [8, 12]) {
    await unfold('4 fields')
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
  for (const [id, url, languages] of [
    ['getNew', `${origin}/v1/new`, ['curl', 'fetch', 'TypeScript']],
    // The client has one base URL.
    ['getOld', `${origin}/v0/old`, ['curl', 'fetch']]
  ] as const) {
    const operation = page.locator(`#operations-default-${id}`)
    await operation.locator('.opblock-summary-control').click()
    await operation.locator('.sample', { hasText: `curl '${url}'` }).waitFor()
    t.strictSame(await operation.locator('.samples-names').getByRole('button').allInnerTexts(), languages)
  }
})
