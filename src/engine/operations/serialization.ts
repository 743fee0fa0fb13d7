import type { ValidateFunction } from 'ajv'
import type { FastifySerializerCompiler } from 'fastify'
import { responseCompiler } from './ajv.ts'
import type { Schema } from './contract.ts'

/**
 * Fastify's `serializerCompiler`. Bodies are validated before they are sent: one that violates the contract is our error,
 * neither sent nor silently changed. Integers are written exactly. Ajv and `JSON.stringify` together are faster than a
 * serializer that does not validate.
 */
export const serializerCompiler = (): FastifySerializerCompiler<Schema> => {
  const compile = responseCompiler()
  const known = new Map<Schema, (body: unknown) => string>()

  return ({ schema }) => known.getOrInsertComputed(schema, schema => serializerOf(schema, compile))
}

const serializerOf = (schema: Schema, compile: (schema: Schema) => ValidateFunction) => {
  const copy = copierOf(schema)
  // Most are for errors that no handler returns: compiling on first use keeps the start short.
  let validate: ValidateFunction | undefined
  return (body: unknown) => {
    validate ??= compile(schema)
    if (!validate(body)) {
      const [error] = validate.errors ?? []
      throw new InvalidBody(`the handler's body breaks the contract: body${error?.instancePath} ${error?.message}`)
    }
    return JSON.stringify(copy === undefined ? body : copy(body))
  }
}

class InvalidBody extends Error {
  /** Fastify would keep the route's whole configuration here, and the log would print it. */
  set serialization(_config: unknown) {}
}

// Copiers only get values that fit the schema.
type Copier = (value: unknown) => unknown

/** Copies a value with its bigints as JSON numbers; `undefined` if the schema allows no bigint. */
const copierOf = (schema: Schema | undefined): Copier | undefined => {
  if (schema === undefined) return copyAnything
  if (!mentionsInt64(schema)) return undefined
  if (schema.anyOf !== undefined || schema.oneOf !== undefined) return copyAnything
  if (schema.type === 'integer') return exact
  if (schema.type === 'array' && schema.prefixItems === undefined) {
    const copyItem = copierOf(schema.items)
    return copyItem && (value => (value as unknown[]).map(item => copyItem(item)))
  }
  const isClosed = schema.type === 'object' && schema.additionalProperties === false
  return isClosed ? objectCopier(schema.properties ?? {}) : copyAnything
}

// Generated code, as Ajv's: a literal has its shape at once, while a loop would build it property by property. JSON omits
// what is undefined.
const objectCopier = (properties: Readonly<Record<string, Schema>>): Copier => {
  const names = Object.keys(properties)
  // Every object inherits these.
  if (names.some(name => name in Object.prototype)) return copyAnything
  const copiers = names.map(name => copierOf(properties[name]))
  const members = names.map((name, i) => {
    const key = JSON.stringify(name)
    const part = `value[${key}]`
    return `${key}: ${copiers[i] === undefined ? part : `${part} === undefined ? undefined : copy${i}(${part})`}`
  })
  const make = new Function(...names.map((_, i) => `copy${i}`), `return value => ({ ${members.join(', ')} })`)
  return make(...copiers)
}

const copyAnything: Copier = value => {
  if (typeof value === 'bigint') return exact(value)
  if (Array.isArray(value)) return value.map(copyAnything)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copyAnything(each)]))
}

/** A number if that is exact, otherwise the digits, which `JSON.stringify` writes as they are. */
const exact: Copier = value => {
  if (typeof value !== 'bigint') return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(value))
}

const mentionsInt64 = (schema: unknown): boolean => {
  if (typeof schema !== 'object' || schema === null) return false
  return 'format' in schema && schema.format === 'int64' ? true : Object.values(schema).some(mentionsInt64)
}
