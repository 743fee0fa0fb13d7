import { isDeepStrictEqual } from 'node:util'
import { isObject, type Json, type JsonObject, put } from '@contract-first/document'
import type { Report } from './problems.ts'
import {
  contradictionAt,
  contradictionOf,
  derive,
  deriveContradiction,
  deriveJoined,
  type Joint,
  locate
} from './read.ts'
import { partsInPlace } from './schema-tree.ts'

export interface Merging {
  report: Report
  /** The target of a reference, if it is known yet. */
  settled: (schema: JsonObject) => JsonObject | undefined
  joint: Joint
}

/** Two schemas whose combination no single one can express. */
class Unmergeable extends Error {}

/** Two schemas that no value satisfies both of. */
class Contradictory extends Error {
  readonly keyword: string

  constructor(keyword: string) {
    super()
    this.keyword = keyword
  }
}

// Readers expect the text that is closest to the place of use, so annotations of the later schema win.
const annotations = new Set(
  'title description default deprecated readOnly writeOnly examples example externalDocs $comment'.split(' ')
)
export const isAnnotation = (keyword: string) => annotations.has(keyword) || keyword.startsWith('x-')
const lowest = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']
const highest = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const objectKeywords = ['properties', 'additionalProperties']
const variantKeywords = ['anyOf', 'oneOf', 'allOf', 'if', 'dependentSchemas']
/** Keywords whose effect an `unevaluated…` in another part of an `allOf` does not see. */
const evaluating: Readonly<Record<string, readonly string[]>> = {
  unevaluatedProperties: [...objectKeywords, 'patternProperties', 'unevaluatedProperties', ...variantKeywords],
  unevaluatedItems: ['items', 'prefixItems', 'contains', 'unevaluatedItems', ...variantKeywords]
}

/** One schema that accepts what all of them accept; those that cannot be merged remain in an `allOf`. */
export const mergeAll = (written: readonly JsonObject[], merging: Merging): JsonObject => {
  const opened = withoutContradiction(written, merging)
  if (opened === undefined) return mergeOpen(written, merging)
  const result = mergeOpen(opened, merging)
  if (contradictionOf(result) !== undefined) return result
  const hasParts = partsInPlace(result).length > 0
  return derive({ ...result, [hasParts ? 'unevaluatedProperties' : 'additionalProperties']: false }, result)
}

/**
 * The parts without `additionalProperties: false`, if one part thereby rejects what another requires: no value would be valid, so
 * the parts must be meant to be closed together.
 */
const withoutContradiction = (parts: readonly JsonObject[], { report, settled }: Merging): JsonObject[] | undefined => {
  const known = parts.map(part => settled(part) ?? part)
  let isContradictory = false
  for (const part of known.filter(isClosed)) {
    const others = known.filter(other => other !== part)
    const declared = others.flatMap(({ properties }) => Object.keys((properties ?? {}) as JsonObject))
    const ownRequired = ((part.required ?? []) as string[]).filter(name => declared.includes(name))
    const required = [...others.flatMap(other => (other.required ?? []) as string[]), ...ownRequired]
    const rejected = required.find(name => !Object.hasOwn((part.properties ?? {}) as JsonObject, name))
    if (rejected === undefined) continue
    isContradictory = true
    report.carry(
      locate(part, 'additionalProperties'),
      `additionalProperties: false rejects ${rejected}, which the same allOf requires, so that no value is valid; it is read as unevaluatedProperties: false beside the allOf`
    )
  }
  if (!isContradictory) return undefined
  return known.map(part => {
    const { additionalProperties: _closed, ...open } = part
    return isClosed(part) ? derive(open, part) : part
  })
}

const isClosed = ({ additionalProperties, patternProperties }: JsonObject) =>
  additionalProperties === false && patternProperties === undefined

const mergeOpen = (parts: readonly JsonObject[], merging: Merging): JsonObject => {
  // Returned as it is, since a schema derived from it would wrongly count as the contradiction itself.
  const impossible = contradictoryOf(parts)
  if (impossible !== undefined) return impossible
  let result: JsonObject = derive({}, parts[0] as JsonObject)
  const others: JsonObject[] = []
  for (const part of parts) {
    const merged = mergedUnless(result, part, merging)
    if (merged !== undefined) {
      if (contradictionOf(merged) !== undefined) return merged
      result = merged
      continue
    }
    const [said, rest] = separated(part)
    others.push(rest)
    result = derive({ ...result, ...said }, result)
  }
  if (others.length === 0) return result
  // All integer schemas for one value must agree on whether it is a bigint.
  if (result.format === 'int64') for (const each of others) if (each.type === 'integer') each.format ??= 'int64'
  if (!Object.keys(evaluating).some(keyword => keyword in result))
    return derive({ ...result, allOf: [...((result.allOf ?? []) as Json[]), ...others] }, result)
  // Kept in its own part, as its `unevaluated…` must not see what the others evaluate.
  const [said, rest] = separated(result)
  return derive({ ...said, allOf: [rest, ...others] }, result)
}

/** The annotations of a schema, which are about the whole, and the rest. */
export const separated = (schema: JsonObject): [JsonObject, JsonObject] => {
  const entries = Object.entries(schema)
  return [
    Object.fromEntries(entries.filter(([keyword]) => isAnnotation(keyword))),
    derive(Object.fromEntries(entries.filter(([keyword]) => !isAnnotation(keyword))), schema)
  ]
}

const contradictoryOf = (parts: readonly JsonObject[]) => parts.find(each => contradictionOf(each) !== undefined)

/** One schema that accepts what both accept; undefined if there is none. */
const mergedUnless = (left: JsonObject, right: JsonObject, merging: Merging) => {
  const impossible = contradictoryOf([left, right])
  if (impossible !== undefined) return impossible
  try {
    return intersect(left, right, merging)
  } catch (error) {
    if (error instanceof Contradictory) return contradictory({ ...left, ...right }, error.keyword, left, merging.joint)
    if (error instanceof Unmergeable) return undefined
    throw error
  }
}

/** @throws Unmergeable @throws Contradictory */
const intersect = (left: JsonObject, right: JsonObject, merging: Merging): JsonObject => {
  if (isDeepStrictEqual(left, right)) return left
  const [one, other] = [merging.settled(left), merging.settled(right)]
  if (one === undefined || other === undefined) throw new Unmergeable()
  const result: JsonObject = deriveJoined({ ...one }, left, merging.joint)
  for (const [keyword, value] of Object.entries(other)) {
    const present = result[keyword]
    if (present === undefined || isAnnotation(keyword)) put(result, keyword, value)
    else if (!isDeepStrictEqual(present, value) && !objectKeywords.includes(keyword)) {
      const merged = merges[keyword]?.(present, value, other, merging)
      if (merged === undefined) throw new Unmergeable()
      result[keyword] = merged
    }
  }
  mergeObjects(result, one, other, merging)
  mergeValues(result)
  return result
}

type Merge = (left: Json, right: Json, at: JsonObject, merging: Merging) => Json | undefined

const least: Merge = (left, right) => ((left as number) < (right as number) ? left : right)
const greatest: Merge = (left, right) => ((left as number) > (right as number) ? left : right)
const bySchema: Merge = (left, right, _at, merging) =>
  united(left, right, (one, other) => mergeSchemas(one, other, merging))

/** What two values of a keyword become; undefined if a single one cannot express both. */
const merges: Readonly<Record<string, Merge>> = {
  ...Object.fromEntries(lowest.map(keyword => [keyword, least])),
  ...Object.fromEntries(highest.map(keyword => [keyword, greatest])),
  type: (left, right) => {
    const types = mergeTypes(left, right)
    if (types.length === 0) throw new Contradictory('type')
    return types.length === 1 ? (types[0] as string) : types
  },
  allOf: (left, right) => [...(left as Json[]), ...(right as Json[])],
  const: () => {
    throw new Contradictory('const')
  },
  enum: (left, right) => {
    const values = (left as Json[]).filter(value => (right as Json[]).some(other => isDeepStrictEqual(value, other)))
    if (values.length === 0) throw new Contradictory('enum')
    return values
  },
  required: (left, right) => [...new Set([left, right].flat())],
  uniqueItems: (left, right) => left || right,
  multipleOf: (left, right) => {
    const [small, large] = [left as number, right as number].sort((a, b) => a - b) as [number, number]
    return large % small === 0 && Number.isInteger(small) ? large : undefined
  },
  not: (left, right) => ({ anyOf: [left, right] }),
  propertyNames: (left, right, _at, merging) => mergeSchemas(left, right, merging),
  patternProperties: bySchema,
  dependentSchemas: bySchema,
  dependentRequired: (left, right) => united(left, right, (one, other) => [...new Set([one, other].flat())]),
  items: (left, right, at, merging) =>
    at.prefixItems === undefined ? mergeSchemas(left, right, inside('[]', merging)) : undefined
}

/** All entries of two mappings; `make` combines those with the same name. */
const united = (left: Json, right: Json, make: (one: Json, other: Json) => Json): Json => {
  const result = derive({ ...(left as JsonObject) }, left as JsonObject)
  for (const [name, each] of Object.entries(right as JsonObject))
    put(result, name, Object.hasOwn(result, name) ? make(result[name] as Json, each) : each)
  return result
}

const mergeSchemas = (left: Json, right: Json, merging: Merging): Json => {
  if (left === true || right === false) return right
  if (right === true || left === false) return left
  const apart = () => derive({ allOf: [left, right] } as JsonObject, right as JsonObject)
  return mergedUnless(left as JsonObject, right as JsonObject, merging) ?? apart()
}

const typeList = (type: Json) => (Array.isArray(type) ? type : [type]) as string[]

const mergeTypes = (left: Json, right: Json): string[] => {
  const wanted = typeList(right)
  return typeList(left).flatMap(type => {
    if (wanted.includes(type)) return [type]
    if (type === 'integer' && wanted.includes('number')) return ['integer']
    return type === 'number' && wanted.includes('integer') ? ['integer'] : []
  })
}

/** A property declared by one part must also satisfy the other part's `additionalProperties`. */
const mergeObjects = (result: JsonObject, left: JsonObject, right: JsonObject, merging: Merging) => {
  for (const part of [left, right]) {
    const other = part === left ? right : left
    const sees = ([keyword, hidden]: [string, readonly string[]]) =>
      keyword in part && hidden.some(each => each in other)
    if (Object.entries(evaluating).some(sees)) throw new Unmergeable()
    // Names that match a pattern in one part count as additional in the other.
    const hasNames = [...objectKeywords, 'patternProperties'].some(keyword => keyword in other)
    if ('additionalProperties' in part && hasNames && ('patternProperties' in part || 'patternProperties' in other))
      throw new Unmergeable()
    // The discriminator belongs to the variants beside it, and merging would put it beside others.
    const hasVariants =
      (other.oneOf ?? other.anyOf) !== undefined && !isDeepStrictEqual(part.discriminator, other.discriminator)
    if (part.discriminator !== undefined && hasVariants) throw new Unmergeable()
    if (['if', 'contains'].some(keyword => keyword in part && keyword in other)) throw new Unmergeable()
    if (part.prefixItems !== undefined && other.prefixItems === undefined && other.items !== undefined)
      throw new Unmergeable()
  }
  const names = new Set(
    [left, right].flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []))
  )
  if (names.size > 0) {
    const properties = derive({} as JsonObject, (isObject(right.properties) ? right : left).properties as JsonObject)
    for (const name of names) {
      const property = mergeProperty(name, left, right, merging)
      if (property !== undefined) put(properties, name, property)
    }
    result.properties = properties
  }
  const [one, other] = [left.additionalProperties, right.additionalProperties]
  const additional = one === undefined || other === undefined ? (one ?? other) : mergeSchemas(one, other, merging)
  if (additional !== undefined) result.additionalProperties = additional
}

/** Undefined if a part rejects it. */
const mergeProperty = (name: string, left: JsonObject, right: JsonObject, merging: Merging): Json | undefined => {
  const parts = [left, right].map(part => {
    if (isObject(part.properties) && Object.hasOwn(part.properties, name)) return part.properties[name] as Json
    if (part.additionalProperties !== false) return part.additionalProperties ?? true
    // Warned of, as it is almost always a mistake.
    merging.report.carry(
      locate(part, 'additionalProperties'),
      `additionalProperties: false rejects ${name}, which another part of the same allOf declares; use unevaluatedProperties: false beside the allOf instead`
    )
    return false
  })
  const [one = true, other = true] = parts
  return one === false || other === false ? undefined : mergeSchemas(one, other, inside(`.${name}`, merging))
}

/** A const makes an enum that contains it redundant. */
const mergeValues = (result: JsonObject) => {
  const { const: value, enum: values } = result
  if (value === undefined || !Array.isArray(values)) return
  if (!values.some(each => isDeepStrictEqual(each, value))) throw new Contradictory('const')
  delete result.enum
}

const inside = (place: string, { joint, ...merging }: Merging): Merging => ({
  ...merging,
  joint: { ...joint, within: joint.within + place }
})

/** Replaces an `allOf` whose parts contradict each other; the parts themselves remain possible. */
export const contradictory = (schema: JsonObject, keyword: string, from: object, joint: Joint): JsonObject => {
  const where = joint.within === '' ? '' : ` of ${joint.within}`
  const message = `no value satisfies the parts of this allOf, because of ${keyword}${where}; declare it in only one part, or beside the allOf`
  return deriveContradiction(impossible(schema), from, contradictionAt(joint.schema, 'allOf', message))
}

/** A schema that no value satisfies, with the texts of another one. */
export const impossible = (schema: JsonObject): JsonObject => {
  const texts = Object.entries(schema).filter(([keyword]) => isAnnotation(keyword) && !isValue.has(keyword))
  return { ...Object.fromEntries(texts), not: {} }
}
const isValue = new Set(['default', 'example', 'examples'])
