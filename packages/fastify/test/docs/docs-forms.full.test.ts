import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { requireNoViolations } from '../../../../test/docs-checks.ts'
import { openContracts } from './serve-docs.ts'

const openContract = await openContracts(t)

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
  const languages = (id: string) =>
    page.locator(`#operations-default-${id}`).getByLabel('Language').locator('option').allInnerTexts()
  const all = ['curl', 'JavaScript', 'Python', 'Go', 'Java', 'C#', 'PHP', 'Ruby', 'PowerShell', 'HTTP']
  t.strictSame(await languages('basic'), all)
  t.strictSame(
    await languages('query'),
    all.filter(each => !['Go', 'Java', 'HTTP'].includes(each))
  )
  const list = page.locator('#operations-default-list')
  await list.locator('.opblock-summary-control').click()
  await list.getByLabel('Language').selectOption('TypeScript')
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
    await shown.getByRole('button', { name: 'Send', exact: true }).click()
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
    else t.equal(received, sent)
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

t.test('large defaults and examples are filled in exactly, and again by Reset', async t => {
  const large = '9007199254740993'
  const int64 = { type: 'integer', format: 'int64' }
  const inQuery = (name: string, more: object) => ({ name, in: 'query', ...more })
  const contract = {
    openapi: '3.1.0',
    info: { title: 'Large', version: '1.0.0' },
    paths: {
      '/large': {
        post: {
          operationId: 'large',
          parameters: [
            inQuery('number', { schema: { ...int64, default: 'LARGE' } }),
            inQuery('list', { schema: { type: 'array', items: int64, example: [1, 'LARGE'] } }),
            inQuery('chosen', { schema: int64, examples: { one: { value: 'LARGE' }, two: { value: 2 } } }),
            inQuery('text', { schema: { type: 'string', default: '9007199254740992' } }),
            // It rounds to the same number as the other.
            inQuery('near', { schema: { ...int64, default: 'NEAR', enum: ['NEAR', 'LARGE'] } }),
            inQuery('none', { schema: int64 })
          ],
          requestBody: {
            content: {
              'application/x-www-form-urlencoded': {
                schema: {
                  type: 'object',
                  properties: {
                    size: { ...int64, default: 'LARGE' },
                    sizes: { type: 'array', items: int64, default: ['LARGE', 2] },
                    note: { type: 'string' }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
  const page = await openContract(
    t,
    JSON.stringify(contract).replaceAll('"LARGE"', large).replaceAll('"NEAR"', '9007199254740992')
  )
  await page.locator('.opblock-summary-control').click()
  const field = (name: string) =>
    page.locator(`[data-param-name=${name}], [data-property-name=${name}]`).getByRole('textbox')
  const values = async () => {
    const names = ['number', 'list', 'chosen', 'text', 'none', 'size', 'sizes', 'note']
    const fields = names.map(async name => Promise.all((await field(name).all()).map(each => each.inputValue())))
    return (await Promise.all(fields)).map(each => each.join())
  }
  const first = [large, `1,${large}`, large, '9007199254740992', '', large, `${large},2`, '']
  await field('sizes').nth(1).waitFor()
  t.strictSame(await values(), first)
  const near = page.locator('[data-param-name=near]').getByRole('combobox')
  t.equal(await near.inputValue(), '9007199254740992')
  t.strictSame(await near.locator('option').allInnerTexts(), ['not sent', '9007199254740992', large])
  await near.selectOption(large)
  await page.locator('.sample', { hasText: `near=${large}` }).waitFor()
  for (const name of ['number', 'chosen', 'text', 'none', 'size', 'note']) await field(name).fill('9007199254740992')
  await page.locator('.sample', { hasText: 'note=9007199254740992' }).waitFor()
  const [, ...sent] = (await page.locator('.sample').textContent())?.match(/number=\d+|none=\d+|size=\d+/g) ?? []
  t.strictSame(sent, ['none=9007199254740992', 'size=9007199254740992'], 'what is typed is not changed')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.locator('.live-response').waitFor()
  await page.getByRole('button', { name: 'Reset', exact: true }).click()
  await page.locator('.live-response').waitFor({ state: 'detached' })
  await page
    .locator('.sample', { hasText: /--data-raw 'size=9007199254740993&sizes=9007199254740993&sizes=2'$/ })
    .waitFor()
  t.strictSame(await values(), first)
})

t.test('requests that were sent can be sent again, with what the form held', async t => {
  const name = { type: 'string' }
  const page = await openContract(t, {
    openapi: '3.1.0',
    info: { title: 'Rooms', version: '1.0.0' },
    paths: {
      '/rooms/{room}': {
        post: {
          operationId: 'addBed',
          parameters: [{ name: 'room', in: 'path', required: true, schema: name }],
          requestBody: { content: { 'application/json': { schema: { type: 'object', properties: { name } } } } }
        }
      },
      '/beds': {
        put: {
          operationId: 'putBeds',
          requestBody: {
            content: {
              'application/x-www-form-urlencoded': {
                schema: { type: 'object', required: ['size'], properties: { size: name, note: name } }
              }
            }
          }
        }
      }
    }
  })
  const sent: string[] = []
  await page.route(/rooms|beds/, route => {
    const { pathname, search } = new URL(route.request().url())
    sent.push(`${pathname}${search} ${route.request().postData() ?? ''}`.trim())
    return route.fulfill({ status: 200 + sent.length, contentType: 'text/plain', body: `Response ${sent.length}` })
  })
  const operation = (id: string) => page.locator(`#operations-default-${id}`)
  const open = (id: string) => operation(id).locator('.opblock-summary-control').click()
  const received = (id: string, number: number) => operation(id).getByText(`Response ${number}`).waitFor()
  const send = async (id: string, number: number) => {
    await operation(id).getByRole('button', { name: 'Send', exact: true }).click()
    await received(id, number)
  }
  t.equal(await page.getByRole('heading', { name: 'History' }).count(), 0)
  await open('addBed')
  await operation('addBed').getByRole('textbox', { name: 'room' }).fill('1')
  await operation('addBed').locator('textarea').fill('{"name":"a"}')
  await operation('addBed').locator('.sample', { hasText: '/rooms/1' }).waitFor()
  await send('addBed', 1)
  await operation('addBed').getByRole('textbox', { name: 'room' }).fill('2')
  await operation('addBed').locator('textarea').fill('{"name":"b"}')
  await operation('addBed').locator('.sample', { hasText: '/rooms/2' }).waitFor()
  await send('addBed', 2)
  await open('addBed')
  await open('putBeds')
  await operation('putBeds').getByRole('textbox', { name: 'note' }).fill('c')
  await operation('putBeds').locator('.sample', { hasText: 'note=c' }).waitFor()
  await send('putBeds', 3)
  await operation('putBeds').getByRole('button', { name: 'Reset', exact: true }).click()
  await operation('putBeds')
    .locator('.sample', { hasText: /'size=string'$/ })
    .waitFor()
  const history = page.getByRole('region', { name: 'History' })
  t.match(await history.getByRole('listitem').allInnerTexts(), [
    /put\s+\/beds\s+203/i,
    /post\s+\/rooms\/2\s+202/i,
    /post\s+\/rooms\/1\s+201/i
  ])
  await history.getByRole('listitem').last().getByRole('button', { name: 'Send again' }).click()
  await received('addBed', 4)
  t.equal(await operation('addBed').getByRole('textbox', { name: 'room' }).inputValue(), '1')
  t.equal(await operation('addBed').locator('textarea').inputValue(), '{"name":"a"}')
  await history.getByRole('listitem').filter({ hasText: '/beds' }).getByRole('button').click()
  await received('putBeds', 5)
  t.equal(await operation('putBeds').getByRole('textbox', { name: 'note' }).inputValue(), 'c')
  t.strictSame(sent, [
    '/rooms/1 {"name":"a"}',
    '/rooms/2 {"name":"b"}',
    '/beds size=string&note=c',
    '/rooms/1 {"name":"a"}',
    '/beds size=string&note=c'
  ])
  t.equal(await history.getByRole('listitem').count(), 5)
})

t.test('a request that is sent again goes to the server that was chosen for it', async t => {
  const page = await openContract(t, {
    openapi: '3.1.0',
    info: { title: 'Rooms', version: '1.0.0' },
    servers: [{ url: 'v1' }, { url: '{version}', variables: { version: { default: 'v2', enum: ['v2', 'v3'] } } }],
    paths: { '/rooms': { get: { operationId: 'listRooms', responses: { 200: { description: 'Rooms' } } } } }
  })
  const sent: string[] = []
  await page.route(/rooms/, route => {
    sent.push(new URL(route.request().url()).pathname)
    return route.fulfill({ contentType: 'text/plain', body: `Response ${sent.length}` })
  })
  const servers = page.getByRole('region', { name: 'Servers' }).locator('select')
  const operation = page.locator('#operations-default-listRooms')
  const received = () => operation.getByText(`Response ${sent.length + 1}`).waitFor()
  await operation.locator('.opblock-summary-control').click()
  const send = () => Promise.all([received(), operation.getByRole('button', { name: 'Send', exact: true }).click()])
  await send()
  await servers.first().selectOption({ index: 1 })
  await servers.last().selectOption('v3')
  await operation.locator('.sample', { hasText: '/v3/rooms' }).waitFor()
  await send()
  const again = page.getByRole('region', { name: 'History' }).getByRole('button', { name: 'Send again' })
  await Promise.all([received(), again.last().click()])
  await Promise.all([received(), again.nth(1).click()])
  t.strictSame(sent, ['/v1/rooms', '/v3/rooms', '/v1/rooms', '/v3/rooms'])
  t.match(await servers.first().inputValue(), '{version}')
})

t.test('the form for OAuth 2 is in the words of the others, and gets a token', async t => {
  const scopes = { 'rooms:read': 'Read rooms', 'rooms:write': 'Add rooms' }
  const page = await openContract(t, {
    openapi: '3.1.0',
    info: { title: 'Rooms', version: '1.0.0' },
    components: {
      securitySchemes: {
        login: {
          type: 'oauth2',
          description: 'For people',
          flows: {
            password: { tokenUrl: '/token', scopes },
            authorizationCode: { authorizationUrl: 'https://login.example/', tokenUrl: '/token', scopes }
          }
        }
      }
    },
    security: [{ login: ['rooms:read'] }],
    paths: { '/rooms': { get: { operationId: 'listRooms', responses: { 200: { description: 'Rooms' } } } } }
  })
  let isRight = false
  const bodies: (string | null)[] = []
  await page.route(/token$/, route => {
    bodies.push(route.request().postData())
    const json = isRight ? { access_token: 'abc', token_type: 'bearer' } : { error: 'invalid_grant' }
    return route.fulfill({ status: isRight ? 200 : 400, json })
  })
  await page.route(/rooms$/, route => route.fulfill({ body: `${route.request().headers().authorization}` }))
  await page.getByRole('button', { name: 'Authorize', exact: true }).first().click()
  const dialog = page.getByRole('dialog')
  const [code, password] = [dialog.locator('form').last(), dialog.locator('form').first()]
  const words = await dialog.innerText()
  t.notMatch(words, /client_id|OAuth2|Logout|flow|select all/i)
  t.match(words, 'You log in, in another window, at https://login.example/')
  await code.getByRole('button', { name: 'Log in' }).waitFor()
  await requireNoViolations(t, page, 'the dialog for OAuth 2')
  await password.getByLabel('User name').fill('ann')
  await password.getByLabel('Password').fill('secret')
  await password.getByLabel('Client ID').fill('page')
  await password.getByLabel('rooms:read').check()
  await page.keyboard.press('Enter')
  await password.getByRole('alert').waitFor()
  isRight = true
  await password.getByRole('button', { name: 'Get a token' }).click()
  await dialog.getByText('Saved in this browser').first().waitFor()
  t.match(bodies.at(-1), 'grant_type=password&scope=rooms%3Aread&username=ann&password=secret')
  await requireNoViolations(t, page, 'with a token')
  await page.keyboard.press('Escape')
  const operation = page.locator('#operations-default-listRooms')
  await operation.locator('.opblock-summary-control').click()
  await operation.getByRole('button', { name: 'Send', exact: true }).click()
  await operation.getByText('Bearer abc').first().waitFor()
})
