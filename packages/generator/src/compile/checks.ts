import { entriesOf, isObject, type Json, type JsonObject } from '@contract-first/document'
import type { Names } from '../names.ts'
import { inPlace, partsInPlace, subschemasOf, typesOf } from '../schema-tree.ts'
import { type Discriminator, discriminatorOf } from './discriminator.ts'
import {
  type Assertion,
  boundsOfInt64,
  concerns,
  type Group,
  groups,
  hasDuplicates,
  isComposed,
  isInt64,
  isJudgedInGroup,
  isNumber,
  isOfNoType,
  isOfType,
  isOther,
  isTrivial,
  limitsOf,
  matches,
  mayRound,
  neverSent,
  ofDependents,
  ofGroup,
  ofLimit,
  ofValues,
  paramsOfInt64
} from './keywords.ts'
import { areTriedAgain, atAGlance } from './recursion.ts'
import { forUnevaluated, isDecided, ofContents, ofItems, ofProperties } from './tests.ts'
import { arrow, block, isAbsent, isPresent, js, property, type Unit, variable, wrapped } from './unit.ts'

/** A value to check, as expressions: `v` is a variable, `slot` what it was read from, `parent[at]`; `path` leads to it. */
interface Place {
  v: string
  parent: string
  at: string
  slot: string
  path: string
  /** Of variables in the function. */
  names: Names
}

/**
 * The name of a function that adds all violations of a request's value to `faults`, in the order in which Ajv finds them.
 * It replaces integers of format `int64` by bigints.
 */
export const checkOf = (schema: Json, hint: string, unit: Unit): string =>
  unit.function('check', schema, hint, (target, about, names) => {
    const check = arrow('v, parent, at, path, faults', checks(target, { ...root, names }, about, unit))
    return unit.leadsBack(target) ? wrapped('once', check) : check
  })

const root = { v: 'v', parent: 'parent', at: 'at', slot: 'parent[at]', path: 'path' }

const fault = (keyword: string, { path, v }: Place, params = '{}') =>
  `fault(faults, '${keyword}', ${path}, ${v}, ${params})`

const asserted = (assertions: readonly Assertion[], place: Place): string[] =>
  assertions.map(({ keyword, fails, params }) => `if (${fails}) ${fault(keyword, place, params)}`)

const checks = (schema: Json, place: Place, about: string, unit: Unit): string[] => {
  const never = neverSent(schema)
  if (schema === false || never !== undefined) return [fault(never ?? 'false schema', place)]
  if (!isObject(schema)) return []
  if (isInt64(schema)) return [...checksOfVariants(schema, place, about, unit), ...checksOfInt64(schema, place)]
  const { v } = place
  const types = typesOf(schema)
  const inGroup = isJudgedInGroup(schema, types)
  const typeFault = fault('type', place, `{ type: ${js(schema.type)} }`)
  // Other schemas for the same value are checked only if the size limits hold.
  const limits = isComposed(schema) ? limitsOf(schema, v, unit) : undefined
  const lines = [
    ...toNumber(schema, types, place),
    ...(types.length > 0 && !inGroup ? [`if (${isOfNoType(types, v)}) ${typeFault}`] : []),
    ...asserted(ofValues(schema, v, unit), place),
    ...checksOfVariants(schema, place, about, unit),
    ...groups.flatMap(group => {
      if (!concerns(schema, group)) return []
      const own = checksOfGroup(group, schema, place, about, unit)
      const all = limits ? own : within(ofLimit(group, schema, v, unit), place, own)
      const otherwise = inGroup && types[0] === group ? typeFault : undefined
      return all.length === 0 && otherwise === undefined ? [] : branch(isOfGroup(group, types, v), all, otherwise)
    })
  ]
  return (limits ?? []).reduceRight((all, limit) => within([limit], place, all), lines)
}

/** Statements for a value that does not exceed a limit. */
const within = (limit: readonly Assertion[], place: Place, lines: string[]): string[] => {
  const first = asserted(limit, place)
  if (first.length === 0 || lines.length === 0) return [...first, ...lines]
  return [...first, ...(lines.length === 1 ? [`else ${lines[0]}`] : block('else', lines))]
}

/** Converts a bigint that may be rounded, or that another variant converted from a number. */
const toNumber = (schema: JsonObject, types: readonly string[], { v, slot }: Place): string[] => {
  if (mayRound(schema)) return [`if (typeof ${v} === 'bigint') ${slot} = ${v} = Number(${v})`]
  if (!types.includes('integer')) return []
  return [`if (typeof ${v} === 'bigint' && Number.isSafeInteger(Number(${v}))) ${slot} = ${v} = Number(${v})`]
}

const isOfGroup = (group: Group, types: readonly string[], v: string) =>
  group === 'number' && types.length === 0 ? isNumber(v) : isOfType(group, v)

const branch = (condition: string, lines: readonly string[], otherwise: string | undefined): string[] =>
  otherwise === undefined ? block(`if (${condition})`, lines) : block(`if (${condition})`, lines, `} else ${otherwise}`)

const checksOfInt64 = (schema: JsonObject, place: Place): string[] => {
  const fails = ['exact === undefined', ...boundsOfInt64(schema, 'exact')].join(' || ')
  return [
    `const exact = int64(${place.v})`,
    `if (${fails}) ${fault('int64', place, paramsOfInt64(schema))}`,
    `else ${place.slot} = ${place.v} = exact`
  ]
}

const checksOfGroup = (group: Group, schema: JsonObject, place: Place, about: string, unit: Unit): string[] => {
  const own = asserted(ofGroup(group, schema, place.v, unit), place)
  if (group === 'array') return [...own, ...checksOfArray(schema, place, about, unit)]
  return group === 'object' ? [...own, ...checksOfObject(schema, place, about, unit)] : own
}

const checksOfObject = (schema: JsonObject, place: Place, about: string, unit: Unit): string[] => {
  const { v, parent, at, slot, path } = place
  const { additionalProperties: others, propertyNames } = schema
  const properties = entriesOf(schema.properties)
  const known = (names: readonly string[]) => unit.constant('names', js(names))
  const lines = ((schema.required ?? []) as string[]).map(
    name => `if (${isAbsent(v, name)}) ${fault('required', place, `{ missingProperty: ${js(name)} }`)}`
  )
  /** Each of the properties that a condition is true of. */
  const forEach = (condition: string, each: Json, what: string) => {
    if (isTrivial(unit.resolve(each).schema)) return
    const check = checkOf(each, `${about} ${what}`, unit)
    const call = `${check}(${v}[key], ${v}, key, { up: ${path}, at: key }, faults)`
    lines.push(...block(`for (const key in ${v})`, [`if (${condition}) ${call}`]))
  }
  if (propertyNames !== undefined)
    lines.push(`names(faults, ${path}, ${v}, ${checkOf(propertyNames, `${about} name`, unit)})`)
  if (others === false) {
    const params = `{ additionalProperty: key, known: ${known(sentNames(schema))} }`
    lines.push(
      ...block(`for (const key in ${v})`, [
        `if (${isOther(schema, 'key', unit)}) ${fault('additionalProperties', place, params)}`
      ])
    )
  } else if (others !== undefined) forEach(isOther(schema, 'key', unit), others, 'other')
  for (const [index, [name, each]] of properties.entries())
    lines.push(...checksOfProperty(name, index, each, place, about, unit))
  for (const [pattern, each] of entriesOf(schema.patternProperties))
    forEach(matches(pattern, 'key', unit), each, 'matching')
  lines.push(...asserted(ofDependents(schema, v), place))
  for (const [name, each] of entriesOf(schema.dependentSchemas)) {
    const check = checkOf(each, `${about} with ${name}`, unit)
    lines.push(`if (${isPresent(v, name)}) ${check}(${v}, ${parent}, ${at}, ${path}, faults)`, `${v} = ${slot}`)
  }
  const { unevaluatedProperties: rest } = schema
  if (rest === false) {
    const params = `{ unevaluatedProperty: key, known: ${known(namesInPlace(schema, unit))} }`
    lines.push(...forUnevaluated(ofProperties, schema, v, about, unit, [fault('unevaluatedProperties', place, params)]))
  } else if (rest !== undefined && !isTrivial(unit.resolve(rest).schema)) {
    const call = `${checkOf(rest, `${about} rest`, unit)}(${v}[key], ${v}, key, { up: ${path}, at: key }, faults)`
    lines.push(...forUnevaluated(ofProperties, schema, v, about, unit, [call]))
  }
  return lines
}

const sentNames = ({ properties }: JsonObject): string[] =>
  entriesOf(properties).flatMap(([name, each]) => (neverSent(each) === undefined ? [name] : []))

/** The names of a schema's properties, including those of its variants and other parts. */
const namesInPlace = (written: Json, unit: Unit): string[] => {
  const { schema } = unit.resolve(written)
  if (!isObject(schema)) return []
  const parts = subschemasOf(schema, keyword => inPlace.has(keyword) && keyword !== 'not')
  return [...new Set([...sentNames(schema), ...parts.flatMap(each => namesInPlace(each, unit))])]
}

const checksOfProperty = (
  name: string,
  index: number,
  written: Json,
  at: Place,
  about: string,
  unit: Unit
): string[] => {
  const { schema } = unit.resolve(written)
  if (isTrivial(schema)) return []
  const { names } = at
  const value = variable(name, index, names)
  const slot = property(at.v, name)
  const place: Place = {
    v: value,
    parent: at.v,
    at: js(name),
    slot,
    path: `{ up: ${at.path}, at: ${js(name)} }`,
    names
  }
  return [
    `let ${value} = ${slot}`,
    ...block(`if (${isPresent(at.v, name, value)})`, checksWithin(written, place, `${about} ${name}`, unit))
  ]
}

/** Inline if there is little to check, otherwise a call of a function. */
const checksWithin = (written: Json, place: Place, hint: string, unit: Unit): string[] => {
  const { schema } = unit.resolve(written)
  if (isSimple(schema)) return checks(schema, place, hint, unit)
  const check = checkOf(written, hint, unit)
  return [`${check}(${place.v}, ${place.parent}, ${place.at}, ${place.path}, faults)`]
}

/** Whether a schema has no parts. */
export const isSimple = (schema: Json): boolean =>
  !isObject(schema) ||
  neverSent(schema) !== undefined ||
  (!concerns(schema, 'object') && !concerns(schema, 'array') && !isComposed(schema))

const checksOfArray = (schema: JsonObject, place: Place, about: string, unit: Unit): string[] => {
  const { v, path, names } = place
  const first = (schema.prefixItems ?? []) as Json[]
  const lines: string[] = []
  for (const [index, each] of first.entries()) {
    if (isTrivial(unit.resolve(each).schema)) continue
    const check = checkOf(each, `${about} item ${index}`, unit)
    lines.push(
      `if (${v}.length > ${index}) ${check}(${v}[${index}], ${v}, ${index}, { up: ${path}, at: ${index} }, faults)`
    )
  }
  const { items } = schema
  if (items === false && first.length > 0)
    lines.push(`if (${v}.length > ${first.length}) ${fault('items', place, `{ limit: ${first.length} }`)}`)
  else if (items !== undefined && !isTrivial(unit.resolve(items).schema)) {
    const item: Place = { v: 'item', parent: v, at: 'i', slot: `${v}[i]`, path: `{ up: ${path}, at: i }`, names }
    lines.push(
      ...block(`for (let i = ${first.length}; i < ${v}.length; i++)`, [
        `let item = ${v}[i]`,
        ...checksWithin(items, item, `${about} item`, unit)
      ])
    )
  }
  lines.push(...asserted(ofContents(schema, v, about, unit), place))
  if (schema.uniqueItems === true) lines.push(`if (${hasDuplicates(schema, v, unit)}) ${fault('uniqueItems', place)}`)
  const { unevaluatedItems: rest } = schema
  if (rest === false) {
    const once = [fault('unevaluatedItems', place, '{ limit: i }'), 'break']
    lines.push(...forUnevaluated(ofItems, schema, v, about, unit, once))
  } else if (rest !== undefined && !isTrivial(unit.resolve(rest).schema)) {
    const call = `${checkOf(rest, `${about} other item`, unit)}(${v}[i], ${v}, i, { up: ${path}, at: i }, faults)`
    lines.push(...forUnevaluated(ofItems, schema, v, about, unit, [call]))
  }
  return lines
}

const checksOfVariants = (schema: JsonObject, place: Place, about: string, unit: Unit): string[] => {
  const { v, parent, at, slot, path } = place
  const lines: string[] = []
  const parts = (schema.allOf ?? []) as Json[]
  if (schema.not !== undefined)
    lines.push(`if (${isDecided(schema.not, v, `${about} not`, unit)}) ${fault('not', place)}`)
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const variants = schema[keyword] as Json[] | undefined
    if (variants === undefined) continue
    // From the slot: an earlier variant may have converted the value.
    const calls = variants.map(
      (each, index) =>
        `() => ${checkOf(each, `${about} variant ${index + 1}`, unit)}(${slot}, ${parent}, ${at}, ${path}, faults)`
    )
    const by = (schema.oneOf ?? schema.anyOf) === variants ? discriminatorOf(schema, variants, unit) : undefined
    const rest = by?.otherwise
    const named = new Set(rest === undefined ? [] : by?.variants.values())
    const isTried = (_each: unknown, index: number) => !named.has(index)
    const tried = variants.filter(isTried)
    const all = triedLines(keyword, tried, calls.filter(isTried), unit.leadsBack(schema), place, about, unit)
    const ofRest = rest === undefined ? '' : (calls[rest] as string).replace('() => ', '')
    // Objects that name no variant are checked by the last one only.
    const ofNone = tried.length === 1 ? [ofRest] : [`if (isObject(${v})) ${ofRest}`, ...block('else', all)]
    const trying = rest === undefined ? all : ofNone
    if (by === undefined) lines.push(...trying)
    else
      lines.push(
        `discriminated(faults, '${keyword}', ${path}, ${v}, ${js(by.property)}, ${dispatchOf(by, unit)}, ${by.isExclusive}, [`,
        ...listed(calls.slice(0, rest)),
        ...block('], () =>', trying, rest !== undefined && isBase(variants[rest] as Json, unit) ? '}, true)' : '})')
      )
    lines.push(`${v} = ${slot}`)
  }
  for (const [index, each] of parts.entries())
    lines.push(
      `${checkOf(each, `${about} part ${index + 1}`, unit)}(${v}, ${parent}, ${at}, ${path}, faults)`,
      `${v} = ${slot}`
    )
  if (schema.if !== undefined) {
    const [then, otherwise] = (['then', 'else'] as const).map(keyword => {
      const check = checkOf(schema[keyword] ?? true, `${about} ${keyword}`, unit)
      return `${check}(${v}, ${parent}, ${at}, ${path}, faults)`
    })
    lines.push(`if (${isDecided(schema.if, v, `${about} if`, unit)}) ${then}`, `else ${otherwise}`, `${v} = ${slot}`)
  }
  return lines
}

/** Whether values that name no variant are checked by a separate schema rather than by the variants as written. */
const isBase = (rest: Json, unit: Unit): boolean => {
  const { schema } = unit.resolve(rest)
  return isObject(schema) && schema.oneOf === undefined && schema.anyOf === undefined
}

const listed = (all: readonly string[]) => all.map((each, index) => `  ${each}${index === all.length - 1 ? '' : ','}`)

const dispatchOf = ({ variants }: Discriminator, unit: Unit) =>
  unit.constant('variants', `new Map(${js([...variants])})`)

/** Statements that look for variants that fit. `isRecursive`: the schema that contains them leads back to itself. */
const triedLines = (
  keyword: string,
  variants: readonly Json[],
  calls: readonly string[],
  isRecursive: boolean,
  { v, parent, at, slot, path }: Place,
  about: string,
  unit: Unit
): string[] => {
  if (!isRecursive) {
    const levels = Math.max(...variants.map(each => levelsOfIntegers(each, unit)))
    return [`${keyword}(faults, ${path}, ${parent}, ${at}, ${Math.max(levels, 0)}, [`, ...listed(calls), '])']
  }
  const tests = (of: readonly Json[]) =>
    of.map((each, index) => `() => ${isDecided(each, slot, `${about} variant ${index + 1}`, unit)}`)
  const glances = areTriedAgain(variants, unit) ? variants.map(each => atAGlance(each, unit)) : []
  return [
    `decided(faults, '${keyword}', ${path}, ${v}, [`,
    ...listed(tests(variants)),
    '], [',
    ...listed(calls),
    '], [',
    ...listed(tests(glances)),
    '])'
  ]
}

/** How many levels down a value of a schema that does not contain itself a check may convert a number; -1 if it converts none. */
const levelsOfIntegers = (schema: Json, unit: Unit): number => {
  const { schema: target } = unit.resolve(schema)
  if (!isObject(target)) return -1
  const isNumeric = typesOf(target).some(type => type === 'integer' || type === 'number')
  const ofParts = subschemasOf(target, keyword => !inPlace.has(keyword)).map(each => {
    const levels = levelsOfIntegers(each, unit)
    return levels === -1 ? -1 : levels + 1
  })
  return Math.max(isNumeric ? 0 : -1, ...partsInPlace(target).map(each => levelsOfIntegers(each, unit)), ...ofParts)
}
