import { entriesOf, isObject, type Json, type JsonObject, put, regexOf } from '@contract-first/document'
import { fits } from './defaults.ts'
import { flatObject, isReference, type Lookup, nameOf } from './pointer.ts'
import { derive } from './read.ts'
import { typesOf } from './schema-tree.ts'

// OpenAPI calls the discriminator an aid to validation, and authors mean it so: if its property names a variant, that one alone
// decides. JSON Schema has no such keyword, so each variant is narrowed to its own names. Checks, writers, exported schemas,
// mocks and the client are all made from these narrowed variants.

/** A value of the discriminator's property that may name a variant. */
export type Tag = string | number | boolean

interface Union {
  keyword: 'anyOf' | 'oneOf'
  property: string
  /** The variants that have names. */
  variants: readonly Variant[]
  /** The variant for values that name none, if there is a particular one. */
  otherwise?: Variant | undefined
  /** Whether the schema itself, beside its variants, requires the property. */
  isRequired: boolean
}

interface Variant {
  written: Json
  schema: JsonObject
  kind: 'object' | 'other' | 'any'
  tags: readonly Tag[]
  /** Whether the mapping names it. */
  isMapped: boolean
}

/**
 * Narrows the variants of a schema to the values that name them. A last variant, whose number the `discriminator` has as
 * `otherwise`, is for values that name none: they are checked against the variants as written, unless the mapping names all
 * variants, which makes them invalid (OpenAPI 3.0.3, Discriminator Object).
 */
export const toldApart = (schema: JsonObject, lookup: Lookup): JsonObject => {
  const union = unionOf(schema, lookup)
  if (union === undefined || areToldApart(union, lookup)) return schema
  const { keyword, property, variants } = union
  const named = variants.flatMap(each => narrowed(each, property, lookup) ?? [])
  const isOfObjects = variants.every(({ kind }) => kind !== 'any')
  const areApart = isOfObjects || union.otherwise !== undefined
  const others = areApart ? variants.filter(({ kind }) => kind === 'other').map(({ written }) => written) : []
  const rest = restOf(union, isOfObjects, lookup)
  const list = [...named, ...others, ...(rest === undefined ? [] : [derive(rest, schema)])]
  const otherwise = rest && { otherwise: list.length - 1 }
  return derive(
    { ...schema, [keyword]: list, discriminator: { propertyName: property, isTold: true, ...otherwise } },
    schema
  )
}

/** The schema for values that name no variant; undefined if they are invalid. */
const restOf = (union: Union, isOfObjects: boolean, lookup: Lookup): JsonObject | undefined => {
  const { keyword, property, variants, otherwise } = union
  const tags = variants.flatMap(each => each.tags)
  const unnamed = { not: { type: 'object', required: [property], properties: { [property]: { enum: tags } } } }
  if (otherwise !== undefined) {
    const { schema } = otherwise
    return schema.not === undefined ? { ...schema, ...unnamed } : { allOf: [schema], ...unnamed }
  }
  const rest = variants.filter(({ kind }) => !isOfObjects || kind === 'object')
  const isComplete = rest.every(each => each.isMapped && isSubset(listedIn(each.schema, property, lookup), tags))
  const mayBeAbsent = !union.isRequired && !rest.every(each => requires(each.schema, property, lookup))
  if (isComplete && !mayBeAbsent && isOfObjects) return undefined
  const absent = { not: { type: 'object', ...(mayBeAbsent && { required: [property] }) } }
  return {
    ...(isOfObjects && { type: 'object' }),
    [keyword]: rest.map(({ written }) => written),
    ...(isComplete ? absent : unnamed)
  }
}

/** Whether a schema's variants are narrowed already. */
export const isTold = ({ discriminator }: JsonObject): boolean =>
  isObject(discriminator) && discriminator.isTold === true

/**
 * The same for TypeScript, which then narrows the union by the property. Variants keep their type names; their property has only
 * the values that name them, if all values do. The schema for the rest gets no type, since it is made of the variants.
 */
export const asTyped = (schema: JsonObject, lookup: Lookup): JsonObject => {
  const union = unionOf(schema, lookup)
  if (union === undefined) return schema
  const { keyword, property, variants } = union
  const list = schema[keyword] as Json[]
  const { otherwise } = schema.discriminator as JsonObject
  if (otherwise === list.length - 1) return derive({ ...schema, [keyword]: list.slice(0, -1) }, schema)
  if (areToldApart(union, lookup) || restOf(union, true, lookup) !== undefined) return schema
  const narrow = variants.map(({ written, tags }) => {
    if (tags.length === 0) return written
    const tag = { type: 'object', required: [property], properties: { [property]: { enum: [...tags] } } }
    return derive({ allOf: [written, derive(tag as JsonObject, schema)] } as JsonObject, schema)
  })
  return derive({ ...schema, [keyword]: narrow }, schema)
}

const unionOf = (schema: JsonObject, lookup: Lookup): Union | undefined => {
  const { discriminator, required = [] } = schema
  if (!isObject(discriminator) || isTold(schema)) return undefined
  const keyword = (['oneOf', 'anyOf'] as const).find(each => Array.isArray(schema[each]))
  if (keyword === undefined) return undefined
  const property = String(discriminator.propertyName)
  const list = schema[keyword] as Json[]
  const { names, mapped } = namesIn(list, discriminator.mapping)
  const around = propertyIn(schema, property, lookup)
  // The names in variants that are such unions themselves.
  const nested = list.map(each => {
    const target = flatObject(each, lookup)
    const inside = unionOf(target, lookup)
    if (inside?.property === property) return inside.variants.flatMap(({ tags }) => tags)
    // The values that a child of a base lists for the property name it as well.
    const listed = discriminator.otherwise === undefined ? [] : (listedIn(target, property, lookup) ?? [])
    return listed.filter(each => isTag(each, undefined))
  })
  const isNamedOnce = (tag: Tag) => !names.has(String(tag)) && nested.filter(each => each.includes(tag)).length === 1
  const all = list.map((written, index): Variant => {
    const target = flatObject(written, lookup)
    const kind = kindOf(target, lookup)
    const own = [...names].flatMap(([name, at]) => (at === index ? [name] : []))
    const tags = [
      ...tagsIn(own, propertyIn(target, property, lookup) ?? around),
      ...(nested[index] as Tag[]).filter(isNamedOnce)
    ]
    return {
      written,
      schema: target,
      kind,
      tags: kind === 'other' ? [] : [...new Set(tags)],
      isMapped: mapped.has(index)
    }
  })
  const isRequired = (required as Json[]).includes(property)
  const otherwise = all[numberOfRest(list, discriminator)]
  const variants = all.filter(each => each !== otherwise || each.tags.length > 0)
  if (variants.every(({ tags }) => tags.length === 0)) return undefined
  return { keyword, property, variants, otherwise, isRequired }
}

/** The number of the variant for the rest: a base has it already; in OpenAPI 3.2, `defaultMapping` names it. */
const numberOfRest = (variants: readonly Json[], { otherwise, defaultMapping }: JsonObject): number => {
  if (typeof otherwise === 'number' || defaultMapping === undefined) return Number(otherwise ?? -1)
  const name = targetOf(defaultMapping)
  return variants.findIndex(each => isReference(each) && nameOf(each.$ref) === name)
}

/** The numbers of variants by name, from the mapping or else from components; `mapped` are those in the mapping. */
export const namesIn = (variants: readonly Json[], mapping: Json | undefined) => {
  const components = variants.map(each => (isReference(each) ? nameOf(each.$ref) : undefined))
  const names = new Map<string, number>()
  for (const [name, target] of entriesOf(mapping)) {
    const index = typeof target === 'number' ? target : components.indexOf(targetOf(target))
    if (index !== -1) names.set(name, index)
  }
  const mapped = new Set(names.values())
  for (const [index, name] of components.entries())
    if (name !== undefined && !mapped.has(index) && !names.has(name)) names.set(name, index)
  return { names, mapped }
}

/** A mapping has references, or names of components. */
export const targetOf = (target: Json): string =>
  String(target).startsWith('#') ? nameOf(String(target)) : String(target)

/** A name is a text, but the property that holds it may be a boolean or a number. */
export const tagsIn = (names: readonly string[], schema: JsonObject | undefined): Tag[] => {
  const types = schema === undefined ? [] : typesOf(schema)
  if (types.length === 0 || types.includes('string')) return [...names]
  return names.flatMap(name => {
    const value = /^(?:true|false|-?(?:0|[1-9]\d{0,14}))$/.test(name)
      ? (JSON.parse(name) as boolean | number)
      : undefined
    return value !== undefined && isTag(value, schema) && types.some(type => typesOfTag(value).includes(type))
      ? [value]
      : []
  })
}

const typesOfTag = (value: boolean | number) => (typeof value === 'boolean' ? ['boolean'] : ['integer', 'number'])

/** An int64 is a bigint to the service. */
export const isTag = (value: Json, schema: JsonObject | undefined): value is Tag =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && schema?.format !== 'int64')

/** Whether the schemas as written already keep variants other than the named one from accepting a value. */
const areToldApart = ({ property, variants, otherwise }: Union, lookup: Lookup): boolean => {
  if (otherwise !== undefined) return false
  const listed = variants.map(({ kind, schema }) => (kind === 'other' ? [] : listedIn(schema, property, lookup)))
  return variants.every(({ tags }, index) =>
    tags.every(tag => listed.every((values, other) => other === index || values?.includes(tag) === false))
  )
}

/** The values that a schema lists for a property; undefined if it allows others. */
const listedIn = (schema: JsonObject, property: string, lookup: Lookup): readonly Json[] | undefined => {
  const own = propertyIn(schema, property, lookup)
  if (own?.const !== undefined) return [own.const]
  if (Array.isArray(own?.enum)) return own.enum
  const inside = (each: Json) => listedIn(flatObject(each, lookup), property, lookup)
  for (const each of (schema.allOf ?? []) as Json[]) {
    const values = inside(each)
    if (values !== undefined) return values
  }
  const variants = ((schema.oneOf ?? schema.anyOf ?? []) as Json[]).map(inside)
  return variants.length === 0 || variants.includes(undefined) ? undefined : variants.flatMap(each => each ?? [])
}

const isSubset = (values: readonly Json[] | undefined, tags: readonly Tag[]) =>
  values === undefined || values.every(each => tags.includes(each as Tag))

const propertyIn = ({ properties }: JsonObject, name: string, lookup: Lookup): JsonObject | undefined =>
  isObject(properties) && Object.hasOwn(properties, name) ? flatObject(properties[name] as Json, lookup) : undefined

const requires = (schema: JsonObject, property: string, lookup: Lookup): boolean => {
  const inside = (each: Json) => requires(flatObject(each, lookup), property, lookup)
  const variants = (schema.oneOf ?? schema.anyOf ?? []) as Json[]
  return (
    ((schema.required ?? []) as Json[]).includes(property) ||
    ((schema.allOf ?? []) as Json[]).some(inside) ||
    (variants.length > 0 && variants.every(inside))
  )
}

/** Whether only, none or some of its values are objects. */
const kindOf = (schema: JsonObject, lookup: Lookup): Variant['kind'] => {
  const types = typesOf(schema)
  if (types.length > 0) return types.join() === 'object' ? 'object' : types.includes('object') ? 'any' : 'other'
  const kindsOf = (all: Json | undefined) =>
    new Set(((all ?? []) as Json[]).map(each => kindOf(flatObject(each, lookup), lookup)))
  const [only = 'any', ...more] = kindsOf(schema.oneOf ?? schema.anyOf)
  if (more.length === 0 && only !== 'any') return only
  return [...kindsOf(schema.allOf)].find(each => each !== 'any') ?? 'any'
}

/** A variant, restricted to objects that name it; undefined if it rejects all of them. */
const narrowed = (variant: Variant, property: string, lookup: Lookup): JsonObject | undefined => {
  const { written, schema, tags } = variant
  const own = propertyIn(schema, property, lookup)
  const allowed = own === undefined ? tags : tags.filter(tag => fits(own, tag, each => flatObject(each, lookup)))
  const { additionalProperties: others, patternProperties } = schema
  const isMatched = entriesOf(patternProperties).some(([pattern]) => regexOf(pattern)?.test(property))
  if (allowed.length === 0 || (own === undefined && others === false && !isMatched)) return undefined
  const { const: _const, enum: _enum, default: _default, ...rest } = own ?? {}
  const inherited = own === undefined && isObject(others) && !isMatched && { allOf: [others] }
  const [only] = allowed
  const listed = allowed.length === 1 ? { const: only as Json } : { enum: [...allowed] as Json[] }
  const from = isObject(written) ? written : schema
  const properties = derive({} as JsonObject, from)
  for (const [name, each] of entriesOf(schema.properties)) put(properties, name, each)
  put(properties, property, derive({ ...rest, ...inherited, ...listed }, own ?? from))
  const required = [...new Set([...((schema.required ?? []) as string[]), property])]
  return derive({ ...schema, type: 'object', properties, required }, schema)
}
