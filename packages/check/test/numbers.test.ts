import fc from 'fast-check'
import t from 'tap'
import { extent } from '../../../test/extent.ts'
import type { Found } from '../src/schema/found.ts'
import {
  type Bound,
  compare,
  findNumber,
  isMultipleOf,
  lcm,
  type NumberConstraints,
  rational
} from '../src/schema/numbers.ts'

// A failure names its seed and path; `fc.assert(…, { seed, path })` runs it again.

const from = (value: number | bigint): Bound => ({ value: rational(value), exclusive: false })
const beyond = (value: number | bigint): Bound => ({ value: rational(value), exclusive: true })

interface Wanted {
  minimum?: Bound
  maximum?: Bound
  multiplesOf?: number[]
  notMultiplesOf?: number[]
  excluded?: (number | bigint)[]
}

const constraints = ({ minimum, maximum, multiplesOf, notMultiplesOf, excluded }: Wanted): NumberConstraints => ({
  minimum,
  maximum,
  multiplesOf: (multiplesOf ?? []).map(rational),
  notMultiplesOf: (notMultiplesOf ?? []).map(rational),
  excluded: excluded ?? []
})

const isAccepted = (value: number | bigint, { minimum, maximum, multiplesOf, ...not }: NumberConstraints): boolean => {
  const exact = rational(value)
  const isFarEnough = (order: number, { exclusive }: Bound) => (exclusive ? order > 0 : order >= 0)
  return (
    (!minimum || isFarEnough(compare(exact, minimum.value), minimum)) &&
    (!maximum || isFarEnough(compare(maximum.value, exact), maximum)) &&
    multiplesOf.every(of => isMultipleOf(exact, of)) &&
    !not.notMultiplesOf.some(of => isMultipleOf(exact, of)) &&
    !not.excluded.some(other => compare(exact, rational(other)) === 0)
  )
}

t.test('a number is the decimal that JSON shows for it', async t => {
  const table: [number | bigint, bigint, bigint][] = [
    [0.1, 1n, 10n],
    [-0.25, -1n, 4n],
    [-0, 0n, 1n],
    [12, 12n, 1n],
    [1e-7, 1n, 10_000_000n],
    [2.5e-8, 1n, 40_000_000n],
    [1e21, 10n ** 21n, 1n],
    [-1.5e300, -15n * 10n ** 299n, 1n],
    [2n ** 64n, 2n ** 64n, 1n]
  ]
  for (const [value, n, d] of table) t.strictSame(rational(value), { n, d }, String(value))
})

t.test('fractions are compared, divided and multiplied exactly', async t => {
  t.equal(compare(rational(0.3), rational(0.1 + 0.2)), -1)
  t.equal(compare(rational(2n ** 53n + 1n), rational(2 ** 53)), 1)
  t.equal(compare(rational(-1), rational(-1n)), 0)
  t.ok(isMultipleOf(rational(0.3), rational(0.1)))
  t.ok(isMultipleOf(rational(-4.2), rational(0.7)))
  t.notOk(isMultipleOf(rational(0.25), rational(0.1)))
  t.strictSame(lcm(rational(4), rational(6)), rational(12))
  t.strictSame(lcm(rational(0.4), rational(0.25)), rational(2))
})

t.test('the number found has few digits', async t => {
  const table: [Wanted, Found<number | bigint>][] = [
    [{}, { value: 0 }],
    [{ minimum: from(10) }, { value: 10 }],
    [{ minimum: beyond(50), maximum: from(100) }, { value: 51 }],
    [{ maximum: beyond(-3) }, { value: -4 }],
    [{ excluded: [0, 1] }, { value: -1 }],
    [{ minimum: beyond(0), maximum: beyond(1) }, { value: 0.5 }],
    [{ minimum: from(0.25), maximum: from(0.3) }, { value: 0.3 }],
    [{ minimum: beyond(0.3), maximum: beyond(0.31) }, { value: 0.301 }],
    [{ minimum: beyond(0), maximum: from(1e-300) }, { value: 1e-300 }],
    [{ notMultiplesOf: [1] }, { value: 0.5 }],
    [{ notMultiplesOf: [1, 0.5, 0.1] }, { value: 0.01 }],
    [{ multiplesOf: [4, 6], minimum: beyond(0) }, { value: 12 }],
    [{ multiplesOf: [0.1], notMultiplesOf: [1] }, { value: 0.1 }],
    // For a validator that divides floating-point numbers, 0.3 / 0.1 and 0.7 / 0.1 are not integers.
    [{ multiplesOf: [0.1], minimum: beyond(0.2) }, { value: 0.4 }],
    [{ multiplesOf: [0.01], minimum: from(0.07), maximum: from(0.07) }, { value: 0.07 }],
    [{ multiplesOf: [6], notMultiplesOf: [4], excluded: [6] }, { value: -6 }],
    [{ multiplesOf: [1], minimum: beyond(2 ** 53 - 1) }, { value: 2n ** 53n }],
    [{ multiplesOf: [1], maximum: from(-(2n ** 63n)) }, { value: -(2n ** 63n) }],
    [{ minimum: from(1e21) }, { value: 10n ** 21n }]
  ]
  for (const [wanted, expected] of table) t.strictSame(findNumber(constraints(wanted)), expected)
})

t.test('if no number satisfies the constraints, none is found', async t => {
  const hundredThousand = Array.from({ length: 100_000 }, (_, index) => index + 1)
  const table: Wanted[] = [
    { minimum: from(2), maximum: from(1) },
    { minimum: from(1), maximum: beyond(1) },
    { minimum: from(1), maximum: from(1), excluded: [1] },
    { minimum: from(0.5), maximum: from(0.5), multiplesOf: [1] },
    { minimum: from(0), maximum: from(0), notMultiplesOf: [3] },
    { multiplesOf: [6, 4], notMultiplesOf: [3] },
    { multiplesOf: [0.3], notMultiplesOf: [0.1] },
    { multiplesOf: [1], minimum: beyond(3), maximum: beyond(4) },
    { multiplesOf: [1], minimum: beyond(2n ** 64n), maximum: beyond(2n ** 64n + 1n) },
    { multiplesOf: [6], notMultiplesOf: [4], minimum: from(12), maximum: beyond(18) },
    { multiplesOf: [1], minimum: from(1), maximum: from(100_000), excluded: hundredThousand }
  ]
  for (const wanted of table) t.equal(findNumber(constraints(wanted)), 'none')
})

t.test('a number with more digits than JavaScript can hold is unknown', async t => {
  const next = 1e15 + 0.125
  t.equal(findNumber(constraints({ minimum: beyond(1e15), maximum: beyond(next) })), 'unknown')
})

t.test('what is found satisfies all constraints, and none is found only if there is none', async t => {
  const decimal = fc.tuple(fc.integer({ min: -60, max: 60 }), fc.constantFrom(1, 2, 4, 10)).map(([n, d]) => n / d)
  const bound = fc.option(fc.tuple(decimal, fc.constantFrom(from, beyond)), { nil: undefined })
  const step = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.constantFrom(1, 1, 2, 10, 100)).map(([n, d]) => n / d)
  const wanted = fc.record({
    minimum: bound.map(made => made?.[1](made[0])),
    maximum: bound.map(made => made?.[1](made[0])),
    multiplesOf: fc.array(step.map(rational), { maxLength: 2 }),
    notMultiplesOf: fc.array(step.map(rational), { maxLength: 3 }),
    excluded: fc.array(decimal, { maxLength: 6 })
  })
  const candidates = Array.from({ length: 801 }, (_, index) => (index - 400) / 20)
  const outcomes = { value: 0, none: 0 }
  const runs = extent(500, 20_000)
  fc.assert(
    fc.property(wanted, wanted => {
      const found = findNumber(wanted)
      outcomes[typeof found === 'object' ? 'value' : 'none']++
      return typeof found === 'object'
        ? isAccepted(found.value, wanted)
        : found === 'none' && !candidates.some(candidate => isAccepted(candidate, wanted))
    }),
    { numRuns: runs }
  )
  t.ok(outcomes.value > 0.1 * runs && outcomes.none > 0.1 * runs, JSON.stringify(outcomes))
})
