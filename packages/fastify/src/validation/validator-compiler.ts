import type { Check } from '../contract/compiled.ts'
import type { CompiledSchemas } from '../contract/compiled-schemas.ts'
import type { AnyOperation, ObjectSchema, Schema } from '../contract/contract.ts'
import { type Fault, inWords, type Part, type Path } from '../contract/violations.ts'
import { malformedJson } from '../errors/api-error.ts'
import { Read } from '../node/json.ts'
import type { Encodings } from './encodings.ts'
import { InvalidPart } from './invalid-part.ts'
import type { About, Judge, Judgement, Reader, Validator } from './judgement.ts'
import { queryReader, type Texts, textReader } from './parameters.ts'
import { reservedName } from './reserved-names.ts'
import { keepSentQuery } from './sent-queries.ts'

/**
 * Fastify's `validatorCompiler`. Parameters are converted from text, absent values get their defaults, int64 becomes
 * bigint; nothing else is changed or dropped. (A JSON body has types: coercion would accept {"name": 5} as "5", where the
 * contract promises 400.) For an operation's route, it also knows what JSON Schema has no keyword for: whether the body may
 * be absent, and how parameters are written.
 */
export const validatorCompiler =
  (compiled: CompiledSchemas, encodings?: Encodings, operation?: AnyOperation) =>
  ({ schema, httpPart }: { schema: unknown; httpPart?: string }): Validator => {
    const part = httpPart === 'querystring' ? 'query' : ((httpPart ?? 'body') as Part)
    if (part === 'body' && encodings !== undefined && operation?.bodies !== undefined)
      return encodings.bodyValidator(
        operation.bodies,
        media => judgeOf(compiled.check(media), 'body', media.schema),
        readers.body(schema as ObjectSchema, operation)
      )
    const check = compiled.check(schema as Schema)
    // The rest when the operation is first called: at the start, it would take 4 % for a large contract.
    let validate: Validator | undefined
    return received => {
      validate ??= partValidator(check, schema as ObjectSchema, part, encodings, operation)
      return validate(received)
    }
  }

const partValidator = (
  check: Check,
  schema: ObjectSchema,
  part: Part,
  encodings: Encodings | undefined,
  operation: AnyOperation | undefined
): Validator => {
  const names = part === 'params' && operation !== undefined ? renamedIn(operation) : undefined
  const judge = judgeOf(check, part, schema, names)
  // Fastify knows nothing of cookies.
  const written = operation?.styles?.[part] ?? (part === 'cookies' ? {} : undefined)
  if (encodings !== undefined && written !== undefined) {
    const readStyled = encodings.partReader(part, schema, written)
    return received => {
      const violations: string[] = []
      const judgement = judge(readStyled(received, violations), violations, { mayHaveReservedNames: true })
      if (judgement.error !== undefined) return judgement
      if (part === 'query') keepSentQuery(judgement.value, received as string)
      return part === 'headers' ? { value: inLowerCase(judgement.value as object) } : judgement
    }
  }
  const read = readers[part as keyof typeof readers](schema, operation ?? unknownOperation)
  return received => read(received as never, judge)
}

/** What the contract says about a part beside its schema; nothing on routes written by hand. */
type Particulars = Pick<AnyOperation, 'bodyRequired' | 'commaSeparated'>
const unknownOperation: Particulars = { bodyRequired: true, commaSeparated: [] }

/** The contract's names of path parameters, where the router needed others. */
const renamedIn = ({ path, url }: AnyOperation): ReadonlyMap<string, string> => {
  const names = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name as string)
  // Two colons stand for a literal one.
  const routed = [...url.replaceAll('::', '').matchAll(/:(\w+)/g)].map(([, name]) => name as string)
  return new Map(routed.map((name, index) => [name, names[index] ?? name] as const).filter(([a, b]) => a !== b))
}

const judgeOf = (
  check: Check,
  part: Part,
  schema: Schema = {},
  names?: ReadonlyMap<string | number, string>
): Judge => {
  let texts: ReadonlySet<unknown> | undefined
  const isDeclared = (name: string) => {
    texts ??= textsIn([schema, ...(names?.values() ?? [])])
    return texts.has(name)
  }
  const root = { up: undefined, at: part, isDeclared }
  return (value, violations = none, { isRounded = false, mayHaveReservedNames = false }: About = nothingKnown) => {
    // Checks replace values in their object, so the root value needs one.
    const input = { value }
    const faults: Fault[] = []
    try {
      check(value, input, 'value', root, faults)
    } catch (error) {
      if (!isTooDeep(error)) throw error
      return { error: new InvalidPart(part, inWords(part, [`${part} is nested too deeply`])) }
    }
    // Several schemas may report the same violation.
    const distinct = faults.length > 1 ? [...new Set(faults)] : faults
    const counted = isRounded ? distinct.filter(isCertain) : distinct
    if (counted.length === 0 && violations.length === 0) {
      const reserved = mayHaveReservedNames ? reservedName(input.value, schema, root) : undefined
      if (reserved === undefined) return input
      counted.push(reserved)
    }
    const told = names?.size ? counted.map(each => ({ ...each, path: renamed(each.path, names) })) : counted
    return { error: new InvalidPart(part, inWords(part, violations, told, isRounded)) }
  }
}

/** All texts in a part of the contract, including names, and the objects visited. */
const textsIn = (value: unknown, all = new Set<unknown>()): Set<unknown> => {
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return all
  if (all.has(value)) return all
  all.add(value)
  if (typeof value === 'object') for (const each of Object.entries(value).flat()) textsIn(each, all)
  return all
}

const renamed = (path: Path, names: ReadonlyMap<string | number, string>): Path => {
  const { up, at } = path
  if (up === undefined) return path
  return up.up === undefined ? { up, at: names.get(at) ?? at } : { up: renamed(up, names), at }
}

const none: readonly string[] = []
const nothingKnown: About = {}

/** Checks of recursive schemas recurse as deeply as the value does. */
const isTooDeep = (error: unknown): boolean => error instanceof RangeError && /call stack/.test(error.message)

const readers: Record<Exclude<Part, 'cookies'>, (schema: ObjectSchema, operation: Particulars) => Reader> = {
  params: schema => {
    const read = textReader(schema)
    return (params: Texts, judge) => judge(read(params))
  },
  query: (schema, { commaSeparated }) => {
    const read = queryReader(schema, commaSeparated)
    // Most queries are absent, so their result is kept.
    let defaults: object | undefined
    return (query: string, judge) => {
      if (query === '' && defaults !== undefined) return { value: { ...defaults } }
      const violations: string[] = []
      const judgement = judge(read(query, violations), violations)
      if (query === '' && judgement.error === undefined) defaults = flat(judgement.value as object)
      if (commaSeparated.length > 0) keepSentQuery(judgement.value, query)
      return judgement
    }
  },
  headers: schema => {
    const read = textReader(schema)
    return (headers: Texts, judge) => {
      const { value, error } = judge(read(headers))
      return error ? { error } : { value: inLowerCase(value as object) }
    }
  },
  body:
    (_schema, { bodyRequired }) =>
    (body: unknown, judge) => {
      // Null is an absent body; a JSON null arrives as Read.
      if (body === null)
        return bodyRequired
          ? { error: new InvalidPart('body', inWords('body', ['a body is required'])) }
          : { value: undefined }
      if (!(body instanceof Read)) return judge(body)
      // Violations that do not depend on exact digits come first: reading those takes longer.
      const rounded = body.isRounded ? judge(body.value, none, { isRounded: true }) : undefined
      return rounded?.error ? rounded : exactly(body, judge)
    }
}

/** A shallow copy, if that shares nothing with the original. */
const flat = (object: object) =>
  Object.values(object).every(each => typeof each !== 'object') ? { ...object } : undefined

const exactly = (body: Read, judge: Judge): Judgement => {
  try {
    const { mayHaveReservedNames } = body
    return judge(body.exact(), none, { mayHaveReservedNames })
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { error: malformedJson(error.message) }
  }
}

// As Node gives the names.
const inLowerCase = (headers: object) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/**
 * Whether the exact body must have this violation too. Rounding keeps the order of numbers, and integers stay integers, but
 * rules that depend on several values or other rules may judge the two differently.
 */
const isCertain = ({ isTentative, keyword, value, params }: Fault): boolean => {
  if (isTentative) return false
  if (typeof value === 'object' && value !== null) return ofStructure.has(keyword)
  if (typeof value !== 'number') return true
  if (keyword !== 'int64') return ofNumbers.has(keyword)
  const { minimum = -(2 ** 63), maximum = 2 ** 63 } = params as { minimum?: number; maximum?: number }
  return value < minimum || value > maximum || !Number.isInteger(value)
}

const ofNumbers = new Set(['type', 'minimum', 'maximum', 'format'])
const ofStructure = new Set([
  ...['type', 'required', 'additionalProperties', 'dependentRequired', 'propertyNames'],
  ...['minItems', 'maxItems', 'minProperties', 'maxProperties']
])
