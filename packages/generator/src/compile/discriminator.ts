import { entriesOf, isObject, type Json, type JsonObject } from '@contract-first/document'
import { isTag, type Tag, tagsIn } from '../discriminator.ts'
import { typesOf } from '../schema-tree.ts'
import type { Unit } from './unit.ts'

/** How a property tells which variant is meant; variants are narrowed already, so that others do not accept its values. */
export interface Discriminator {
  property: string
  /** The variants by the values that name them; -1 is for several. */
  variants: ReadonlyMap<Tag, number>
  /** Whether a value that names one of them can fit no other. */
  isExclusive: boolean
  /** Whether no object fits without the property. */
  isRequired: boolean
  /** The variant that judges values that name no other. */
  otherwise: number | undefined
}

/** Undefined if no value names a variant. */
export const discriminatorOf = (
  schema: JsonObject,
  variants: readonly Json[],
  unit: Unit
): Discriminator | undefined => {
  if (!isObject(schema.discriminator)) return undefined
  const { propertyName, mapping, otherwise } = schema.discriminator
  const property = String(propertyName)
  const targets = variants.map(each => unit.resolve(each).schema)
  const fixed = targets.map((each, index) => (index === otherwise ? [] : fixedValues(each, property, unit)))
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
    isRequired: targets.every((each, index) => index === otherwise || isNoObject(each) || requires(each, property)),
    otherwise: otherwise as number | undefined
  }
}

const requires = (schema: Json, property: string): boolean =>
  isObject(schema) && typesOf(schema).join() === 'object' && ((schema.required ?? []) as Json[]).includes(property)

const namesOf = (mapping: Json | undefined, index: number): string[] =>
  entriesOf(mapping).flatMap(([value, each]) => (each === index ? [value] : []))

/** The values that a variant, or a part of it, lists for the property; undefined if it may have others. */
const fixedValues = (written: Json, property: string, unit: Unit): Tag[] | undefined => {
  const { schema } = unit.resolve(written)
  if (isNoObject(schema)) return []
  if (!isObject(schema)) return undefined
  const target = propertyIn(schema, property, unit)
  const values = target?.const === undefined ? target?.enum : [target.const]
  if (Array.isArray(values)) return values.every(each => isTag(each, target)) ? values : undefined
  const inside = (each: Json) => fixedValues(each, property, unit)
  const ofParts = ((schema.allOf ?? []) as Json[]).map(inside).find(each => each !== undefined)
  if (ofParts !== undefined) return ofParts
  const all = ((schema.oneOf ?? schema.anyOf ?? []) as Json[]).map(inside)
  return all.length === 0 || all.includes(undefined) ? undefined : [...new Set(all.flatMap(each => each ?? []))]
}

const isNoObject = (schema: Json): boolean => {
  const types = isObject(schema) ? typesOf(schema) : []
  return types.length > 0 && !types.includes('object')
}

const propertyIn = (schema: Json | undefined, name: string, unit: Unit): JsonObject | undefined => {
  if (!isObject(schema) || !isObject(schema.properties) || !Object.hasOwn(schema.properties, name)) return undefined
  const { schema: target } = unit.resolve(schema.properties[name] as Json)
  return isObject(target) ? target : undefined
}
