import { compare, isMultipleOf, type Rational } from './numbers.ts'
import { type Assertion, type JsonType, type Keywords, typeOf } from './schema.ts'

/** Removes assertions that others of the same kind imply. */
export const tightest = (assertions: ReadonlySet<Assertion>): Assertion[] => {
  const kept = new Set<Assertion>()
  // Those about a single property, say, imply no others.
  const comparable = new Set<Assertion>()
  const typed: Assertion[] = []
  for (const one of assertions) {
    if (one.keyword === 'types') {
      typed.push(one)
      if (typed.length > 1) continue
    } else if (one.key === undefined) {
      if ([...comparable].some(other => implies(other, one))) continue
      for (const other of comparable) if (implies(one, other) && comparable.delete(other)) kept.delete(other)
      comparable.add(one)
    }
    kept.add(one)
  }
  const [first, ...others] = typed
  if (first === undefined) return [...kept]
  const types = others.reduce((all, { keywords }) => common(all, keywords.types), first.keywords.types ?? [])
  // Listed values make a type redundant.
  const isRedundant = [...kept].some(({ keywords: { values } }) => values?.every(each => types.includes(typeOf(each))))
  const joined = others.length === 0 ? first : { ...first, keywords: { types } }
  return [...kept].flatMap(each => (each !== first ? each : isRedundant ? [] : joined))
}

const common = (one: readonly JsonType[], other: readonly JsonType[] = []) => one.filter(each => other.includes(each))

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
