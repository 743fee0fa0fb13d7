import type { ValidateFunction } from 'ajv'
import { responseCompiler } from './ajv.ts'
import type { Schema } from './operations.ts'

/** The JSON text of a body that fits its schema; any other is an error of ours. */
export type Serializer = (body: unknown) => string

/**
 * Serializers that check before they write: what would break the contract is never sent, and never changed in silence.
 * Integers are written exactly.
 */
export const serializers = (): ((schema: Schema) => Serializer) => {
  const compile = responseCompiler()
  const known = new Map<Schema, Serializer>()

  return schema => {
    const present = known.get(schema)
    if (present !== undefined) return present
    const write = writerOf(schema)
    // Most are for errors that a handler never returns: compiled when first needed, they do not delay the start.
    let validate: ValidateFunction | undefined
    const serialize = (body: unknown) => {
      validate ??= compile(schema)
      if (!validate(body)) {
        const [error] = validate.errors ?? []
        throw new Error(`the handler's body breaks the contract: body${error?.instancePath} ${error?.message}`)
      }
      return write(body)
    }
    known.set(schema, serialize)
    return serialize
  }
}

// What follows sees only values that fit the schema, so that it need not look twice.
type Writer = (value: unknown) => string

const writerOf = (schema: Schema | undefined): Writer => {
  if (schema === undefined || schema.anyOf !== undefined || schema.oneOf !== undefined) return writeAnything
  if (schema.enum?.every(each => typeof each === 'string' && JSON.stringify(each) === `"${each}"`))
    return writePlainText
  switch (schema.type) {
    case 'integer':
    case 'number':
    case 'boolean':
      return String
    case 'array':
      return schema.prefixItems === undefined ? arrayWriter(writerOf(schema.items)) : writeAnything
    case 'object':
      return schema.additionalProperties === false ? objectWriter(schema.properties ?? {}) : writeAnything
    default:
      return writeAnything
  }
}

const arrayWriter =
  (writeItem: Writer): Writer =>
  value => {
    const items = value as unknown[]
    let text = '['
    for (let i = 0; i < items.length; i++) text += i === 0 ? writeItem(items[i]) : `,${writeItem(items[i])}`
    return `${text}]`
  }

const objectWriter = (properties: Readonly<Record<string, Schema>>): Writer => {
  const members = Object.entries(properties).map(([name, schema]) => ({
    name,
    key: `${JSON.stringify(name)}:`,
    isInherited: name in Object.prototype,
    write: writerOf(schema)
  }))
  return value => {
    const object = value as Record<string, unknown>
    let text = ''
    for (const { name, key, isInherited, write } of members) {
      const part = isInherited && !Object.hasOwn(object, name) ? undefined : object[name]
      if (part !== undefined) text += (text === '' ? '{' : ',') + key + write(part)
    }
    return text === '' ? '{}' : `${text}}`
  }
}

const writePlainText: Writer = value => `"${value}"`

/** As `JSON.stringify` does, but with the digits of a bigint. */
const writeAnything: Writer = value =>
  typeof value === 'string'
    ? JSON.stringify(value)
    : JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? JSON.rawJSON(String(each)) : each))
