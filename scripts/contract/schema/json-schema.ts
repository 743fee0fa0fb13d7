import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { isObject, type Json } from '../../document/json.ts'
import { accepts, regexOf, type Verdict } from './accepts.ts'
import type { Rational } from './numbers.ts'
import type { Keywords, Schema } from './schema.ts'

/** The schema as JSON Schema 2020-12. A schema that is used several times, or inside itself, is in `$defs`. */
export const toJsonSchema = (root: Schema): { [key: string]: unknown } => {
  const uses = new Map<Schema, number>()
  const count = (schema: Schema) => {
    const before = uses.get(schema) ?? 0
    uses.set(schema, before + 1)
    if (before === 0) for (const part of parts(schema.keywords)) count(part)
  }
  count(root)
  const names = new Map<Schema, string>()
  const $defs: Record<string, unknown> = {}
  const reference = (schema: Schema): unknown => {
    if ((uses.get(schema) ?? 0) < 2) return written(schema.keywords, reference)
    const name = names.get(schema) ?? `${names.size + 1}`
    if (!names.has(schema)) {
      names.set(schema, name)
      $defs[name] = written(schema.keywords, reference)
    }
    return { $ref: `#/$defs/${name}` }
  }
  const schema = reference(root) as { [key: string]: unknown }
  return Object.keys($defs).length > 0 ? { ...schema, $defs } : schema
}

function* parts(keywords: Keywords): Generator<Schema> {
  for (const value of Object.values(keywords)) {
    if (value instanceof Map) yield* [...value.values()].filter(isSchema)
    else if (Array.isArray(value)) yield* value.filter(isSchema)
    else if (isSchema(value)) yield value
    else if (isObject(value) && isSchema(value.schema)) yield value.schema
  }
}

const isSchema = (value: unknown): value is Schema => isObject(value) && isObject(value.keywords)

type Reference = (schema: Schema) => unknown

const written = ({ contains, minimum, maximum, multipleOf, ...keywords }: Keywords, reference: Reference) => {
  const schema: { [key: string]: unknown } = {}
  for (const [keyword, value] of Object.entries(keywords)) {
    if (keyword === 'opaque' || keyword === 'dynamic') continue
    if (keyword === 'types') schema.type = value
    else if (keyword === 'values') schema.enum = value
    else if (value instanceof Map)
      schema[keyword] = Object.fromEntries([...value].map(([key, each]) => [key, side(each, reference)]))
    else if (Array.isArray(value)) schema[keyword] = value.map(each => side(each, reference))
    else schema[keyword] = side(value, reference)
  }
  if (minimum) schema[minimum.exclusive ? 'exclusiveMinimum' : 'minimum'] = toNumber(minimum.value)
  if (maximum) schema[maximum.exclusive ? 'exclusiveMaximum' : 'maximum'] = toNumber(maximum.value)
  if (multipleOf) schema.multipleOf = toNumber(multipleOf)
  if (contains) {
    schema.contains = reference(contains.schema)
    schema.minContains = contains.min
    if (contains.max < Number.POSITIVE_INFINITY) schema.maxContains = contains.max
  }
  if (Array.isArray(schema.type) && schema.type.length === 0) return { not: {} }
  if (Array.isArray(schema.enum) && schema.enum.length === 0) return { not: {} }
  return schema
}

const side = (value: unknown, reference: Reference) => (isSchema(value) ? reference(value) : value)
const toNumber = ({ n, d }: Rational) => Number(n) / Number(d)

/** Validates values with Ajv. */
export class AjvJudge {
  // Not shared: Ajv keeps everything that it has compiled.
  #ajv: Ajv2020 | undefined
  readonly #validators = new WeakMap<Schema, ValidateFunction>()

  /**
   * Whether a value is valid. Ajv cannot represent large integers; for a value with one, our own exact evaluation is used
   * instead.
   */
  accepts(schema: Schema, value: Json): Verdict {
    if (holdsBigint(value)) return accepts(schema, value)
    let validate = this.#validators.get(schema)
    if (validate === undefined) {
      this.#ajv ??= newAjv()
      validate = this.#ajv.compile(toJsonSchema(schema))
      this.#validators.set(schema, validate)
    }
    return validate(value)
  }
}

const newAjv = () => {
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    meta: false,
    logger: false,
    multipleOfPrecision: 9,
    // Compiled for one or two values: optimizing would not pay off.
    inlineRefs: false,
    code: {
      optimize: false,
      regExp: Object.assign((pattern: string) => regexOf(pattern) ?? /(?:)/, { code: 'undefined' })
    }
  })
  // No schema of this form needs evaluated properties, and Ajv fails on some when tracking them.
  ajv.opts.unevaluated = false
  addFormats.default(ajv)
  return ajv
}

const holdsBigint = (value: Json): boolean =>
  typeof value === 'bigint' ||
  (Array.isArray(value) ? value.some(holdsBigint) : isObject(value) && Object.values(value).some(holdsBigint))
