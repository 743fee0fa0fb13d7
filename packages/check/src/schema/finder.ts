import type { Json } from '@contract-first/document'
import type { Found } from './found.ts'
import type { Keywords, Schema } from './schema.ts'

export interface Finder {
  readonly anything: Schema
  readonly nothing: Schema
  make(keywords: Keywords): Schema
  /** The schema that only this value satisfies. */
  constant(value: Json): Schema
  /** A value that is valid for all of the first schemas and for none of the second. */
  find(all: readonly Schema[], none?: readonly Schema[]): Found<Json>
  findString(wanted: StringConstraints): Found<string>
  /** Counts one step; true if the limit is exceeded. */
  exceedsLimit(): boolean
}

/** How many characters, items or properties a value may have. */
export interface Size {
  min: number
  max: number
}

export interface StringConstraints {
  /** Lengths are in code points. */
  minLength?: number | undefined
  maxLength?: number | undefined
  patterns: readonly string[]
  notPatterns: readonly string[]
  formats: readonly string[]
  notFormats: readonly string[]
  excluded: readonly string[]
}
