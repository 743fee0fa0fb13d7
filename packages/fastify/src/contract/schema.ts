/** The keywords that our own code reads; the generator compiles all. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  /** One that may not be sent is `false`. */
  readonly properties?: Readonly<Record<string, Schema | false>>
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  /** A schema may have nothing but others. */
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
  /** Of forms: how properties are written, if not in the usual way. */
  readonly fields?: Readonly<Record<string, Written>>
  /** How other properties are. */
  readonly others?: Written
}
/** How a value is written in a parameter or a form. */
export interface Written {
  readonly style?: string
  readonly explode?: boolean
  /** It is a JSON text. */
  readonly json?: true
  /** It is the whole query string. */
  readonly whole?: true
  /** Of an object that is spread over pairs: how its properties are written. */
  readonly fields?: Readonly<Record<string, Written>>
  readonly reserved?: true
  readonly emptyIsAbsent?: true
  /** Of a part of a form; in some variants, it may also be a text, or an object in JSON. */
  readonly file?: true | 'or text' | 'or json'
  /** In the contract, where it differs. */
  readonly name?: string
  /** The media types of a part of a form. */
  readonly types?: readonly string[]
}

// Schemas that lead back to themselves are in a table, `$defs`, and refer to it: `#/$defs/Node`.
type Table = Readonly<Record<string, Schema>>
const tables = new WeakMap<object, Table>()

/**
 * What a schema refers to, or itself; `undefined` if there is nothing. Of a part, it is known once the whole has been asked
 * for.
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

/** A pattern as the generator reads it: what is not valid with the flag `u` is used without. */
export const regexOf = (pattern: string): RegExp =>
  regexes.getOrInsertComputed(pattern, () => {
    try {
      return new RegExp(pattern, 'u')
    } catch {
      return new RegExp(pattern)
    }
  })
const regexes = new Map<string, RegExp>()
