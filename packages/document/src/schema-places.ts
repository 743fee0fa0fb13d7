import { holdsData, holdsNames } from './walk.ts'

/** What a part of a document is: an OpenAPI object, a schema, a map of either by name, or data. */
export type SchemaPlace = 'other' | 'others' | 'schema' | 'schemas' | 'data'

// Any other keyword of a schema holds data, or is unknown, and then its value is data as well (JSON Schema 2020-12,
// section 6.5): `$id`, `$anchor` and `$ref` have no meaning there.
const holdsSchemas = new Set([
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'prefixItems', 'items', 'contains', 'unevaluatedItems'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'contentSchema']
])
const holdsNamedSchemas = new Set(['$defs', 'definitions', 'properties', 'patternProperties', 'dependentSchemas'])

/** What the value of a key is. The items of a list are the same as the list. */
export const placeIn = (around: SchemaPlace, key: string): SchemaPlace => {
  switch (around) {
    case 'schema':
      return holdsSchemas.has(key) ? 'schema' : holdsNamedSchemas.has(key) ? 'schemas' : 'data'
    case 'schemas':
      return 'schema'
    case 'others':
      return 'other'
    case 'data':
      return 'data'
    case 'other':
      if (key === 'schema' || key === 'itemSchema') return 'schema'
      if (key === 'schemas' || key === '$defs' || key === 'definitions') return 'schemas'
      return holdsData(key) ? 'data' : holdsNames(key) ? 'others' : 'other'
  }
}

/** Whether `$id`, `$anchor` and `$dynamicAnchor` have a meaning in an object. Any key of a file may hold a schema. */
export const mayBeSchema = (place: SchemaPlace): boolean => place === 'schema' || place === 'other'
