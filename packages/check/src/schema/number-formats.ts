import { rational } from './numbers.ts'
import type { Keywords } from './schema.ts'

const between = (least: bigint, most: bigint): Keywords => ({
  minimum: { value: rational(least), exclusive: false },
  maximum: { value: rational(most), exclusive: false }
})

const integer = { multipleOf: rational(1) }
// The largest finite number of 32 bits; every JSON number that JavaScript reads is one of 64.
const largestFloat = 2n ** 128n - 2n ** 104n

const ranges = new Map<string, Keywords>([
  ...[8n, 16n, 32n, 64n].flatMap((bits): [string, Keywords][] => [
    [`int${bits}`, { ...between(-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n), ...integer }],
    [`uint${bits}`, { ...between(0n, 2n ** bits - 1n), ...integer }]
  ]),
  ['float', between(-largestFloat, largestFloat)],
  ['double', {}]
])

/** The keywords that a number format of the OpenAPI format registry implies; undefined for other formats. */
export const formatRange = (format: string): Keywords | undefined => ranges.get(format)
