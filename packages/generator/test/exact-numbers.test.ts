import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { derive } from '../src/generate.ts'
import { type AnyClient, createClientIn, errorOf } from './clients.ts'

// On every path that a number can take, it arrives with its digits, or not at all. For the page, which is tried in a browser, that is
// tested in packages/fastify/test/docs/docs-forms.full.test.ts.

const digits = '9007199254740993'
const exact = BigInt(digits)
/** What is left of it once a program has made a number of it: another integer. */
const rounded = Number(digits)

const int64 = { type: 'integer', format: 'int64' }
const integer = { type: 'integer' }
const places = {
  type: 'object',
  properties: {
    id: int64,
    count: integer,
    list: { type: 'array', items: int64 },
    either: { type: ['integer', 'boolean'], format: 'int64' }
  },
  patternProperties: { '^x-': int64 },
  additionalProperties: int64
}
const parameter = (place: string, name: string, schema: object, more = {}) => ({
  ...{ in: place, name, required: place === 'path', schema },
  ...more
})
const body = (type: string) => ({ content: { [type]: { schema: places } } })
const found = { description: 'found', content: { 'application/json': { schema: places } } }
const small = { type: 'object', properties: { id: int64 } }
const streams = { events: 'text/event-stream', lines: 'application/x-ndjson' }
/** Stands for the digits, which a program cannot have in a number. */
const exactly = 'EXACTLY'
const responses = { '200': found, '400': { ...found, description: 'refused' } }
const forms = { json: 'application/json', form: 'application/x-www-form-urlencoded', parts: 'multipart/form-data' }
const contract = {
  openapi: '3.1.0',
  info: { title: 'Numbers', version: '1.0.0' },
  paths: {
    ...Object.fromEntries(
      Object.entries(forms).map(([name, type]) => [
        `/${name}`,
        { post: { operationId: name, requestBody: body(type), responses } }
      ])
    ),
    '/of/{inPath}': {
      get: {
        operationId: 'read',
        parameters: [
          parameter('path', 'inPath', int64),
          parameter('query', 'plain', int64),
          parameter('query', 'whole', integer),
          parameter('query', 'many', { type: 'array', items: int64 }),
          parameter('query', 'deep', places, { style: 'deepObject' }),
          parameter('query', 'flat', { ...places, properties: { id: int64 } }, { explode: false }),
          parameter('header', 'X-Number', int64),
          parameter('header', 'X-Spread', small, { explode: true }),
          parameter('header', 'X-Json', int64, {
            schema: undefined,
            content: { 'application/json': { schema: int64 } }
          }),
          parameter('cookie', 'kept', int64)
        ],
        responses
      }
    },
    '/styled/{label}/{matrix}': {
      get: {
        operationId: 'styled',
        parameters: [
          parameter('path', 'label', { type: 'array', items: int64 }, { style: 'label', explode: true }),
          parameter('path', 'matrix', small, { style: 'matrix', explode: true })
        ],
        responses
      }
    },
    '/list': {
      get: {
        operationId: 'list',
        parameters: [parameter('query', 'above', int64)],
        responses: {
          '200': {
            description: 'a page',
            headers: { Link: { schema: { type: 'string' } } },
            content: { 'application/json': { schema: { type: 'array', items: int64 } } }
          }
        }
      }
    },
    '/example': {
      get: {
        operationId: 'example',
        responses: {
          '200': { description: 'one', content: { 'application/json': { schema: places, example: { id: exactly } } } }
        }
      }
    },
    ...Object.fromEntries(
      Object.entries(streams).map(([name, type]) => [
        `/${name}`,
        {
          get: {
            operationId: name,
            responses: { '200': { description: 'all', content: { [type]: { schema: places } } } }
          }
        }
      ])
    )
  }
}

type Case = [operation: string, inputOf: (value: unknown) => object, isInt64?: boolean]
const ofBody = (operation: string): Case[] => [
  [operation, value => ({ body: { id: value } })],
  [operation, value => ({ body: { count: value } }), false],
  [operation, value => ({ body: { list: [1, value] } })],
  [operation, value => ({ body: { either: value } })],
  [operation, value => ({ body: { 'x-a': value } })],
  [operation, value => ({ body: { other: value } })]
]
const read = (inputOf: (value: unknown) => object, isInt64 = true): Case => [
  'read',
  value => ({ inPath: 1, ...inputOf(value) }),
  isInt64
]
const cases: Case[] = [
  ...Object.keys(forms).flatMap(ofBody),
  read(value => ({ inPath: value })),
  read(value => ({ plain: value })),
  read(value => ({ whole: value }), false),
  read(value => ({ many: [1, value] })),
  read(value => ({ deep: { id: value } })),
  read(value => ({ deep: { list: [value] } })),
  read(value => ({ flat: { id: value } })),
  read(value => ({ 'X-Number': value })),
  read(value => ({ 'X-Spread': { id: value } })),
  read(value => ({ 'X-Json': value })),
  read(value => ({ kept: value })),
  ['styled', value => ({ label: [1, value], matrix: { id: 1 } })],
  ['styled', value => ({ label: [1], matrix: { id: value } })],
  ['list', value => ({ above: value })]
]

const received = [
  [`{"id":${digits}}`, true],
  [`{"count":${digits}}`, false],
  [`{"list":[${digits}.0]}`, true],
  [`{"either":${digits}}`, true],
  [`{"x-a":${digits}}`, true],
  [`{"other":9007199254740.993e3}`, true]
] as const

t.test('no number is sent, received, entered or mocked with other digits than it was written with', async t => {
  const folder = join(t.testdir(), 'numbers')
  mkdirSync(folder)
  writeFileSync(join(folder, 'numbers.json'), JSON.stringify(contract).replaceAll(`"${exactly}"`, digits))
  for (const [name, text] of await derive(join(folder, 'numbers.json'))) writeFileSync(join(folder, name), text)
  const createClient = await createClientIn(folder)
  const load = (name: string) => import(pathToFileURL(join(folder, name)).href)
  const [{ createMock }, validators] = [await load('mock.ts'), await load('validators.ts')]
  const [calls, { readItems }, query] = [
    await load('client-calls.ts'),
    await load('client-streams.ts'),
    await load('client-query.ts')
  ]
  const baseUrl = 'https://numbers.example'
  let sent = ''
  let response = '{}'
  let headers: Record<string, string> = { 'content-type': 'application/json' }
  const fetch = async (request: Request) => {
    sent = `${decodeURIComponent(request.url)} ${JSON.stringify([...request.headers])} ${await request.text()}`
    return new Response(request.url.includes('/list') ? '[]' : response, { headers })
  }
  for (const mode of ['number', 'bigint', 'string'] as const) {
    const client = createClient({ baseUrl, fetch, int64: mode }) as AnyClient & Record<string, AnyClient['addThing']>
    for (const [operation, inputOf, isInt64] of cases) {
      const title = `${mode}: ${operation} ${JSON.stringify(inputOf('…'))}`
      const call = (value: unknown) => client[operation]?.(inputOf(value)) ?? Promise.reject(new Error(operation))
      const entered = (value: unknown) =>
        validators[`${operation}Input`]({ int64: mode })['~standard'].validate(inputOf(value))
      sent = ''
      t.match(await errorOf(call(rounded)), { kind: 'inexact' }, title)
      t.equal(sent, '', title)
      t.match(entered(rounded), { issues: [{ message: / must be at most 9007199254740991$/ }] }, `${title} in a form`)
      const isKept = isInt64 !== false && mode !== 'number'
      const kept = { value: inputOf(mode === 'bigint' ? exact : digits) }
      const refused = { issues: [{ message: / must be at most 9007199254740991$/ }] }
      t.match(entered(digits), isKept ? kept : refused, `${title} as a text in a form`)
      t.match(entered(exact), isKept ? kept : refused, `${title} as a bigint in a form`)
      if (isInt64 === false || mode === 'number') continue
      await call(mode === 'bigint' ? exact : digits)
      t.match(sent, digits, title)
    }
    for (const [text, isInt64] of received) {
      response = text
      const call = client.json?.({ body: {} }) ?? Promise.reject()
      if (mode === 'number' || !isInt64) t.match(await errorOf(call), { kind: 'inexact' }, text)
      else t.match(Object.values((await call).body).flat(), [mode === 'bigint' ? exact : digits], text)
    }
    for (const [name, type] of Object.entries(streams)) {
      headers = { 'content-type': type }
      response = name === 'events' ? `data: {"id":${digits}}\n\n` : `{"id":${digits}}\n`
      const items = readItems(calls.connect({ baseUrl, fetch, int64: mode }), calls[name])
      if (mode === 'number') t.match(await errorOf(items.next()), { kind: 'inexact' }, name)
      else
        t.match(
          JSON.stringify(await items.next(), (_key, each) => (typeof each === 'bigint' ? `${each}` : each)),
          digits
        )
    }
    // The next page of a list has its input in a URL.
    headers = { 'content-type': 'application/json', link: `<?above=${digits}>; rel="next"` }
    response = '{}'
    const { next } = (await client.list?.({})) ?? {}
    if (mode === 'number') t.equal(next.above, undefined)
    else t.equal(String(next.above), digits)
    await client.list?.(next)
    t.match(sent, `above=${digits}`, mode)
    const key = query.queryOptions(calls.connect({ baseUrl }), calls.list, {
      above: mode === 'bigint' ? exact : digits
    })
    t.match(JSON.stringify(key.queryKey), digits)
    headers = { 'content-type': 'application/json' }
  }
  t.equal(await (await createMock()(`${baseUrl}/example`)).text(), `{"id":${digits}}`)
  const mocked = (body: object) => createMock({ respond: { read: { status: 200, body } } })(`${baseUrl}/of/1`)
  for (const name of ['id', 'count', 'x-a']) await t.rejects(mocked({ [name]: rounded }), /use a bigint/)
  t.equal(await (await mocked({ id: exact })).text(), `{"id":${digits}}`)
})
