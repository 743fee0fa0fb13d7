import { entriesOf, isObject, type Json, type JsonObject } from '@contract-first/document'
import { Code, type Literal, literal } from './code.ts'
import { toldApart } from './discriminator.ts'
import { Identifiers } from './names.ts'
import { flatObject, isReference, type Lookup, nameOf } from './pointer.ts'
import { subschemasOf, typesOf } from './schema-tree.ts'
import type { Schemas } from './schemas.ts'

/** Where a value may contain integers that a double cannot hold exactly. */
export const integerPlaces = (schemas: Schemas) => placesIn(schemas, kindOf, 'places', 'core')

/** Where a value may contain dates, with and without a time. */
export const datePlaces = (schemas: Schemas) =>
  placesIn(schemas, schema => (isDate(schema) ? (schema.format as 'date') : undefined), 'dates', 'dates')

export type PlacesOf = ReturnType<typeof placesIn>

/**
 * Where a value may contain what has a kind, as code of the client's type `Places`; only paths to it are included. A component
 * becomes a constant; `constants` returns them once all have been requested.
 */
const placesIn = (
  schemas: Schemas,
  kindOf: (schema: JsonObject) => 'int64' | 'integer' | 'number' | 'date' | 'date-time' | undefined,
  prefix: string,
  module: string
) => {
  const { lookup } = schemas
  const identifiers = new Identifiers()
  const emitted = new Map<string, { places: Literal; text: string }>()
  const isExact = (schema: JsonObject) => (kindOf(schema) ?? 'number') !== 'number'
  const containsExact = schemas.containing(isExact)
  const hasExact = (schema: Json) => isObject(schema) && containsExact(schema)

  /** `isVariant`: whether it is one of several schemas for the value, so that ordinary numbers must be told apart, too. */
  const placesOf = (written: Json, isVariant: boolean): Literal => {
    if (!isObject(written) || (!isVariant && !hasExact(written))) return undefined
    if (isReference(written)) return constantFor(nameOf(written.$ref), isVariant)
    const schema = toldApart(written, lookup)
    const kind = kindOf(schema)
    const { prefixItems = [], items = schema.unevaluatedItems } = schema
    const others = placesOf(schema.additionalProperties ?? schema.unevaluatedProperties ?? true, isVariant)
    // Declared properties are not additional ones.
    const declared = (all: Json | undefined) =>
      present(
        Object.fromEntries(
          entriesOf(all).map(([name, each]) => [
            name,
            placesOf(each, isVariant) ?? (others === undefined ? undefined : {})
          ])
        )
      )
    const inside = present({
      properties: declared(schema.properties),
      patterns: declared(schema.patternProperties),
      others,
      first: (prefixItems as Json[]).some(each => placesOf(each, isVariant) !== undefined)
        ? (prefixItems as Json[]).map(each => placesOf(each, isVariant) ?? {})
        : undefined,
      items: placesOf(items ?? true, isVariant),
      anyOf: variantsOf(schema)
    })
    const ownKind = kind === 'number' && !isVariant ? undefined : kind
    if (inside === undefined || ownKind === undefined) return alone(inside) ?? ownKind
    return { anyOf: [ownKind, inside] }
  }

  const variantsOf = ({ anyOf = [], oneOf = [], ...schema }: JsonObject): Literal => {
    const variants = [...(anyOf as Json[]), ...(oneOf as Json[])]
    const all = subschemasOf(schema, keyword => together.has(keyword)) as Json[]
    if (![...variants, ...all].some(hasExact)) return undefined
    // All of these apply to any value.
    const always = all.flatMap(each => placesOf(each, true) ?? [])
    const guards = variants.flatMap(each => guarded(placesOf(each, true), guardOf(each, lookup)) ?? textOf(each) ?? [])
    // If there is only one kind of object, no distinction is needed.
    const needed = guards.length === 1 ? variants.flatMap(each => placesOf(each, true) ?? []) : guards
    return [...needed, ...always]
  }

  const textOf = (variant: Json) => (typesOf(flatObject(variant, lookup)).includes('string') ? 'string' : undefined)

  const constantFor = (name: string, isVariant: boolean): Literal => {
    const constant = identifiers.of(`${isVariant} ${name}`, `${prefix}In ${name}${isVariant ? ' as variant' : ''}`)
    const known = emitted.get(constant)
    if (known !== undefined) return known.places
    if (schemas.isRecursive(name)) return recursiveConstant(name, constant, isVariant)
    const places = placesOf(lookup(name), isVariant)
    const isShort = places === undefined || typeof places === 'string' || places instanceof Code
    // Only now: a constant must come after those that it refers to.
    emitted.set(constant, {
      places: isShort ? places : new Code(constant),
      text: isShort ? '' : `const ${constant}: ${module}.Places = ${literal(places)} as const`
    })
    return emitted.get(constant)?.places
  }

  /** A constant that refers to itself, or to others that refer to it; a getter sees them all, whatever their order. */
  const recursiveConstant = (name: string, constant: string, isVariant: boolean): Literal => {
    const reference = new Code(constant)
    emitted.set(constant, { places: reference, text: '' })
    const content = Object.entries(asObject(placesOf(lookup(name), isVariant)))
      .filter(([, each]) => each !== undefined)
      .map(
        ([keyword, each]) => `get ${keyword}() { return ${literal(each)}${each instanceof Code ? '' : ' as const'} }`
      )
    emitted.set(constant, { places: reference, text: `const ${constant}: ${module}.Places = {${content.join(', ')}}` })
    return reference
  }

  return {
    /** `{}` if there are none. */
    of: (schema: JsonObject): Literal => placesOf(schema, false) ?? {},
    constants: () => [...emitted.values()].map(({ text }) => text).join('\n'),
    /** The names of the constants. */
    names: () => emitted.keys()
  }
}

const together = new Set(['allOf', 'then', 'else', 'dependentSchemas'])

/** Places as an object, even for a component that is only a number. */
const asObject = (places: Literal): Literals =>
  typeof places === 'string' || places instanceof Code ? { anyOf: [places] } : ((places ?? {}) as Literals)

/** Whether the contract allows integers here that a double cannot hold, although their format is int64. */
export const isLargeInteger = (schema: JsonObject): boolean => schema.format === 'int64' && !isBounded(schema)

const isBounded = ({
  minimum,
  exclusiveMinimum = minimum,
  maximum,
  exclusiveMaximum = maximum,
  ...schema
}: JsonObject) =>
  [exclusiveMinimum, exclusiveMaximum].every(Number.isSafeInteger) ||
  ('const' in schema && Number.isSafeInteger(schema.const)) ||
  (Array.isArray(schema.enum) && schema.enum.every(Number.isSafeInteger))

/** Whether a text is a date, or a date and time, and not one of a list. */
export const isDate = (schema: JsonObject): boolean =>
  /^date(?:-time)?$/.test(String(schema.format)) &&
  typesOf(schema).includes('string') &&
  schema.enum === undefined &&
  schema.const === undefined

/** The client's name for it; integers of other formats that are certain to be small do not matter. */
export const kindOf = (schema: JsonObject): 'int64' | 'integer' | 'number' | undefined => {
  const types = typesOf(schema)
  if (types.includes('number')) return 'number'
  if (!types.includes('integer') || schema.format === 'int32') return undefined
  if (schema.format === 'int64') return isLargeInteger(schema) ? 'int64' : 'integer'
  return isBounded(schema) ? undefined : 'integer'
}

/** How to recognize a value of a variant: by the properties it has, and their values. */
const guardOf = (variant: Json, lookup: Lookup): Literals | undefined => {
  const { properties, required = [] } = flatObject(variant, lookup)
  const own = new Map(entriesOf(properties).map(([name, each]) => [name, flatObject(each, lookup)]))
  const has = (required as string[]).filter(name => !own.get(name)?.readOnly && !own.get(name)?.writeOnly)
  const is = [...own].flatMap(([name, { const: value, enum: values = value === undefined ? undefined : [value] }]) =>
    Array.isArray(values) && values.every(isScalar) ? [[name, values] as const] : []
  )
  return present({ has: has.length > 0 ? has : undefined, is: present(Object.fromEntries(is)) })
}

const guarded = (places: Literal, guard: Literals | undefined): Literal => {
  if (typeof places === 'string') return places
  if (guard === undefined || places === undefined) return guard ?? places
  // Not spread: bundlers keep what they cannot prove to be free of side effects.
  return places instanceof Code ? { anyOf: [places], ...guard } : { ...(places as Literals), ...guard }
}

type Literals = { [key: string]: Literal }

const isScalar = (value: Json) => ['string', 'number', 'boolean'].includes(typeof value) || value === null

/** Removes undefined properties; undefined if none remains. */
const present = (object: Literals): Literals | undefined => {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined)
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

/** Replaces a single variant by its content. */
const alone = (inside: Literals | undefined): Literal => {
  if (inside === undefined || Object.keys(inside).length > 1 || !Array.isArray(inside.anyOf)) return inside
  return inside.anyOf.length === 1 ? inside.anyOf[0] : inside
}
