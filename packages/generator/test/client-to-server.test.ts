import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import t from 'tap'
import { extent } from '../../../test/extent.ts'
import { buildApp } from '../../fastify/src/app.ts'
import { openFixtureStore } from '../../fastify/test/fixture-store.ts'
import { closedWith } from '../../fastify/test/watch.ts'
import { derive } from '../src/generate.ts'
import { createClientIn } from './clients.ts'

// A service accepts what a client of the same contract sends, in every style of parameters and forms.

const kinds = {
  text: ['{ type: string }', fc.string({ unit: 'grapheme', maxLength: 6 })],
  number: ['{ type: number }', fc.double({ noNaN: true, noDefaultInfinity: true }).map(each => each + 0)],
  boolean: ['{ type: boolean }', fc.boolean()],
  int64: ['{ type: integer, format: int64 }', fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)],
  list: [
    '{ type: array, items: { type: string } }',
    fc.array(fc.string({ unit: 'grapheme', maxLength: 4 }), { minLength: 1, maxLength: 3 })
  ],
  numbers: ['{ type: array, items: { type: integer } }', fc.array(fc.integer(), { minLength: 1, maxLength: 3 })],
  object: [
    '{ type: object, required: [a], additionalProperties: false, properties: { a: { type: string }, n: { type: integer } } }',
    fc.record({ a: fc.string({ maxLength: 4 }), n: fc.integer() }, { requiredKeys: ['a'], noNullPrototype: true })
  ],
  deep: [
    '{ type: object, additionalProperties: false, properties: { a: { type: object, properties: { b: { type: array, items: { type: integer } } } }, l: { type: array, items: { type: object, properties: { x: { type: string } } } } } }',
    fc.record(
      {
        a: fc.record({ b: fc.array(fc.integer(), { minLength: 1, maxLength: 3 }) }, { noNullPrototype: true }),
        l: fc.array(fc.record({ x: fc.string({ maxLength: 3 }) }, { noNullPrototype: true }), {
          minLength: 1,
          maxLength: 2
        })
      },
      { noNullPrototype: true }
    )
  ],
  objects: [
    '{ type: array, items: { type: object, properties: { x: { type: integer } } } }',
    fc.array(fc.record({ x: fc.integer() }, { noNullPrototype: true }), { maxLength: 3 })
  ],
  lists: [
    '{ type: array, items: { type: array, items: { type: integer } } }',
    fc.array(fc.array(fc.integer(), { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 })
  ],
  nullable: [
    "{ anyOf: [{ type: object, properties: { x: { type: integer } } }, { type: 'null' }] }",
    fc.option(fc.record({ x: fc.integer() }, { noNullPrototype: true }))
  ]
} as const satisfies Record<string, readonly [string, fc.Arbitrary<unknown>]>
type Kind = keyof typeof kinds

const plain: Kind[] = ['text', 'number', 'boolean', 'int64', 'list', 'numbers']
const structured: Kind[] = ['object', 'deep', 'objects', 'lists', 'nullable']

interface Cell {
  id: string
  kind: Kind
  place: 'query' | 'path' | 'header' | 'form' | 'multipart'
  /** The style of the parameter, or of the encoding. */
  how: string
  isDelimited: boolean
  /** As an additional property. */
  isOther?: boolean
}
const cells: Cell[] = []
const add = (place: Cell['place'], kind: Kind, how: string, more: Partial<Cell> = {}) =>
  cells.push({ id: `cell${cells.length}`, kind, place, how, isDelimited: false, ...more })
for (const kind of [...plain, 'object'] as const) {
  add('query', kind, 'style: form, explode: true')
  add('query', kind, 'style: form, explode: false')
  add('form', kind, 'style: form, explode: true')
  add('form', kind, 'style: form, explode: false')
}
for (const kind of plain) {
  add('path', kind, 'style: simple')
  add('header', kind, 'style: simple')
  add('query', kind, 'allowReserved: true')
  add('form', kind, '')
  add('form', kind, '', { isOther: true })
  add('multipart', kind, '')
}
for (const kind of ['list', 'numbers'] as const)
  for (const style of ['spaceDelimited', 'pipeDelimited'])
    for (const explode of [true, false])
      for (const place of ['query', 'form'] as const)
        add(place, kind, `style: ${style}, explode: ${explode}`, { isDelimited: true })
for (const kind of ['object', 'deep'] as const)
  for (const place of ['query', 'form'] as const) add(place, kind, 'style: deepObject, explode: true')
for (const kind of structured) {
  add('query', kind, 'json')
  add('form', kind, '')
  add('form', kind, '', { isOther: true })
  add('multipart', kind, '')
}

const operation = ({ id, kind, place, how, isOther }: Cell): string => {
  const [schema] = kinds[kind]
  const responses = "responses: { '204': { description: done } }"
  if (place === 'form' || place === 'multipart') {
    const type = place === 'form' ? 'application/x-www-form-urlencoded' : 'multipart/form-data'
    const own = isOther
      ? `{ type: object, additionalProperties: ${schema} }`
      : `{ type: object, properties: { p: ${schema} } }`
    const encoding = how === '' ? '' : `, encoding: { p: { ${how} } }`
    return `  /${id}: { post: { operationId: ${id}, requestBody: { required: true, content: { ${type}: { schema: ${own}${encoding} } } }, ${responses} } }\n`
  }
  const described =
    how === 'json' ? `content: { application/json: { schema: ${schema} } }` : `${how}, schema: ${schema}`
  const parameter = `{ name: p, in: ${place}, required: ${place === 'path'}, ${described} }`
  return `  /${id}${place === 'path' ? '/{p}' : ''}: { get: { operationId: ${id}, parameters: [${parameter}], ${responses} } }\n`
}

/** Whether a client can send a value in this place; not an empty path, characters that headers lack, or separators in items. */
const isSendable = ({ place, kind, isDelimited }: Cell, value: unknown): boolean => {
  const texts = JSON.stringify([value], (_key, each) => (typeof each === 'bigint' ? String(each) : each))
  if (!texts.isWellFormed()) return false
  const items = [value].flat().map(String)
  if (isDelimited && items.some(each => /[ |%]/.test(each))) return false
  if (place === 'path' && (items.join() === '' || /^\.\.?$/.test(items.join()))) return false
  if ((place === 'path' || place === 'header') && kind === 'list' && items.some(each => each.includes(',')))
    return false
  if (place === 'header') return items.every(each => /^[!-+\--~]+$/.test(each))
  // An empty list has no part, and FormData normalises ends of lines.
  if (place === 'multipart' && Array.isArray(value) && value.length === 0) return false
  return place !== 'multipart' || !/\\[rn]/.test(texts)
}

t.test('every value arrives as it was sent', async t => {
  const yaml = `openapi: 3.1.0\ninfo: { title: Cells, version: 1.0.0 }\npaths:\n${cells.map(operation).join('')}`
  const folder = t.testdir({ 'cells.yaml': yaml })
  for (const [name, text] of await derive(join(folder, 'cells.yaml'))) writeFileSync(join(folder, name), text)
  const load = async (name: string) => import(pathToFileURL(join(folder, name)).href)
  const { compiled } = await load('compiled.js')
  const { operations, securitySchemes, limits, basePath } = await load('operations.ts')
  let seen: Record<string, Record<string, unknown>> = {}
  const keep = async (input: typeof seen) => {
    seen = input
    return { status: 204 }
  }
  const nothing = Buffer.from('{}')
  const documents = { yaml: nothing, json: nothing, changelog: nothing }
  const contract = { operations, securitySchemes, limits, basePath, compiled, documents }
  const handlers = Object.fromEntries(cells.map(({ id }) => [id, keep]))
  const store = openFixtureStore()
  const app = await buildApp({ contract, store, handlers: handlers as never })
  closedWith(t, app, store)
  const createClient = await createClientIn(folder)
  const client = createClient({
    baseUrl: 'http://cells.example',
    int64: 'bigint',
    fetch: async request => {
      const { pathname, search } = new URL(request.url)
      const payload = Buffer.from(await request.arrayBuffer())
      const { method, headers } = request
      const res = await app.inject({
        method: method as 'GET',
        url: pathname + search,
        headers: Object.fromEntries(headers),
        ...(method === 'POST' && { payload })
      })
      return new Response(res.body || null, { status: res.statusCode, headers: res.headers as Record<string, string> })
    }
  }) as unknown as Record<string, (input: object) => Promise<{ status: number }>>
  for (const cell of cells) {
    const { id, kind, place, how, isOther } = cell
    const part = { query: 'query', path: 'params', header: 'headers', form: 'body', multipart: 'body' }[place]
    const name = isOther ? 'other name' : 'p'
    const values = (kinds[kind][1] as fc.Arbitrary<unknown>).filter(value => isSendable(cell, value))
    await fc.assert(
      fc.asyncProperty(values, async value => {
        const sent = { [name]: value }
        seen = {}
        const text = JSON.stringify(value, asText).replace(lineSeparators, encodeURI)
        const what = `${place} ${how} ${kind} ${text}`
        try {
          await client[id]?.(part === 'body' ? { body: sent } : sent)
        } catch (error) {
          t.fail(`${what}: ${(error as Error).message}`)
          throw error
        }
        const got = seen[part]
        t.strictSame(got && JSON.parse(JSON.stringify(got, asText)), JSON.parse(JSON.stringify(sent, asText)), what)
      }),
      { numRuns: extent(5, 100) }
    )
  }
})

// In the name of an assertion, they would end the report of its test.
const lineSeparators = /[\u2028\u2029]/g
const asText = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)
