import { type Schema, targetOf } from '../operations/schema.ts'
import { fromText } from '../operations/validation.ts'

// What texts mean to schemas that allow several types: parameters and forms have nothing but texts.

/** The schemas that a value may have to fit, without those that only list others. */
export const variantsOf = (schema: Schema, around: readonly Schema[] = []): Schema[] => {
  const target = targetOf(schema)
  if (target === undefined || around.includes(target)) return []
  const { anyOf = [], oneOf = [], allOf = [], if: _if, then, else: otherwise, dependentSchemas = {}, ...own } = target
  const conditional = [then, otherwise, ...Object.values(dependentSchemas as Schema)]
  const variants = [...anyOf, ...oneOf, ...(allOf as Schema[]), ...(conditional as Schema[]).filter(isSchema)]
  if (variants.length === 0) return [target]
  const all = variants.flatMap(each => variantsOf(each, [...around, target]))
  return Object.keys(own).length > 0 ? [own, ...all] : all
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

const typesOf = ({ type, properties, items, enum: values, const: only }: Schema & { const?: unknown }): string[] => {
  if (type !== undefined) return [type].flat() as string[]
  if (properties !== undefined) return ['object']
  if (items !== undefined) return ['array']
  return [...new Set([...(values ?? []), ...(only === undefined ? [] : [only])].map(jsonType))]
}

const jsonType = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

export const mayBe = (schema: Schema, type: string): boolean =>
  variantsOf(schema).some(each => typesOf(each).includes(type))

/** Whether no schema names a type, so that any value fits. */
const isOpen = (variants: readonly Schema[]) => variants.every(each => typesOf(each).length === 0)

/** Converts a text to a type that the schema allows: a number or a boolean if it is the text of one, otherwise it stays a text. */
export const converterOf = (schema: Schema): ((text: string) => unknown) => {
  const variants = variantsOf(schema)
  const types = new Set(variants.flatMap(typesOf))
  if (isOpen(variants)) return text => text
  const texts = new Set(variants.flatMap(each => (each.enum ?? []).filter(value => typeof value === 'string')))
  const isInt64 = variants.some(each => each.format === 'int64')
  const readers = [
    ...(types.has('integer') ? [fromText({ type: 'integer', ...(isInt64 && { format: 'int64' }) })] : []),
    ...['number', 'boolean'].filter(type => types.has(type)).map(type => fromText({ type })),
    // As a text it may be meant as such.
    ...(types.has('null') && !types.has('string') ? [(text: string) => (text === 'null' ? null : text)] : [])
  ]
  return text => {
    if (texts.has(text)) return text
    for (const read of readers) {
      const value = read(text)
      if (typeof value !== 'string') return value
    }
    return text
  }
}

/** Whether a text may be a value of a schema by itself, as far as types and lists of values tell. */
export const textJudge = (schema: Schema): ((text: string) => boolean) => {
  const convert = converterOf(schema)
  const variants = variantsOf(schema).map(each => ({ each, types: typesOf(each) }))
  return text => {
    const value = convert(text)
    const type = Number.isInteger(value) || typeof value === 'bigint' ? 'integer' : jsonType(value)
    const fits = ({ each, types }: (typeof variants)[number]) =>
      (types.includes(type) || (type === 'integer' && types.includes('number'))) &&
      (each.enum === undefined || each.enum.includes(value))
    return variants.some(fits)
  }
}

/** The schema of an array's item. */
export const itemsOf = (schema: Schema, index = 0): Schema =>
  united(
    variantsOf(schema)
      .map(({ prefixItems = [], items }) => prefixItems[index] ?? items)
      .filter(isSchema)
  )

/** Converts the text of an item, by its place. */
export const itemConverterOf = (schema: Schema): ((text: string, index: number) => unknown) => {
  const longest = Math.max(0, ...variantsOf(schema).map(({ prefixItems = [] }) => prefixItems.length))
  const converters = Array.from({ length: longest + 1 }, (_, index) => converterOf(itemsOf(schema, index)))
  return (text, index) => converters[Math.min(index, longest)]?.(text)
}

/** The schema of an object's property; `undefined` if it is not declared. */
export const propertyOf = (schema: Schema, name: string): Schema | undefined => {
  const found = variantsOf(schema).flatMap(({ properties }) =>
    properties !== undefined && Object.hasOwn(properties, name) ? [properties[name] as Schema] : []
  )
  return found.length === 0 ? undefined : united(found)
}

/** The schema of a property that need not be declared. */
export const anyPropertyOf = (schema: Schema, name: string): Schema => {
  const variants = variantsOf(schema)
  const matching = variants.flatMap(({ patternProperties = {} }) =>
    Object.entries(patternProperties as Record<string, Schema>).flatMap(([pattern, each]) =>
      regexOf(pattern).test(name) ? [each] : []
    )
  )
  const declared = [propertyOf(schema, name) ?? [], matching].flat()
  const others = variants.map(({ additionalProperties }) => additionalProperties).filter(isSchema)
  return united(declared.length > 0 ? declared : others)
}

/** As the generator reads it: what is not valid with the flag `u` is used without. */
const regexOf = (pattern: string): RegExp => {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    return new RegExp(pattern)
  }
}

/** The names of the properties that are declared. */
export const namesIn = (schema: Schema): string[] =>
  variantsOf(schema).flatMap(({ properties }) => Object.keys(properties ?? {}))

/** Whether an object may have properties that are not declared, and has to say so. */
export const isOpenObject = (schema: Schema): boolean =>
  variantsOf(schema).some(
    ({ type, properties, additionalProperties }) =>
      (additionalProperties !== undefined && additionalProperties !== false) ||
      (type === 'object' && properties === undefined && additionalProperties === undefined)
  )

const united = (schemas: Schema[]): Schema => (schemas.length === 1 ? (schemas[0] as Schema) : { anyOf: schemas })

/** Sets an own property, even `__proto__`. */
export const setOwn = (object: object, name: string, value: unknown): void => {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true })
  else (object as Record<string, unknown>)[name] = value
}

/** A name and a text, not yet decoded. */
export type Pair = readonly [name: string, text: string]

export const decoded = (text: string): string | undefined => decodedReserved(text.replaceAll('+', ' '))

/** Where reserved characters need not be percent-encoded, a plus is one. */
export const decodedReserved = (text: string): string | undefined => {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
