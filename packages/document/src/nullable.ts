import { isObject, type Json, type JsonObject } from './json.ts'

/** A schema that only says `nullable: true`: generators write the null of 3.0 like that. */
export const saysOnlyNullable = (schema: Json): schema is JsonObject =>
  isObject(schema) &&
  schema.nullable === true &&
  Object.keys(schema).every(key => key === 'nullable' || key === 'default' || isText(key))

/** Whether a keyword of schemas is for readers. */
export const isText = (keyword: string): boolean => texts.has(keyword) || keyword.startsWith('x-')
const texts = new Set(['title', 'description', 'example', 'examples', 'externalDocs', 'deprecated', '$comment'])
