import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import t, { type Test } from 'tap'
import type { Naming } from '../src/emit-package.ts'
import { derive } from '../src/generate.ts'
import { type AnyClient, createClientIn, errorOf } from './clients.ts'
import { typeProblems } from './compile.ts'

const at = { type: 'string', format: 'date-time' }
const day = { type: 'string', format: 'date' }
const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const $ref = '#/components/schemas/Visit'
const parameter = (place: string, name: string, schema: object, more = {}) => ({
  ...{ in: place, name, required: place === 'path', schema },
  ...more
})
const contract = {
  openapi: '3.1.0',
  info: { title: 'Visits', version: '1.0.0' },
  paths: {
    '/visits/{on}': {
      post: {
        operationId: 'addVisit',
        parameters: [
          parameter('path', 'on', day),
          parameter('query', 'since', at),
          parameter('query', 'days', { type: 'array', items: day }),
          parameter(
            'query',
            'range',
            { type: 'object', properties: { from: at, until: day } },
            { style: 'deepObject' }
          ),
          parameter('header', 'X-At', at),
          parameter('header', 'X-Days', { type: 'array', items: day }),
          parameter('cookie', 'seen', at)
        ],
        requestBody: { required: true, ...json({ $ref }) },
        responses: { 200: { description: 'the visit', ...json({ $ref }) } }
      }
    },
    '/form': {
      post: {
        operationId: 'sendForm',
        requestBody: { content: { 'application/x-www-form-urlencoded': { schema: { $ref } } } },
        responses: { 204: { description: 'done' } }
      }
    },
    '/events': {
      get: {
        operationId: 'watch',
        responses: { 200: { description: 'visits', content: { 'text/event-stream': { schema: { $ref } } } } }
      }
    }
  },
  components: {
    schemas: {
      Kind: { type: 'string', description: 'Why', enum: ['check-up', 'surgery', ''] },
      Level: { type: ['integer', 'null'], enum: [1, 2, null] },
      Date: { type: 'string' },
      Visit: {
        type: 'object',
        properties: {
          id: { type: 'integer', format: 'int64' },
          at,
          day,
          kind: { $ref: '#/components/schemas/Kind' },
          level: { $ref: '#/components/schemas/Level' },
          perhaps: { type: ['string', 'null'], format: 'date-time' },
          either: { anyOf: [at, { type: 'string', maxLength: 5 }] },
          fixed: { type: 'string', format: 'date', const: '2030-12-31' },
          next: { type: 'array', items: { $ref } }
        }
      }
    }
  }
}

const made = async (t: Test, options: Partial<Naming> = {}) => {
  const folder = join(t.testdir(), 'generated')
  mkdirSync(folder)
  writeFileSync(join(folder, 'visits.json'), JSON.stringify(contract))
  const files = await derive(join(folder, 'visits.json'), undefined, undefined, { contract: 'visits.json', ...options })
  for (const [name, text] of files) writeFileSync(join(folder, name), text)
  return { folder, files, load: (name: string) => import(pathToFileURL(join(folder, name)).href) }
}

t.test('without the options, nothing of them is generated', async t => {
  const { files } = await made(t)
  t.notOk(files.has('enums.ts'))
  t.notMatch(files.get('package.json'), 'enums')
  for (const file of ['client.ts', 'client-operations.ts', 'client-calls.ts', 'validators.ts', 'mock.ts'])
    t.notMatch(files.get(file), /client-dates|dates\./, file)
  t.match(files.get('types.ts'), /at\?: string/)
})

t.test('enums: an object for each schema that lists values', async t => {
  const { folder, files, load } = await made(t, { enums: true })
  const { Kind, Level, ...others } = await load('enums.ts')
  t.strictSame(Kind, { 'check-up': 'check-up', surgery: 'surgery', '': '' })
  t.strictSame(Level, { 1: 1, 2: 2 })
  t.strictSame(Object.keys(others), [])
  t.match(files.get('package.json'), '"./enums":')
  t.match(files.get('tsconfig.json'), '"enums.ts"')
  const lines = `
import { Kind, Level } from './enums.ts'
import type { Visit } from './index.ts'
export const visit: Visit = { kind: Kind['check-up'], level: Level[1] }
export const kind: Kind = 'surgery'
// @ts-expect-error It has no such value.
export const wrong: Kind = 'holiday'
`
  writeFileSync(join(folder, 'lines.ts'), lines)
  t.strictSame(typeProblems([join(folder, 'lines.ts')], ['esnext', 'dom']), [])
})

t.test('dates: a client has each date as a Date, and loses nothing', async t => {
  const { folder, load } = await made(t, { dates: true })
  const requests: Request[] = []
  let response = '{}'
  let type = 'application/json'
  const fetch = async (request: Request) => {
    requests.push(request)
    return request.url.endsWith('/form')
      ? new Response(null, { status: 204 })
      : new Response(response, { headers: { 'content-type': type } })
  }
  const baseUrl = 'https://visits.example'
  const client = (await createClientIn(folder))({ baseUrl, fetch, int64: 'bigint' }) as AnyClient &
    Record<'addVisit' | 'sendForm', AnyClient['addThing']>
  const [noon, morning] = [new Date('2030-12-31T12:00:00.001Z'), new Date('2030-12-31')]

  await t.test('in requests', async t => {
    const body = { id: 2n ** 60n, at: noon, day: morning, either: noon, perhaps: null, next: [{ day: morning }] }
    await client.addVisit({
      ...{ on: morning, since: noon, days: [morning, morning], range: { from: noon, until: morning } },
      ...{ 'X-At': noon, 'X-Days': [morning], seen: noon, body }
    })
    const [{ url, headers } = new Request(baseUrl)] = requests
    t.equal(
      decodeURIComponent(url.slice(baseUrl.length)),
      '/visits/2030-12-31?since=2030-12-31T12:00:00.001Z&days=2030-12-31&days=2030-12-31' +
        '&range[from]=2030-12-31T12:00:00.001Z&range[until]=2030-12-31'
    )
    t.equal(headers.get('x-at'), noon.toISOString())
    t.equal(headers.get('x-days'), '2030-12-31')
    t.equal(decodeURIComponent(`${headers.get('cookie')}`), `seen=${noon.toISOString()}`)
    t.equal(
      await requests[0]?.text(),
      '{"id":1152921504606846976,"at":"2030-12-31T12:00:00.001Z","day":"2030-12-31","either":"2030-12-31T12:00:00.001Z",' +
        '"perhaps":null,"next":[{"day":"2030-12-31"}]}'
    )
    await client.sendForm({ body: { at: noon, day: morning } })
    t.equal(await requests[1]?.text(), 'at=2030-12-31T12%3A00%3A00.001Z&day=2030-12-31')
    const message = async (value: Date) => (await errorOf(client.addVisit({ on: value, body: {} }))).message
    t.match(await message(noon), 'on is 2030-12-31T12:00:00.001Z, but a day must be its midnight in UTC')
    t.match(await message(new Date(Number.NaN)), 'addVisit cannot be called: ')
    t.match(await message(new Date('+010000-01-01')), 'is not a year from 0 to 9999')
    t.equal(requests.length, 2)
  })

  await t.test('in responses', async t => {
    const body = {
      ...{ id: 1152921504606846977n, day: '2030-12-31', kind: 'surgery', perhaps: null, either: 'soon' },
      next: [{ at: '2030-12-31t14:00:00.0010000+02:00', fixed: '2030-12-31' }, { either: '2030-12-31T12:00:00Z' }]
    }
    response = JSON.stringify({ ...body, id: 0 }).replace('0', `${body.id}`)
    const read = await client.addVisit({ on: morning, body: {} })
    t.strictSame(read.body, {
      ...{ ...body, day: morning },
      next: [{ at: noon, fixed: '2030-12-31' }, { either: new Date('2030-12-31T12:00:00Z') }]
    })
    for (const [name, text] of [
      ['at', '2030-12-31T12:00:00.0001Z'],
      ['at', '2030-12-31T23:59:60Z'],
      ['at', '2030-02-30T12:00:00Z'],
      ['at', '2030-12-31'],
      ['day', '2030-02-30'],
      ['day', '2030-12-31T00:00:00Z']
    ]) {
      response = JSON.stringify({ next: [{ [`${name}`]: text }] })
      t.match(await errorOf(client.addVisit({ on: morning, body: {} })), {
        kind: 'inexact',
        message: `addVisit got 200 with a body that cannot be read: body.next[0].${name} is "${text}", which a Date cannot be exactly`
      })
    }
  })

  await t.test('in events', async t => {
    const [{ connect, watch }, { readItems }] = [await load('client-calls.ts'), await load('client-streams.ts')]
    ;[response, type] = ['data: {"at":"2030-12-31T12:00:00.001Z"}\n\n', 'text/event-stream']
    const items = []
    for await (const item of readItems(connect({ baseUrl, fetch }), watch)) items.push(item)
    t.strictSame(items, [{ data: { at: noon } }])
  })

  await t.test('in forms', async t => {
    const { addVisitBody } = await load('validators.ts')
    const { validate } = addVisitBody()['~standard']
    t.strictSame(validate({ at: noon.toISOString(), day: morning, id: '7' }), {
      value: { at: noon, day: morning, id: 7 }
    })
    t.match(validate({ at: '2030-12-31T12:00:00.0001Z' }), { issues: [{ message: /which a Date cannot be exactly$/ }] })
    t.match(validate({ at: 'noon' }), { issues: [{ path: ['at'], message: /^At must be a date and time/ }] })
  })

  await t.test('and in the compiler', async t => {
    const lines = `
import { createClient } from './client.ts'
import type { Visit } from './index.ts'
import { createMock } from './mock.ts'
import { addVisitBody, type Entered } from './validators.ts'
export const visit: Visit = { at: new Date(), day: new Date(), perhaps: null, either: new Date(), fixed: '2030-12-31' }
// @ts-expect-error It is a Date.
export const text: Visit = { at: '2030-12-31T12:00:00Z' }
export const call = async () => {
  const client = createClient({ baseUrl: 'https://a.example' })
  const input = { on: new Date(), since: new Date(), days: [new Date()], seen: new Date(), 'X-At': new Date() }
  const { body } = await client.addVisit({ ...input, body: { day: new Date() } })
  body.next?.[0]?.at satisfies Date | undefined
}
export const mock = createMock({ respond: { addVisit: { status: 200, body: { at: '2030-12-31T12:00:00Z', next: [{}] } } } })
export const entered: Entered<Visit> = { at: '', day: new Date() }
export const outcome = addVisitBody()
`
    writeFileSync(join(folder, 'lines.ts'), lines)
    t.strictSame(typeProblems([join(folder, 'lines.ts')], ['esnext', 'dom']), [])
  })

  await t.test('in a bundle, only of the operations that it calls', async t => {
    const { outputFiles } = await build({
      stdin: { contents: "export { connect } from './client-calls.ts'", resolveDir: folder, loader: 'ts' },
      ...{ bundle: true, format: 'esm', write: false, external: ['./client-deprecation.ts', './client-integers.ts'] }
    })
    t.notMatch(outputFiles?.[0]?.text, /which a Date cannot be|"date-time"|addVisit/)
  })

  await t.test('a mock sends texts', async t => {
    const { createMock } = await load('mock.ts')
    const respond = { addVisit: { status: 200, body: { at: '2030-12-31T12:00:00.001Z' } } }
    const mocked = (await createClientIn(folder))({ baseUrl, fetch: createMock({ respond }) }) as typeof client
    t.strictSame((await mocked.addVisit({ on: morning, body: {} })).body, { at: noon })
  })
})
