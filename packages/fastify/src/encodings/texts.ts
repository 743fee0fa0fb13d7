import { regexOf, type Schema, targetOf } from '../contract/schema.ts'
import { getOrMake } from '../node/get-or-make.ts'
import { fromText } from '../validation/parameters.ts'

// What texts mean to schemas that allow several types, since parameters and forms have only texts. What requests need to know
// of a schema is computed once, so that their cost does not depend on how the schema is composed.

/** Computes a result once for each schema. */
const remembered = <T>(compute: (schema: Schema) => T): ((schema: Schema) => T) => {
  const known = new WeakMap<Schema, T>()
  return schema => getOrMake(known, schema, compute)
}

/** The schemas that a value may have to fit, without those that only combine others. */
const variantsOf = remembered(schema => variantsIn(schema, new Set()))

const variantsIn = (schema: Schema, seen: Set<Schema>): Schema[] => {
  const target = targetOf(schema)
  if (target === undefined || seen.has(target)) return []
  seen.add(target)
  const { anyOf = [], oneOf = [], allOf = [], if: _if, then, else: otherwise, dependentSchemas = {}, ...own } = target
  const conditional = [then, otherwise, ...Object.values(dependentSchemas as Schema)]
  const variants = [...anyOf, ...oneOf, ...(allOf as Schema[]), ...(conditional as Schema[]).filter(isSchema)]
  if (variants.length === 0) return [target]
  const all = variants.flatMap(each => variantsIn(each, seen))
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

const typesIn = remembered(schema => new Set(variantsOf(schema).flatMap(typesOf)))

export const mayBe = (schema: Schema, type: string): boolean => typesIn(schema).has(type)

/** Whether no schema names a type, so that any value fits. */
const isOpen = (variants: readonly Schema[]) => variants.every(each => typesOf(each).length === 0)

/** Converts a text to a type that the schema allows: a number or a boolean if it is the text of one, otherwise it stays a text. */
export const converterOf = remembered((schema): ((text: string) => unknown) => {
  const variants = variantsOf(schema)
  const types = typesIn(schema)
  if (isOpen(variants)) return text => text
  const texts = new Set(variants.flatMap(each => (each.enum ?? []).filter(value => typeof value === 'string')))
  const isInt64 = variants.some(each => each.format === 'int64')
  const readers = [
    ...(types.has('integer') ? [fromText({ type: 'integer', ...(isInt64 && { format: 'int64' }) })] : []),
    ...['number', 'boolean'].filter(type => types.has(type)).map(type => fromText({ type })),
    // If texts are allowed, `null` may be meant as a text.
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
})

/** Whether a text may be a value of a schema by itself, as far as types and lists of values tell. */
export const textJudge = remembered((schema): ((text: string) => boolean) => {
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
})

/** Whether a JSON value may be the whole value rather than an item of a list, as far as types tell. */
export const mayBeAlone = (schema: Schema, value: unknown): boolean => {
  const type = jsonType(value)
  if (type === 'number' || type === 'bigint') return mayBe(schema, 'number') || mayBe(schema, 'integer')
  if (type !== 'array') return mayBe(schema, type)
  // Where a list of lists is wanted, a list with anything else in it is an item.
  const areLists = [...typesIn(itemsOf(schema))].join() === 'array'
  return !areLists || (value as unknown[]).every(Array.isArray)
}

/** Whether values have parts that a plain text cannot express; they are sent as JSON, unless the contract says otherwise. */
export const isStructure = (schema: Schema): boolean => {
  if (isScalar(schema)) return false
  const isArray = mayBe(schema, 'array')
  const types = typesIn(isArray ? itemsOf(schema) : schema)
  return types.has('object') || (isArray && types.has('array'))
}

export const isScalar = (schema: Schema): boolean =>
  ['string', 'integer', 'number', 'boolean'].some(type => mayBe(schema, type))

/** The schema of an array's item. */
export const itemsOf = (schema: Schema, index = 0): Schema =>
  united(
    variantsOf(schema)
      .map(({ prefixItems = [], items }) => prefixItems[index] ?? items)
      .filter(isSchema)
  )

/** Converts the text of an item, by its place. */
export const itemConverterOf = remembered((schema): ((text: string, index: number) => unknown) => {
  const longest = Math.max(0, ...variantsOf(schema).map(({ prefixItems = [] }) => prefixItems.length))
  const converters = Array.from({ length: longest + 1 }, (_, index) => converterOf(itemsOf(schema, index)))
  return (text, index) => converters[Math.min(index, longest)]?.(text)
})

/** The schema of an object's property; `undefined` if it is not declared. */
export const propertyOf = (schema: Schema, name: string): Schema | undefined => {
  const found = variantsOf(schema).flatMap(({ properties }): Schema[] => {
    if (properties === undefined || !Object.hasOwn(properties, name)) return []
    const { [name]: property } = properties
    // A forbidden property is `false`; the check reports it.
    return [isSchema(property) ? property : {}]
  })
  return found.length === 0 ? undefined : united(found)
}

/** The schema of a property that may be undeclared: from patterns, or for additional properties. */
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

/** The names of the properties that are declared. */
export const namesIn = (schema: Schema): string[] => [
  ...new Set(variantsOf(schema).flatMap(({ properties }) => Object.keys(properties ?? {})))
]

/** Whether an object may have properties that are not declared, and has to say so. */
export const isOpenObject = (schema: Schema): boolean =>
  variantsOf(schema).some(
    ({ type, properties, additionalProperties }) =>
      (additionalProperties !== undefined && additionalProperties !== false) ||
      (type === 'object' && properties === undefined && additionalProperties === undefined)
  )

/** Schemas that a value may have to fit as one `anyOf`; the same object for the same schemas. */
const united = (schemas: readonly Schema[]): Schema => {
  const targets = [...new Set(schemas.map(each => targetOf(each) ?? each))]
  if (targets.length === 1) return targets[0] as Schema
  const key = targets.map(numberOf).join()
  const union = unions.get(key) ?? { anyOf: targets }
  if (unions.size >= mostUnions) unions.clear()
  unions.set(key, union)
  return union
}

const unions = new Map<string, Schema>()
// Contracts need some dozens; if more are needed, they are made again.
const mostUnions = 10_000
let numbered = 0
const numberOf = remembered(() => ++numbered)

/** Sets an own property, even `__proto__`. */
export const setOwn = (object: object, name: string, value: unknown): void => {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true })
  else (object as Record<string, unknown>)[name] = value
}
