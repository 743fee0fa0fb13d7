import fc from 'fast-check'
import { isObject, type Json, type JsonObject } from '../../document/src/json.ts'
import type { Contract } from './policy.ts'
import { componentNames, components, names, schemas, smallSchemas } from './schema-arbitraries.ts'

/** One change; the numbers choose its location and kind among the possible ones. */
export interface Edit {
  kind: number
  place: number
  /** Selects one of several keywords, names or items. */
  choice: number
  /** Selects a new keyword or value. */
  donor: Json
}

export interface Pair {
  before: Contract
  after: Contract
}

const edits: fc.Arbitrary<Edit> = fc.record({
  kind: fc.nat(999),
  place: fc.nat(999),
  choice: fc.nat(99),
  donor: smallSchemas
})

export const contracts: fc.Arbitrary<Contract> = fc.record({ body: schemas, schemas: components })

/** A contract, and the same after one or two changes or, sometimes, an unrelated one. */
export const pairs: fc.Arbitrary<Pair> = fc
  .oneof(
    {
      arbitrary: fc
        .tuple(contracts, fc.array(edits, { minLength: 1, maxLength: 2 }))
        .map(([before, changes]) => ({ before, after: changes.reduce(edited, before) })),
      weight: 9
    },
    fc.record({ before: contracts, after: contracts })
  )
  .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after))
  .filter(({ before, after }) => [before, after].every(isClear))

/**
 * Bugs of Ajv: it counts all items as evaluated by `contains` or, if that is always valid, none; beside `prefixItems`, it accepts
 * an empty array although `contains` matches nothing; it counts what an `if` that does not match evaluates, and nothing beside a
 * `dependentSchemas` that does not apply; and it only compares items of the types in `items`.
 */
const confusesAjv = (contract: Contract): boolean => {
  const text = JSON.stringify(contract)
  const says = (...keywords: string[]) => keywords.some(keyword => text.includes(`"${keyword}":`))
  const isAnyUnevaluated = says('unevaluatedItems', 'unevaluatedProperties')
  const isTuple = says('prefixItems') && says('uniqueItems', 'contains')
  return (
    isTuple || (says('contains') && says('unevaluatedItems')) || (says('if', 'dependentSchemas') && isAnyUnevaluated)
  )
}

/** Excluded, since a name that matches a pattern may also be declared, and then it is unclear what may be sent inside. */
const hasObjectsByPattern = ({ body, schemas }: Contract): boolean => {
  const holds = (schema: Json): boolean =>
    placesIn(schema).some(place => {
      const at = place.findLastIndex((key, index) => key === 'patternProperties' && index < place.length - 1)
      return at !== -1 && /"(properties|required|\$ref)":/.test(JSON.stringify(valueAt(schema, place)))
    })
  return [body, ...Object.values(schemas)].some(holds)
}

const isClear = (contract: Contract): boolean =>
  !appliesWithinItself(contract) && !confusesAjv(contract) && !hasObjectsByPattern(contract)

const pick = <T>(items: readonly T[], choice: number): T | undefined => items[choice % Math.max(1, items.length)]

type Path = readonly string[]

const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const maps = ['properties', 'patternProperties', 'dependentSchemas']
const single = [
  ...['items', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'],
  ...['unevaluatedProperties', 'unevaluatedItems']
]

/** The locations of schemas in a schema, including itself. */
export const placesIn = (schema: Json, at: Path = []): Path[] => {
  if (!isObject(schema)) return [at]
  const inner = Object.entries(schema).flatMap(([keyword, value]): Path[] => {
    if (single.includes(keyword)) return placesIn(value, [...at, keyword])
    if (![...lists, ...maps].includes(keyword)) return []
    return Object.entries(value as JsonObject).flatMap(([key, each]) => placesIn(each, [...at, keyword, key]))
  })
  return [at, ...inner]
}

const valueAt = (value: Json, path: Path): Json => path.reduce((each, key) => (each as JsonObject)[key] as Json, value)

/** A copy that differs in one place. */
const replaced = (value: Json, [key, ...rest]: Path, by: Json): Json => {
  if (key === undefined) return by
  const copy = (Array.isArray(value) ? [...value] : { ...(value as JsonObject) }) as JsonObject
  copy[key] = replaced(copy[key] as Json, rest, by)
  return copy as Json
}

/** Returns the changed schema, or undefined if the change makes no sense. */
type Change = (schema: JsonObject, edit: Edit, contract: Contract) => Json | undefined

const edited = (contract: Contract, edit: Edit): Contract => {
  const whole = contract as unknown as JsonObject
  const places = [
    ...placesIn(contract.body, ['body']),
    ...referredTo(contract).flatMap(name => placesIn(contract.schemas[name] as Json, ['schemas', name]))
  ]
  // The body's own schema is changed more often than nested ones.
  const near = places.filter(([, ...path]) => path.length < 4)
  const place = pick(edit.place % 3 === 0 ? places : near, edit.place) ?? ['body']
  const schema = valueAt(whole, place)
  if (schema === true || !isObject(schema)) return replaced(whole, place, edit.donor) as unknown as Contract
  for (let at = 0; at < changes.length; at++) {
    const change = pick(changes, edit.kind + at)
    const changed = change?.(schema, edit, contract)
    if (changed !== undefined) return replaced(whole, place, changed) as unknown as Contract
  }
  return contract
}

/** The components in use: changes to others have no effect. */
const referredTo = ({ body, schemas }: Contract): string[] => {
  const found = new Set<string>()
  const visit = (schema: Json) => {
    for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue
      found.add(name)
      visit(schemas[name] as Json)
    }
  }
  visit(body)
  return [...found]
}

const without = (schema: JsonObject, key: string): JsonObject => {
  const { [key]: _gone, ...rest } = schema
  return rest
}

const numeric = /^(min|max|exclusiveM)/

const shift =
  (by: number): Change =>
  (schema, { choice }) => {
    const key = pick(
      Object.keys(schema).filter(each => numeric.test(each) && typeof schema[each] === 'number'),
      choice
    )
    if (key === undefined) return undefined
    const value = Number(schema[key]) + by
    const mayBeNegative = /^(minimum|maximum|exclusive)/.test(key)
    return { ...schema, [key]: mayBeNegative ? value : Math.max(0, value) }
  }

const inList =
  (keywords: readonly string[], change: (items: Json[], edit: Edit) => Json[] | undefined): Change =>
  (schema, edit) => {
    const keyword = pick(
      keywords.filter(each => Array.isArray(schema[each])),
      edit.choice
    )
    if (keyword === undefined) return undefined
    const items = change(schema[keyword] as Json[], edit)
    return items && { ...schema, [keyword]: items }
  }

const removeOne = (items: Json[], { choice }: Edit) =>
  items.length < 2 ? undefined : items.toSpliced(choice % items.length, 1)

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

type ObjectSchema = JsonObject & { properties: JsonObject }

const isObjectSchema = (schema: Json): schema is ObjectSchema => isObject(schema) && isObject(schema.properties)

/** Changes alternatives if all of them are objects. */
const ofVariants =
  (change: (variants: ObjectSchema[], edit: Edit) => JsonObject[] | undefined | ''): Change =>
  (schema, edit) => {
    const keyword = ['oneOf', 'anyOf'].find(each => schema[each] !== undefined)
    const variants = keyword && list(schema[keyword])
    if (!variants || variants.length === 0 || !variants.every(isObjectSchema)) return undefined
    const changed = change(variants, edit)
    return changed ? { ...schema, [keyword]: changed } : undefined
  }

const withProperty = (variants: ObjectSchema[], choice: number, name: string, property: Json) => {
  const index = choice % variants.length
  const variant = variants[index] as ObjectSchema
  return variants.with(index, { ...variant, properties: { [name]: property, ...variant.properties } })
}

const asList = (schema: JsonObject) => (Array.isArray(schema.type) ? schema.type : schema.type && [schema.type])

const changes: Change[] = [
  // tighter and looser
  shift(1),
  shift(-1),
  (schema, { choice }) => {
    const key = pick(Object.keys(schema), choice)
    return key === undefined ? undefined : without(schema, key)
  },
  (schema, { donor, choice }) => {
    const key = isObject(donor) ? pick(Object.keys(donor), choice) : undefined
    return key === undefined ? undefined : { ...schema, [key]: (donor as JsonObject)[key] as Json }
  },
  (schema, { donor }) => (isObject(donor) ? { ...without(donor, 'type'), ...schema } : undefined),
  (_schema, { donor }) => donor,
  schema =>
    schema.type === 'integer'
      ? { ...schema, type: 'number' }
      : schema.type === 'number'
        ? { ...schema, type: 'integer' }
        : undefined,
  (schema, { choice }) => {
    const types = asList(schema)
    const more = pick(['null', 'string', 'integer', 'object'], choice) as string
    return Array.isArray(types) && !types.includes(more) ? { ...schema, type: [...types, more] } : undefined
  },
  inList(['type'], removeOne),
  (schema, { choice }) =>
    Array.isArray(schema.enum)
      ? { ...schema, enum: [...schema.enum, pick(['new', 7, null], choice) as Json] }
      : undefined,
  inList(['enum'], removeOne),
  // properties
  (schema, { donor, choice }) =>
    isObject(schema.properties)
      ? { ...schema, properties: { ...schema.properties, [pick(names, choice) as string]: donor } }
      : undefined,
  (schema, { choice }) => {
    const { properties } = schema
    const name = isObject(properties) ? pick(Object.keys(properties), choice) : undefined
    return name === undefined ? undefined : { ...schema, properties: without(properties as JsonObject, name) }
  },
  inList(['required'], removeOne),
  (schema, { choice }) => {
    const { properties, required = [] } = schema
    const name = isObject(properties) ? pick(Object.keys(properties), choice) : undefined
    if (name === undefined || !Array.isArray(required) || required.includes(name)) return undefined
    return { ...schema, required: [...required, name] }
  },
  schema =>
    schema.properties === undefined
      ? undefined
      : schema.additionalProperties === false
        ? without(schema, 'additionalProperties')
        : { ...schema, additionalProperties: false },
  (schema, { donor }) => (schema.properties === undefined ? undefined : { ...schema, additionalProperties: donor }),
  schema =>
    (schema.properties ?? schema.allOf) === undefined
      ? undefined
      : schema.unevaluatedProperties === false
        ? without(schema, 'unevaluatedProperties')
        : { ...schema, unevaluatedProperties: false },
  // alternatives
  inList(['anyOf', 'oneOf', 'prefixItems'], (items, { donor, choice }) =>
    items.toSpliced(choice % (items.length + 1), 0, donor)
  ),
  inList(['anyOf', 'oneOf', 'allOf', 'prefixItems'], removeOne),
  ({ anyOf, oneOf, ...schema }) =>
    anyOf === undefined
      ? oneOf === undefined
        ? undefined
        : { ...schema, anyOf: oneOf }
      : oneOf === undefined
        ? { ...schema, oneOf: anyOf }
        : undefined,
  // objects as alternatives of each other
  ofVariants((variants, { choice, donor }) => withProperty(variants, choice, pick(names, choice) as string, donor)),
  ofVariants((variants, { choice }) => {
    const [name, property] = pick(Object.entries((pick(variants, choice) as ObjectSchema).properties), choice) ?? []
    return name === undefined || name === 'kind'
      ? undefined
      : withProperty(variants, choice + 1, name, property as Json)
  }),
  ofVariants((variants, { choice }) => {
    const { properties, ...rest } = pick(variants, choice) as ObjectSchema
    const name = pick(Object.keys(properties), choice)
    return name && variants.with(choice % variants.length, { ...rest, properties: without(properties, name) })
  }),
  ofVariants(([one, other, ...more], { choice }) => {
    if (one === undefined || other === undefined) return undefined
    const kinds = [one, other].flatMap(({ properties: { kind } }) => (isObject(kind) ? (kind.const ?? []) : []))
    const properties = { ...one.properties, ...other.properties, ...(kinds.length === 2 && { kind: { enum: kinds } }) }
    const required = list(one.required).filter(name => choice % 3 > 0 && list(other.required).includes(name))
    return [{ type: 'object', properties, required }, ...more]
  }),
  ofVariants(([one, other, ...more]) => other && [{ anyOf: [one as JsonObject, other] }, ...more]),
  (schema, { choice }) => {
    const { properties, required } = schema
    if (!isObject(properties) || Object.keys(properties).length === 0) return undefined
    const variants = ['a', 'b'].map((tag, index) => ({
      ...schema,
      properties: { ...(index === choice % 2 ? properties : {}), kind: { const: tag } },
      required: [...list(required), 'kind']
    }))
    return { [choice % 3 === 0 ? 'oneOf' : 'anyOf']: variants }
  },
  schema => {
    const inner = [schema.anyOf, schema.oneOf].flatMap(list).find(each => isObject(each) && each.anyOf !== undefined)
    const variants = list(schema.anyOf).flatMap(each => (each === inner ? list((each as JsonObject).anyOf) : [each]))
    return inner && schema.anyOf ? { ...schema, anyOf: variants } : undefined
  },
  (schema, { choice }) => {
    const { if: condition, then: met, else: unmet, ...rest } = schema
    if (condition === undefined) return undefined
    const cases = [{ allOf: [condition, met ?? true] }, { allOf: [{ not: condition }, unmet ?? true] }]
    return { ...rest, allOf: [...list(rest.allOf), { [choice % 2 ? 'anyOf' : 'oneOf']: cases }] }
  },
  ({ dependentRequired, ...schema }) =>
    isObject(dependentRequired)
      ? {
          ...schema,
          allOf: [
            ...list(schema.allOf),
            ...Object.entries(dependentRequired).map(([name, others]) => ({
              anyOf: [{ not: { required: [name] } }, { required: others }]
            }))
          ]
        }
      : undefined,
  (schema, { donor }) => ({ allOf: [schema, donor] }),
  (schema, { donor }) => ({ anyOf: [schema, donor] }),
  (schema, { donor }) => ({ oneOf: [donor, schema] }),
  schema => ({ not: schema }),
  // biome-ignore lint/suspicious/noThenProperty: the keyword's name
  (schema, { donor }) => ({ if: donor, then: schema }),
  // the same in other words
  schema => ({ allOf: [schema] }),
  schema => ({ not: { not: schema } }),
  schema => ({ oneOf: [schema, { type: 'null' }] }),
  schema =>
    typeof schema.type === 'string'
      ? { ...schema, type: [schema.type, 'null'], ...(Array.isArray(schema.enum) && { enum: [...schema.enum, null] }) }
      : undefined,
  schema =>
    Object.hasOwn(schema, 'const') ? { ...without(schema, 'const'), enum: [schema.const as Json] } : undefined,
  ({ enum: listed, ...schema }) =>
    Array.isArray(listed) ? { ...schema, anyOf: listed.map(each => ({ const: each })) } : undefined,
  schema =>
    schema.unevaluatedItems === undefined && schema.unevaluatedProperties === undefined
      ? { allOf: partsOf(schema).map(keys => Object.fromEntries(keys.map(key => [key, schema[key] as Json]))) }
      : undefined,
  schema => Object.fromEntries(Object.entries(schema).toReversed()),
  inList(['anyOf', 'oneOf', 'allOf', 'enum', 'type', 'required'], items => items.toReversed()),
  ({ type, ...schema }) =>
    Array.isArray(type)
      ? {
          ...schema,
          anyOf: type.map(each => ({ type: each })),
          ...(schema.anyOf && { allOf: [{ anyOf: schema.anyOf }] })
        }
      : undefined,
  ({ minimum, ...schema }) =>
    schema.type === 'integer' && Number.isInteger(minimum) && schema.exclusiveMinimum === undefined
      ? { ...schema, exclusiveMinimum: Number(minimum) - 1 }
      : undefined,
  (schema, _edit, { schemas }) => {
    const { $ref, ...rest } = schema
    if ($ref === undefined) return undefined
    const target = schemas[String($ref).split('/').at(-1) as string] as Json
    return Object.keys(rest).length === 0 ? target : { ...rest, allOf: [target, ...((rest.allOf as Json[]) ?? [])] }
  },
  (_schema, { choice }) => ({ $ref: `#/components/schemas/${pick(componentNames, choice)}` })
]

/** Keywords that depend on each other stay together. */
const bound = [
  ['properties', 'patternProperties', 'additionalProperties'],
  ['prefixItems', 'items'],
  ['contains', 'minContains', 'maxContains'],
  ['if', 'then', 'else']
]

const partsOf = (schema: JsonObject): string[][] => {
  const free = Object.keys(schema).filter(key => !bound.flat().includes(key))
  const together = bound.map(keys => keys.filter(key => schema[key] !== undefined)).filter(keys => keys.length > 0)
  return [...free.map(key => [key]), ...together]
}

const inPlace = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']

/** Whether a schema applies to a value because it applies to it, which is legal, but endless in Ajv. */
const appliesWithinItself = ({ schemas }: Contract): boolean => {
  const reached = (schema: Json): string[] => {
    if (!isObject(schema)) return []
    const { $ref } = schema
    const own = $ref === undefined ? [] : [String($ref).split('/').at(-1) as string]
    const parts = inPlace.flatMap(keyword => {
      const value = schema[keyword]
      if (!isObject(value) && !Array.isArray(value)) return []
      return Array.isArray(value) || keyword === 'dependentSchemas' ? Object.values(value) : [value]
    })
    return [...own, ...parts.flatMap(reached)]
  }
  const leadsTo = (from: string, to: string, seen: Set<string>): boolean =>
    reached(schemas[from] ?? true).some(next => {
      if (next === to) return true
      if (seen.has(next)) return false
      seen.add(next)
      return leadsTo(next, to, seen)
    })
  return Object.keys(schemas).some(name => leadsTo(name, name, new Set()))
}
