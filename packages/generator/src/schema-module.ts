import { holds, isObject, type Json, type JsonObject, put } from '@contract-first/document'
import { Code, type Literal, literal } from './code.ts'
import { schemaDoc } from './doc-comment.ts'
import {
  componentSchema,
  type Direction,
  isClosedAtOnce,
  jsonSchema,
  notInRequests,
  notInResponses,
  withoutForm
} from './json-schema.ts'
import { Identifiers } from './names.ts'
import type { Contract } from './normalise.ts'
import { isReference, nameOf, referenceTo } from './pointer.ts'
import type { Report } from './problems.ts'

export type SchemaModule = ReturnType<typeof schemaModule>

/**
 * JSON Schemas as constants, one per component used in this direction, and functions for schemas as code. Recursive schemas are
 * in one table, and refer to each other by its keys. Titles and descriptions are left out unless it `hasTexts`.
 */
export const schemaModule = (
  { schemas }: Contract,
  direction: Direction,
  prefix: string,
  report: Report,
  { hasTexts = true } = {}
) => {
  const identifiers = new Identifiers(ofCommonJs)
  // Names that differ only in special characters are numbered in the contract's order, whichever of them are used.
  for (const name of schemas.all.keys()) identifiers.of(name)
  const table = identifiers.give('recursive_schemas')
  const emitted = new Map<string, { comment: string; value: string }>()
  const recursive = new Map<string, Literal>()
  const isInTable = (name: string) => schemas.leadsBack({ $ref: referenceTo('schemas', withoutForm(name)) })

  const asLiteral = (value: Json, before: string, keepsTexts = hasTexts): Literal => {
    if (isReference(value)) {
      const constant = constantOf(nameOf(value.$ref))
      return isInTable(nameOf(value.$ref)) ? { $ref: `#/$defs/${constant}` } : new Code(before + constant)
    }
    if (Array.isArray(value)) return value.map(each => asLiteral(each, before, keepsTexts))
    if (!isObject(value)) return value
    if (value === notInRequests || value === notInResponses) return false
    const { discriminator, ...rest } = value
    // JSON Schema has no `discriminator`; it is for compiled code only.
    const isSchema = discriminator !== undefined && Array.isArray(value.oneOf ?? value.anyOf)
    const members: { [key: string]: Literal } = {}
    for (const [key, each] of Object.entries(isSchema ? rest : value)) {
      // A bigint default cannot be part of a JSON Schema in JavaScript.
      if (key === 'default' && holds(each, part => typeof part === 'bigint')) continue
      // A property of this name has a schema.
      if (!keepsTexts && /^(?:title|description)$/.test(key) && typeof each === 'string') continue
      const isValue = key === 'const' || key === 'enum'
      put(
        members,
        key,
        typeof each === 'bigint' ? doubleFor(key, each) : asLiteral(each, before, keepsTexts || isValue)
      )
    }
    return members
  }
  const constantOf = (name: string): string => {
    const constant = identifiers.of(name)
    if (emitted.has(constant) || recursive.has(constant)) return constant
    const schema = schemas.lookup(withoutForm(name))
    if (isInTable(name)) recursive.set(constant, {})
    const value = asLiteral(componentSchema(name, direction, schemas, report), '')
    if (isInTable(name)) recursive.set(constant, value)
    // Only now: a constant must come after those that it refers to.
    else emitted.set(constant, { comment: schemaDoc(schema, schemas.lookup), value: literal(value) })
    return constant
  }
  const referring = (constant: string, type: string) =>
    `export const ${constant}${type} = { $ref: ${JSON.stringify(`#/$defs/${constant}`)}, $defs: ${table} }`

  const isClosed = schemas.containing(each => direction === 'response' && isClosedAtOnce(each, schemas))

  return {
    use: (schema: JsonObject): Literal => {
      if (isReference(schema)) return new Code(`${prefix}.${constantOf(nameOf(schema.$ref))}`)
      const value = asLiteral(jsonSchema(schema, direction, schemas, report), `${prefix}.`)
      const [some] = schemas.leadsBack(schema) ? recursive.keys() : []
      return some === undefined ? value : { ...(value as object), $defs: new Code(`${prefix}.${some}.$defs`) }
    },
    /** Whether the type of a schema's values cannot be inferred from it. */
    isOpaque: (schema: JsonObject): boolean => schemas.leadsBack(schema) || isClosed(schema),
    text: (language: 'typescript' | 'javascript' = 'typescript') => {
      const [constant, types, tableType, referringType] =
        language === 'typescript' ? [' as const', tableTypes, ': Schemas', ': Referring'] : ['', '', '', '']
      const referringTable = `${types}
/** Schemas that refer to each other. */
const ${table}${tableType} = ${literal(Object.fromEntries(recursive))}`
      return [
        ...[...emitted].map(([name, { comment, value }]) => {
          // An alias of another constant needs no `as const`.
          const isAlias = /^\w+$/.test(value)
          return `${comment}\nexport const ${name} = ${value}${isAlias ? '' : constant}`
        }),
        ...(recursive.size === 0 ? [] : [referringTable]),
        ...[...recursive.keys()].map(name => referring(name, referringType))
      ].join('\n\n')
    },
    imported: (from: string) => (emitted.size + recursive.size === 0 ? '' : `import * as ${prefix} from '${from}'\n`)
  }
}

/** Names that a module cannot export once it is compiled to CommonJS, as the client package is. */
const ofCommonJs = ['exports', 'require', '__esModule', '__proto__']

const tableTypes = `type Schemas = Readonly<Record<string, object>>
type Referring = {
  readonly $ref: string
  readonly $defs: Schemas
}
`

/** The equivalent bound for doubles: none lies between it and the exact bound, which a JavaScript number cannot hold. */
const doubleFor = (keyword: string, bound: bigint): number => {
  const isUp = keyword === 'minimum' || keyword === 'exclusiveMaximum'
  const double = Number(bound)
  if (isUp ? double >= bound : double <= bound) return double
  const bits = new BigInt64Array(new Float64Array([double]).buffer)
  bits[0] = (bits[0] as bigint) + (isUp === double > 0 ? 1n : -1n)
  return new Float64Array(bits.buffer)[0] as number
}
