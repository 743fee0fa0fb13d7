import { type Assertion, assertionsOf } from './assertions.ts'
import { compare, isMultipleOf } from './numbers.ts'
import { canonical, type JsonType, type Keywords, type Schema, typeOf, undecidedOf } from './schema.ts'

/** Of several assertions of one kind those that say something beyond the others. */
export const tightest = (assertions: readonly Assertion[]): Assertion[] => {
  const kept: Assertion[] = []
  for (const one of assertions) {
    const types = one.keyword === 'types' ? kept.findIndex(({ keyword }) => keyword === 'types') : -1
    const before = kept[types]
    if (before !== undefined) {
      kept[types] = { ...before, keywords: { types: common(before.keywords.types, one.keywords.types) } }
      continue
    }
    if (kept.some(other => implies(other, one))) continue
    kept.splice(0, kept.length, ...kept.filter(other => !implies(one, other)), one)
  }
  // Listed values need no type beside them.
  const listed = kept.find(({ keyword }) => keyword === 'values')?.keywords.values
  return kept.filter(({ keywords: { types } }) => !types || !listed?.every(value => types.includes(typeOf(value))))
}

const common = (one: readonly JsonType[] = [], other: readonly JsonType[] = []) =>
  one.filter(each => other.includes(each))

/** Whether the second is true wherever the first is, as far as two assertions of one kind show it. */
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
      return (
        one.multipleOf !== undefined && other.multipleOf !== undefined && isMultipleOf(one.multipleOf, other.multipleOf)
      )
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

const isBeyond = (one: Keywords['minimum'], other: Keywords['minimum'], sign: 1 | -1): boolean => {
  if (one === undefined || other === undefined) return false
  const order = sign * compare(one.value, other.value)
  return order > 0 || (order === 0 && (one.exclusive || !other.exclusive))
}

/** An alternative of null as a type, and an alternative that is the only one as what it says. */
export function* withoutNull(assertion: Assertion): Generator<Assertion> {
  const variants = assertion.keywords.anyOf ?? assertion.keywords.oneOf
  if (variants === undefined) {
    yield assertion
    return
  }
  const [only, ...more] = variants.filter(each => !isNull(each))
  if (only === undefined || more.length > 0) {
    yield assertion
    return
  }
  const inner = assertionsOf(only)
  if (variants.length === 1) {
    yield* inner
    return
  }
  const nulls = variants.find(isNull)
  const wider = nulls && variants.length === 2 ? inner.map(each => orNull(each, nulls)) : []
  if (wider.length > 0 && wider.every(each => each !== undefined) && excludesNull(only)) yield* wider
  else yield assertion
}

const isNull = (schema: Schema): boolean => {
  const [only, ...more] = assertionsOf(schema)
  if (only === undefined || more.length > 0) return false
  const { types, values } = only.keywords
  return types?.join() === 'null' || values?.every(each => each === null) === true
}

const excludesNull = (schema: Schema): boolean =>
  assertionsOf(schema).some(({ keywords: { types, values, anyOf, oneOf } }) => {
    if (types !== undefined) return !types.includes('null')
    if (values !== undefined) return !values.includes(null)
    return (anyOf ?? oneOf)?.every(excludesNull) === true
  })

// These say something of null too, which no other word for them would.
const general = new Set<keyof Keywords>(['not', 'if', 'dynamic'])

/** The same assertion, with null allowed besides; undefined if there is no such one. */
const orNull = (assertion: Assertion, nulls: Schema): Assertion | undefined => {
  const { keyword, keywords } = assertion
  const { types, values, anyOf, oneOf } = keywords
  if (types !== undefined) return { ...assertion, keywords: { types: sorted([...types, 'null']) } }
  if (values !== undefined) return { ...assertion, keywords: { values: [...values, null] } }
  // Exactly one: then none of the others may take null itself.
  if (anyOf !== undefined) return { ...assertion, keywords: { anyOf: [...anyOf, nulls] } }
  if (oneOf !== undefined)
    return oneOf.every(excludesNull) ? { ...assertion, keywords: { oneOf: [...oneOf, nulls] } } : undefined
  return general.has(keyword) || undecidedOf(keywords, 'null').length > 0 ? undefined : assertion
}

const sorted = (types: JsonType[]): JsonType[] =>
  [...new Set(types)].sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1))
