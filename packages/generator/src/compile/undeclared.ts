import { entriesOf, isObject, type Json, type JsonObject, jsonText, regexOf } from '@contract-first/document'
import { partsInPlace } from '../schema-tree.ts'
import { matches as matchesPattern } from './keywords.ts'
import { arrow, block, isPresent, js, type Unit } from './unit.ts'

export interface Context {
  unit: Unit
  /** An expression: whether a value satisfies a schema. */
  isDecided: (schema: Json, v: string, hint: string, unit: Unit) => string
}

/** A schema that may apply to a value, and an expression for whether it does. */
interface Claim {
  schema: Json
  applies: string
}
/** The same without references. */
interface Said {
  schema: JsonObject
  applies: string
}

/**
 * An expression: the path to the first property, at any depth, that no applicable schema declares, or undefined. An object for
 * which no schema declares properties is free-form.
 */
export const undeclaredIn = (
  claims: readonly Claim[],
  v: string,
  path: string,
  hint: string,
  context: Context
): string => {
  const distinct = Map.groupBy(claims, ({ schema }) => jsonText(schema))
  const all = [...distinct.values()].map(same => ({
    schema: (same[0] as Claim).schema,
    applies: or(same.map(({ applies }) => applies))
  }))
  const conditions = all.map(({ applies }) => applies).filter(each => each !== 'true')
  const name = context.unit.function(
    'undeclaredIn',
    { allOf: all.map(({ schema, applies }) => (applies === 'true' ? schema : { anyOf: [schema] })) },
    hint,
    (_schema, about) => {
      let parameters = 0
      const own = all.map(({ schema, applies }) => ({
        schema,
        applies: applies === 'true' ? applies : `a${++parameters}`
      }))
      const names = ['v', 'path', ...own.map(({ applies }) => applies).filter(each => each !== 'true')]
      return arrow(names.join(', '), search(own, about, context))
    }
  )
  return `${name}(${[v, path, ...conditions].join(', ')})`
}

const search = (claims: readonly Claim[], about: string, context: Context): string[] => {
  const lines: string[] = []
  const said = saidBy(claims, about, context, lines)
  const ofItems = inItems(said, about, context)
  const speakers = said.filter(({ schema }) => schema.properties ?? schema.patternProperties ?? othersOf(schema))
  if (speakers.length === 0) return [...lines, ...ofItems, 'return undefined']
  const isSaid = or(speakers.map(({ applies }) => applies))
  const condition = isSaid === 'true' ? 'isObject(v)' : `isObject(v) && (${isSaid})`
  return [...lines, ...ofItems, ...block(`if (${condition})`, ofProperties(said, about, context)), 'return undefined']
}

const inItems = (said: readonly Said[], about: string, context: Context): string[] => {
  const prefixOf = ({ prefixItems }: JsonObject) => (prefixItems ?? []) as Json[]
  const length = Math.max(0, ...said.map(({ schema }) => prefixOf(schema).length))
  const itemAt = (index: number) =>
    claimsOf(said, ({ schema }) => prefixOf(schema)[index] ?? schema.items ?? schema.unevaluatedItems)
  const first = Array.from({ length }, (_, index) => {
    const claims = itemAt(index)
    if (!mayHide(claims, context)) return []
    const path = `{ up: path, at: ${index} }`
    return block(
      `if (Array.isArray(v) && v.length > ${index})`,
      found(claims, `v[${index}]`, path, `${about} item ${index}`, context)
    )
  })
  const others = itemAt(length)
  if (!mayHide(others, context)) return first.flat()
  const each = found(others, 'v[i]', '{ up: path, at: i }', `${about} item`, context)
  const loop = block(`for (let i = ${length}; i < v.length; i++)`, each)
  return [...first.flat(), ...block('if (Array.isArray(v))', loop)]
}

const ofProperties = (said: readonly Said[], about: string, context: Context): string[] => {
  const names = [...new Set(said.flatMap(({ schema }) => namesIn(schema)))]
  const cases = names.flatMap(name => {
    const children = said.flatMap(({ schema, applies }) =>
      childrenOf(schema, name, context).map(each => and(applies, each))
    )
    return block(`if (key === ${js(name)})`, [...declared(children, `${about} ${name}`, context), 'continue'])
  })
  const others = said.flatMap(({ schema, applies }) =>
    childrenOf(schema, undefined, context).map(each => and(applies, each))
  )
  return block('for (const key in v)', [...cases, ...declared(others, `${about} other`, context)])
}

/** Statements that return what is undeclared about the property `key`. */
const declared = (children: readonly Claim[], about: string, context: Context): string[] => {
  const isDeclared = or(children.map(({ applies }) => applies))
  const missing = isDeclared === 'true' ? [] : [`if (!(${isDeclared})) return { up: path, at: key }`]
  return mayHide(children, context)
    ? [...missing, ...found(children, 'v[key]', '{ up: path, at: key }', about, context)]
    : missing
}

const found = (claims: readonly Claim[], v: string, path: string, about: string, context: Context): string[] => [
  `const found = ${undeclaredIn(
    claims.filter(each => mayHide([each], context)),
    v,
    path,
    about,
    context
  )}`,
  'if (found !== undefined) return found'
]

/** Required properties may be present even if they are not described. */
const namesIn = ({ properties, required }: JsonObject): string[] => [
  ...entriesOf(properties).map(([name]) => name),
  ...((required ?? []) as string[])
]

/** The schemas for a property, or, without a name, for those that are not named. */
const childrenOf = (schema: JsonObject, name: string | undefined, context: Context): Claim[] => {
  const { properties } = schema
  const patterns = entriesOf(schema.patternProperties)
  const isNamed = name !== undefined && isObject(properties) && Object.hasOwn(properties, name)
  const own = isNamed ? [{ schema: properties[name] as Json, applies: 'true' }] : []
  const matches = patterns.map(([pattern]) =>
    name === undefined ? matchesPattern(pattern, 'key', context.unit) : String(regexOf(pattern)?.test(name))
  )
  const ofPatterns = patterns.map(([, each], index) => ({ schema: each, applies: matches[index] as string }))
  const isRequired = name !== undefined && ((schema.required ?? []) as string[]).includes(name)
  const others = isNamed ? false : othersOf(schema) || isRequired
  const isOther = matches.length === 0 ? 'true' : `!(${matches.join(' || ')})`
  return [...own, ...ofPatterns, ...(others === false ? [] : [{ schema: others, applies: isOther }])].filter(
    ({ applies }) => applies !== 'false' && applies !== '!(true)'
  )
}

/** The schema of properties that are not declared by name; false if there are none. */
const othersOf = ({ additionalProperties, unevaluatedProperties }: JsonObject): Json =>
  additionalProperties ?? unevaluatedProperties ?? false

/** The schemas that may apply to the same value; statements that decide whether they do are added to `lines`. */
const saidBy = (claims: readonly Claim[], about: string, context: Context, lines: string[]): Said[] =>
  claims.flatMap(({ schema, applies }): Said[] => {
    const { schema: target } = context.unit.resolve(schema)
    if (!isObject(target)) return []
    const decide = (test: Json, hint: string) => {
      const decision = context.isDecided(test, 'v', `${about} ${hint}`, context.unit)
      const name = `fits${lines.length + 1}`
      lines.push(`const ${name} = ${and(applies, { schema: test, applies: decision }).applies}`)
      return name
    }
    const variants = [target.anyOf ?? [], target.oneOf ?? []].flat() as Json[]
    const chosen = variants.flatMap((each, index): Claim[] =>
      speaks(each, context) ? [{ schema: each, applies: decide(each, `variant ${index + 1}`) }] : []
    )
    const { if: condition, then, else: otherwise } = target
    const branches = [condition, then, otherwise].filter(each => each !== undefined)
    if (condition !== undefined && branches.some(each => speaks(each, context))) {
      const fits = decide(condition, 'if')
      chosen.push({ schema: condition, applies: fits }, { schema: then ?? true, applies: fits })
      chosen.push(and(applies, { schema: otherwise ?? true, applies: `!${fits}` }))
    }
    const all = ((target.allOf ?? []) as Json[]).map(each => ({ schema: each, applies }))
    const dependent = entriesOf(target.dependentSchemas).map(([name, each]) =>
      and(applies, { schema: each, applies: `isObject(v) && ${isPresent('v', name)}` })
    )
    return [{ schema: target, applies }, ...saidBy([...all, ...chosen, ...dependent], about, context, lines)]
  })

const claimsOf = (said: readonly Said[], part: (said: Said) => Json | undefined): Claim[] =>
  said.flatMap(each => {
    const schema = part(each)
    return schema === undefined ? [] : [{ schema, applies: each.applies }]
  })

/** Whether a schema describes any parts of a value. */
const speaks = (schema: Json, context: Context): boolean => {
  const { schema: target } = context.unit.resolve(schema)
  if (!isObject(target)) return false
  return (
    ['properties', 'patternProperties', 'items', 'prefixItems', 'unevaluatedItems'].some(each => each in target) ||
    othersOf(target) !== false ||
    partsInPlace(target).some(each => speaks(each, context))
  )
}

/** Whether a value of these schemas may have an undeclared property. */
const mayHide = (claims: readonly Claim[], context: Context): boolean => {
  const seen = new Set<Json>()
  const declares = (schema: Json): boolean => {
    const { schema: target } = context.unit.resolve(schema)
    if (Array.isArray(target)) return target.some(declares)
    if (!isObject(target) || seen.has(target)) return false
    seen.add(target)
    return isObject(target.properties) || isObject(target.patternProperties) || Object.values(target).some(declares)
  }
  return claims.some(({ schema }) => declares(schema))
}

const and = (condition: string, { schema, applies }: Claim): Claim => ({
  schema,
  applies: condition === 'true' ? applies : applies === 'true' ? condition : `${condition} && ${applies}`
})

const or = (conditions: readonly string[]): string =>
  conditions.includes('true') ? 'true' : [...new Set(conditions)].join(' || ') || 'false'
