/**
 * Whether a number is a multiple of another in decimal arithmetic: 0.07 is one of 0.01, although their quotient as
 * doubles is 7.000000000000001.
 */
export const isMultiple = (value: number | bigint, of: number | bigint): boolean => {
  if (typeof value === 'number' && Number.isInteger(of)) return value % (of as number) === 0
  const [one, other] = [decimal(value), decimal(of)]
  const exponent = Math.min(one.exponent, other.exponent)
  const scaled = ({ digits, exponent: own }: Decimal) => digits * 10n ** BigInt(own - exponent)
  return scaled(one) % scaled(other) === 0n
}

/** `digits` times ten to the power of `exponent`. */
interface Decimal {
  digits: bigint
  exponent: number
}

const decimal = (value: number | bigint): Decimal => {
  const [mantissa = '', power = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length }
}
