import { testOfFormat } from '@contract-first/formats'
import { getOrMake } from '../node/get-or-make.ts'
import { exactJson } from '../node/json.ts'
import { type Fault, mostViolations, type Path, requirementAt } from './violations.ts'

// What the generator compiles from a contract, and the tools that the compiled code uses.

/**
 * Adds all violations of the value at `parent[at]` to `faults`. Integers of format `int64` become bigint, and if nothing is
 * wrong, absent properties of a request get their defaults; nothing else is changed.
 */
export type Check = (value: unknown, parent: object, at: string, path: Path, faults: Fault[]) => void

/** The JSON text of a value. @throws InvalidResponse at its first violation */
export type Write = (value: unknown, path: Path) => string

export interface CompiledOperation {
  readonly params?: Check
  readonly query?: Check
  readonly headers?: Check
  readonly cookies?: Check
  readonly body?: Check
  /** By media type, if the body may be something other than JSON. */
  readonly bodies?: Readonly<Record<string, Check>>
  /** By the statuses that the contract declares with a body. */
  readonly responses: Readonly<Record<string, Write>>
  /** By status and media type. */
  readonly contents?: Readonly<Record<string, Readonly<Record<string, Write>>>>
  /** By status and name. */
  readonly responseHeaders?: Readonly<Record<string, Readonly<Record<string, Check>>>>
}

/** The module `compiled.js` that the generator emits, by operation. */
// biome-ignore lint/suspicious/noExplicitAny: the generated module imports no type of ours
export type Compiled = (tools: any) => Readonly<Record<string, CompiledOperation>>

/** A response that breaks the contract: our error. */
export class InvalidResponse extends Error {
  /** Fastify would keep the route's whole configuration here, and the log would print it. */
  set serialization(_config: unknown) {}
}

const fault = (
  faults: Fault[],
  keyword: string,
  path: Path,
  value: unknown,
  params: Readonly<Record<string, unknown>>
): void => {
  faults.push({ keyword, path, value, params, isTentative: false })
}

/**
 * Violations of variants count only if no variant fits. Since checks convert integers, the changes of one that does not fit
 * are undone; `levels` is how deep they may be.
 */
const variants =
  (keyword: 'anyOf' | 'oneOf', hasFit: (count: number) => boolean, isEnough: (count: number) => boolean) =>
  (
    faults: Fault[],
    path: Path,
    parent: Parent,
    at: string | number,
    levels: number,
    checks: readonly (() => void)[]
  ): void => {
    const before = faults.length
    const { [at]: value } = parent
    let fitting = 0
    for (const check of checks) {
      const already = faults.length
      const kept = copied(parent[at], levels)
      check()
      if (faults.length > already) restore(parent, at, kept, levels)
      else if (isEnough(++fitting)) break
    }
    if (fitting > 0) {
      faults.length = before
      if (!hasFit(fitting)) fault(faults, keyword, path, value, { areSeveral: true })
      return
    }
    for (let index = before; index < faults.length; index++) (faults[index] as Fault).isTentative = true
    fault(faults, keyword, path, value, {})
  }

type Parent = Record<string | number, unknown>

const copied = (value: unknown, levels: number): unknown => {
  if (levels === 0 || !hasParts(value)) return value
  if (Array.isArray(value)) return value.map(each => copied(each, levels - 1))
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copied(each, levels - 1)]))
}

/** Restores the values, but keeps objects and lists themselves: results are remembered for them. */
const restore = (parent: Parent, at: string | number, kept: unknown, levels: number): void => {
  const { [at]: value } = parent
  if (levels === 0 || !hasParts(value)) parent[at] = kept
  else for (const key of Object.keys(value)) restore(value as Parent, key, (kept as Parent)[key], levels - 1)
}

/** Whether checks may change parts of it, unlike those of files and the like. */
const hasParts = (value: unknown): value is object =>
  Array.isArray(value) || (isObject(value) && Object.getPrototypeOf(value) === Object.prototype)

/** Checks the names of an object's properties; each invalid name is one violation of the object. */
const names = (faults: Fault[], path: Path, value: object, check: Check): void => {
  for (const name of Object.keys(value)) {
    const own: Fault[] = []
    check(name, { name }, 'name', path, own)
    if (own[0] !== undefined) fault(faults, 'propertyNames', path, value, { propertyName: name, by: own[0] })
  }
}

/** What functions have found out about each object while one request or response is judged. */
let answers: Map<object, Map<unknown, unknown>> | undefined

const remembering = <Result>(run: () => Result): Result => {
  if (answers !== undefined) return run()
  answers = new Map()
  try {
    return run()
  } finally {
    answers = undefined
  }
}

const noAnswers = () => new Map<unknown, unknown>()

const answersAbout = (value: object) => (answers === undefined ? noAnswers() : getOrMake(answers, value, noAnswers))

/** A function that examines each object only once while `remembering`. */
const remembered = <Value, Answer>(find: (value: Value) => Answer): ((value: Value) => Answer) => {
  const own = (value: Value): Answer =>
    answers === undefined || typeof value !== 'object' || value === null
      ? find(value)
      : (getOrMake(answersAbout(value), own, () => find(value)) as Answer)
  return own
}

/**
 * The same for checks: an object that several schemas describe would be checked twice as often for each level of nesting,
 * and the client chooses how many there are. Its faults are reported each time, since a caller takes none to mean that it fits.
 */
const once = (check: Check): Check => {
  const own: Check = (value, parent, at, path, faults) => {
    if (typeof value !== 'object' || value === null) return check(value, parent, at, path, faults)
    remembering(() => {
      const known = answersAbout(value)
      const earlier = known.get(own) as Parameters<Check>[4] | undefined
      if (earlier !== undefined) {
        faults.push(...earlier)
        return
      }
      const before = faults.length
      check(value, parent, at, path, faults)
      known.set(own, faults.slice(before, before + mostViolations))
    })
  }
  return own
}

/**
 * Variants of recursive schemas: tests decide which of them fits, since `variants` would copy the value at each of its levels.
 * If none fits, the faults are those of the variant that the value resembles. If `resembles` is empty, since only one variant
 * is recursive, the faults are those of all variants.
 */
const decided = (
  faults: Fault[],
  keyword: 'anyOf' | 'oneOf',
  path: Path,
  value: unknown,
  tests: readonly (() => boolean)[],
  checks: readonly (() => void)[],
  resembles: readonly (() => boolean)[]
): void =>
  remembering(() => {
    const fitting = checks.filter((_check, index) => tests[index]?.())
    const isValid = keyword === 'oneOf' ? fitting.length === 1 : fitting.length > 0
    const areAllTold = resembles.length === 0
    const alike = isValid ? fitting : areAllTold ? checks : checks.filter((_check, index) => resembles[index]?.())
    const before = faults.length
    if (fitting.length > 0 && !isValid) return fault(faults, keyword, path, value, { areSeveral: true })
    if (isValid || areAllTold || alike.length === 1) for (const check of alike) check()
    if (isValid) return
    if (areAllTold) for (const each of faults.slice(before)) each.isTentative = true
    if (areAllTold || faults.length === before) fault(faults, keyword, path, value, {})
  })

/**
 * Variants that a property names. If none fits, the faults are those of the named variant, or the name is the fault; unless
 * several have that name (-1), or none has and `rest` reports the fault. `isExclusive`: a value with the name of one variant
 * cannot fit another.
 */
const discriminated = (
  faults: Fault[],
  keyword: 'anyOf' | 'oneOf',
  path: Path,
  value: unknown,
  property: string,
  variants: ReadonlyMap<unknown, number>,
  isExclusive: boolean,
  checks: readonly (() => void)[],
  rest: () => void,
  isToldByRest = false
): void => {
  const object = isObject(value) ? (value as Record<string, unknown>) : undefined
  const name = object !== undefined && Object.hasOwn(object, property) ? object[property] : undefined
  const chosen = checks[variants.get(name) ?? -1]
  const before = faults.length
  if (chosen !== undefined && isExclusive) {
    chosen()
    return
  }
  rest()
  if (object === undefined || variants.get(name) === -1 || faults.length === before) return
  if (chosen === undefined && isToldByRest) return
  faults.length = before
  if (chosen === undefined) {
    const params = { values: [...variants.keys()], isMissing: name === undefined }
    fault(faults, 'discriminator', { up: path, at: property }, name ?? null, params)
  } else {
    chosen()
    // It fits, but so does another variant.
    if (faults.length === before) fault(faults, keyword, path, value, { areSeveral: true })
  }
}

const most = 2n ** 63n - 1n
const least = -(2n ** 63n)

/** The exact integer, if it has at most 64 bits; a number is exact only up to 2^53. */
const int64 = (value: unknown): bigint | undefined => {
  if (typeof value === 'bigint') return value >= least && value <= most ? value : undefined
  return Number.isSafeInteger(value) ? BigInt(value as number) : undefined
}

/** An integer's text, if within the bounds. A bigint becomes a number where that is exact: a third of the cost. */
const digits = (value: unknown, minimum: number, maximum: number): string | undefined => {
  if (typeof value === 'bigint') {
    const number = Number(value)
    if (!Number.isSafeInteger(number))
      return value >= least && value <= most && value >= minimum && value <= maximum ? `${value}` : undefined
    return number >= minimum && number <= maximum ? `${number}` : undefined
  }
  if (!Number.isSafeInteger(value)) return undefined
  return (value as number) >= minimum && (value as number) <= maximum ? `${value}` : undefined
}

/** The same for JSON.stringify, which writes numbers faster than their texts can be joined. */
const jsonInteger = (value: unknown, minimum: number, maximum: number): unknown => {
  const number = typeof value === 'bigint' ? Number(value) : value
  if (Number.isSafeInteger(number))
    return (number as number) >= minimum && (number as number) <= maximum ? number : undefined
  const text = digits(value, minimum, maximum)
  return text === undefined ? undefined : JSON.rawJSON(text)
}

/** The length of a string in Unicode characters. */
const codePoints = (text: string): number => {
  let count = text.length
  for (let index = 0; index < text.length - 1; index++) {
    if ((text.charCodeAt(index) & 0xfc00) !== 0xd800 || (text.charCodeAt(index + 1) & 0xfc00) !== 0xdc00) continue
    count--
    index++
  }
  return count
}

/** Whether two JSON values are equal; a bigint equals the number of the same value. */
const equal = (one: unknown, other: unknown): boolean => {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return isNumber(one) && isNumber(other) && canonical(one) === canonical(other)
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((each, index) => equal(each, other[index]))
  if (Array.isArray(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every(name => Object.hasOwn(other, name) && equal(one[name as never], other[name as never]))
  )
}

const isNumber = (value: unknown) => typeof value === 'number' || typeof value === 'bigint'

/** A text that is the same only for equal JSON values, whatever the order of their properties. */
const canonical = (value: unknown): string => {
  if (typeof value === 'number') return String(Number.isInteger(value) ? BigInt(value) : value)
  if (typeof value === 'string') return JSON.stringify(value)
  return typeof value === 'object' && value !== null ? canonicalStructure(value) : String(value)
}

const canonicalStructure = remembered((value: object): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  // JSON omits undefined properties.
  const properties = Object.entries(value).flatMap(([name, each]) =>
    each === undefined ? [] : [`${JSON.stringify(name)}:${canonical(each)}`]
  )
  return `{${properties.sort().join()}}`
})

const hasDuplicates = (items: readonly unknown[]): boolean => {
  const isPlain = items.every(each => each === null || (typeof each !== 'object' && typeof each !== 'bigint'))
  return new Set(isPlain ? items : items.map(canonical)).size < items.length
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The text of any value; `null` for what JSON cannot express. */
const json = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch (error) {
    // A bigint, or a circular reference, which throws again.
    if (error instanceof TypeError) return exactJson(value)
    throw error
  }
}

const broken = (
  path: Path,
  keyword: string,
  params: Readonly<Record<string, unknown>>,
  value?: unknown
): InvalidResponse => {
  const kind = keyword === 'type' || keyword === 'int64' ? `, not ${kindOf(value)}` : ''
  return new InvalidResponse(
    `the handler's body breaks the contract: ${requirementAt({ keyword, path, params })}${kind}`
  )
}

/** What a value is, without what is in it. */
const kindOf = (value: unknown): string => {
  if (value === null || value === undefined) return `${value}`
  if (typeof value === 'object') return `${/^[AEIOU]/.test(nameOf(value)) ? 'an' : 'a'} ${nameOf(value)}`
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return `a ${typeof value}`
  return Number.isInteger(value) ? 'a number beyond 2^53, which may have been rounded' : 'a number with decimals'
}
const nameOf = (value: object): string => {
  const { name = 'Object' } = value.constructor ?? {}
  return name === 'Object' || name === 'Array' ? name.toLowerCase() : name
}

const noVariant = (path: Path, keyword: string, params: Readonly<Record<string, unknown>> = {}): never => {
  throw broken(path, keyword, params)
}

/**
 * Whether a number is a multiple of another in decimal arithmetic: 0.07 is one of 0.01, although their quotient as
 * doubles is 7.000000000000001.
 */
const isMultiple = (value: number | bigint, of: number | bigint): boolean => {
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

/** Everything that compiled code uses. */
export const tools = {
  anyOf: variants(
    'anyOf',
    fitting => fitting > 0,
    () => false
  ),
  broken,
  canonical,
  codePoints,
  decided,
  digits,
  discriminated,
  equal,
  exactJson,
  fault,
  formats: testOfFormat,
  hasDuplicates,
  int64,
  isMultiple,
  isObject,
  json,
  jsonInteger,
  names,
  noVariant,
  once,
  oneOf: variants(
    'oneOf',
    fitting => fitting === 1,
    fitting => fitting > 1
  ),
  remembered,
  remembering
}
