import { entriesOf, isObject, type Json, type JsonObject } from '../../document/json.ts'
import { typesOf } from '../schema.ts'
import type { Unit } from './unit.ts'

/** How a property tells which variant is meant. It changes nothing about which values are valid. */
export interface Discriminator {
  property: string
  /** The variants by the values that name them; -1 is for several. */
  variants: ReadonlyMap<Tag, number>
  /** Whether a value that names one of them can fit no other. */
  isExclusive: boolean
  /** Whether none fits but objects with the property. */
  isRequired: boolean
}

type Tag = string | number | boolean

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
    (values ?? tagsIn(namesOf(mapping, index), propertyIn(targets[index], property, unit))).map(
      value => [value, index] as const
    )
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

/** Names are texts, and what they name may be a boolean or a number. */
const tagsIn = (names: readonly string[], schema: JsonObject | undefined): Tag[] => {
  const types = schema === undefined ? [] : typesOf(schema)
  if (types.length === 0 || types.includes('string')) return [...names]
  return names.flatMap(name => {
    const value = /^(?:true|false|-?(?:0|[1-9]\d{0,14}))$/.test(name)
      ? (JSON.parse(name) as boolean | number)
      : undefined
    return value !== undefined && isTag(value, schema) ? [value] : []
  })
}

/** An int64 is a bigint to the service. */
const isTag = (value: Json, schema: JsonObject | undefined): value is Tag =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && schema?.format !== 'int64')

/** The values that a variant allows the property to have; undefined if it may have others, too. */
const fixedValues = (schema: Json, property: string, unit: Unit): Tag[] | undefined => {
  const types = isObject(schema) ? typesOf(schema) : []
  if (types.length > 0 && !types.includes('object')) return []
  const target = propertyIn(schema, property, unit)
  if (target === undefined) return undefined
  const values = target.const === undefined ? target.enum : [target.const]
  return Array.isArray(values) && values.every(each => isTag(each, target)) ? values : undefined
}

const propertyIn = (schema: Json | undefined, name: string, unit: Unit): JsonObject | undefined => {
  if (!isObject(schema) || !isObject(schema.properties) || !Object.hasOwn(schema.properties, name)) return undefined
  const { schema: target } = unit.resolve(schema.properties[name] as Json)
  return isObject(target) ? target : undefined
}
