import type { Json } from '../../document/json.ts'
import { isObject } from '../../document/json.ts'
import { tightest, withoutNull } from './normal-form.ts'
import type { Keywords, Schema } from './schema.ts'

/** One assertion of a schema that can fail on its own; a value is valid when none of them does. */
export interface Assertion {
  keyword: keyof Keywords
  /** Which of several of the keyword: a property's name, an item's index. */
  key?: string | number
  /** The schema that asserts nothing else. Keywords whose meaning depends on others have those beside them, emptied. */
  keywords: Keywords
  /** The one that it was said in. */
  schema: Schema
}

const known = new WeakMap<Schema, readonly Assertion[]>()

/** The assertions of a schema, those of its `allOf` among them, in a form that does not tell how they were put together. */
export const assertionsOf = (schema: Schema): readonly Assertion[] => {
  const found = known.get(schema) ?? tightest([...flattened(schema, new Set())])
  known.set(schema, found)
  return found
}

function* flattened(schema: Schema, above: ReadonlySet<Schema>): Generator<Assertion> {
  if (above.has(schema)) return
  const inside = new Set([...above, schema])
  for (const assertion of ownAssertions(schema)) yield* withoutNull(assertion)
  for (const part of schema.keywords.allOf ?? []) yield* flattened(part, inside)
}

const anything: Schema = { id: -1, keywords: {} }
const emptied = (schemas: ReadonlyMap<string, Schema>) => new Map([...schemas.keys()].map(key => [key, anything]))

function* ownAssertions(schema: Schema): Generator<Assertion> {
  const { keywords } = schema
  for (const [keyword, value] of Object.entries(keywords) as [keyof Keywords, never][]) {
    const one = (alone: Keywords, key?: string | number): Assertion => ({
      keyword,
      keywords: alone,
      schema,
      ...(key !== undefined && { key })
    })
    switch (keyword) {
      case 'allOf':
      case 'then':
      case 'else':
        break
      case 'required':
        for (const name of value as string[]) yield one({ required: [name] }, name)
        break
      case 'properties':
      case 'patternProperties':
      case 'dependentSchemas':
      case 'dependentRequired':
        for (const [name, each] of value as Map<string, never>) yield one({ [keyword]: new Map([[name, each]]) }, name)
        break
      case 'prefixItems':
        for (const [index, each] of (value as Schema[]).entries())
          yield one({ prefixItems: [...Array(index).fill(anything), each] }, index)
        break
      case 'items':
        yield one({
          items: value,
          ...(keywords.prefixItems && { prefixItems: keywords.prefixItems.map(() => anything) })
        })
        break
      case 'additionalProperties':
        yield one({
          additionalProperties: value,
          ...(keywords.properties && { properties: emptied(keywords.properties) }),
          ...(keywords.patternProperties && { patternProperties: emptied(keywords.patternProperties) })
        })
        break
      case 'if':
        yield one(only(keywords, ['if', 'then', 'else']))
        break
      default:
        yield one({ [keyword]: value })
    }
  }
}

const only = (keywords: Keywords, wanted: (keyof Keywords)[]): Keywords =>
  Object.fromEntries(Object.entries(keywords).filter(([keyword]) => wanted.includes(keyword as keyof Keywords)))

/** The keywords of a schema that this array or object alone satisfies. */
export const keywordsOfConst = (value: Json, of: (value: Json) => Schema, nothing: Schema): Keywords => {
  if (Array.isArray(value))
    return { types: ['array'], prefixItems: value.map(of), items: nothing, minItems: value.length }
  if (isObject(value))
    return {
      types: ['object'],
      properties: new Map(Object.entries(value).map(([key, each]) => [key, of(each)])),
      additionalProperties: nothing,
      required: Object.keys(value)
    }
  return { values: [value] }
}
