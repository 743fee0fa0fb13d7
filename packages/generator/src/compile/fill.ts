import { entriesOf, isObject, type Json, type JsonObject } from '@contract-first/document'
import { subschemasOf, typesOf } from '../schema-tree.ts'
import { checkOf } from './checks.ts'
import { isInt64, isOfType, isOther, matches, mentionsInt64 } from './keywords.ts'
import { forUnevaluated, isDecided, ofItems, ofProperties, remembering } from './tests.ts'
import { arrow, block, isAbsent, isPresent, js, property, type Unit, wrapped } from './unit.ts'

/**
 * The name of a function that checks a value of a request, as `checkOf` does, and only then fills in defaults, so that keywords
 * apply to what was sent.
 */
export const judgeOf = (schema: Json, hint: string, unit: Unit): string => {
  const check = checkOf(schema, hint, unit)
  if (!mayLackDefault(schema, unit)) return check
  return unit.function('judge', schema, hint, (_target, about) =>
    arrow('v, parent, at, path, faults', [
      `${check}(v, parent, at, path, faults)`,
      // From the parent, as the check may have converted the value.
      `if (faults.length === 0) ${remembering(`${fillOf(schema, about, unit)}(parent[at])`, schema, unit)}`
    ])
  )
}

/** The name of a function that fills in the defaults of a valid value, at any depth. */
const fillOf = (schema: Json, hint: string, unit: Unit): string =>
  unit.function('fill', schema, hint, (target, about) => {
    // What depends on the value is decided before anything is filled in.
    const lines: string[] = []
    const claims = claimsOf(target, 'true', about, unit, lines)
    // Loops come first, so that they only visit what was sent.
    for (const fills of [inUnevaluated, inOthers, inItems, inProperties])
      for (const { schema, applies } of claims) {
        const own = fills(schema, about, unit)
        lines.push(...(applies === 'true' || own.length === 0 ? own : block(`if (${applies})`, own)))
      }
    const fill = arrow('v', lines)
    return unit.leadsBack(target) ? wrapped('remembered', fill) : fill
  })

/** A schema without references, and an expression for whether it applies to a value. */
interface Claim {
  schema: JsonObject
  applies: string
}

/** All schemas that apply to the same value; statements that decide whether they do are added to `lines`. */
const claimsOf = (written: Json, applies: string, about: string, unit: Unit, lines: string[]): Claim[] => {
  const { schema } = unit.resolve(written)
  if (!isObject(schema) || !mayLackDefault(schema, unit)) return []
  const under = (condition: string, each: Json, hint: string): Claim[] => {
    if (!mayLackDefault(each, unit)) return []
    const name = `applies${lines.length + 1}`
    lines.push(`const ${name} = ${applies === 'true' ? '' : `${applies} && `}${condition}`)
    return claimsOf(each, name, `${about} ${hint}`, unit, lines)
  }
  const { if: condition, then = true, else: otherwise = true } = schema
  const isMet = condition === undefined ? '' : isDecided(condition, 'v', `${about} if`, unit)
  return [
    { schema, applies },
    ...((schema.allOf ?? []) as Json[]).flatMap((each, index) =>
      claimsOf(each, applies, `${about} part ${index + 1}`, unit, lines)
    ),
    ...(condition === undefined ? [] : [...under(isMet, then, 'then'), ...under(`!${isMet}`, otherwise, 'else')]),
    ...entriesOf(schema.dependentSchemas).flatMap(([name, each]) =>
      under(`isObject(v) && ${isPresent('v', name)}`, each, `with ${name}`)
    )
  ]
}

type Fills = (schema: JsonObject, about: string, unit: Unit) => string[]

/** Without a look at the type of the value, if the schema allows no other. */
const ofType = (type: 'object' | 'array', schema: JsonObject, lines: string[]): string[] =>
  lines.length === 0 || typesOf(schema).join() === type ? lines : block(`if (${isOfType(type, 'v')})`, lines)

const inUnevaluated: Fills = (schema, about, unit) =>
  [
    { evaluation: ofProperties, type: 'object', part: 'v[key]' } as const,
    { evaluation: ofItems, type: 'array', part: 'v[i]' } as const
  ].flatMap(({ evaluation, type, part }) => {
    const rest = schema[evaluation.keyword]
    if (!mayLackDefault(rest, unit)) return []
    const fill = `${fillOf(rest as Json, `${about} rest`, unit)}(${part})`
    return ofType(type, schema, forUnevaluated(evaluation, schema, 'v', about, unit, [fill]))
  })

const inOthers: Fills = (schema, about, unit) => {
  const loop = (condition: string, each: Json | undefined, what: string): string[] =>
    mayLackDefault(each, unit)
      ? [`for (const key in v) if (${condition}) ${fillOf(each as Json, `${about} ${what}`, unit)}(v[key])`]
      : []
  return ofType('object', schema, [
    ...loop(isOther(schema, 'key', unit), schema.additionalProperties, 'other'),
    ...entriesOf(schema.patternProperties).flatMap(([pattern, each]) =>
      loop(matches(pattern, 'key', unit), each, 'matching')
    )
  ])
}

const inItems: Fills = (schema, about, unit) => {
  const first = (schema.prefixItems ?? []) as Json[]
  const lines = first.flatMap((each, index) =>
    mayLackDefault(each, unit)
      ? [`if (v.length > ${index}) ${fillOf(each, `${about} item ${index}`, unit)}(v[${index}])`]
      : []
  )
  if (mayLackDefault(schema.items, unit)) {
    const fill = fillOf(schema.items as Json, `${about} item`, unit)
    lines.push(`for (let i = ${first.length}; i < v.length; i++) ${fill}(v[i])`)
  }
  return ofType('array', schema, lines)
}

const inProperties: Fills = (schema, about, unit) =>
  ofType(
    'object',
    schema,
    entriesOf(schema.properties).flatMap(([name, each]) => {
      const value = property('v', name)
      const fill = mayLackDefault(each, unit) ? `${fillOf(each, `${about} ${name}`, unit)}(${value})` : undefined
      return [
        ...(defaultOf(each, unit) === undefined ? [] : [setDefault(name, each, `${about} ${name}`, unit)]),
        ...(fill === undefined ? [] : [`if (${isPresent('v', name)}) ${fill}`])
      ]
    })
  )

const setDefault = (name: string, schema: Json, hint: string, unit: Unit): string => {
  const { schema: target } = unit.resolve(schema)
  const value = defaultOf(schema, unit)
  const slot = property('v', name)
  const isExact = isObject(target) && isInt64(target)
  const set = `${slot} = ${js(isExact && typeof value === 'number' ? BigInt(value) : value)}`
  const isAsWritten = isExact || !(typeof value === 'bigint' || mentionsInt64(schema, unit))
  // The check converts numbers, also in a default.
  const convert = `${isAsWritten ? '' : checkOf(schema, hint, unit)}(${slot}, v, ${js(name)}, undefined, [])`
  return `if (${isAbsent('v', name)}) ${isAsWritten ? set : `{ ${set}; ${convert} }`}`
}

const defaultOf = (schema: Json, unit: Unit): Json | undefined => {
  const { schema: target } = unit.resolve(schema)
  return isObject(target) ? target.default : undefined
}

/** Whether an object in a value, or the value itself, may lack a property that has a default. */
const mayLackDefault = (schema: Json | undefined, unit: Unit): boolean => {
  const known = answers.get(unit) ?? new Map<string, boolean>()
  answers.set(unit, known)
  const seen = new Set<string>()
  const mayLack = (each: Json): boolean => {
    const { schema: target, name } = unit.resolve(each)
    if (!isObject(target)) return false
    if (name !== undefined) {
      if (known.has(name) || seen.has(name)) return known.get(name) === true
      seen.add(name)
    }
    const result =
      entriesOf(target.properties).some(([, property]) => defaultOf(property, unit) !== undefined) ||
      subschemasOf(target, keyword => filled.has(keyword)).some(mayLack)
    if (result && name !== undefined) known.set(name, true)
    return result
  }
  if (schema === undefined) return false
  const result = mayLack(schema)
  // Only a negative result means that all these components were visited completely.
  if (!result) for (const name of seen) known.set(name, false)
  return result
}

/** Results for components, by name. */
const answers = new WeakMap<Unit, Map<string, boolean>>()

/** Keywords whose schemas may have defaults. (The generator removes those of variants and conditions.) */
const filled = new Set([
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'dependentSchemas'],
  ...['items', 'prefixItems', 'unevaluatedItems', 'allOf', 'then', 'else']
])
