import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { derive } from '../src/generate.ts'
import { type AnyClient, createClientIn, errorOf } from './clients.ts'

// On every path that a number can take, it arrives with its digits, or not at all.

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
          parameter('header', 'X-Number', int64)
        ],
        responses
      }
    }
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
  read(value => ({ 'X-Number': value }))
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
  writeFileSync(join(folder, 'numbers.json'), JSON.stringify(contract))
  for (const [name, text] of await derive(join(folder, 'numbers.json'))) writeFileSync(join(folder, name), text)
  const createClient = await createClientIn(folder)
  const load = (name: string) => import(pathToFileURL(join(folder, name)).href)
  const [{ createMock }, validators] = [await load('mock.ts'), await load('validators.ts')]
  const baseUrl = 'https://numbers.example'
  let sent = ''
  let response = '{}'
  const fetch = async (request: Request) => {
    sent = `${decodeURIComponent(request.url)} ${request.headers.get('x-number')} ${await request.text()}`
    return new Response(response, { headers: { 'content-type': 'application/json' } })
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
    response = '{}'
  }
  const mocked = (body: object) => createMock({ respond: { read: { status: 200, body } } })(`${baseUrl}/of/1`)
  for (const name of ['id', 'count', 'x-a']) await t.rejects(mocked({ [name]: rounded }), /use a bigint/)
  t.equal(await (await mocked({ id: exact })).text(), `{"id":${digits}}`)
})
