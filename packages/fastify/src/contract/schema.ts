import { getOrMake } from '../node/get-or-make.ts'
/** The keywords that the engine reads; the generator compiles all. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  /** `false` for a property that may not be sent. */
  readonly properties?: Readonly<Record<string, Schema | false>>
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  /** Any other keyword. */
  readonly [keyword: string]: unknown
}
export interface ObjectSchema extends Schema {
  readonly properties: Readonly<Record<string, Schema>>
}

export type Contents = Readonly<Record<string, AnyMedia>>
/** A body in one of its media types. */
export interface AnyMedia {
  readonly kind: 'json' | 'text' | 'form' | 'multipart' | 'stream'
  readonly schema?: Schema
  /** For forms: how properties are written, if not in the usual way. */
  readonly fields?: Readonly<Record<string, Written>>
  /** How all other properties are written. */
  readonly others?: Written
  /** For a stream in a response: the schema of each event, or of each line of JSON. */
  readonly items?: Schema
}
/** How a value is written in a parameter or a form. */
export interface Written {
  readonly style?: string
  readonly explode?: boolean
  /** It is a JSON text. */
  readonly json?: true
  /** It is the whole query string. */
  readonly whole?: true
  /** For an object spread over pairs: how its properties are written. */
  readonly fields?: Readonly<Record<string, Written>>
  readonly reserved?: true
  readonly emptyIsAbsent?: true
  /** For a part of a form that is a file, or, in some variants, a text or an object in JSON. */
  readonly file?: true | 'or text' | 'or json'
  /** The contract's name for it, if that differs. */
  readonly name?: string
  /** For a part of a form: its media types. */
  readonly types?: readonly string[]
}

// Recursive schemas have a table, `$defs`, and refer to it: `#/$defs/Node`.
type Table = Readonly<Record<string, Schema>>
const tables = new WeakMap<object, Table>()

/**
 * What a schema refers to, or the schema itself; `undefined` if the target is missing. Ask for the whole schema before its
 * parts: only then are their references known.
 */
export const targetOf = (schema: Schema): Schema | undefined => {
  if (typeof schema.$defs === 'object') enter(schema, schema.$defs as Table)
  if (typeof schema.$ref !== 'string') return schema
  const target = tables.get(schema)?.[schema.$ref.slice('#/$defs/'.length)]
  return target && targetOf(target)
}

/** Remembers the table for every part of a schema. */
const enter = (value: unknown, table: Table): void => {
  if (typeof value !== 'object' || value === null || tables.has(value)) return
  tables.set(value, table)
  for (const each of Object.values(value)) enter(each, table)
}

/** A pattern as the generator reads it: with the flag `u`, or without if it is not valid with it. */
export const regexOf = (pattern: string): RegExp =>
  getOrMake(regexes, pattern, () => {
    try {
      return new RegExp(pattern, 'u')
    } catch {
      return new RegExp(pattern)
    }
  })
const regexes = new Map<string, RegExp>()
