import { entriesOf, isObject, type Json, type JsonObject } from '@contract-first/document'
import { typesOf } from '../schema-tree.ts'
import { isComposed } from './keywords.ts'
import type { Unit } from './unit.ts'

/**
 * Whether more than one variant may lead from the same value back to the schema that contains them. Trying each in turn would
 * double the time with each level of a value, and clients choose the number of levels.
 */
export const areTriedAgain = (variants: readonly Json[], unit: Unit): boolean => {
  const types = variants.filter(each => unit.leadsBack(each)).map(each => typesIn(each, unit))
  return types.some((one, index) => types.slice(index + 1).some(other => [...one].some(type => other.has(type))))
}

/** The types with parts that a value of a schema may have. */
const typesIn = (schema: Json, unit: Unit): Set<string> => {
  const { schema: target } = unit.resolve(schema)
  const types = isObject(target) ? typesOf(target) : []
  return new Set(types.length === 0 ? ['array', 'object'] : types.filter(type => type === 'array' || type === 'object'))
}

/** The part of a variant that quickly tells it apart: its types, required properties and properties with fixed values. */
export const atAGlance = (schema: Json, unit: Unit): Json => {
  const { schema: target } = unit.resolve(schema)
  if (!isObject(target)) return target
  const isFixed = ([, each]: [string, Json]) => {
    const { schema: property } = unit.resolve(each)
    return isObject(property) && !isComposed(property) && (property.const ?? property.enum) !== undefined
  }
  const { type, required, properties } = target
  return {
    ...(type !== undefined && { type }),
    ...(required !== undefined && { required }),
    ...(properties !== undefined && { properties: Object.fromEntries(entriesOf(properties).filter(isFixed)) })
  } as JsonObject
}
