import type { FastifyRequest, FastifySchema } from 'fastify'
import type { Check } from '../contract/compiled.ts'
import type { CompiledSchemas } from '../contract/compiled-schemas.ts'
import type { AnyOperation, Contents, ObjectSchema, Schema, Written } from '../contract/contract.ts'
import {
  type Detail,
  detailsOf,
  type Fault,
  inWords,
  joined,
  known,
  type Part,
  type Path,
  plainInteger,
  sentence,
  shown,
  type Violations
} from '../contract/violations.ts'
import { ApiError, malformedJson } from '../errors/api-error.ts'
import { Read } from '../node/json.ts'
import type { Encodings } from './encodings.ts'
import type { About, Judge, Judgement, Reader, Validator } from './judgement.ts'
import { reservedName } from './reserved-names.ts'
import { keepSentQuery } from './sent-queries.ts'

/** A part's schema, with what JSON Schema has no keyword for. */
interface PartSchema {
  readonly schema: Schema
  /** In a query: array parameters whose items are separated by commas. */
  readonly commaSeparated?: readonly string[]
  /** The body may be absent. */
  readonly optional?: boolean
  /** In the contract, of path parameters whose names the router does not take. */
  readonly names?: ReadonlyMap<string | number, string>
  /** How parameters are written, where one of them is not a plain text or list. */
  readonly written?: Readonly<Record<string, Written>> | undefined
  /** By media type, where the body may be something else than JSON. */
  readonly bodies?: Contents
}

/** The `schema` of an operation's route: the contract's schemas under Fastify's names. */
export const schemaOf = (operation: AnyOperation): FastifySchema => {
  const { input, bodies: contents, bodyRequired, commaSeparated, styles = {}, responses } = operation
  const { params, query, headers, body } = input
  const sent = Object.entries(responses).flatMap(([status, { body, contents = {} }]): [string, object][] => {
    if (body !== undefined) return [[status, body]]
    const checked = Object.entries(contents).flatMap(([type, media]) =>
      media.schema === undefined ? [] : [[type, { schema: media }]]
    )
    return checked.length === 0 ? [] : [[status, { content: Object.fromEntries(checked) }]]
  })
  return {
    ...(params && {
      params: { schema: params, names: renamedIn(operation), written: styles.params } satisfies PartSchema
    }),
    ...(headers && { headers: { schema: headers, written: styles.headers } satisfies PartSchema }),
    querystring: { schema: query, commaSeparated, written: styles.query } satisfies PartSchema,
    ...(body && { body: { schema: body, optional: !bodyRequired } satisfies PartSchema }),
    ...(contents && { body: { schema: contents, bodies: contents, optional: !bodyRequired } satisfies PartSchema }),
    response: Object.fromEntries(sent)
  }
}

const renamedIn = ({ path, url }: AnyOperation): ReadonlyMap<string, string> => {
  const names = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name as string)
  // Two colons are one of the text.
  const routed = [...url.replaceAll('::', '').matchAll(/:(\w+)/g)].map(([, name]) => name as string)
  return new Map(routed.map((name, index) => [name, names[index] ?? name] as const).filter(([a, b]) => a !== b))
}

/**
 * Fastify's `validatorCompiler`. Parameters are converted from text, absent values get their defaults, int64 becomes
 * bigint; nothing else is changed or dropped. (A JSON body has types: coercion would accept {"name": 5} as "5", where the
 * contract promises 400.)
 */
export const validatorCompiler =
  (compiled: CompiledSchemas, encodings?: Encodings) =>
  ({ schema: given, httpPart }: { schema: unknown; httpPart?: string }): Validator => {
    const part: PartSchema = isPartSchema(given) ? given : { schema: given as Schema }
    const { schema, commaSeparated = [], optional = false, names, written, bodies } = part
    const name = httpPart === 'querystring' ? 'query' : ((httpPart ?? 'body') as Part)
    if (encodings !== undefined && bodies !== undefined)
      return encodings.bodyValidator(
        bodies,
        media => judgeOf(compiled.check(media), 'body', media.schema),
        readers.body(schema as ObjectSchema, { optional, commaSeparated })
      )
    const judge = judgeOf(compiled.check(schema), name, schema, names)
    if (encodings !== undefined && written !== undefined) {
      const readStyled = encodings.partReader(name, schema as ObjectSchema, written)
      return received => {
        const violations: string[] = []
        const judgement = judge(readStyled(received, violations), violations, { mayHaveReservedNames: true })
        if (judgement.error !== undefined) return judgement
        if (name === 'query') keepSentQuery(judgement.value, received as string)
        return name === 'headers' ? { value: inLowerCase(judgement.value as object) } : judgement
      }
    }
    const read = readers[name as keyof typeof readers](schema as ObjectSchema, { commaSeparated, optional })
    return received => read(received as never, judge)
  }

const judgeOf = (check: Check, part: Part, schema: Schema = {}, names?: PartSchema['names']): Judge => {
  let texts: ReadonlySet<unknown> | undefined
  const isDeclared = (name: string) => {
    texts ??= textsIn([schema, ...(names?.values() ?? [])])
    return texts.has(name)
  }
  const root = { up: undefined, at: part, isDeclared }
  return (value, violations = none, { isRounded = false, mayHaveReservedNames = false }: About = nothingKnown) => {
    // What a check makes of the whole value.
    const input = { value }
    const faults: Fault[] = []
    try {
      check(value, input, 'value', root, faults)
    } catch (error) {
      if (!isTooDeep(error)) throw error
      return { error: new InvalidPart(part, inWords(part, [`${part} is nested too deeply`])) }
    }
    // Checks that lead to the same object each tell what is wrong with it.
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

/** All texts in a part of the contract, names among them, and the objects that have them. */
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

/** Checks of schemas that contain themselves call themselves: a value decides how deeply. */
const isTooDeep = (error: unknown): boolean => error instanceof RangeError && /call stack/.test(error.message)

// No keyword of JSON Schema is called like this.
const isPartSchema = (given: unknown): given is PartSchema =>
  typeof given === 'object' && given !== null && 'schema' in given

const readers: Record<
  Exclude<Part, 'cookies'>,
  (schema: ObjectSchema, options: Required<Pick<PartSchema, 'commaSeparated' | 'optional'>>) => Reader
> = {
  params: schema => {
    const read = textReader(schema)
    return (params: Texts, judge) => judge(read(params))
  },
  query: (schema, { commaSeparated }) => {
    const read = queryReader(schema, commaSeparated)
    // What an absent query comes to, which most are: the defaults.
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
    (_schema, { optional }) =>
    (body: unknown, judge) => {
      // Null is an absent body; a JSON null arrives as Read.
      if (body === null)
        return optional
          ? { value: undefined }
          : { error: new InvalidPart('body', inWords('body', ['a body is required'])) }
      if (!(body instanceof Read)) return judge(body)
      // Violations that do not depend on exact digits come first: reading those takes longer.
      const rounded = body.isRounded ? judge(body.value, none, { isRounded: true }) : undefined
      return rounded?.error ? rounded : exactly(body, judge)
    }
}

/** A copy, where it shares nothing with the original. */
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

// As Node has the names.
const inLowerCase = (headers: object) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** The violations of one part of a request. */
export class InvalidPart extends ApiError {
  readonly part: Part
  readonly violations: Violations
  override readonly details: readonly Detail[]

  constructor(part: Part, violations: Violations) {
    super(400, 'invalid_request', sentence(violations))
    this.part = part
    this.violations = violations
    this.details = detailsOf(violations)
  }
}

/** One error for all parts of a request; Fastify stops at the first invalid one. */
export const withOtherParts = (first: InvalidPart, request: FastifyRequest): ApiError => {
  const invalid = new Map([[first.part, first.violations]])
  for (const part of judged.slice(judged.indexOf(first.part as never) + 1)) {
    const validate = request.getValidationFunction(part) as Validator | undefined
    const error = validate?.(request[part] ?? null).error
    if (error instanceof InvalidPart) invalid.set(part, error.violations)
  }
  if (invalid.size === 1) return first
  return new InvalidPart(first.part, joined(named.flatMap(part => invalid.get(part) ?? [])))
}

// Fastify's order, and that in messages.
const judged = ['params', 'body', 'query', 'headers'] as const
const named: readonly Part[] = ['params', 'query', 'headers', 'cookies', 'body']

/**
 * Whether the exact body has this violation too. Rounding keeps the order of numbers, and integers integers; rules that
 * depend on several values or rules at once may judge the two differently.
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

type Texts = Readonly<Record<string, unknown>>
type FromText = (text: string) => unknown

const textReader = (schema: ObjectSchema) => {
  const readers = Object.entries(schema.properties).map(([name, each]) => ({
    name,
    // As Node has the names of headers.
    inLowerCase: name.toLowerCase(),
    read: fromText(each)
  }))
  return (texts: Texts) => {
    const values: Record<string, unknown> = {}
    for (const { name, inLowerCase, read } of readers) {
      const text = texts[name] ?? texts[inLowerCase]
      if (typeof text === 'string') values[name] = read(text)
    }
    return values
  }
}

/** Reads the text after the `?`, where only arrays may occur more than once. */
const queryReader = (schema: ObjectSchema, commaSeparated: readonly string[]) => {
  const readers = new Map<string, { read: FromText; isArray: boolean; commas: boolean }>()
  for (const [name, each] of Object.entries(schema.properties)) {
    const isArray = each.type === 'array'
    readers.set(name, {
      read: fromText(isArray ? (each.items ?? {}) : each),
      isArray,
      commas: commaSeparated.includes(name)
    })
  }

  return (query: string, violations: string[]) => {
    const values: Record<string, unknown> = {}
    if (query === '') return values
    for (const pair of query.split('&')) {
      if (pair === '') continue
      const at = pair.indexOf('=')
      const name = decoded(at === -1 ? pair : pair.slice(0, at))
      const raw = at === -1 ? '' : pair.slice(at + 1)
      const reader = name === undefined ? undefined : readers.get(name)
      if (reader === undefined || name === undefined) {
        violations.push(`query parameter ${shown(name ?? pair)} is unknown; ${known([...readers.keys()])}`)
        continue
      }
      // Split before decoding: a comma within a value is percent-encoded.
      const texts = (reader.commas ? raw.split(',') : [raw]).map(decoded)
      if (texts.includes(undefined)) {
        violations.push(`query parameter ${name} cannot be percent-decoded to UTF-8`)
      } else if (Object.hasOwn(values, name) && (!reader.isArray || reader.commas)) {
        const right = reader.commas ? `; its items are written as ${name}=a,b` : ''
        violations.push(`query parameter ${name} occurs more than once${right}`)
      } else {
        const items = (texts as string[]).map(reader.read)
        values[name] = reader.isArray ? [...((values[name] as unknown[] | undefined) ?? []), ...items] : items[0]
      }
    }
    return values
  }
}

const decoded = (text: string): string | undefined => {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Converts a parameter to its type; text that does not fit stays text, which the schema then rejects. */
export const fromText = (schema: Schema): FromText => {
  switch (schema.type) {
    case 'integer':
      if (schema.format === 'int64') return text => (plainInteger.test(text) ? BigInt(text) : text)
      return text => (plainInteger.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text)
    case 'number':
      return text => (plainNumber.test(text) ? Number(text) : text)
    case 'boolean':
      return text => (text === 'true' ? true : text === 'false' ? false : text)
    case 'array': {
      const item = fromText(schema.items ?? {})
      return text => text.split(',').map(item)
    }
    default:
      return text => text
  }
}
