import { entriesOf, isObject, type Json, type JsonObject, put } from '@contract-first/document'
import { derive } from './read.ts'

export const typesOf = ({ type }: JsonObject) => (type === undefined ? [] : [type].flat()) as string[]

const single = [
  ...['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'],
  ...['unevaluatedItems', 'unevaluatedProperties']
]
const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const maps = ['properties', 'patternProperties', 'dependentSchemas', '$defs']
/** Keywords whose schemas apply to the same value, not to a part of it. */
export const inPlace = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'])

/** The direct subschemas of a schema with some keywords, by default with all. */
export const subschemasOf = (schema: JsonObject, isMeant = (_keyword: string) => true): JsonObject[] =>
  [
    ...single.filter(isMeant).map(keyword => schema[keyword]),
    ...lists.filter(isMeant).flatMap(keyword => (schema[keyword] ?? []) as Json[]),
    ...maps.filter(isMeant).flatMap(keyword => entriesOf(schema[keyword]).map(([, each]) => each))
  ].filter(isObject)

/** The direct subschemas that apply to the same value. */
export const partsInPlace = (schema: JsonObject): JsonObject[] => subschemasOf(schema, keyword => inPlace.has(keyword))

/** The schema with each direct subschema replaced. */
export const mapSubschemas = (schema: JsonObject, convert: (schema: Json, keyword: string) => Json): JsonObject => {
  const result = derive({} as JsonObject, schema)
  for (const [keyword, value] of Object.entries(schema)) {
    if (single.includes(keyword)) result[keyword] = convert(value, keyword)
    else if (lists.includes(keyword))
      result[keyword] = derive(
        (value as Json[]).map(each => convert(each, keyword)),
        value as Json[]
      )
    else if (maps.includes(keyword)) result[keyword] = mapValues(value as JsonObject, each => convert(each, keyword))
    else put(result, keyword, value)
  }
  return result
}

export const mapValues = (object: JsonObject, convert: (value: Json, key: string) => Json): JsonObject => {
  const result = derive({} as JsonObject, object)
  for (const [key, value] of Object.entries(object)) put(result, key, convert(value, key))
  return result
}
