import { entriesOf, isObject, type Json, type JsonObject, put } from '../document/json.ts'
import { derive } from './read.ts'

const single = ['items', 'additionalProperties', 'not']
const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const maps = ['properties', '$defs']

/** The direct subschemas of a schema. */
export const subschemasOf = (schema: JsonObject): JsonObject[] =>
  [
    ...single.map(keyword => schema[keyword]),
    ...lists.flatMap(keyword => (schema[keyword] ?? []) as Json[]),
    ...maps.flatMap(keyword => entriesOf(schema[keyword]).map(([, each]) => each))
  ].filter(isObject)

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
