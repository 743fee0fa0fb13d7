import { isObject, type Json, type JsonObject } from './json.ts'

/** Whether a schema only says `nullable: true`, which is how generators write null in 3.0. */
export const saysOnlyNullable = (schema: Json): schema is JsonObject =>
  isObject(schema) &&
  schema.nullable === true &&
  Object.keys(schema).every(key => key === 'nullable' || key === 'default' || isText(key))

/** Whether a keyword of schemas is documentation only. */
export const isText = (keyword: string): boolean => texts.has(keyword) || keyword.startsWith('x-')
const texts = new Set(['title', 'description', 'example', 'examples', 'externalDocs', 'deprecated', '$comment'])
