import { join } from 'node:path'
import type { Test } from 'tap'
import { stringify } from 'yaml'
import { LoadError, type OpenApiDocument } from '../src/document.ts'
import type { Json } from '../src/json.ts'
import type { Node } from '../src/node.ts'

export const petstore = join(import.meta.dirname, '../../../openapi/petstore.yaml')

export const contract = (rest: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'A', version: '1.0.0' },
  paths: {},
  ...rest
})

export const withSchemas = (schemas: object) => JSON.stringify(contract({ components: { schemas } }), null, 2)

export const at = (document: OpenApiDocument, ...keys: (string | number)[]): Node => {
  const node = keys.reduce<Node | undefined>((node, key) => node?.get(key), document.root)
  if (node === undefined) throw new Error(`there is no ${keys.join('/')}`)
  return node
}

export const schema = (document: OpenApiDocument, ...keys: (string | number)[]) =>
  at(document, 'components', 'schemas', ...keys)

/** The lines of the error with which something is refused. */
export const refusal = (load: () => unknown): string[] => {
  try {
    load()
  } catch (error) {
    if (error instanceof LoadError) return error.message.split('\n')
    throw error
  }
  return ['it was not refused']
}

export const toJson = (value: Json, indent: number) =>
  JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? JSON.rawJSON(String(part)) : part), indent)

export const descendants = (node: Node): Node[] => [
  node,
  ...[...node.items(), ...node.entries().map(([, child]) => child)].flatMap(descendants)
]

export const severalFiles = {
  'main.yaml': stringify(
    contract({
      paths: { '/pets': { $ref: 'paths/pets.yaml' } },
      components: { schemas: { Pet: { $ref: './schemas/Pet.yaml' }, Name: { type: 'string' } } }
    })
  ),
  paths: {
    'pets.yaml': stringify({
      get: { parameters: [{ $ref: '../shared.json#/Limit' }], responses: { 200: { $ref: '../shared.json#/Pets' } } }
    })
  },
  schemas: {
    'Pet.yaml': stringify({ properties: { name: { $ref: '../main.yaml#/components/schemas/Name' } } }),
    'My tag.yaml': 'type: string'
  },
  'shared.json': JSON.stringify({
    Limit: { name: 'limit', in: 'query', schema: { $ref: '#/Count' } },
    Count: { type: 'integer' },
    Pets: { content: { 'application/json': { schema: { items: { $ref: 'schemas/My%20tag.yaml' } } } } },
    Unused: { $ref: '#/Nowhere' }
  })
}

/** Checks `severalFiles`, wherever they are read from. */
export const checkSeveralFiles = (t: Test, document: OpenApiDocument, folder: string) => {
  const operation = document.resolve(at(document, 'paths', '/pets')).get('get') as Node
  t.strictSame(operation.place, { file: `${folder}paths/pets.yaml`, line: 1, column: 1 })
  const limit = document.resolve(operation.get('parameters')?.get(0) as Node)
  t.equal(limit.source.name, `${folder}shared.json`)
  t.equal(document.nameOf(document.resolve(limit.get('schema') as Node)), 'Count')
  const pet = document.resolve(schema(document, 'Pet'))
  t.equal(pet.source.name, `${folder}schemas/Pet.yaml`)
  t.equal(document.nameOf(pet), 'Pet')
  const name = document.resolve(pet.get('properties')?.get('name') as Node)
  t.equal(name, schema(document, 'Name'), 'the way back is to the same node')
  t.equal(document.nameOf(name), 'Name')
  t.equal(document.nameOf(document.root), undefined)
  t.equal(document.nameOf(limit.get('schema') as Node), undefined)
}
