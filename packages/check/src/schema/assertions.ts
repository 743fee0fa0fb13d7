import { componentsOf, getOrMake, type Json } from '@contract-first/document'
import { schemasFor } from './accepts.ts'
import { commonTo, tightest } from './normal-form.ts'
import { type Assertion, type JsonType, type Keywords, type Schema, typeOf, undecidedOf, unique } from './schema.ts'

const known = new WeakMap<Schema, readonly Assertion[]>()

/** The assertions of a schema and its `allOf`, in a form that does not show how they were combined. */
export const assertionsOf = (schema: Schema): readonly Assertion[] => {
  // From the innermost: parts may be nested more deeply than the call stack allows.
  if (!known.has(schema))
    for (const each of componentsOf(schema, whole => partsOf(whole).filter(part => !known.has(part))).flat())
      known.set(each, tightest(flattened(each)))
  return known.get(schema) ?? []
}

export const shapesOf = (schemas: readonly Schema[]): Keywords[] => [
  ...new Set(schemas.flatMap(assertionsOf).map(({ schema }) => schema.keywords))
]

export const propertyOf = (shapes: readonly Keywords[], name: string): Schema[] =>
  unique(shapes.flatMap(shape => schemasFor(shape, name) ?? []))

/** The values that a schema lists. */
export const valuesOf = (schema: Schema | undefined): readonly Json[] | undefined =>
  schema && valuesIn(assertionsOf(schema))
export const valuesIn = (assertions: readonly Assertion[]): readonly Json[] | undefined =>
  assertions.find(({ keyword }) => keyword === 'values')?.keywords.values

/** The alternatives of an `anyOf` or `oneOf`. */
export const unionOf = ({ keyword, keywords }: Assertion): readonly Schema[] | undefined =>
  keyword === 'anyOf' || keyword === 'oneOf' ? keywords[keyword] : undefined

export const listedBy = (assertion: Assertion): readonly Json[] | undefined => {
  const lists = unionOf(assertion)?.map(valuesOf)
  return lists?.every(each => each !== undefined) ? lists.flat() : assertion.keywords.values
}

/** The assertion that lists the fewest values. */
export const listOf = (assertions: readonly Assertion[]): Assertion | undefined => {
  const lengths = assertions.map(each => listedBy(each)?.length ?? Number.POSITIVE_INFINITY)
  const least = Math.min(...lengths)
  return Number.isFinite(least) ? assertions[lengths.indexOf(least)] : undefined
}

/** The values that schemas list, themselves or as alternatives. */
export const listedIn = (schemas: readonly Schema[]): readonly Json[] | undefined => {
  const list = listOf(schemas.flatMap(assertionsOf))
  return list && listedBy(list)
}

/** The schemas that hold for a value of the chosen alternative. */
export const chosenWith = (variant: Schema): readonly Schema[] =>
  variant.isChoice === true ? (variant.keywords.allOf ?? []) : [variant]

/** Whether none of the alternatives was chosen yet. */
export const isOpen = (sent: readonly Schema[], variants: readonly Schema[]): boolean =>
  !variants.some(variant => chosenWith(variant).every(part => sent.some(({ id }) => id === part.id)))

/** The first union without a chosen alternative; unions of combinations come before others. */
export const openChoiceOf = (sent: readonly Schema[], said: readonly Assertion[]): readonly Schema[] | undefined => {
  const unions = said.map(unionOf).filter(each => each !== undefined)
  return (
    unions.find(each => each[0]?.isChoice === true && isOpen(sent, each)) ?? unions.find(each => isOpen(sent, each))
  )
}

/** What applies to the same value. */
const partsOf = ({ keywords: { allOf = [], anyOf, oneOf } }: Schema) => [...allOf, ...(anyOf ?? oneOf ?? [])]

const flattened = (schema: Schema): Set<Assertion> =>
  new Set([
    ...[...ownAssertions(schema)].flatMap(withoutNull),
    ...(schema.keywords.allOf ?? []).flatMap(each => known.get(each) ?? [])
  ])

const anything: Schema = { id: -1, keywords: {} }
const emptied = (schemas: ReadonlyMap<string, Schema>) => new Map([...schemas.keys()].map(key => [key, anything]))

function* ownAssertions(schema: Schema): Generator<Assertion> {
  const { keywords } = schema
  for (const [keyword, value] of Object.entries(keywords) as [keyof Keywords, never][]) {
    const one = (alone: Keywords, key?: string | number): Assertion => ({
      keyword,
      keywords: alone,
      schema,
      ...(key !== undefined && { key })
    })
    switch (keyword) {
      case 'allOf':
      case 'then':
      case 'else':
        break
      case 'required':
        for (const name of value as string[]) yield one({ required: [name] }, name)
        break
      case 'properties':
      case 'patternProperties':
      case 'dependentSchemas':
      case 'dependentRequired':
        for (const [name, each] of value as Map<string, never>) yield one({ [keyword]: new Map([[name, each]]) }, name)
        break
      case 'prefixItems':
        for (const [index, each] of (value as Schema[]).entries())
          if (Object.keys(each.keywords).length > 0)
            yield one({ prefixItems: [...Array(index).fill(anything), each] }, index)
        break
      case 'items':
        yield one({
          items: value,
          ...(keywords.prefixItems && { prefixItems: keywords.prefixItems.map(() => anything) })
        })
        break
      case 'additionalProperties':
        yield one({
          additionalProperties: value,
          ...(keywords.properties && { properties: emptied(keywords.properties) }),
          ...(keywords.patternProperties && { patternProperties: emptied(keywords.patternProperties) })
        })
        break
      case 'if':
        yield one(Object.fromEntries(Object.entries(keywords).filter(([key]) => /^(?:if|then|else)$/.test(key))))
        break
      default:
        yield one({ [keyword]: value })
    }
  }
}

/** Splits null off as an alternative, and replaces a single alternative by its content. */
const withoutNull = (assertion: Assertion): readonly Assertion[] => {
  const variants = assertion.keywords.anyOf ?? assertion.keywords.oneOf ?? []
  const [only, ...more] = variants.filter(each => !isNull(each))
  if (only === undefined || more.length > 0) return [assertion]
  const inner = assertionsOf(only)
  if (variants.length === 1) return inner
  const nulls = variants.find(isNull)
  if (nulls === undefined || variants.length > 2 || inner.length === 0 || !excludesNull(only)) return [assertion]
  const wider = inner.map(each => orNull(each, nulls, assertion.schema))
  return wider.every(each => each !== undefined) ? wider : [assertion]
}

/** These schemas and those that apply with them: their `allOf`, and an alternative beside which there is only null. */
export const inPlace = (schemas: readonly Schema[]): Schema[] => {
  const all = new Set(schemas)
  for (const { keywords } of all) {
    const [only, ...more] = (keywords.anyOf ?? keywords.oneOf ?? []).filter(each => !isNull(each))
    for (const each of keywords.allOf ?? []) all.add(each)
    if (only !== undefined && more.length === 0) all.add(only)
  }
  return [...all]
}

/** The schemas that apply with `whole` and contain the part, the innermost first. */
export const holdersOf = (part: Schema, whole: Schema): Schema[] =>
  inPlace([whole])
    .filter(each => assertionsOf(each).some(({ schema }) => schema === part))
    .reverse()

const isNull = (schema: Schema): boolean => assertionsOf(schema).length === 1 && typesOf([schema])?.join() === 'null'

const excludesNull = (schema: Schema): boolean => typesOf([schema])?.includes('null') === false

// They also apply to null, and have no form that would except it.
const general = new Set<keyof Keywords>(['not', 'if', 'dynamic'])

/** The same assertion, with null allowed as well; undefined if that cannot be expressed. */
const orNull = (assertion: Assertion, nulls: Schema, orNullIn: Schema): Assertion | undefined => {
  const { keyword, keywords } = assertion
  const { types, values, anyOf, oneOf } = keywords
  if (types !== undefined)
    return { ...assertion, keywords: { types: [...new Set([...types, 'null' as const])].sort() }, orNullIn }
  if (values !== undefined) return { ...assertion, keywords: { values: [...values, null] }, orNullIn }
  // Exactly one alternative of `oneOf` may match, so none of the others may accept null.
  if (anyOf !== undefined) return { ...assertion, keywords: { anyOf: [...anyOf, nulls] } }
  if (oneOf !== undefined)
    return oneOf.every(excludesNull) ? { ...assertion, keywords: { oneOf: [...oneOf, nulls] } } : undefined
  return general.has(keyword) || undecidedOf(keywords, 'null').length > 0 ? undefined : assertion
}

const maxDepth = 100

const knownTypes = new WeakMap<Schema, readonly JsonType[] | 'any'>()

/** The types of values that are valid for all of the schemas, if restricted. */
export const typesOf = (schemas: readonly Schema[]): readonly JsonType[] | undefined =>
  commonTo(schemas.map(each => typesOfOne(each)).filter(each => each !== 'any'))

const typesOfOne = (schema: Schema, depth = 0): readonly JsonType[] | 'any' => {
  if (depth > maxDepth) return knownTypes.get(schema) ?? 'any'
  return getOrMake(knownTypes, schema, () => {
    const lists = assertionsOf(schema).flatMap(({ keywords }): (readonly JsonType[])[] => {
      if (keywords.types !== undefined) return [keywords.types]
      if (keywords.values !== undefined) return [keywords.values.map(typeOf)]
      const variants = (keywords.anyOf ?? keywords.oneOf)?.map(each => typesOfOne(each, depth + 1))
      return variants?.every(each => each !== 'any') ? [[...new Set(variants.flat())]] : []
    })
    return commonTo(lists) ?? 'any'
  })
}
