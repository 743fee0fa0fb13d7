import { componentsOf, getOrMake, type Json } from '@contract-first/document'
import { schemasFor } from './accepts.ts'
import { compare, isMultipleOf, type Rational } from './numbers.ts'
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

export const valuesOf = (schema: Schema | undefined): readonly Json[] | undefined =>
  schema && valuesIn(assertionsOf(schema))
export const valuesIn = (assertions: readonly Assertion[]): readonly Json[] | undefined =>
  assertions.find(({ keyword }) => keyword === 'values')?.keywords.values

export const unionOf = ({ keyword, keywords }: Assertion): readonly Schema[] | undefined =>
  keyword === 'anyOf' || keyword === 'oneOf' ? keywords[keyword] : undefined

export const listedBy = (assertion: Assertion): readonly Json[] | undefined => {
  const lists = unionOf(assertion)?.map(valuesOf)
  return lists?.every(each => each !== undefined) ? lists.flat() : assertion.keywords.values
}

export const listOf = (assertions: readonly Assertion[]): Assertion | undefined => {
  const lengths = assertions.map(each => listedBy(each)?.length ?? Number.POSITIVE_INFINITY)
  const least = Math.min(...lengths)
  return Number.isFinite(least) ? assertions[lengths.indexOf(least)] : undefined
}

export const listedIn = (schemas: readonly Schema[]): readonly Json[] | undefined => {
  const list = listOf(schemas.flatMap(assertionsOf))
  return list && listedBy(list)
}

/** The schemas that hold for a value of the chosen alternative. */
export const chosenWith = (variant: Schema): readonly Schema[] =>
  variant.isChoice === true ? (variant.keywords.allOf ?? []) : [variant]

export const isOpen = (sent: readonly Schema[], variants: readonly Schema[]): boolean =>
  !variants.some(variant => chosenWith(variant).every(part => sent.some(({ id }) => id === part.id)))

/** The first union without a chosen alternative; unions of combinations come before others. */
export const openChoiceOf = (sent: readonly Schema[], said: readonly Assertion[]): readonly Schema[] | undefined => {
  const unions = said.map(unionOf).filter(each => each !== undefined)
  return (
    unions.find(each => each[0]?.isChoice === true && isOpen(sent, each)) ?? unions.find(each => isOpen(sent, each))
  )
}

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
    const one = (alone: Keywords, key?: string): Assertion => ({
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
        for (const [name, each] of value as Map<string, never>) yield one({ properties: new Map([[name, each]]) }, name)
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

/** Removes assertions that others of the same kind imply. */
const tightest = (assertions: ReadonlySet<Assertion>): Assertion[] => {
  // Those about a single property, say, imply no others.
  const comparable = [...assertions].filter(({ key }) => key === undefined)
  const isImplied = (one: Assertion, place: number) =>
    comparable.some((each, at) => at !== place && implies(each, one) && (at < place || !implies(one, each)))
  const implied = new Set(comparable.filter(isImplied))
  const kept = [...assertions].filter(each => !implied.has(each))
  const typed = kept.filter(({ keyword }) => keyword === 'types')
  const [first] = typed
  const types = commonTo(typed.map(({ keywords }) => keywords.types ?? []))
  if (first === undefined || types === undefined) return kept
  // Listed values make a type redundant.
  const isRedundant = kept.some(({ keywords: { values } }) => values?.every(each => types.includes(typeOf(each))))
  const joined = isRedundant ? [] : typed.length === 1 ? first : { ...first, keywords: { types } }
  return kept.flatMap(each => (each === first ? joined : each.keyword === 'types' ? [] : each))
}

const commonTo = <T>([first, ...others]: readonly (readonly T[])[]): T[] | undefined =>
  first?.filter(each => others.every(list => list.includes(each)))

/** Whether the first implies the second, as far as two assertions of one kind show it. */
export const implies = (
  { keyword, keywords: one }: Assertion,
  { keyword: same, keywords: other }: Assertion
): boolean => {
  if (keyword !== same) return false
  switch (keyword) {
    case 'minimum':
      return isBeyond(one.minimum, other.minimum, 1)
    case 'maximum':
      return isBeyond(one.maximum, other.maximum, -1)
    case 'multipleOf':
      return isMultipleOf(one.multipleOf as Rational, other.multipleOf as Rational)
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return Number(one[keyword]) >= Number(other[keyword])
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return Number(one[keyword]) <= Number(other[keyword])
    case 'pattern':
    case 'format':
    case 'uniqueItems':
      return one[keyword] === other[keyword]
    default:
      return false
  }
}

/** Whether a bound implies the other: `sign` is 1 for minimums, and -1 for maximums. */
export const isBeyond = (one: Keywords['minimum'], other: Keywords['minimum'], sign: 1 | -1): boolean => {
  if (one === undefined || other === undefined) return false
  const order = sign * compare(one.value, other.value)
  return order > 0 || (order === 0 && (one.exclusive || !other.exclusive))
}
