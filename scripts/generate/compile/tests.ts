import { entriesOf, isObject, type Json, type JsonObject } from '../../document/json.ts'
import { typesOf } from '../schema.ts'
import {
  boundsOfInt64,
  concerns,
  type Group,
  groups,
  hasDuplicates,
  isComposed,
  isInt64,
  isNoneOf,
  isOfNoType,
  isOfType,
  isTrivial,
  mayRound,
  ofGroup,
  ofValues
} from './keywords.ts'
import { undeclaredIn } from './undeclared.ts'
import { arrow, block, isAbsent, isPresent, js, property, type Unit } from './unit.ts'

/** An expression: whether a value satisfies a schema. */
export const isDecided = (schema: Json, v: string, hint: string, unit: Unit): string =>
  isTrivial(unit.resolve(schema).schema) ? 'true' : remembering(`${testOf(schema, hint, unit)}(${v})`, schema, unit)

/** Tests that may call themselves decide only once about each value: otherwise it could be twice as often at each level. */
export const remembering = (code: string, schema: Json, unit: Unit): string =>
  unit.leadsBack(schema) ? `remembering(() => ${code})` : code

/** The name of a function that returns whether a value satisfies a schema. */
export const testOf = (schema: Json, hint: string, unit: Unit): string =>
  unit.function('is', schema, hint, (target, about) => {
    const test = arrow('v', [...tests(target, about, unit), 'return true'])
    return unit.leadsBack(target) ? wrapped('remembered', test) : test
  })

const wrapped = (name: string, lines: string[]) => [`${name}(${lines[0]}`, ...lines.slice(1, -1), `${lines.at(-1)})`]

const hasParts = (schema: Json) =>
  isObject(schema) && (isComposed(schema) || concerns(schema, 'object') || concerns(schema, 'array'))

const unless = (fails: string) => `if (${fails}) return false`

const tests = (schema: Json, about: string, unit: Unit): string[] => {
  if (schema === false) return ['return false']
  if (!isObject(schema)) return []
  if (isInt64(schema))
    return [
      'const exact = int64(v)',
      unless(['exact === undefined', ...boundsOfInt64(schema, 'exact')].join(' || ')),
      // As JSON has it.
      ...(isComposed(schema) ? ["if (typeof v === 'bigint' && Number.isSafeInteger(Number(v))) v = Number(v)"] : []),
      ...testsOfVariants(schema, about, unit)
    ]
  const types = typesOf(schema)
  return [
    ...(unit.direction === 'request' && mayRound(schema) ? ["if (typeof v === 'bigint') v = Number(v)"] : []),
    ...(types.length > 0 ? [unless(isOfNoType(types, 'v'))] : []),
    ...ofValues(schema, 'v', unit).map(({ fails }) => unless(fails)),
    ...testsOfVariants(schema, about, unit),
    ...groups.flatMap(group => {
      if (!concerns(schema, group)) return []
      const lines = testsOfGroup(group, schema, about, unit)
      if (lines.length === 0) return []
      return types.length === 1 && types[0] === group ? lines : block(`if (${isOfType(group, 'v')})`, lines)
    }),
    ...testsOfUndeclared(schema, about, unit)
  ]
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
  return lines
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
  if (schema.uniqueItems === true) lines.push(unless(hasDuplicates(schema, 'v', unit)))
  return lines
}

const testsOfObject = (schema: JsonObject, about: string, unit: Unit): string[] => {
  const properties = entriesOf(schema.properties)
  const names = properties.map(([name]) => name)
  const lines = ((schema.required ?? []) as string[]).map(name => unless(isAbsent('v', name)))
  const { additionalProperties: others } = schema
  if (others === false) lines.push(`for (const key in v) ${unless(isNoneOf(names, 'key', unit))}`)
  else if (!isTrivial(others && unit.resolve(others).schema)) {
    const isOther = isDecided(others as Json, 'v[key]', `${about} other`, unit)
    lines.push(`for (const key in v) ${unless(`${isNoneOf(names, 'key', unit)} && !${isOther}`)}`)
  }
  // Those without parts come first: they tell variants apart before others lead further down.
  const isFlat = ([, each]: [string, Json]) => !hasParts(unit.resolve(each).schema)
  for (const [name, each] of [...properties.filter(isFlat), ...properties.filter(each => !isFlat(each))]) {
    if (isTrivial(unit.resolve(each).schema)) continue
    const isFit = isDecided(each, property('v', name), `${about} ${name}`, unit)
    lines.push(unless(`${isPresent('v', name)} && !${isFit}`))
  }
  if (schema.unevaluatedProperties === false) lines.push(...forUnevaluated(schema, 'v', about, unit, 'return false'))
  return lines
}

/** A loop over the properties that no part of a schema is about. */
export const forUnevaluated = (schema: JsonObject, v: string, about: string, unit: Unit, line: string): string[] => {
  // Once for all properties: a hostile object may have thousands.
  const decisions: string[] = []
  const isEvaluated = evaluates(schema, about, unit, (variant, hint) => {
    const name = `fits${decisions.length + 1}`
    decisions.push(`const ${name} = ${isDecided(variant, v, hint, unit)}`)
    return name
  })
  return [...decisions, `for (const key in ${v}) if (!(${isEvaluated})) ${line}`]
}

/** An expression: whether a part of a schema is about the property `key`. `decide` names what tells whether a variant fits. */
const evaluates = (
  schema: JsonObject,
  about: string,
  unit: Unit,
  decide: (variant: Json, hint: string) => string
): string => {
  if (schema.additionalProperties !== undefined) return 'true'
  const names = entriesOf(schema.properties).map(([name]) => `key === ${js(name)}`)
  const variants = (keyword: 'anyOf' | 'oneOf') =>
    ((schema[keyword] ?? []) as Json[]).flatMap((each, index) => {
      const { schema: target } = unit.resolve(each)
      const hint = `${about} variant ${index + 1}`
      const within = isObject(target) ? evaluatesWithin(target, hint, unit, decide) : 'false'
      // In a oneOf, one that is about nothing may be the one that fits.
      return within === 'false' && keyword === 'anyOf' ? [] : [{ fits: decide(each, hint), within }]
    })
  const any = variants('anyOf').map(({ fits, within }) => `(${fits} && (${within}))`)
  // The first that fits: there is no other, or the value is invalid anyway.
  const one = variants('oneOf').reduceRight((rest, { fits, within }) => `${fits} ? ${within} : ${rest}`, 'false')
  const all = ((schema.allOf ?? []) as Json[]).map((each, index) => {
    const { schema: target } = unit.resolve(each)
    return isObject(target) ? evaluatesWithin(target, `${about} part ${index + 1}`, unit, decide) : 'false'
  })
  return (
    [...names, ...all.filter(each => each !== 'false'), ...any, ...(one === 'false' ? [] : [`(${one})`])].join(
      ' || '
    ) || 'false'
  )
}

/** The same of a variant, which may judge all that its own parts do not. */
const evaluatesWithin: typeof evaluates = (schema, about, unit, decide) =>
  schema.unevaluatedProperties !== undefined ? 'true' : evaluates(schema, about, unit, decide)
