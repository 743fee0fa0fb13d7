// Copied from @contract-first/generator/package/client-places.ts by `npm run generate`: do not edit it.

/** The declared kind of a value; `number` and `string` occur only beside variants of another kind, dates only for themselves. */
export type Kind = 'int64' | 'integer' | 'number' | 'string' | 'date' | 'date-time'

/**
 * Where a body may have integers that a double cannot hold. Only paths to such integers are included, so an empty object means
 * that there are none.
 */
export type Places = Kind | Inside
interface Inside {
  readonly properties?: Readonly<Record<string, Places>>
  /** For properties whose names match a regular expression. */
  readonly patterns?: Readonly<Record<string, Places>>
  /** For all other properties. */
  readonly others?: Places
  /** For an array's first items, in order. */
  readonly first?: readonly Places[]
  /** For all further items. */
  readonly items?: Places
  readonly anyOf?: readonly Places[]
  /** In `anyOf`: the properties that the value must have, and the values that properties can have. */
  readonly has?: readonly string[]
  readonly is?: Readonly<Record<string, readonly unknown[]>>
}

export type Int64 = 'number' | 'bigint' | 'string'

/** A number that cannot be converted to the declared type without loss. */
export class Unfit extends Error {
  readonly kind: 'inexact' | 'invalid-body'
  constructor(message: string, kind: 'inexact' | 'invalid-body' = 'inexact') {
    super(message)
    this.kind = kind
  }
}

/** @throws Unfit for a number that may have been rounded before: an integer beyond ±(2^53 − 1), or any other for an int64 */
export const checkExact = (at: string, value: unknown, kind: Kind | 'boolean' | undefined): void => {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return
  const option = kind === 'int64' ? "; the option int64: 'bigint' accepts bigints" : ''
  if (option || (kind === 'integer' && Number.isInteger(value)))
    throw new Unfit(`${at} is ${value}, which is not an integer that a number holds exactly${option}`)
}

/** The text of a value that is not an object or null; `otherwise` says what is wrong with those. */
export const textOf = (at: string, value: unknown, kind: Kind | 'boolean' | undefined, otherwise: string): string => {
  checkExact(at, value, kind)
  if (['string', 'number', 'bigint', 'boolean'].includes(typeof value)) return String(value)
  throw new TypeError(`${at} is ${value === null ? 'null' : `of type ${typeof value}`}, ${otherwise}`)
}

/** An own property, unlike an inherited `constructor`. */
export const own = <T>(object: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined

/** Shorter numbers without an exponent are exact as doubles. */
export const mayBeInexact = /[\d.eE+-]{16}|\d[eE]/

/** A pattern of the contract; without the flag `u` if it is not valid with it. */
export const patternOf = (pattern: string): RegExp => {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    return new RegExp(pattern)
  }
}

/** The kind that counts for a value that may be of any of these. */
export const strictest = (kinds: readonly Kind[]): Kind | undefined =>
  (['number', 'int64', 'integer'] as const).find(each => kinds.includes(each))
