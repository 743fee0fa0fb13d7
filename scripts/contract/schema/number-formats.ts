import { rational } from './numbers.ts'
import type { Keywords } from './schema.ts'

const bits = (size: number, isSigned: boolean): Keywords => {
  const values = 1n << BigInt(isSigned ? size - 1 : size)
  return {
    minimum: { value: rational(isSigned ? -values : 0n), exclusive: false },
    maximum: { value: rational(values - 1n), exclusive: false },
    multipleOf: rational(1)
  }
}

const ranges = new Map(
  [8, 16, 32, 64].flatMap(size => [
    [`int${size}`, bits(size, true)],
    [`uint${size}`, bits(size, false)]
  ])
)

const float = (largest: bigint): Keywords => ({
  minimum: { value: rational(-largest), exclusive: false },
  maximum: { value: rational(largest), exclusive: false }
})

// The largest finite number of 32 bits; every JSON number that JavaScript reads is one of 64.
const largestFloat = 2n ** 128n - 2n ** 104n

/** The keywords that a number format of the OpenAPI format registry implies; undefined for other formats. */
export const formatRange = (format: string): Keywords | undefined =>
  ranges.get(format) ?? (format === 'float' ? float(largestFloat) : format === 'double' ? {} : undefined)
