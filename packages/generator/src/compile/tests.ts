import { entriesOf, isObject, type Json, type JsonObject } from '@contract-first/document'
import { typesOf } from '../schema-tree.ts'
import {
  type Assertion,
  boundsOfInt64,
  concerns,
  type Group,
  groups,
  hasDuplicates,
  isComposed,
  isInt64,
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
  ofValues,
  paramsOfContains
} from './keywords.ts'
import { undeclaredIn } from './undeclared.ts'
import { arrow, block, isAbsent, isPresent, js, property, type Unit, wrapped } from './unit.ts'

/** An expression: whether a value satisfies a schema. */
export const isDecided = (schema: Json, v: string, hint: string, unit: Unit): string =>
  isTrivial(unit.resolve(schema).schema) ? 'true' : remembering(`${testOf(schema, hint, unit)}(${v})`, schema, unit)

/** Makes recursive tests decide only once about each value; otherwise the number of tests could double at each level. */
export const remembering = (code: string, schema: Json, unit: Unit): string =>
  unit.leadsBack(schema) ? `remembering(() => ${code})` : code

/** The name of a function that returns whether a value satisfies a schema. */
export const testOf = (schema: Json, hint: string, unit: Unit): string =>
  unit.function('is', schema, hint, (target, about) => {
    const test = arrow('v', [...tests(target, about, unit), 'return true'])
    return unit.leadsBack(target) ? wrapped('remembered', test) : test
  })

const hasParts = (schema: Json) =>
  isObject(schema) && (isComposed(schema) || concerns(schema, 'object') || concerns(schema, 'array'))

const unless = (fails: string) => `if (${fails}) return false`

const tests = (schema: Json, about: string, unit: Unit): string[] => {
  if (schema === false || neverSent(schema) !== undefined) return ['return false']
  if (!isObject(schema)) return []
  if (isInt64(schema))
    return [
      'const exact = int64(v)',
      unless(['exact === undefined', ...boundsOfInt64(schema, 'exact')].join(' || ')),
      // Converts back what JSON has as a number.
      ...(isComposed(schema) ? [toPlain] : []),
      ...testsOfVariants(schema, about, unit)
    ]
  const types = typesOf(schema)
  const typed = types.length > 0 ? unless(isOfNoType(types, 'v')) : ''
  return [
    ...(unit.direction === 'request' && mayRound(schema)
      ? ["if (typeof v === 'bigint') v = Number(v)"]
      : isNumeric(schema)
        ? [toPlain]
        : []),
    ...(types.length === 0 ? [] : isNumeric(schema) ? [`if (typeof v !== 'bigint') ${typed}`] : [typed]),
    ...limitsOf(schema, 'v', unit, types.join()).map(({ fails }) => unless(fails)),
    ...ofValues(schema, 'v', unit).map(({ fails }) => unless(fails)),
    ...testsOfVariants(schema, about, unit),
    ...groups.flatMap(group => {
      if (!concerns(schema, group)) return []
      const lines = testsOfGroup(group, schema, about, unit)
      if (lines.length === 0) return []
      if (types.length === 1 && types[0] === group) return lines
      return block(`if (${group === 'number' ? isNumber('v') : isOfType(group, 'v')})`, lines)
    }),
    ...testsOfUndeclared(schema, about, unit)
  ]
}

/** A check may have converted a JSON number to a bigint for another schema. */
const toPlain = "if (typeof v === 'bigint' && Number.isSafeInteger(Number(v))) v = Number(v)"

const isNumeric = (schema: JsonObject): boolean => {
  const types = typesOf(schema)
  if (types.length > 0) return types.includes('integer') || types.includes('number')
  const listed = [schema.const, ...((schema.enum ?? []) as Json[])]
  return concerns(schema, 'number') || listed.some(each => typeof each === 'number')
}

const testsOfVariants = (schema: JsonObject, about: string, unit: Unit): string[] => {
  const lines: string[] = []
  if (schema.not !== undefined) lines.push(unless(isDecided(schema.not, 'v', `${about} not`, unit)))
  const decided = (variants: Json) =>
    (variants as Json[]).map((each, index) => isDecided(each, 'v', `${about} variant ${index + 1}`, unit))
  if (schema.anyOf !== undefined) lines.push(unless(`!(${decided(schema.anyOf).join(' || ')})`))
  if (schema.oneOf !== undefined)
    lines.push(
      unless(
        `${decided(schema.oneOf)
          .map(each => `Number(${each})`)
          .join(' + ')} !== 1`
      )
    )
  for (const [index, each] of ((schema.allOf ?? []) as Json[]).entries())
    lines.push(unless(`!${isDecided(each, 'v', `${about} part ${index + 1}`, unit)}`))
  if (schema.if !== undefined) {
    const [condition, then, otherwise] = (['if', 'then', 'else'] as const).map(keyword =>
      isDecided(schema[keyword] ?? true, 'v', `${about} ${keyword}`, unit)
    )
    lines.push(unless(`!(${condition} ? ${then} : ${otherwise})`))
  }
  return lines
}

/** The assertions of `contains`, `minContains` and `maxContains`. */
export const ofContents = (schema: JsonObject, v: string, about: string, unit: Unit): Assertion[] => {
  const { contains, minContains = 1, maxContains } = schema
  if (contains === undefined) return []
  const test = `each => ${isDecided(contains, 'each', `${about} contains`, unit)}`
  const count = `${v}.filter(${test}).length`
  const few = minContains === 1 ? `!${v}.some(${test})` : `${count} < ${minContains}`
  const fails = [
    ...(minContains === 0 ? [] : [few]),
    ...(maxContains === undefined ? [] : [`${count} > ${maxContains}`])
  ]
  return fails.length === 0
    ? []
    : [{ keyword: 'contains', fails: fails.join(' || '), params: paramsOfContains(schema) }]
}

/** An expression: the path to the first property that no fitting part of a schema declares, or undefined. */
export const firstUndeclared = (schema: JsonObject, v: string, path: string, about: string, unit: Unit): string =>
  undeclaredIn([{ schema, applies: 'true' }], v, path, about, { unit, isDecided })

const testsOfUndeclared = (schema: JsonObject, about: string, unit: Unit): string[] => {
  if (schema.undeclaredProperties !== false) return []
  return [unless(`${firstUndeclared(schema, 'v', 'undefined', about, unit)} !== undefined`)]
}

const testsOfGroup = (group: Group, schema: JsonObject, about: string, unit: Unit): string[] => {
  const own = ofGroup(group, schema, 'v', unit).map(({ fails }) => unless(fails))
  if (group === 'array') return [...own, ...testsOfArray(schema, about, unit)]
  return group === 'object' ? [...own, ...testsOfObject(schema, about, unit)] : own
}

const testsOfArray = (schema: JsonObject, about: string, unit: Unit): string[] => {
  const first = (schema.prefixItems ?? []) as Json[]
  const lines = first.map((each, index) =>
    unless(`v.length > ${index} && !${isDecided(each, `v[${index}]`, `${about} item ${index}`, unit)}`)
  )
  const { items } = schema
  if (items === false && first.length > 0) lines.push(unless(`v.length > ${first.length}`))
  else if (items !== undefined && !isTrivial(unit.resolve(items).schema))
    lines.push(
      `for (let i = ${first.length}; i < v.length; i++) ${unless(`!${isDecided(items, 'v[i]', `${about} item`, unit)}`)}`
    )
  lines.push(...ofContents(schema, 'v', about, unit).map(({ fails }) => unless(fails)))
  if (schema.uniqueItems === true) lines.push(unless(hasDuplicates(schema, 'v', unit)))
  if (schema.unevaluatedItems !== undefined) {
    const isFit = isDecided(schema.unevaluatedItems, 'v[i]', `${about} other item`, unit)
    lines.push(...forUnevaluated(ofItems, schema, 'v', about, unit, [unless(`!${isFit}`)]))
  }
  return lines
}

const testsOfObject = (schema: JsonObject, about: string, unit: Unit): string[] => {
  const properties = entriesOf(schema.properties)
  const lines = ((schema.required ?? []) as string[]).map(name => unless(isAbsent('v', name)))
  const forNames = (condition: string, fails: string) => lines.push(`for (const key in v) if (${condition}) ${fails}`)
  const isEach = (each: Json, what: string) => unless(`!${isDecided(each, 'v[key]', `${about} ${what}`, unit)}`)
  const { propertyNames: names, additionalProperties: others } = schema
  if (names !== undefined)
    lines.push(`for (const key in v) ${unless(`!${isDecided(names, 'key', `${about} name`, unit)}`)}`)
  if (!isTrivial(others && unit.resolve(others).schema))
    forNames(isOther(schema, 'key', unit), others === false ? 'return false' : isEach(others as Json, 'other'))
  // Properties without parts come first, as they tell variants apart most quickly.
  const isFlat = ([, each]: [string, Json]) => !hasParts(unit.resolve(each).schema)
  for (const [name, each] of [...properties.filter(isFlat), ...properties.filter(each => !isFlat(each))]) {
    if (isTrivial(unit.resolve(each).schema)) continue
    const isFit = isDecided(each, property('v', name), `${about} ${name}`, unit)
    lines.push(unless(`${isPresent('v', name)} && !${isFit}`))
  }
  for (const [pattern, each] of entriesOf(schema.patternProperties))
    if (!isTrivial(unit.resolve(each).schema)) forNames(matches(pattern, 'key', unit), isEach(each, 'matching'))
  lines.push(...ofDependents(schema, 'v').map(({ fails }) => unless(fails)))
  for (const [name, each] of entriesOf(schema.dependentSchemas))
    lines.push(unless(`${isPresent('v', name)} && !${isDecided(each, 'v', `${about} with ${name}`, unit)}`))
  const { unevaluatedProperties: rest } = schema
  if (rest !== undefined) lines.push(...forUnevaluated(ofProperties, schema, 'v', about, unit, [isEach(rest, 'rest')]))
  return lines
}

/** The parts of a value that an `unevaluated…` keyword visits, and which of them the other keywords evaluate. */
interface Evaluation {
  keyword: 'unevaluatedProperties' | 'unevaluatedItems'
  head: (v: string) => string
  /** An expression: whether a schema's own keywords, not those of its variants, evaluate a part. */
  own: (schema: JsonObject, v: string, about: string, unit: Unit) => string
}

export const ofProperties: Evaluation = {
  keyword: 'unevaluatedProperties',
  head: v => `for (const key in ${v})`,
  own: ({ additionalProperties, properties, patternProperties }, _v, _about, unit) => {
    if (additionalProperties !== undefined) return 'true'
    const names = entriesOf(properties).map(([name]) => `key === ${js(name)}`)
    return or([...names, ...entriesOf(patternProperties).map(([pattern]) => matches(pattern, 'key', unit))])
  }
}

export const ofItems: Evaluation = {
  keyword: 'unevaluatedItems',
  head: v => `for (let i = 0; i < ${v}.length; i++)`,
  own: ({ items, prefixItems, contains }, v, about, unit) => {
    if (items !== undefined) return 'true'
    return or([
      ...(Array.isArray(prefixItems) ? [`i < ${prefixItems.length}`] : []),
      ...(contains === undefined ? [] : [isDecided(contains, `${v}[i]`, `${about} contains`, unit)])
    ])
  }
}

const or = (conditions: readonly string[]): string => {
  const possible = conditions.filter(each => each !== 'false')
  return possible.includes('true') ? 'true' : possible.join(' || ') || 'false'
}

/** What the steps below share. `decide` names the constant that tells whether the value fits a variant. */
interface Search {
  evaluation: Evaluation
  v: string
  unit: Unit
  decide: (variant: Json, hint: string) => string
}

/** A loop over the parts of a value that no part of a schema evaluates. */
export const forUnevaluated = (
  evaluation: Evaluation,
  schema: JsonObject,
  v: string,
  about: string,
  unit: Unit,
  lines: readonly string[]
): string[] => {
  // Decided once and not for each part: a hostile object may have thousands.
  const decisions: string[] = []
  const decide = (variant: Json, hint: string) => {
    const name = `fits${decisions.length + 1}`
    decisions.push(`const ${name} = ${isDecided(variant, v, hint, unit)}`)
    return name
  }
  const isEvaluated = evaluates(schema, about, { evaluation, v, unit, decide })
  return block('', [...decisions, ...block(`${evaluation.head(v)} if (!(${isEvaluated}))`, lines)])
}

/**
 * An expression: whether a schema or one of its parts evaluates a part of the value. For example, with `properties` and
 * `unevaluatedProperties`,
 *
 *     { properties: { a: {} }, anyOf: [{ properties: { b: {} } }, { type: 'null' }], if: {…}, then: { properties: { c: {} } } }
 *
 * gives `key === "a" || (fits1 && (key === "b")) || (fits2 ? key === "c" : false)`.
 */
const evaluates = (schema: JsonObject, about: string, search: Search): string => {
  const { evaluation, v, unit } = search
  const any = variantsOf(schema, 'anyOf', about, search).map(({ fits, inside }) => `(${fits} && (${inside}))`)
  // The first one that fits: if another one fits as well, the value is invalid anyway.
  const one = variantsOf(schema, 'oneOf', about, search).reduceRight(
    (rest, { fits, inside }) => `${fits} ? ${inside} : ${rest}`,
    'false'
  )
  const all = ((schema.allOf ?? []) as Json[]).map((each, at) => evaluatesIn(each, `${about} part ${at + 1}`, search))
  const dependent = entriesOf(schema.dependentSchemas).map(([name, each]) => {
    const inside = evaluatesIn(each, `${about} with ${name}`, search)
    return inside === 'false' ? inside : `(${isPresent(v, name)} && (${inside}))`
  })
  const own = evaluation.own(schema, v, about, unit)
  const conditional = evaluatesByCondition(schema, about, search)
  return or([own, ...all, ...any, one === 'false' ? one : `(${one})`, conditional, ...dependent])
}

/** The same for a part of the schema; its own `unevaluated…` evaluates everything that is left. */
const evaluatesIn = (variant: Json, hint: string, search: Search): string => {
  const { schema } = search.unit.resolve(variant)
  if (!isObject(schema)) return 'false'
  return schema[search.evaluation.keyword] === undefined ? evaluates(schema, hint, search) : 'true'
}

/** For the variants that matter: whether the value fits the variant, and whether that then evaluates the part. */
const variantsOf = (schema: JsonObject, keyword: 'anyOf' | 'oneOf', about: string, search: Search) =>
  ((schema[keyword] ?? []) as Json[]).flatMap((each, index) => {
    const hint = `${about} variant ${index + 1}`
    const inside = evaluatesIn(each, hint, search)
    // In a oneOf, a variant that evaluates nothing may still be the one that fits.
    return inside === 'false' && keyword === 'anyOf' ? [] : [{ fits: search.decide(each, hint), inside }]
  })

const evaluatesByCondition = (schema: JsonObject, about: string, search: Search): string => {
  if (schema.if === undefined) return 'false'
  const [inIf, inThen, inElse] = (['if', 'then', 'else'] as const).map(keyword =>
    evaluatesIn(schema[keyword] ?? true, `${about} ${keyword}`, search)
  ) as [string, string, string]
  const inBoth = or([inIf, inThen])
  if (inBoth === 'false' && inElse === 'false') return 'false'
  return `(${search.decide(schema.if, `${about} if`)} ? ${inBoth} : ${inElse})`
}
