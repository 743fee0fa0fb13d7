import { Ajv2020 } from 'ajv/dist/2020.js'
import { isObject, type Json, type JsonObject } from '../../document/src/json.ts'
import { formatsForAjv } from '../../fastify/test/formats.ts'
import type { Direction } from '../src/schema/schema.ts'

/** A schema and the components that it may refer to, as written for OpenAPI 3.1. */
export interface Contract {
  body: Json
  schemas: JsonObject
}

export type Accepts = (value: Json) => boolean

// Implements the compatibility policy a second time, value by value and on the schemas as written, to check the engine,
// with which it shares no code.

/** What a sender may send: valid values that, unless strict, contain only declared properties. */
export const sentBy = (contract: Contract, strict: boolean): Accepts => {
  const isValid = validatorOf(contract, documentOf)
  return strict ? isValid : value => isValid(value) && isDeclared(contract, [contract.body], value)
}

/** What a receiver accepts: valid values; in responses, unless strict, also with unknown properties, which it ignores. */
export const receivedBy = (contract: Contract, direction: Direction, strict: boolean): Accepts =>
  validatorOf(contract, strict || direction === 'request' ? documentOf : openedDocumentOf)

const documentOf = ({ body, schemas }: Contract): JsonObject => ({ $ref: '#/body', body, components: { schemas } })

// Most validators judge only a few hundred values, so compiling must be cheap.
const newAjv = () =>
  new Ajv2020({
    ...{ strict: false, validateSchema: false, meta: false, logger: false, multipleOfPrecision: 9 },
    ...{ code: { optimize: false }, inlineRefs: false, formats: formatsForAjv }
  })

/** The code that Ajv generated for a schema throws. */
export class Unjudged extends Error {}

let ajv = newAjv()
const validators = new Map<string, Accepts>()

const validatorOf = (contract: Contract, documentFor: (contract: Contract) => JsonObject): Accepts => {
  const document = documentFor(contract)
  const key = JSON.stringify(document)
  const known = validators.get(key)
  if (known !== undefined) return known
  // An Ajv instance keeps everything that it has compiled.
  if (validators.size === 100) {
    ajv = newAjv()
    validators.clear()
  }
  // Tracking evaluated properties is slow, and some of the code that Ajv generates for it throws.
  ajv.opts.unevaluated = key.includes('"unevaluated')
  const validate = ajv.compile(document)
  const accepts = (value: Json) => {
    try {
      return validate(value)
    } catch (cause) {
      throw new Unjudged('Ajv fails', { cause })
    }
  }
  validators.set(key, accepts)
  return accepts
}

const component = /^#\/components\/schemas\//
const targetOf = ({ schemas }: Contract, { $ref }: JsonObject): Json =>
  schemas[String($ref).replace(component, '')] ?? true

const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])
const entriesOf = (value: Json | undefined): [string, Json][] => (isObject(value) ? Object.entries(value) : [])
const given = (...schemas: (Json | undefined)[]): Json[] => schemas.filter(each => each !== undefined)

/** The schemas and all that apply to the same value with them; of alternatives, only those for which `isMeant` holds. */
const inPlace = (contract: Contract, schemas: readonly Json[], isMeant: Accepts = () => true): JsonObject[] => {
  const found = new Set<JsonObject>()
  const visit = (schema: Json) => {
    if (!isObject(schema) || found.has(schema)) return
    found.add(schema)
    if (schema.$ref !== undefined) visit(targetOf(contract, schema))
    for (const part of listOf(schema.allOf)) visit(part)
    for (const part of [schema.anyOf, schema.oneOf].flatMap(listOf)) if (isMeant(part)) visit(part)
    for (const part of given(schema.if, schema.then, schema.else)) visit(part)
    for (const [, part] of entriesOf(schema.dependentSchemas)) visit(part)
  }
  for (const schema of schemas) visit(schema)
  return [...found]
}

/** Whether a value contains, at any depth, only properties that its schemas declare. */
const isDeclared = (contract: Contract, schemas: readonly Json[], value: Json): boolean => {
  if (value === null || typeof value !== 'object') return true
  const isMatch = (variant: Json) => acceptsVariant(contract, variant)(value)
  const parts = inPlace(contract, schemas, isMatch)
  if (Array.isArray(value)) return value.every((item, index) => isDeclared(contract, itemSchemas(parts, index), item))
  if (!isObject(value) || parts.some(part => hasFreeAlternative(contract, part, isMatch))) return true
  const isAny = !inPlace(contract, schemas).some(describes) || parts.some(allowsOthers)
  const isOpen = parts.some(isExpresslyOpen)
  const isKnown = (name: string) => isAny || (isOpen && name === 'undeclared') || parts.some(part => names(part, name))
  return Object.entries(value).every(
    ([name, each]) => isKnown(name) && isDeclared(contract, parts.flatMap(propertySchemas(name)), each)
  )
}

const declares = ({ properties, patternProperties }: JsonObject) =>
  entriesOf(properties).length + entriesOf(patternProperties).length > 0

const isFilled = (schema: Json | undefined) => isObject(schema) && Object.keys(schema).length > 0

const allowsOthers = (part: JsonObject) => isFilled(part.additionalProperties) || isFilled(part.unevaluatedProperties)
const describes = (part: JsonObject) => declares(part) || allowsOthers(part)

const hasFreeAlternative = (contract: Contract, { anyOf, oneOf }: JsonObject, isMatch: Accepts) =>
  [anyOf, oneOf].flatMap(listOf).some(variant => isFree(inPlace(contract, [variant])) && isMatch(variant))

/** Stands for properties that neither side declares. */
const isExpresslyOpen = (part: JsonObject) =>
  closing.some(keyword => part[keyword] === true || (isObject(part[keyword]) && !isFilled(part[keyword])))

/** An alternative that allows any object. */
const isFree = (parts: readonly JsonObject[]) =>
  parts.some(({ type }) => type === 'object') && !parts.some(part => declares(part) || listOf(part.required).length > 0)

/** Contracts share variants, but not the components that these refer to. */
const variantValidators = new WeakMap<Contract, WeakMap<JsonObject, Accepts>>()

const acceptsVariant = (contract: Contract, variant: Json): Accepts => {
  if (!isObject(variant)) return () => variant === true
  const known = variantValidators.get(contract) ?? new WeakMap()
  variantValidators.set(contract, known)
  const accepts = known.get(variant) ?? validatorOf({ ...contract, body: variant }, documentOf)
  known.set(variant, accepts)
  return accepts
}

const matching = (part: JsonObject, name: string) =>
  entriesOf(part.patternProperties).filter(([pattern]) => new RegExp(pattern, 'u').test(name))

const names = (part: JsonObject, name: string) =>
  (isObject(part.properties) && Object.hasOwn(part.properties, name)) ||
  matching(part, name).length > 0 ||
  listOf(part.required).includes(name)

const propertySchemas =
  (name: string) =>
  (part: JsonObject): Json[] => {
    const { properties } = part
    const own = isObject(properties) && Object.hasOwn(properties, name) ? given(properties[name]) : []
    const named = [...own, ...matching(part, name).map(([, schema]) => schema)]
    return named.length > 0 ? named : given(part.additionalProperties, part.unevaluatedProperties)
  }

/** The schemas of an item; one that `contains` matches may have more properties. */
const itemSchemas = (parts: readonly JsonObject[], index: number): Json[] => {
  const schemas = parts.flatMap(({ prefixItems, items, unevaluatedItems }) =>
    given(listOf(prefixItems)[index] ?? items ?? unevaluatedItems)
  )
  return schemas.length > 0 ? [...schemas, ...parts.flatMap(({ contains }) => given(contains))] : []
}

const closing = ['additionalProperties', 'unevaluatedProperties']
const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const maps = ['properties', 'patternProperties', 'dependentSchemas']
const single = [...closing, 'items', 'unevaluatedItems', 'then', 'else']

/** The schema without restrictions on unknown properties, except in conditions. */
const openedDocumentOf = (contract: Contract): JsonObject => {
  const open = (schema: Json): Json => {
    if (!isObject(schema)) return schema
    const entries = Object.entries(schema).map(([keyword, value]): [string, Json] => {
      if (closing.includes(keyword) && value === false) return [keyword, true]
      if (keyword === '$ref') return [keyword, String(value).replace(component, '#/opened/')]
      if (lists.includes(keyword)) return [keyword, listOf(value).map(open)]
      if (maps.includes(keyword)) return [keyword, opening(entriesOf(value))]
      return [keyword, single.includes(keyword) ? open(value) : value]
    })
    const { oneOf, ...rest } = Object.fromEntries(entries)
    if (oneOf === undefined) return rest
    // Without such restrictions, variants that only they distinguished may overlap.
    if (!listOf(schema.oneOf).some(variant => closes(contract, variant))) return { ...rest, oneOf }
    return { ...rest, allOf: [...listOf(rest.allOf), { anyOf: oneOf }] }
  }
  const opening = (schemas: [string, Json][]) => Object.fromEntries(schemas.map(([name, each]) => [name, open(each)]))
  if (![contract.body, ...Object.values(contract.schemas)].some(schema => closes(contract, schema)))
    return documentOf(contract)
  return { ...documentOf(contract), body: open(contract.body), opened: opening(Object.entries(contract.schemas)) }
}

/** Whether a schema, or one inside it, rejects unknown properties. */
const closes = (contract: Contract, schema: Json, seen = new Set<Json>()): boolean => {
  if (!isObject(schema) || seen.has(schema)) return false
  seen.add(schema)
  const inside = [
    ...(schema.$ref === undefined ? [] : [targetOf(contract, schema)]),
    ...lists.flatMap(keyword => listOf(schema[keyword])),
    ...maps.flatMap(keyword => entriesOf(schema[keyword]).map(([, each]) => each)),
    ...single.flatMap(keyword => given(schema[keyword]))
  ]
  return closing.some(keyword => schema[keyword] === false) || inside.some(each => closes(contract, each, seen))
}
