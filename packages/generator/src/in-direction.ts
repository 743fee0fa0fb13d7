import { entriesOf, getOrMake, isObject, type Json, type JsonObject } from '@contract-first/document'
import { Names } from './names.ts'
import { flat, isReference, nameOf, referenceTo } from './pointer.ts'
import { mapSubschemas } from './schema-tree.ts'
import type { Schemas } from './schemas.ts'

/**
 * Removes the properties that do not occur in a direction: `readOnly` ones only occur in responses, `writeOnly` ones in requests.
 * A schema without such properties is unchanged, with its references by name; a changed recursive component gets a new name.
 */
export const inDirection = (direction: 'request' | 'response', schemas: Schemas) => {
  const { lookup } = schemas
  const hiding = direction === 'request' ? 'readOnly' : 'writeOnly'
  const components = new Map<string, JsonObject>()
  const names = new Names(schemas.all.keys())
  const known = new Map<string, string>()
  const isHidden = ([, each]: [string, Json]) => (flat(each, lookup) as JsonObject)[hiding] === true

  /** The schemas in a mapping that are not hidden. */
  const visible = (keyword: string, { [keyword]: all }: JsonObject) =>
    isObject(all) && { [keyword]: Object.fromEntries(entriesOf(all).filter(each => !isHidden(each))) }

  const shown = (value: Json, around: readonly string[]): Json => {
    if (!isObject(value) || !schemas.hasFlag(value, hiding)) return value
    if (isReference(value) && schemas.isRecursive(nameOf(value.$ref))) return component(nameOf(value.$ref))
    const whole = flat(value, lookup) as JsonObject
    const properties = entriesOf(whole.properties)
    const hidden = [...around, ...properties.filter(isHidden).map(([name]) => name)]
    const kept = mapSubschemas(
      { ...whole, ...visible('properties', whole), ...visible('patternProperties', whole) },
      (part, keyword) =>
        others.has(keyword) && isHidden(['', part])
          ? false
          : shown(part, keyword === 'anyOf' || keyword === 'oneOf' ? hidden : [])
    )
    const required = ((whole.required ?? []) as string[]).filter(name => !hidden.includes(name))
    return { ...kept, required }
  }
  const component = (name: string): JsonObject => {
    const own = getOrMake(known, name, () => names.give(`${name}.${direction}`))
    if (!components.has(own)) {
      components.set(own, {})
      components.set(own, shown(lookup(name), []) as JsonObject)
    }
    return { $ref: referenceTo('schemas', own) }
  }
  return {
    schema: (schema: JsonObject) => shown(schema, []) as JsonObject,
    /** Components with new names, besides the contract's own. */
    components
  }
}

const others = new Set(['additionalProperties', 'unevaluatedProperties'])
