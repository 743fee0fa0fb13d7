import { asDoubles, getOrMake, holds, type Json, regexOf } from '@contract-first/document'
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import { accepts, type Verdict } from './accepts.ts'
import { formatTests } from './formats.ts'
import { toNumber } from './numbers.ts'
import { isSchema, type Keywords, partsIn, type Schema } from './schema.ts'

type JsonSchema = { [key: string]: unknown }

/** Schemas as JSON Schema. What stands in several places is defined once, for all schemas together. */
class Definitions {
  readonly #define: (name: string, schema: JsonSchema) => void
  readonly #uses = new Map<Schema, number>()
  readonly #names = new Map<Schema, string>()

  constructor(define: (name: string, schema: JsonSchema) => void) {
    this.#define = define
  }

  jsonSchema(root: Schema): JsonSchema {
    this.#count(root)
    return this.#reference(root)
  }

  #count(schema: Schema) {
    const parts = partsIn(schema.keywords)
    // A path in an error says of which keyword such a schema is.
    if (parts.length === 0) return
    const before = this.#uses.get(schema) ?? 0
    this.#uses.set(schema, before + 1)
    if (before === 0) for (const part of parts) this.#count(part)
  }

  readonly #reference = (schema: Schema): JsonSchema => {
    const keywords = withDynamic(schema.keywords)
    if ((this.#uses.get(schema) ?? 0) < 2) return written(keywords, this.#reference)
    const known = this.#names.get(schema)
    const name = known ?? `schema-${this.#names.size + 1}`
    if (known === undefined) {
      this.#names.set(schema, name)
      this.#define(name, written(keywords, this.#reference))
    }
    return { $ref: name }
  }
}

/** A value that is valid for all possible targets is valid whichever applies. */
const withDynamic = ({ dynamic, ...keywords }: Keywords): Keywords =>
  dynamic === undefined ? keywords : { ...keywords, allOf: [...(keywords.allOf ?? []), ...dynamic] }

type Reference = (schema: Schema) => JsonSchema

const written = ({ contains, minimum, maximum, multipleOf, ...keywords }: Keywords, reference: Reference) => {
  const schema: JsonSchema = {}
  const isInteger = keywords.types?.includes('number') === true && multipleOf?.n === 1n && multipleOf.d === 1n
  for (const [keyword, value] of Object.entries(keywords)) {
    if (keyword === 'opaque' || keyword === 'dynamic') continue
    if (keyword === 'types') schema.type = typesOf(keywords, isInteger)
    else if (keyword === 'values') schema.enum = value
    else if (value instanceof Map)
      schema[keyword] = Object.fromEntries([...value].map(([key, each]) => [key, side(each, reference)]))
    else if (Array.isArray(value)) schema[keyword] = value.map(each => side(each, reference))
    else schema[keyword] = side(value, reference)
  }
  if (minimum) schema[minimum.exclusive ? 'exclusiveMinimum' : 'minimum'] = toNumber(minimum.value)
  if (maximum) schema[maximum.exclusive ? 'exclusiveMaximum' : 'maximum'] = toNumber(maximum.value)
  if (multipleOf && !isInteger) schema.multipleOf = toNumber(multipleOf)
  if (contains) {
    schema.contains = reference(contains.schema)
    schema.minContains = contains.min
    if (contains.max < Number.POSITIVE_INFINITY) schema.maxContains = contains.max
  }
  if (schema.uniqueItems && schema.prefixItems && schema.items) {
    // Ajv would compare items of the types in `items` only, whatever `prefixItems` allows.
    delete schema.uniqueItems
    schema.allOf = [...((schema.allOf as unknown[]) ?? []), { uniqueItems: true }]
  }
  if (Array.isArray(schema.type) && schema.type.length === 0) return { not: {} }
  if (Array.isArray(schema.enum) && schema.enum.length === 0) return { not: {} }
  return schema
}

const typesOf = ({ types = [] }: Keywords, isInteger: boolean): string[] =>
  types.map(each => (each === 'number' && isInteger ? 'integer' : each))

const side = (value: unknown, reference: Reference) => (isSchema(value) ? reference(value) : value)

/** Validates values with Ajv. */
export class AjvJudge {
  readonly #options: Options
  // Not shared: Ajv keeps everything that it has compiled.
  #ajv: Ajv2020 | undefined
  #definitions: Definitions | undefined
  readonly #validators = new WeakMap<Schema, ValidateFunction | 'too dense'>()

  constructor(options: Options = {}) {
    this.#options = options
  }

  /** Our own evaluation is used for large integers, and for schemas that are too dense for Ajv to compile. */
  accepts(schema: Schema, value: Json): Verdict {
    const validate = holdsBigint(value) ? undefined : this.validatorOf(schema)
    return typeof validate === 'function' ? validate(value) : accepts(schema, value)
  }

  validatorOf(schema: Schema): ValidateFunction | 'too dense' {
    return getOrMake(this.#validators, schema, () => this.#compile(schema))
  }

  #compile(schema: Schema): ValidateFunction | 'too dense' {
    try {
      this.#ajv ??= newAjv(this.#options)
      // No schema of this form needs evaluated properties, and Ajv fails on some when tracking them.
      this.#ajv.opts.unevaluated = false
      const ajv = this.#ajv
      this.#definitions ??= new Definitions((name, each) => ajv.addSchema(withDoubles(each), name))
      return ajv.compile(withDoubles(this.#definitions.jsonSchema(schema)))
    } catch (error) {
      // Ajv compiles a schema within the one that refers to it, as deep as the call stack allows.
      if (!(error instanceof RangeError)) throw error
      this.#ajv = undefined
      this.#definitions = undefined
      return 'too dense'
    }
  }
}

const withDoubles = (schema: JsonSchema) => asDoubles(schema as Json) as object

const newAjv = (options: Options): Ajv2020 =>
  new Ajv2020({
    strict: false,
    validateSchema: false,
    meta: false,
    logger: false,
    multipleOfPrecision: 9,
    inlineRefs: false,
    formats: formatTests,
    // Otherwise an empty name counts as not required.
    loopRequired: 1,
    code: {
      optimize: false,
      // Some patterns are invalid with the flag `u`.
      regExp: Object.assign((pattern: string) => regexOf(pattern) ?? /(?:)/, { code: 'undefined' })
    },
    ...options
  })

/** Whether it has an integer that Ajv would round. */
const holdsBigint = (value: Json): boolean => holds(value, each => typeof each === 'bigint')
