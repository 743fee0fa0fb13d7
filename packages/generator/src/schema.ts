import {
  entriesOf,
  inEcmaScript,
  isObject,
  isText,
  type Json,
  type JsonObject,
  put,
  regexOf,
  saysOnlyNullable,
  shortened
} from '@contract-first/document'
import { withoutBase } from './bases.ts'
import { fits } from './defaults.ts'
import { grammar } from './grammar.ts'
import { isAnnotation, mergeAll, separated } from './merge.ts'
import { isReference, nameOf } from './pointer.ts'
import type { Report } from './problems.ts'
import { contradictionOf, derive, deriveContradiction, locate } from './read.ts'
import { isKnownFormat, type Kind, type Version, wantedPattern } from './rule.ts'
import { mapSubschemas, partsInPlace, typesOf } from './schema-tree.ts'
import { slownessOf } from './slow-patterns.ts'

/**
 * Normalises schemas: `allOf` only for parts that cannot be merged, no siblings of a `$ref`, `nullable` as a type, bounds as
 * numbers. The result accepts exactly the same values, and also null where `nullable` is meant to allow it. `schema` is for any
 * schema, `component` for a named one.
 */
export const schemaMerger = (written: JsonObject, version: Version, report: Report) => {
  const components = new Map<string, JsonObject>()
  /** Components that contain the schema that is being merged. */
  const around = new Set<string>()
  const component = (name: string): JsonObject => {
    const known = components.get(name)
    if (known !== undefined) return known
    around.add(name)
    const schema = merged(written[name] ?? true)
    around.delete(name)
    components.set(name, schema)
    return schema
  }
  /** The final target of a reference; undefined if it is not known yet, as it contains the reference. */
  const settled = (schema: JsonObject): JsonObject | undefined => {
    if (!isReference(schema)) return schema
    const name = nameOf(schema.$ref)
    return around.has(name) ? undefined : settled(component(name))
  }
  /** The target of a reference, if it is known yet. */
  const flat = (schema: JsonObject): JsonObject => settled(schema) ?? schema

  const merged = (value: Json): JsonObject => {
    if (value === true) return {}
    if (!isObject(value)) return { not: {} }
    checkAlone(value, version, report)
    const { $defs: _kept, ...rest } = value
    const schema: JsonObject = derive(toOpenApi31(withoutAnnotations(rest, value, version, report)), value)
    if (schema.$ref !== undefined && Object.keys(schema).every(keyword => keyword === '$ref' || isText(keyword)))
      return schema
    const { $ref, allOf = [], unevaluatedProperties, unevaluatedItems, ...others } = schema
    const part = (each: Json, keyword: string) => {
      if (mayBeBoolean(each, keyword)) return each
      const isNull = version === '3.0' && (keyword === 'anyOf' || keyword === 'oneOf') && saysOnlyNullable(each)
      return isNull ? derive({ type: 'null' } as JsonObject, each) : merged(each)
    }
    const own = mapSubschemas(derive(others, value), part)
    const said = (allOf as Json[]).filter(each => version !== '3.0' || !saysOnlyNullable(each))
    const parts = [...($ref === undefined ? [] : [derive({ $ref } as JsonObject, value)]), ...said]
    // The texts of a single part describe the whole; those of one of several parts only that part.
    const isOne = parts.length === 1
    const saysNothing = Object.keys(others).every(isAnnotation)
    const all = parts.map(part => {
      const target = merged(part)
      const inner = settled(target)
      if (inner === undefined || (isOne && saysNothing)) return inner ?? target
      return withoutBase(isOne ? inner : withoutTexts(inner))
    })
    // Most schemas stand alone. A const may contradict the enum beside it.
    const isAlone = parts.length === 0 && own.const === undefined
    const whole = isAlone ? own : mergeAll([...all, own], { report, settled, joint: { schema: value, within: '' } })
    const contradiction = contradictionOf(whole)
    if (contradiction !== undefined) return deriveContradiction({ ...whole }, value, contradiction)
    const result = orNull(derive({ ...whole }, value), value)
    if (unevaluatedProperties === undefined && unevaluatedItems === undefined) return result
    const unevaluated = { unevaluatedProperties, unevaluatedItems } as JsonObject
    return withRest(result, mapSubschemas(derive(unevaluated, value), part))
  }
  /** Allows null where `nullable` is meant to; by the letter of OpenAPI 3.0.3, it only extends a type in the same object. */
  const orNull = (schema: JsonObject, value: JsonObject): JsonObject => {
    const parts = (value.allOf ?? []) as Json[]
    const saying =
      version === '3.0' ? [value, ...parts].find(each => isObject(each) && each.nullable === true) : undefined
    if (saying === undefined || (saying !== value && !saysOnlyNullable(saying))) return schema
    // A target that is not known yet contains this schema, and does not count.
    const acceptsNull = fits(schema, null, each => settled(each) ?? { enum: [] })
    const isUnlisted = Array.isArray(value.enum) && !value.enum.includes(null)
    if (!acceptsNull || isUnlisted)
      report.carry(
        locate(saying as JsonObject, 'nullable'),
        isUnlisted
          ? 'null is allowed here, which nullable is meant to say; by OpenAPI 3.0.3, the enum must contain it, too'
          : 'null is allowed here, which nullable is meant to say; by OpenAPI 3.0.3, it only counts beside a type that nothing else restricts'
      )
    return acceptsNull ? schema : withNull(schema)
  }
  return { schema: merged, component, flat }
}

/** Makes a schema that rejects null accept it. */
const withNull = (schema: JsonObject): JsonObject => {
  const none = derive({ type: 'null' } as JsonObject, schema)
  const [said, rest] = separated(schema)
  const [keyword, ...others] = Object.keys(rest).filter(each => each !== 'discriminator')
  if (others.length === 0 && (keyword === 'anyOf' || keyword === 'oneOf'))
    return derive({ ...schema, [keyword]: [...(schema[keyword] as Json[]), none] }, schema)
  const isAlone = partsInPlace(schema).length === 0 && schema.const === undefined && !isReference(schema)
  if (!isAlone || schema.type === undefined) return derive({ ...said, anyOf: [rest, none] }, schema)
  const listed = Array.isArray(schema.enum) && { enum: [...schema.enum, null] }
  return derive({ ...schema, type: [...typesOf(schema), 'null'], ...listed }, schema)
}

const mayBeBoolean = (part: Json, keyword: string) =>
  part === undefined || (typeof part === 'boolean' && restKeywords.has(keyword))
const restKeywords = new Set(['items', 'additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'])

const withoutTexts = (schema: JsonObject) => {
  const { title: _title, description: _description, ...rest } = schema
  return derive(rest, schema)
}

/** Drops formats and other keywords that are only annotations, with warnings where they might be expected to count. */
const withoutAnnotations = (written: JsonObject, at: JsonObject, version: Version, report: Report): JsonObject => {
  const schema: JsonObject = {}
  for (const keyword of Object.keys(written)) if (!isCarried(keyword)) put(schema, keyword, written[keyword])
  // Raw bytes, for which OpenAPI 3.1 has no format. These encodings change nothing (RFC 2045, section 6.2).
  const { contentMediaType, contentEncoding = '' } = written
  const isOther = typeof contentMediaType === 'string' && !/^text\/|[/+]json\b/.test(contentMediaType)
  const isRaw = /^(?:|7bit|8bit|binary)$/i.test(String(contentEncoding)) && isOther
  if (schema.type === 'string' && (isRaw || (contentEncoding === 'binary' && contentMediaType === undefined)))
    schema.format ??= 'binary'
  for (const [keyword, needed] of dependent) {
    if (schema[keyword] === undefined || schema[needed] !== undefined) continue
    delete schema[keyword]
    report.carry(locate(at, keyword), `${keyword} has no effect without ${needed}`)
  }
  if (version === '3.1') delete schema.nullable
  const { format } = schema
  if (format !== undefined && !isKnownFormat(format)) {
    delete schema.format
    report.carry(locate(at, 'format'), `format ${format} is not known here, and is not checked`)
  }
  return schema
}
const isCarried = (keyword: string) => {
  const rule = keyword === '$ref' || keyword.startsWith('x-') ? {} : (grammar.schema as Kind).keys[keyword]
  return rule === undefined || 'carried' in rule || keyword === '$schema'
}
const dependent = [
  ['then', 'if'],
  ['else', 'if'],
  ['minContains', 'contains'],
  ['maxContains', 'contains']
] as const

const bounds = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum']
] as const

/** Converts OpenAPI 3.0 keywords to those of 3.1. */
const toOpenApi31 = ({ nullable, ...schema }: JsonObject): JsonObject => {
  if (nullable === true && schema.type !== undefined) schema.type = [schema.type, 'null'].flat()
  if (nullable === true && Array.isArray(schema.enum) && !schema.enum.includes(null))
    schema.enum = [...schema.enum, null]
  for (const [bound, exclusive] of bounds) {
    const value = schema[exclusive]
    if (typeof value !== 'boolean') continue
    delete schema[exclusive]
    if (!value || schema[bound] === undefined) continue
    schema[exclusive] = schema[bound]
    delete schema[bound]
  }
  if (schema.format === 'uint64' && typesOf(schema).includes('integer')) {
    schema.format = 'int64'
    const { minimum } = schema
    schema.minimum = typeof minimum === 'number' || typeof minimum === 'bigint' ? (minimum > 0 ? minimum : 0) : 0
  }
  if (typeof schema.pattern === 'string') schema.pattern = inEcmaScript(schema.pattern)
  if (isObject(schema.patternProperties)) schema.patternProperties = withTranslatedNames(schema.patternProperties)
  if (Array.isArray(schema.required)) schema.required = [...new Set(schema.required)]
  const types = typesOf(schema).filter((type, _index, all) => type !== 'integer' || !all.includes('number'))
  if (types.length > 0) schema.type = types.length === 1 ? (types[0] as string) : types
  return schema
}

/** Translates the patterns of properties, of which two may become the same. */
const withTranslatedNames = (written: JsonObject): JsonObject => {
  const all = Map.groupBy(entriesOf(written), ([pattern]) => inEcmaScript(pattern))
  const isSame = [...all.keys()].every(pattern => Object.hasOwn(written, pattern))
  if (isSame) return written
  const patterns = [...all].map(([pattern, same]): [string, Json] => {
    const schemas = same.map(([, each]) => each)
    return [pattern, schemas.length === 1 ? (schemas[0] as Json) : { allOf: schemas }]
  })
  return derive(Object.fromEntries(patterns), written)
}

/** Replaces `unevaluated…` by the equivalent keyword that most validators and type generators support, if there is one. */
const withRest = (schema: JsonObject, { unevaluatedProperties, unevaluatedItems }: JsonObject): JsonObject => {
  const result = { ...schema }
  const hasParts = partsInPlace(schema).length > 0
  // `additionalProperties` evaluates all properties already.
  if (unevaluatedProperties !== undefined && schema.additionalProperties === undefined)
    result[hasParts ? 'unevaluatedProperties' : 'additionalProperties'] = unevaluatedProperties
  if (unevaluatedItems !== undefined && schema.items === undefined)
    result[hasParts || schema.contains !== undefined ? 'unevaluatedItems' : 'items'] = unevaluatedItems
  return derive(result, schema)
}

/** Checks the keywords of a single schema against each other. */
const checkAlone = (schema: JsonObject, version: Version, report: Report) => {
  const complain = (keyword: string, message: string) => report.add(locate(schema, keyword), message)
  const carry = (keyword: string, message: string) => report.carry(locate(schema, keyword), message)
  for (const [bound, exclusive] of bounds) {
    if (schema[exclusive] === true && schema[bound] === undefined)
      complain(exclusive, `${exclusive}: true has no effect without ${bound}`)
    if (typeof schema[exclusive] === 'boolean' && version !== '3.0')
      carry(exclusive, `${exclusive} is a number since OpenAPI 3.1; ${schema[exclusive]} is read as in 3.0`)
  }
  if (schema.format === 'uint64') carry('format', 'uint64 is served up to 2^63 - 1, the largest integer of an int64')
  if (Array.isArray(schema.type) && version === '3.0')
    carry('type', 'type is a list since OpenAPI 3.1; it is read as there')
  if (schema.type === 'null' && version === '3.0')
    carry('type', 'type may be null since OpenAPI 3.1; it is read as there')
  if (schema.readOnly === true && schema.writeOnly === true)
    complain(
      'writeOnly',
      'a property that is both readOnly and writeOnly occurs in no request and no response; keep one of them'
    )
  const warn = (holder: object, key: string, each: string, maxLength?: Json) => {
    const regex = regexOf(each)
    const slowness = regex && slownessOf(regex, maxLength)
    const isOld = regex?.unicode === false
    for (const message of [
      slowness && `: ${slowness}`,
      isOld && ' is not valid with the flag u, which JSON Schema recommends, and is used without'
    ])
      if (message) report.warn(locate(holder, key), `the pattern ${shortened(each, 100)}${message}`)
  }
  if (typeof schema.pattern === 'string') warn(schema, 'pattern', schema.pattern, schema.maxLength)
  for (const [each] of entriesOf(schema.patternProperties)) {
    warn(schema.patternProperties as JsonObject, each, each)
    const wanted = wantedPattern(each)
    if (wanted !== undefined)
      report.add(locate(schema.patternProperties as JsonObject, each), `the pattern ${each} is not ${wanted}`)
  }
}
