import { compare, isMultipleOf, type Rational } from './numbers.ts'
import { type Assertion, type Keywords, typeOf } from './schema.ts'

/** Removes assertions that others of the same kind imply. */
export const tightest = (assertions: ReadonlySet<Assertion>): Assertion[] => {
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

/** The items that all lists have in common; undefined without lists. */
export const commonTo = <T>([first, ...others]: readonly (readonly T[])[]): T[] | undefined =>
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
