import type { Found } from './found.ts'

/** A fraction in lowest terms; `d` is positive. */
export interface Rational {
  n: bigint
  d: bigint
}

export interface Bound {
  value: Rational
  exclusive: boolean
}

export interface NumberConstraints {
  minimum?: Bound | undefined
  maximum?: Bound | undefined
  /** Positive, like those of `notMultiplesOf`. */
  multiplesOf: Rational[]
  notMultiplesOf: Rational[]
  excluded: readonly (number | bigint)[]
}

const gcd = (a: bigint, b: bigint): bigint => {
  while (b !== 0n) [a, b] = [b, a % b]
  return a < 0n ? -a : a
}

const fraction = (n: bigint, d: bigint): Rational => {
  const divisor = gcd(n, d)
  return { n: n / divisor, d: d / divisor }
}

/** The decimal fraction that JSON shows for a finite number: 0.1 is 1/10, not the nearest binary fraction. */
export const rational = (value: number | bigint): Rational => {
  const [digits = '', exponent = '0'] = String(value).split('e')
  const [whole = '', decimals = ''] = digits.split('.')
  const shift = BigInt(exponent) - BigInt(decimals.length)
  const n = BigInt(whole + decimals)
  return shift < 0n ? fraction(n, 10n ** -shift) : { n: n * 10n ** shift, d: 1n }
}

/** Negative, zero or positive as `a` is below, equal to or above `b`. */
export const compare = (a: Rational, b: Rational): number => {
  const difference = a.n * b.d - b.n * a.d
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** The smallest positive number that both divide; both are positive. */
export const lcm = (a: Rational, b: Rational): Rational => ({ n: (a.n * b.n) / gcd(a.n, b.n), d: gcd(a.d, b.d) })

export const isMultipleOf = (value: Rational, of: Rational): boolean => (value.n * of.d) % (value.d * of.n) === 0n

/** A number that satisfies all constraints, preferably near zero and with few digits; a bigint where JavaScript would round it. */
export const findNumber = (wanted: NumberConstraints): Found<number | bigint> => {
  const { minimum, maximum, multiplesOf, notMultiplesOf, excluded } = wanted
  if (minimum && maximum) {
    const order = compare(minimum.value, maximum.value)
    if (order > 0 || (order === 0 && (minimum.exclusive || maximum.exclusive))) return 'none'
    if (order === 0) return firstOf([minimum.value], wanted, 1)
  }

  const [first, ...others] = multiplesOf
  if (first) {
    const step = others.reduce(lcm, first)
    if (notMultiplesOf.some(of => isMultipleOf(step, of))) return 'none'
    return firstOf(multiplesWithin(step, wanted), wanted, 10_000 + excluded.length)
  }

  // Real numbers are dense: with a fine enough step, at most every other multiple is excluded.
  for (const step of everFinerSteps()) {
    const result = firstOf(multiplesWithin(step, wanted), wanted, 20 + 2 * excluded.length)
    if (typeof result === 'object') return result
  }
  return 'unknown'
}

function* everFinerSteps(): Generator<Rational> {
  yield { n: 1n, d: 1n }
  yield { n: 1n, d: 2n }
  for (let decimals = 1n; decimals <= 324n; decimals++) yield { n: 1n, d: 10n ** decimals }
}

const firstOf = (candidates: Iterable<Rational>, wanted: NumberConstraints, limit: number): Found<number | bigint> => {
  const { multiplesOf, notMultiplesOf } = wanted
  const excluded = new Set(wanted.excluded.map(value => key(rational(value))))
  let acceptable: number | bigint | undefined
  let outcome: 'none' | 'unknown' = 'none'
  let tries = 0
  for (const candidate of candidates) {
    // If there is a number that is right except for floating-point arithmetic, a better one is not worth a long search.
    if (tries++ >= (acceptable === undefined ? limit : Math.min(limit, 100))) {
      outcome = 'unknown'
      break
    }
    if (!multiplesOf.every(of => isMultipleOf(candidate, of))) continue
    if (notMultiplesOf.some(of => isMultipleOf(candidate, of)) || excluded.has(key(candidate))) continue
    const value = inJavaScript(candidate)
    if (value === undefined) outcome = 'unknown'
    else if (isPlainToFloats(value, wanted)) return { value }
    else acceptable ??= value
  }
  return acceptable === undefined ? outcome : { value: acceptable }
}

const key = ({ n, d }: Rational) => `${n}/${d}`

/** Those closest to zero first. */
function* multiplesWithin(step: Rational, { minimum, maximum }: NumberConstraints): Generator<Rational> {
  const last = maximum && lastIndex(maximum, step)
  const first = minimum && -lastIndex({ ...minimum, value: { n: -minimum.value.n, d: minimum.value.d } }, step)
  const isHigh = (index: bigint) => last !== undefined && index > last
  const isLow = (index: bigint) => first !== undefined && index < first
  const multiple = (index: bigint) => fraction(index * step.n, step.d)
  let up = first !== undefined && first > 0n ? first : last !== undefined && last < 0n ? last : 0n
  if (isHigh(up) || isLow(up)) return
  let down = up - 1n
  yield multiple(up++)
  while (!isHigh(up) || !isLow(down)) {
    if (!isHigh(up)) yield multiple(up++)
    if (!isLow(down)) yield multiple(down--)
  }
}

/** The index of the last multiple of `step` that is not above `bound`. */
const lastIndex = ({ value, exclusive }: Bound, step: Rational): bigint => {
  const [n, d] = [value.n * step.d, value.d * step.n]
  const truncated = n / d
  const isAbove = n % d === 0n ? exclusive : n < 0n
  return isAbove ? truncated - 1n : truncated
}

/** Undefined if it has more digits than a JavaScript number can hold, so that JSON would show another one. */
const inJavaScript = (value: Rational): number | bigint | undefined => {
  if (value.d === 1n) return Number.isSafeInteger(Number(value.n)) ? Number(value.n) : value.n
  const number = toNumber(value)
  return compare(rational(number), value) === 0 ? number : undefined
}

export const toNumber = ({ n, d }: Rational): number => {
  // A divisor of a power of ten also divides the power whose exponent is the divisor's length in bits.
  const decimals = d.toString(2).length
  return Number(`${(n * 10n ** BigInt(decimals)) / d}e-${decimals}`)
}

/** Whether a validator that divides floating-point numbers, like Ajv, agrees: for it, 0.3 / 0.1 is not 3. */
const isPlainToFloats = (value: number | bigint, { multiplesOf, notMultiplesOf }: NumberConstraints): boolean => {
  const divides = (of: Rational) => Number.isInteger(Number(value) / toNumber(of))
  return multiplesOf.every(divides) && !notMultiplesOf.some(divides)
}
