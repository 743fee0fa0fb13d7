import type { ValidateFunction } from 'ajv'
import { responseCompiler } from './ajv.ts'
import type { Schema } from './operations.ts'

/** The JSON text of a body that fits its schema; any other is an error of ours. */
export type Serializer = (body: unknown) => string

/**
 * Serializers that check before they write: what would break the contract is never sent, and never changed in silence.
 * Ajv and `JSON.stringify` together are faster than a generated serializer, which does not check at all.
 */
export const serializers = (): ((schema: Schema) => Serializer) => {
  const compile = responseCompiler()
  const known = new Map<Schema, Serializer>()

  return schema => {
    const present = known.get(schema)
    if (present !== undefined) return present
    const plain = plainCopier(schema)
    // Most are for errors that a handler never returns: compiled when first needed, they do not delay the start.
    let validate: ValidateFunction | undefined
    const serialize = (body: unknown) => {
      validate ??= compile(schema)
      if (!validate(body)) {
        const [error] = validate.errors ?? []
        throw new Error(`the handler's body breaks the contract: body${error?.instancePath} ${error?.message}`)
      }
      return JSON.stringify(plain === undefined ? body : plain(body))
    }
    known.set(schema, serialize)
    return serialize
  }
}

type Copier = (value: unknown) => unknown

/** What copies a value with its bigints as JSON numbers; `undefined` where the schema has no place for a bigint. */
const plainCopier = (schema: Schema | undefined): Copier | undefined => {
  if (schema === undefined || !mentionsInt64(schema)) return undefined
  if (schema.anyOf !== undefined || schema.oneOf !== undefined || schema.prefixItems !== undefined) return plainAnything
  if (schema.items !== undefined) {
    const copyItem = plainCopier(schema.items) ?? unchanged
    return value => (Array.isArray(value) ? value.map(copyItem) : plainAnything(value))
  }
  if (schema.properties !== undefined && schema.additionalProperties === false) return objectCopier(schema.properties)
  return plainAnything
}

const objectCopier = (properties: Readonly<Record<string, Schema>>): Copier => {
  const copiers = Object.entries(properties).map(([name, each]) => [name, plainCopier(each)] as const)
  return value => {
    if (typeof value !== 'object' || value === null) return value
    const source = value as Record<string, unknown>
    const copy: Record<string, unknown> = {}
    for (const [name, copier] of copiers) {
      const part = source[name]
      if (part !== undefined) copy[name] = copier === undefined ? part : copier(part)
    }
    return copy
  }
}

const plainAnything: Copier = value => {
  if (typeof value === 'bigint') return exact(value)
  if (Array.isArray(value)) return value.map(plainAnything)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plainAnything(each)]))
}

/** A number where it holds the integer, else its digits, which `JSON.stringify` writes as they are. */
const exact = (value: bigint): unknown => {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(value))
}

const unchanged: Copier = value => value

const mentionsInt64 = (schema: unknown): boolean => {
  if (typeof schema !== 'object' || schema === null) return false
  return 'format' in schema && schema.format === 'int64' ? true : Object.values(schema).some(mentionsInt64)
}
