import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { createClient } from '../../../generated/client.ts'
import { derive } from '../src/generate.ts'
import { Report } from '../src/problems.ts'
import { createClientIn, derivedClient, errorOf, serve } from './clients.ts'

const message = async (call: Promise<unknown>) => {
  const { kind, message } = await errorOf(call)
  t.equal(kind, 'invalid-input')
  return message
}

t.test('each input is sent where the contract declares it', async t => {
  const { origin, all } = await serve(t, (_request, response) => response.writeHead(204).end())
  const find = (await derivedClient(t, 'parameters'))({ baseUrl: origin })['find thing: by id!']
  await find?.({
    'thing-id': -5,
    'owner.id': 'a/b?c#d%e ü&',
    class: 'a',
    limit: 1,
    tags: ['a,b', 'c&d', ''],
    ids: [1, 2],
    'filter[name]': false,
    'query_thing-id': 1.5,
    'X-Trace': 'a b'
  })
  t.strictSame(
    all.map(({ method, url, headers }) => [method, url, headers['x-trace'], headers['content-type']]),
    [
      [
        'GET',
        '/things/-5/of/a%2Fb%3Fc%23d%25e%20%C3%BC%26/a' +
          '?limit=1&tags=a%2Cb&tags=c%26d&tags=&ids=1,2&filter%5Bname%5D=false&thing-id=1.5',
        'a b',
        undefined
      ]
    ]
  )
})

t.test('undefined and empty arrays are not sent', async t => {
  const { origin, all } = await serve(t, (_request, response) => response.writeHead(204).end())
  const find = (await derivedClient(t, 'parameters'))({ baseUrl: origin })['find thing: by id!']
  await find?.({
    'thing-id': 1n,
    'owner.id': 'b',
    class: 'a',
    limit: undefined,
    tags: [],
    ids: [],
    'X-Trace': undefined
  })
  t.equal(all[0]?.url, '/things/1/of/b/a')
})

t.test('inputs of the same name are distinguished by their places', async t => {
  const { origin, all } = await serve(t, (_request, response) => response.writeHead(204).end())
  const create = await derivedClient(t, 'inputs-called-alike')
  const client = create({ baseUrl: origin, fetchCredential: 'a' })
  await client.putThing({
    id: 'path',
    path_body: 'b',
    query_id: true,
    query_query_id: 'query',
    header_id: 1,
    header_header_id: 'header',
    'a&b=c': ['d=e', 'f'],
    many: [9007199254740993n, 2],
    ['__proto__']: 'p',
    body: 'text'
  })
  const [{ method, url, headers, body } = { method: '', url: '', headers: {}, body: '' }] = all
  t.equal(
    `${method} ${url}`,
    'PUT /things/path/b?id=true&query_id=query&a%26b%3Dc=d%3De&a%26b%3Dc=f&many=9007199254740993,2&__proto__=p'
  )
  t.match(headers, { id: '1', header_id: 'header', authorization: 'Bearer a', 'content-type': 'application/json' })
  t.equal(body, '"text"')
})

t.test('an optional body can be omitted', async t => {
  const { origin, all } = await serve(t, (_request, response) => response.writeHead(204).end())
  const { putThing } = (await derivedClient(t, 'inputs-called-alike'))({ baseUrl: origin })
  await putThing({ id: 'a', path_body: 'b' })
  t.equal(all[0]?.body, '')
  t.equal(all[0]?.headers['content-type'], undefined)
})

t.test('a path parameter that would lead elsewhere is refused', async t => {
  const { origin, all } = await serve(t, (_request, response) => response.writeHead(204).end())
  const { putThing } = (await derivedClient(t, 'inputs-called-alike'))({ baseUrl: origin })
  for (const id of ['', '.', '..']) {
    t.equal(
      await message(putThing({ id, path_body: 'b' })),
      `putThing cannot be called: id is "${id}", which would change the path`
    )
  }
  t.match(await message(putThing({ id: 'a' })), 'body is "", which would change the path')
  t.match(await message(putThing({ id: '\ud800', path_body: 'b' })), 'URI malformed')
  t.strictSame(all, [])
  for (const id of ['...', '. ', '%2e%2e', '..\\', '../..']) await putThing({ id, path_body: 'b' })
  t.strictSame(
    all.map(({ url }) => decodeURIComponent(url.split('/')[2] ?? '')),
    ['...', '. ', '%2e%2e', '..\\', '../..']
  )
})

t.test('an unknown input is refused, not ignored', async t => {
  const client = createClient({ baseUrl: 'https://animals.example' })
  const unknown = (input: object) => input as Record<string, never>
  t.equal(
    await message(client.listPets(unknown({ stauts: 'sold' }))),
    'listPets cannot be called: unknown input stauts; it has limit, status, cursor'
  )
  t.match(
    await message(client.createPet(unknown({ name: 'Rex' }) as never)),
    'unknown input name; it has Idempotency-Key, body'
  )
  t.match(await message(client.getPet(unknown({ petId: 1, body: {} }) as never)), 'unknown input body; it has petId')
  t.match(await message(client.listPets(unknown({ toString: 'a' }))), 'unknown input toString')
})

t.test('a value that a parameter cannot have is refused', async t => {
  const client = createClient({ baseUrl: 'https://animals.example' })
  for (const [value, what] of [
    [null, 'null'],
    [{}, 'of type object'],
    [Symbol('a'), 'of type symbol'],
    [[undefined], 'of type undefined']
  ])
    t.match(
      await message(client.listPets({ cursor: value as never })),
      `cursor is ${String(what)}, which is not allowed for a parameter`
    )
  t.match(await message(client.listPets(null as never)), 'listPets cannot be called: ')
})

t.test('what cannot be sent in a request is refused, with the reason', async t => {
  const client = createClient({ baseUrl: 'https://animals.example' })
  t.match(await message(client.listPets({}, { headers: { 'X-Trace': 'ü\u{1f436}' } })), /^listPets cannot be called: ./)
  t.match(await message(client.listPets({}, { headers: { 'a b': 'c' } })), /^listPets cannot be called: ./)
  const circle: { name: string; categoryId: number; self?: object } = { name: 'a', categoryId: 1 }
  circle.self = circle
  t.match(await message(client.createPet({ body: circle })), /^createPet cannot be called: .*circular/)
})

t.test('any text in a path or a query is sent unchanged', async t => {
  const urls: string[] = []
  const { putThing } = (await derivedClient(t, 'inputs-called-alike'))({
    baseUrl: 'https://things.example',
    fetch: async request => {
      urls.push(request.url)
      return new Response(null, { status: 204 })
    }
  })
  const text = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter(each => !/^\.\.?$/.test(each) && each.isWellFormed())
  await fc.assert(
    fc.asyncProperty(text, fc.array(text, { minLength: 1 }), async (id, many) => {
      await putThing({ id, path_body: 'b', 'a&b=c': many })
      const { pathname, searchParams } = new URL(urls.pop() ?? '')
      t.equal(decodeURIComponent(pathname.split('/')[2] ?? ''), id)
      t.strictSame(searchParams.getAll('a&b=c'), many)
    })
  )
})

t.test('operations below other base paths are called beside the base URL, by HEAD and OPTIONS, too', async t => {
  const folder = t.testdir({
    'bells.yaml': `openapi: 3.1.0
info: { title: Bells, version: 1.0.0 }
servers: [{ url: 'https://bells.example/api/v1' }]
paths:
  /bells:
    head: { operationId: headBells, responses: { '204': { description: They are there. } } }
    options: { operationId: askBells, responses: { '200': { description: What they can., content: { application/json: { schema: { type: string } } } } } }
  /mine:
    get: { operationId: getMine, parameters: [{ name: session, in: cookie, required: true, schema: { type: string } }], responses: { '204': { description: It is yours. } } }
  /bells/{id}:
    servers: [{ url: 'https://uploads.bells.example/up/v2' }]
    put: { operationId: putBell, parameters: [{ name: id, in: path, required: true, schema: { type: string } }], responses: { '204': { description: It is there. } } }
  /deep:
    get: { operationId: getDeep, servers: [{ url: /api/v1/deep }], responses: { '204': { description: It is deep. } } }
`
  })
  for (const [name, text] of await derive(join(folder, 'bells.yaml'))) writeFileSync(join(folder, name), text)
  const { origin, all } = await serve(t, (request, response) =>
    request.method === 'OPTIONS'
      ? response.writeHead(200, { 'content-type': 'application/json' }).end('"ring"')
      : response.writeHead(204).end()
  )
  const { createMock } = await import(pathToFileURL(join(folder, 'mock.ts')).href)
  const baseUrl = `${origin}/gateway/api/v1`
  const createClient = await createClientIn(folder)
  for (const options of [{ baseUrl }, { baseUrl, fetch: createMock() }, { baseUrl, fetch: createMock({ baseUrl }) }]) {
    const client = createClient(options) as unknown as Record<string, (input?: object) => Promise<{ status: number }>>
    t.match(await client.headBells?.(), { status: 204 })
    t.match(await client.askBells?.(), { status: 200 })
    t.match(await client.putBell?.({ id: 'big' }), { status: 204 })
    t.match(await client.getDeep?.(), { status: 204 })
    t.match(await client.getMine?.({}), { status: 204 }, 'a browser adds its cookies')
  }
  t.strictSame(
    all.map(({ method, url }) => [method, url]),
    [
      ['HEAD', '/gateway/api/v1/bells'],
      ['OPTIONS', '/gateway/api/v1/bells'],
      ['PUT', '/gateway/up/v2/bells/big'],
      ['GET', '/gateway/api/v1/deep/deep'],
      ['GET', '/gateway/api/v1/mine']
    ]
  )
})

/** By place, style and \`explode\`: the text of a parameter \`color\` with a text, a list and an object (OpenAPI 3.1.1, section 4.8.12.6). */
const styles: readonly [place: string, style: string, explode: boolean, ...texts: (string | undefined)[]][] = [
  ['path', 'simple', false, 'blue', 'blue,black', 'R,100,G,200'],
  ['path', 'simple', true, 'blue', 'blue,black', 'R=100,G=200'],
  ['path', 'label', false, '.blue', '.blue,black', '.R,100,G,200'],
  ['path', 'label', true, '.blue', '.blue.black', '.R=100.G=200'],
  ['path', 'matrix', false, ';color=blue', ';color=blue,black', ';color=R,100,G,200'],
  ['path', 'matrix', true, ';color=blue', ';color=blue;color=black', ';R=100;G=200'],
  ['query', 'form', false, 'color=blue', 'color=blue,black', 'color=R,100,G,200'],
  ['query', 'form', true, 'color=blue', 'color=blue&color=black', 'R=100&G=200'],
  ['query', 'spaceDelimited', false, undefined, 'color=blue%20black', 'color=R%20100%20G%20200'],
  ['query', 'pipeDelimited', false, undefined, 'color=blue%7Cblack', 'color=R%7C100%7CG%7C200'],
  ['query', 'deepObject', true, undefined, undefined, 'color%5BR%5D=100&color%5BG%5D=200'],
  ['header', 'simple', false, 'blue', 'blue,black', 'R,100,G,200'],
  ['header', 'simple', true, 'blue', 'blue,black', 'R=100,G=200'],
  ['cookie', 'form', false, 'color=blue', 'color=blue,black', 'color=R,100,G,200'],
  ['cookie', 'form', true, 'color=blue', 'color=blue&color=black', 'R=100&G=200'],
  ['cookie', 'cookie', false, 'color=blue', 'color=blue,black', 'color=R,100,G,200'],
  ['cookie', 'cookie', true, 'color=blue', 'color=blue; color=black', 'R=100; G=200']
]
const text = { type: 'string' }
const shapes = [
  { schema: text, value: 'blue' },
  { schema: { type: 'array', items: text }, value: ['blue', 'black'] },
  { schema: { type: 'object', properties: { R: { type: 'integer' }, G: text } }, value: { R: 100, G: '200' } }
]

/** A client of a contract whose operations have one parameter each, and what is sent. */
const clientOfParameters = async (t: Test, parameters: object[]) => {
  const folder = t.testdir()
  const paths = parameters.map((each, at) => {
    const operation = { operationId: `call${at}`, parameters: [each], responses: { 204: { description: 'done' } } }
    return [`/p${at}${'in' in each && each.in === 'path' ? '/{color}' : ''}`, { get: operation }]
  })
  const info = { title: 'Colours', version: '1.0.0' }
  const contract = { openapi: '3.2.0', info, paths: Object.fromEntries(paths) }
  writeFileSync(join(folder, 'colours.json'), JSON.stringify(contract))
  const report = new Report()
  for (const [name, text] of await derive(join(folder, 'colours.json'), report)) writeFileSync(join(folder, name), text)
  const { origin, all } = await serve(t, (_request, response) => response.writeHead(204).end())
  const client = (await createClientIn(folder))({ baseUrl: origin }) as unknown as Record<string, AnyCall>
  const sent = async (at: number, value: unknown) => {
    await client[`call${at}`]?.({ color: value })
    const { url = '', headers = {} } = all.at(-1) ?? {}
    return headers.cookie ?? headers.color ?? url.replace(/^\/p\d+[/?]?/, '')
  }
  return { sent, warnings: report.warnings.map(({ message }) => message) }
}
type AnyCall = (input: object) => Promise<unknown>

t.test('a parameter is written in its style, in each place and with each kind of value', async t => {
  const cases = styles.flatMap(([place, style, explode, ...texts]) =>
    shapes.flatMap((shape, at) =>
      texts[at] === undefined ? [] : [{ place, style, explode, text: texts[at], ...shape }]
    )
  )
  const { sent, warnings } = await clientOfParameters(
    t,
    cases.map(({ place, style, explode, schema }) => ({
      ...{ in: place, name: 'color', style, explode, schema },
      required: place === 'path'
    }))
  )
  for (const [at, { place, style, explode, value, text }] of cases.entries())
    t.equal(await sent(at, value), text, `${place} ${style} ${explode} ${JSON.stringify(value)}`)
  t.notMatch(warnings.join('\n'), 'left out')
})

t.test('a text that contains what separates items is sent so that it can be read, or refused', async t => {
  const list = { type: 'array', items: text }
  const { sent } = await clientOfParameters(t, [
    { in: 'path', name: 'color', required: true, style: 'label', explode: true, schema: list },
    { in: 'path', name: 'color', required: true, style: 'matrix', schema: text },
    { in: 'path', name: 'color', required: true, style: 'matrix', explode: true, schema: list },
    { in: 'cookie', name: 'color', schema: text },
    { in: 'cookie', name: 'color', content: { 'application/json': { schema: list } } },
    { in: 'header', name: 'color', content: { 'application/json': { schema: list } } },
    { in: 'header', name: 'color', explode: true, schema: list },
    { in: 'cookie', name: 'color', style: 'cookie', schema: text }
  ])
  t.equal(await sent(0, ['a.b', 'c']), '.a%2Eb.c')
  t.equal(await sent(1, ''), ';color')
  t.equal(await sent(2, ['a;b=', '', 'c']), ';color=a%3Bb%3D;color;color=c')
  t.equal(await sent(3, 'a;b c'), 'color=a%3Bb%20c')
  t.equal(await sent(4, ['a;', 'b']), 'color=%5B%22a%3B%22%2C%22b%22%5D')
  t.equal(await sent(5, ['a,', 'b']), '["a,","b"]')
  t.match(await message(sent(6, ['a,b', 'c'])), 'color has a text with ",", which separates its items')
  t.match(await message(sent(7, 'a; b')), '"a; b" has a character that no cookie may have')
})

t.test('cookies of parameters and of credentials are sent together', async t => {
  const folder = t.testdir()
  const scheme = (name: string) => ({ type: 'apiKey', in: 'cookie', name })
  const session = { in: 'cookie', name: 'session', required: true, schema: { type: 'integer', format: 'int64' } }
  const contract = {
    openapi: '3.1.0',
    info: { title: 'Cookies', version: '1.0.0' },
    components: { securitySchemes: { one: scheme('one'), two: scheme('two') } },
    security: [{ one: [], two: [] }],
    paths: {
      '/mine': {
        get: {
          operationId: 'getMine',
          parameters: [session, { in: 'cookie', name: 'theme', schema: text }],
          responses: { 204: { description: 'done' } }
        }
      }
    }
  }
  writeFileSync(join(folder, 'cookies.json'), JSON.stringify(contract))
  const files = await derive(join(folder, 'cookies.json'))
  for (const [name, text] of files) writeFileSync(join(folder, name), text)
  t.match(files.get('client.ts'), /A cookie, which a browser does not send: it has its own\.[\s\S]*?"session"\?: /)
  const { origin, all } = await serve(t, (_request, response) => response.writeHead(204).end())
  const create = await createClientIn(folder)
  const client = create({ baseUrl: origin, one: '1', two: '2', int64: 'bigint' }) as unknown as Record<string, AnyCall>
  await client.getMine?.({ session: 9007199254740993n, theme: 'dark' })
  await client.getMine?.({})
  t.strictSame(
    all.map(({ headers }) => headers.cookie),
    ['session=9007199254740993; theme=dark; one=1; two=2', 'one=1; two=2']
  )
})

t.test('an operation that the client cannot call is left out, with a warning that says why', async t => {
  const folder = t.testdir()
  const operation = {
    operationId: 'work',
    requestBody: { content: { 'text/*': { schema: { type: 'string' } } } },
    responses: { 204: { description: 'done' } }
  }
  const info = { title: 'Work', version: '1.0.0' }
  writeFileSync(
    join(folder, 'work.json'),
    JSON.stringify({ openapi: '3.1.0', info, paths: { '/work': { put: operation } } })
  )
  const report = new Report()
  const files = await derive(join(folder, 'work.json'), report)
  const messages = report.warnings.map(({ message }) => message)
  t.match(messages.join('\n'), /^work is left out of the client and the mock, which do not know the media type/m)
  for (const file of ['client.ts', 'mock.ts']) t.notMatch(files.get(file), /^ {2}work\b/m, file)
})
