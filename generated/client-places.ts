// Copied from @contract-first/generator/package/client-places.ts by `npm run generate`: do not edit it.

/** What the contract declares a value to be; `number` and `string` occur only beside variants that differ. */
type Kind = 'int64' | 'integer' | 'number' | 'string'

/**
 * Where a body may have integers that a double cannot hold. It has only the paths that lead to one: an empty object
 * means that there is none.
 */
export type Places = Kind | Inside
interface Inside {
  readonly properties?: Readonly<Record<string, Places>>
  /** Of properties whose names match a regular expression. */
  readonly patterns?: Readonly<Record<string, Places>>
  /** Of all other properties. */
  readonly others?: Places
  /** Of an array's first items, in order. */
  readonly first?: readonly Places[]
  /** Of all further items. */
  readonly items?: Places
  readonly anyOf?: readonly Places[]
  /** In `anyOf`: the properties that the value must have, and the values that properties can have. */
  readonly has?: readonly string[]
  readonly is?: Readonly<Record<string, readonly unknown[]>>
}

export type Int64 = 'number' | 'bigint' | 'string'

/** A number that cannot become what the contract declares without being changed. */
export class Unfit extends Error {
  readonly kind: 'inexact' | 'invalid-body'
  constructor(message: string, kind: 'inexact' | 'invalid-body' = 'inexact') {
    super(message)
    this.kind = kind
  }
}

/** The error about a number in the place of an int64. */
export const unsafe = (at: string, value: unknown) =>
  `${at} is ${value}, which is not an integer that a number holds exactly; createClient({ int64: 'bigint' }) accepts a bigint`

/** An own property: `constructor` is none. */
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
