import { entriesOf, isObject, type Json, type JsonObject } from '../../document/json.ts'
import { typesOf } from '../schema.ts'
import type { Unit } from './unit.ts'

/** How a property tells which variant is meant. It changes nothing about which values are valid. */
export interface Discriminator {
  property: string
  /** The variants by the values that name them; -1 is for several. */
  variants: ReadonlyMap<string, number>
  /** Whether a value that names one of them can fit no other. */
  isExclusive: boolean
  /** Whether none fits but objects with the property. */
  isRequired: boolean
}

/** Undefined if it names no variant. */
export const discriminatorOf = (
  schema: JsonObject,
  variants: readonly Json[],
  unit: Unit
): Discriminator | undefined => {
  if (!isObject(schema.discriminator)) return undefined
  const { propertyName, mapping } = schema.discriminator
  const property = String(propertyName)
  const targets = variants.map(each => unit.resolve(each).schema)
  const fixed = targets.map(each => fixedValues(each, property, unit))
  const named = fixed.flatMap((values, index) =>
    (values ?? namesOf(mapping, index)).map(value => [value, index] as const)
  )
  const byValue = new Map(named)
  for (const [value, index] of named) if (byValue.get(value) !== index) byValue.set(value, -1)
  if (byValue.size === 0) return undefined
  return {
    property,
    variants: byValue,
    isExclusive: fixed.every(each => each !== undefined) && byValue.size === named.length,
    isRequired: targets.every(each => isObject(each) && requires(each, property))
  }
}

const requires = (schema: JsonObject, property: string): boolean =>
  typesOf(schema).join() === 'object' && ((schema.required ?? []) as Json[]).includes(property)

const namesOf = (mapping: Json | undefined, index: number): string[] =>
  entriesOf(mapping).flatMap(([value, each]) => (each === index ? [value] : []))

/** The texts that a variant allows the property to be; undefined if it may be others, too. */
const fixedValues = (schema: Json, property: string, unit: Unit): string[] | undefined => {
  const types = isObject(schema) ? typesOf(schema) : []
  if (types.length > 0 && !types.includes('object')) return []
  if (!isObject(schema) || !isObject(schema.properties) || !Object.hasOwn(schema.properties, property)) return undefined
  const { schema: target } = unit.resolve(schema.properties[property] as Json)
  if (!isObject(target)) return undefined
  const values = target.const === undefined ? target.enum : [target.const]
  return Array.isArray(values) && values.every(each => typeof each === 'string') ? values : undefined
}
