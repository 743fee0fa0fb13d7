import { isObject, type Json, type JsonObject, placeIn, put } from '@contract-first/document'
import { derive } from './read.ts'

export const typesOf = ({ type }: JsonObject) =>
  (type === undefined ? [] : Array.isArray(type) ? type : [type]) as string[]

/** Keywords whose schemas apply to the same value, not to a part of it. */
export const inPlace = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'])

/** The direct subschemas of a schema with some keywords, by default with all. */
export const subschemasOf = (schema: JsonObject, isMeant = (_keyword: string) => true): JsonObject[] => {
  const all: JsonObject[] = []
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword]
    if (typeof value !== 'object' || value === null || !isMeant(keyword)) continue
    const holds = placeIn('schema', keyword)
    if (holds === 'data') continue
    if (holds === 'schemas' || Array.isArray(value)) {
      for (const each of Object.values(value)) if (isObject(each)) all.push(each)
    } else all.push(value)
  }
  return all
}

/** The schema, and all schemas in it at any depth. */
export const schemasIn = (schema: JsonObject): JsonObject[] => {
  const all = [schema]
  for (const each of all) for (const inner of subschemasOf(each)) all.push(inner)
  return all
}

/** The direct subschemas that apply to the same value. */
export const partsInPlace = (schema: JsonObject): JsonObject[] => subschemasOf(schema, keyword => inPlace.has(keyword))

/** The schema with each direct subschema replaced. */
export const mapSubschemas = (schema: JsonObject, convert: (schema: Json, keyword: string) => Json): JsonObject => {
  const result = derive({} as JsonObject, schema)
  for (const [keyword, value] of Object.entries(schema)) {
    const holds = placeIn('schema', keyword)
    if (holds === 'data') put(result, keyword, value)
    else if (holds === 'schemas') result[keyword] = mapValues(value as JsonObject, each => convert(each, keyword))
    else if (!Array.isArray(value)) result[keyword] = convert(value, keyword)
    else
      result[keyword] = derive(
        value.map(each => convert(each, keyword)),
        value
      )
  }
  return result
}

export const mapValues = (object: JsonObject, convert: (value: Json, key: string) => Json): JsonObject => {
  const result = derive({} as JsonObject, object)
  for (const key of Object.keys(object)) put(result, key, convert(object[key] as Json, key))
  return result
}
