/** The keywords that our own code reads; the generator compiles all. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
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
}
/** How a value is written in a parameter or a form. */
export interface Written {
  readonly style?: string
  readonly explode?: boolean
  /** It is a JSON text. */
  readonly json?: true
  readonly reserved?: true
  readonly emptyIsAbsent?: true
  readonly file?: true
  /** In the contract, where it differs. */
  readonly name?: string
  /** The media types of a part of a form. */
  readonly types?: readonly string[]
}
