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

/** The keywords that a number format of the OpenAPI format registry implies; undefined for other formats. */
export const formatRange = (format: string): Keywords | undefined =>
  ranges.get(format) ?? (['float', 'double'].includes(format) ? {} : undefined)
