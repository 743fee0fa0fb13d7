import { asDoubles, entriesOf, isObject, type Json, type JsonObject, put } from '@contract-first/document'
import { typeIndex } from './code.ts'
import { asTyped } from './discriminator.ts'
import { schemaDoc } from './doc-comment.ts'
import { isObjectWithoutType } from './json-schema.ts'
import { isReference, type Lookup, nameOf } from './pointer.ts'
import { inPlace } from './schema-tree.ts'

/** What the types of a contract's schemas depend on. */
export interface Typing {
  lookup: Lookup
  /** The type of an integer or a text that `number` or `string` does not suit. */
  special: (schema: JsonObject) => string | undefined
  /** The type of a component. */
  reference: (name: string) => string
  /** A service must expect all that a schema allows; for clients, a schema that describes objects means an object. */
  isForService: boolean
}

/** The members of an object type, or of an interface. Indented, as the formatter leaves files of more than a megabyte alone. */
export const objectOf = (members: readonly string[]): string => `{\n  ${members.map(inner).join('\n  ')}\n}`
const inner = (text: string) => (text.includes('\n') ? text.replaceAll('\n', '\n  ') : text)

/** `doc` is the comment before it. */
export const member = (name: string, type: string, isOptional = false, doc = '', isReadonly = false): string =>
  `${doc === '' ? '' : `${doc}\n`}${isReadonly ? 'readonly ' : ''}${propertyName(name)}${isOptional ? '?' : ''}: ${type}`

const propertyName = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : typeIndex(name))

/** The TypeScript type of a schema's values. `keyword` is the one that contains the schema. */
export const schemaType = (written: Json | undefined, typing: Typing, keyword = ''): string => {
  if (!isObject(written)) return written === false ? 'never' : 'unknown'
  if (isReference(written)) return typing.reference(nameOf(written.$ref))
  if (written.not !== undefined && isAny(written.not)) return 'never'
  if (typing.isForService && isObjectWithoutType(written) && !inPlace.has(keyword))
    return union([schemaType({ ...written, type: 'object' }, typing), ...noObjects])
  return composedType(withRequired(asTyped(written, typing.lookup)), typing)
}

const isAny = (schema: Json) => schema === true || (isObject(schema) && Object.keys(schema).length === 0)

const noObjects = ['string', 'number', 'boolean', 'null', 'unknown[]']

/** Adds required properties that are not described; they may have any value. */
const withRequired = (schema: JsonObject): JsonObject => {
  const { properties = {}, required = [], additionalProperties, patternProperties } = schema
  if (!isObject(properties) || additionalProperties !== undefined || patternProperties !== undefined) return schema
  const missing = (required as string[]).filter(name => !Object.hasOwn(properties, name))
  if (missing.length === 0) return schema
  const all = { ...properties }
  for (const name of missing) put(all, name, {})
  return { ...schema, properties: all }
}

const composedType = (schema: JsonObject, typing: Typing): string => {
  const { type, enum: values, const: value, allOf = [], anyOf = [], oneOf = [] } = schema
  if (value !== undefined && value !== null) return literalType(asDoubles(value))
  const isListed = Array.isArray(values) && !('properties' in schema || 'additionalProperties' in schema)
  if (isListed) {
    const isNullable = Array.isArray(type) && type.includes('null')
    return union([...values.map(each => literalType(asDoubles(each))), ...(isNullable ? ['null'] : [])])
  }
  const variantsOf = (keyword: string, variants: Json) =>
    (variants as Json[]).map(each => schemaType(each, typing, keyword))
  const own = ownType(schema, typing)
  const parts = (allOf as Json[]).map(each => partType(each, (schema.required ?? []) as string[], typing))
  const whole = [...(own === undefined ? [] : [own]), ...(parts.length > 0 ? [intersection(parts)] : [])]
  const both = whole.length > 0 ? [intersection(whole)] : []
  const some = variantsOf('anyOf', anyOf)
  const either = some.length > 0 ? [union([...both, ...some])] : both
  const one = variantsOf('oneOf', oneOf)
  if (one.length > 0 && one.every(each => primitives.has(each))) return union([...either, ...one])
  if (one.length > 0) return intersection([...either, union(one)])
  return either[0] ?? (type === undefined ? 'unknown' : 'Record<string, unknown>')
}

/** A part of an `allOf`, with the properties that the schema around it requires. */
const partType = (part: Json, required: readonly string[], typing: Typing): string => {
  if (!isObject(part)) return schemaType(part, typing, 'allOf')
  if (!isReference(part)) {
    const all = [...required, ...((part.required ?? []) as string[])]
    return schemaType(all.length > 0 ? { ...part, required: all } : part, typing, 'allOf')
  }
  const type = schemaType(part, typing)
  const { properties } = typing.lookup(nameOf(part.$ref))
  const inside = required.filter(name => isObject(properties) && Object.hasOwn(properties, name))
  return inside.length === 0 ? type : `${type} & Required<Pick<${type}, ${inside.map(literalType).join(' | ')}>>`
}

/** The type that a schema gives to its values itself, without its parts and variants. */
const ownType = (schema: JsonObject, typing: Typing): string | undefined => {
  const { type, oneOf = [] } = schema
  if (type === 'integer') return typing.special(schema) ?? 'number'
  if (type === 'string') return typing.special(schema) ?? 'string'
  if (type === 'array') return arrayType(schema, typing)
  if (!Array.isArray(type)) return type === undefined || type === 'object' ? objectType(schema, typing) : String(type)
  const isVariant = (each: Json) => (oneOf as Json[]).some(one => isObject(one) && one.type === each)
  const own = type.filter(each => each === 'array' || each === 'object' || !isVariant(each))
  const { oneOf: _, ...rest } = schema
  return union(own.map(each => (each === 'null' ? 'null' : composedType({ ...rest, type: each }, typing))))
}

const arrayType = ({ prefixItems, items = true, minItems = 0, maxItems }: JsonObject, typing: Typing): string => {
  if (!Array.isArray(prefixItems)) return `${schemaType(items, typing, 'items')}[]`
  const first = prefixItems.map((each, index) => {
    const type = schemaType(each, typing, 'prefixItems')
    return index < (minItems as number) ? type : `${type}?`
  })
  const endsThere = items === false || (maxItems !== undefined && (maxItems as number) <= prefixItems.length)
  return `[${[...first, ...(endsThere ? [] : [`...${schemaType(items, typing, 'items')}[]`])].join(', ')}]`
}

/** Undefined if a schema describes no properties. */
const objectType = (schema: JsonObject, typing: Typing): string | undefined => {
  const properties = entriesOf(schema.properties)
  const required = (schema.required ?? []) as string[]
  const members = properties.map(([name, each]) => {
    const { readOnly } = isObject(each) ? each : {}
    const doc = isObject(each) ? schemaDoc(each, typing.lookup) : ''
    return member(name, propertyType(each, typing), !required.includes(name), doc, readOnly === true)
  })
  const others = othersType(schema, typing)
  const all = [
    ...(members.length > 0 ? [objectOf(members)] : []),
    ...(others === undefined ? [] : [objectOf([`[key: string]: ${others}`])])
  ]
  return all.length === 0 ? undefined : intersection(all)
}

/** The type of a property or component. Other keywords do not matter beside integers of their own type, or tuples. */
export const propertyType = (schema: Json, typing: Typing): string => {
  const { type, prefixItems } = isObject(schema) ? schema : {}
  if (type === 'array' && prefixItems !== undefined) return arrayType(schema as JsonObject, typing)
  const isSpecial = type === 'integer' || type === 'string'
  return (isSpecial && typing.special(schema as JsonObject)) || schemaType(schema, typing, 'properties')
}

/** An index signature must cover the types of declared properties as well. */
const othersType = (schema: JsonObject, typing: Typing): string | undefined => {
  const { additionalProperties = false, patternProperties, properties } = schema
  const typeOf = (each: Json) => schemaType(each, typing, 'additionalProperties')
  const all = [...(additionalProperties === false ? [] : [additionalProperties]), ...valuesOf(patternProperties)]
  if (all.length === 0) return undefined
  const types = [...all, ...valuesOf(properties)].map(typeOf)
  return types.includes('unknown') ? 'unknown' : union([...new Set(types)])
}

const valuesOf = (schemas: Json | undefined) => entriesOf(schemas).map(([, each]) => each)

const primitives = new Set(['boolean', 'never', 'null', 'number', 'string'])

const union = (types: readonly string[]): string => joined(types, ' | ')
const intersection = (types: readonly string[]): string => joined(types, ' & ')

/** In parentheses, of which the formatter removes those that are not needed. */
const joined = (types: readonly string[], operator: string): string => {
  const distinct = types.filter((each, index) => !primitives.has(each) || types.indexOf(each) === index)
  return distinct.length === 1
    ? (distinct[0] as string)
    : distinct.length === 0
      ? 'never'
      : `(${distinct.join(operator)})`
}

const literalType = (value: Json): string => {
  if (Array.isArray(value)) return value.length === 0 ? 'never[]' : `[${value.map(literalType).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, each]) => member(name, literalType(each)))
  return members.length === 0 ? 'Record<string, never>' : objectOf(members)
}
