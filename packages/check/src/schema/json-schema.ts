import { asDoubles, getOrMake, holds, type Json, regexOf } from '@contract-first/document'
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import { accepts, type Verdict } from './accepts.ts'
import { formatTests } from './formats.ts'
import { toNumber } from './numbers.ts'
import { isSchema, type Keywords, partsIn, type Schema } from './schema.ts'

const toJsonSchema = (root: Schema): { [key: string]: unknown } => {
  const uses = new Map<Schema, number>()
  const count = (schema: Schema) => {
    const before = uses.get(schema) ?? 0
    uses.set(schema, before + 1)
    if (before === 0) for (const part of partsIn(schema.keywords)) count(part)
  }
  count(root)
  const names = new Map<Schema, string>()
  const $defs: Record<string, unknown> = {}
  const reference = (schema: Schema): unknown => {
    const keywords = withDynamic(schema.keywords)
    if ((uses.get(schema) ?? 0) < 2) return written(keywords, reference)
    const name = names.get(schema) ?? `${names.size + 1}`
    if (!names.has(schema)) {
      names.set(schema, name)
      $defs[name] = written(keywords, reference)
    }
    return { $ref: `#/$defs/${name}` }
  }
  const schema = reference(root) as { [key: string]: unknown }
  return Object.keys($defs).length > 0 ? { ...schema, $defs } : schema
}

/** A value that is valid for all possible targets is valid whichever applies. */
const withDynamic = ({ dynamic, ...keywords }: Keywords): Keywords =>
  dynamic === undefined ? keywords : { ...keywords, allOf: [...(keywords.allOf ?? []), ...dynamic] }

type Reference = (schema: Schema) => unknown

const written = ({ contains, minimum, maximum, multipleOf, ...keywords }: Keywords, reference: Reference) => {
  const schema: { [key: string]: unknown } = {}
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
      return this.#ajv.compile(asDoubles(toJsonSchema(schema) as Json) as object)
    } catch (error) {
      // Ajv compiles a schema within the one that refers to it, as deep as the call stack allows.
      if (!(error instanceof RangeError)) throw error
      this.#ajv = undefined
      return 'too dense'
    }
  }
}

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
