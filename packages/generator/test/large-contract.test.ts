import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'
import { jsonText } from '../../document/src/json.ts'
import { derive } from '../src/generate.ts'
import { typeProblems } from './compile.ts'

// The entries of a contract with more than 100 operations are JavaScript, with declarations that give handlers their types.

const contract = join(import.meta.dirname, '../../../openapi/petstore.yaml')
const handlers = join(import.meta.dirname, '../../fastify/src/operations/handlers.ts')

/** The Animal Store's contract, with a parameter to rename, further operations, and a schema that none of them uses. */
const generated = async (folder: string, more: number) => {
  const document = parse(readFileSync(contract, 'utf8'), { intAsBigInt: true })
  document.components.schemas.Event = { type: 'object', properties: { pet: { $ref: '#/components/schemas/Pet' } } }
  for (let number = 1; number <= more; number++)
    document.paths[`/more/${number}/{the-id}`] = {
      get: {
        operationId: `getMore${number}`,
        summary: 'More',
        tags: ['animals'],
        parameters: [{ name: 'the-id', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } }],
        responses: { 200: { description: 'Text', content: { 'text/plain': { schema: { type: 'string' } } } } }
      }
    }
  const file = join(folder, 'petstore.json')
  writeFileSync(file, jsonText(document))
  for (const [name, text] of await derive(file)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}
const entriesIn = async (folder: string) => (await import(pathToFileURL(join(folder, 'operations.ts')).href)).operations

t.test('a large contract has the entries and the types of a small one', async t => {
  const folder = t.testdir({ small: {}, large: {} })
  const [small, large] = [join(folder, 'small'), join(folder, 'large')]
  await generated(small, 1)
  await generated(large, 101)
  const expected = await entriesIn(small)
  const found = await entriesIn(large)
  for (const id of Object.keys(expected)) t.strictSame(found[id], expected[id], id)
  t.equal(Object.keys(found).length, Object.keys(expected).length + 100)

  const lines = `
import type { Handler, Handlers } from ${JSON.stringify(handlers)}
import type { operations } from './operations.ts'
import type { components as forClients } from './types.ts'
import type { components } from './types-bigint.ts'
export type Pet = components['schemas']['Pet']
export type PetOfEvent = forClients['schemas']['Event']['pet']
// @ts-expect-error No operation uses it.
export type Unused = components['schemas']['Event']
type All = typeof operations
type Ids = keyof Handlers<All>
type Input<Id extends keyof All> = Parameters<Handler<All[Id]>>[0]
declare const list: Input<'listPets'>
export const limit: number = list.query.limit
export const status: 'available' | 'pending' | 'sold' | undefined = list.query.status
// @ts-expect-error The contract declares no such parameter.
export const other = list.query.other
declare const one: Input<'getPet'>
export const id: bigint = one.params.petId
// @ts-expect-error Its path has nothing else.
export const none = one.params.other
declare const create: Input<'createPet'>
export const category: bigint = create.body.categoryId
export const once = create.once
// @ts-expect-error Only createPet can be repeated.
export const never = one.once
declare const more: Input<'getMore1'>
export const renamed: bigint = more.params.the_id
export const get: Pick<Handlers<All>, 'getPet'> = {
  getPet: async () => ({ status: 200, body: { id: 1n, name: 'Rex', categoryId: 7n, status: 'sold' } })
}
export const wrong: Partial<Handlers<All>> = {
  // @ts-expect-error The name is missing.
  getPet: async () => ({ status: 200, body: { id: 1n, categoryId: 7n, status: 'sold' } }),
  // @ts-expect-error The contract declares no 418.
  createPet: async () => ({ status: 418, body: { code: 'teapot', message: '', status: 418 } }),
  listPets: async () => ({ status: 200, headers: { Link: '<?>; rel="next"' }, body: [] }),
  getMore1: async () => ({ status: 200, body: 'text' })
}
export const wrongHeader: Partial<Handlers<All>> = {
  // @ts-expect-error A link is a text.
  listPets: async () => ({ status: 200, headers: { Link: 1 }, body: [] })
}
// @ts-expect-error An operation without a 501 needs a handler.
export const missing: Handlers<All> = { ...get }
export const announced: Ids = 'getPet'
`
  const files = [small, large].map(folder => join(folder, 'lines.ts'))
  for (const file of files) writeFileSync(file, lines)
  t.strictSame(
    typeProblems(files, ['esnext', 'dom']).filter(each => each.includes('lines.ts')),
    []
  )
})
