import { compare, isMultipleOf } from './numbers.ts'
import { type Assertion, type JsonType, type Keywords, typeOf } from './schema.ts'

/** Removes assertions that others of the same kind imply. */
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
  // Listed values make a type redundant.
  const listed = kept.find(({ keyword }) => keyword === 'values')?.keywords.values
  return kept.filter(({ keywords: { types } }) => !types || !listed?.every(value => types.includes(typeOf(value))))
}

const common = (one: readonly JsonType[] = [], other: readonly JsonType[] = []) =>
  one.filter(each => other.includes(each))

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
