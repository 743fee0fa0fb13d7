import { entriesOf, isObject, type Json, type JsonObject } from '../document/json.ts'
import { flat, type Lookup } from './pointer.ts'
import { mapSubschemas, subschemasOf } from './schema-tree.ts'

/**
 * A schema without properties that do not occur in a direction: `readOnly` ones only occur in responses, `writeOnly` ones
 * in requests. If there are none, it is the schema itself, with the names of its references.
 */
export const inDirection = (schema: JsonObject, direction: 'request' | 'response', lookup: Lookup): JsonObject => {
  const hiding = direction === 'request' ? 'readOnly' : 'writeOnly'
  const hides = (value: Json): boolean => {
    const whole = flat(value, lookup)
    return isObject(whole) && (whole[hiding] === true || subschemasOf(whole).some(hides))
  }
  const shown = (value: Json, around: readonly string[]): Json => {
    const whole = flat(value, lookup)
    if (!isObject(whole) || !hides(value)) return value
    const properties = entriesOf(whole.properties)
    const isHidden = ([, each]: [string, Json]) => (flat(each, lookup) as JsonObject)[hiding] === true
    const hidden = [...around, ...properties.filter(isHidden).map(([name]) => name)]
    const kept = mapSubschemas(
      {
        ...whole,
        ...(isObject(whole.properties) && {
          properties: Object.fromEntries(properties.filter(each => !isHidden(each)))
        })
      },
      (part, keyword) => shown(part, keyword === 'anyOf' || keyword === 'oneOf' ? hidden : [])
    )
    const required = ((whole.required ?? []) as string[]).filter(name => !hidden.includes(name))
    return { ...kept, required }
  }
  return shown(schema, []) as JsonObject
}
