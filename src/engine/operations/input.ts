import type { ErrorObject } from 'ajv'
import { invalidRequest, malformedJson, shortened } from '../errors.ts'
import { requestCompiler } from './ajv.ts'
import type { AnyOperation, ObjectSchema } from './contract.ts'
import { Rounded } from './json.ts'

/** The parts of a request as they come: the query still as text, the path's parameters decoded, the body parsed. */
export interface Received {
  params: unknown
  query: string
  headers: Record<string, unknown>
  body: unknown
}

/** The parts as the contract has them, typed and with defaults, or an ApiError that names all violations. */
export type InputReader = (request: Received) => Input
type Input = Record<string, unknown>

/** One reader for each operation, all compiled by one validator. */
export const inputReaders = (): ((operation: AnyOperation) => InputReader) => {
  const compile = requestCompiler()

  return operation => {
    const { params, query, headers, body } = operation.input
    const validate = compile({
      type: 'object',
      properties: operation.input,
      required: operation.bodyRequired ? ['body'] : []
    })
    const readParams = params && textReader(params)
    const readHeaders = headers && textReader(headers)
    const readQuery = queryReader(query, operation.commaSeparated)

    return request => {
      const violations: string[] = []
      const input: Input = { query: readQuery(request.query, violations) }
      if (readParams) input.params = readParams(request.params as Texts)
      if (readHeaders) input.headers = readHeaders(request.headers)
      const rounded = request.body instanceof Rounded ? request.body : undefined
      if (body && request.body !== undefined) input.body = rounded === undefined ? request.body : rounded.value
      let isValid = validate(input)
      if (rounded !== undefined) {
        // What the body breaks whatever its digits are, is refused before they are looked at, which takes longer.
        const certain = validate.errors?.filter(isCertain) ?? []
        if (certain.length > 0 || violations.length > 0)
          throw invalidRequest(sentence(violations, certain, operation, input, true))
        if (body) input.body = exactly(rounded)
        isValid = validate(input)
      }
      if (!isValid || violations.length > 0)
        throw invalidRequest(sentence(violations, validate.errors ?? [], operation, input))
      return input
    }
  }
}

const exactly = (body: Rounded): unknown => {
  try {
    return body.exact()
  } catch (error) {
    throw error instanceof SyntaxError ? malformedJson(error.message) : error
  }
}

/**
 * Whether the exact body breaks the schema as well. Rounding keeps the order of numbers, and an integer an integer;
 * what depends on several rules or values at once may hold for one and not for the other.
 */
const isCertain = ({ instancePath, schemaPath, keyword, data, schema }: ErrorObject): boolean => {
  if (isText(instancePath)) return true
  if (/\/(?:anyOf|oneOf|not|if|contains)\//.test(schemaPath)) return false
  if (typeof data === 'object' && data !== null) return ofStructure.has(keyword)
  if (typeof data !== 'number') return true
  if (keyword !== 'int64') return ofNumbers.has(keyword)
  const { minimum = -(2 ** 63), maximum = 2 ** 63 } = schema as { minimum?: number; maximum?: number }
  return data < minimum || data > maximum || !Number.isInteger(data)
}

const ofNumbers = new Set(['type', 'minimum', 'maximum', 'format'])
const ofStructure = new Set([
  ...['type', 'required', 'additionalProperties', 'dependentRequired', 'propertyNames'],
  ...['minItems', 'maxItems', 'minProperties', 'maxProperties']
])

type Texts = Readonly<Record<string, unknown>>
type FromText = (text: string) => unknown

const textReader = (schema: ObjectSchema) => {
  const readers = Object.entries(schema.properties).map(([name, each]) => ({ name, read: fromText(each) }))
  return (texts: Texts) => {
    const values: Record<string, unknown> = {}
    for (const { name, read } of readers) {
      // Node hands on header names in lower case.
      const text = texts[name] ?? texts[name.toLowerCase()]
      if (typeof text === 'string') values[name] = read(text)
    }
    return values
  }
}

/** Reads the text after the `?`, where each name may occur once, unless it is an array's. */
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
        violations.push(`query parameter ${shown(name ?? pair)} does not exist; ${existing(schema)}`)
        continue
      }
      // A comma that is part of a value is percent-encoded, so that the list is taken apart before it is decoded.
      const texts = (reader.commas ? raw.split(',') : [raw]).map(decoded)
      if (texts.includes(undefined)) {
        violations.push(`query parameter ${name} cannot be percent-decoded to UTF-8`)
      } else if (Object.hasOwn(values, name) && (!reader.isArray || reader.commas)) {
        violations.push(`query parameter ${name} occurs more than once`)
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

const plainInteger = /^(?:0|-?[1-9]\d*)$/
const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** A parameter's value; what is not written as its type has it stays a text, which the schema then refuses. */
const fromText = (schema: ObjectSchema['properties'][string]): FromText => {
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

const mostViolations = 10

const sentence = (
  violations: string[],
  errors: ErrorObject[],
  operation: AnyOperation,
  input: Input,
  isRounded = false
) => {
  const named = violations.slice(0, mostViolations)
  let others = violations.length - named.length
  const otherwiseWrong = new Set(errors.filter(each => each.keyword !== 'format').map(each => each.instancePath))
  for (const error of errors) {
    // A number out of bounds is out of its format's range as well; once is enough.
    if (error.keyword === 'format' && otherwiseWrong.has(error.instancePath)) continue
    // There may be thousands, and words for all of them would take longer than all else.
    const text = named.length < mostViolations ? violation(error, operation, input, isRounded) : undefined
    if (text === undefined) others++
    else if (!named.includes(text)) named.push(text)
  }
  return `${named.join('; ')}${others === 0 ? '' : `; and ${others} more`}.`
}

const violation = (error: ErrorObject, operation: AnyOperation, input: Input, isRounded: boolean): string => {
  const { keyword, params, data } = error
  const where = place(error.instancePath, input)
  // A rounded number is not what the client sent.
  const notThis = isRounded && typeof data === 'number' ? '' : `, not ${shown(data)}`
  switch (keyword) {
    case 'required':
      return `${where === '' ? 'a body' : inside(error.instancePath, params.missingProperty, input)} is required`
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const name = params.additionalProperty ?? params.unevaluatedProperty
      const known = error.instancePath === '/query' ? operation.input.query : (error.parentSchema as ObjectSchema)
      return `${inside(error.instancePath, name, input)} does not exist; ${existing(known)}`
    }
    case 'type':
      return `${where} must be ${wanted([params.type].flat(), isText(error.instancePath))}${notThis}`
    case 'int64':
      return typeof data === 'number' || typeof data === 'bigint'
        ? `${where} must be ${int64Range(error.schema as Record<string, unknown>)}${notThis}`
        : `${where} must be ${wanted(['integer'], isText(error.instancePath))}${notThis}`
    case 'enum':
      return `${where} must be one of ${params.allowedValues.join(', ')}${notThis}`
    case 'minimum':
    case 'exclusiveMinimum':
      return `${where} must be ${keyword === 'minimum' ? 'at least' : 'more than'} ${params.limit}${notThis}`
    case 'maximum':
    case 'exclusiveMaximum':
      return `${where} must be ${keyword === 'maximum' ? 'at most' : 'less than'} ${params.limit}${notThis}`
    case 'minLength':
      return `${where} must have at least ${count(params.limit, 'character')}`
    case 'maxLength':
      return `${where} must have at most ${count(params.limit, 'character')}`
    case 'pattern':
      return `${where} must match ${params.pattern}${notThis}`
    default:
      return `${where} ${error.message ?? 'is not valid'}`
  }
}

const partNames: Record<string, string> = { query: 'query parameter', params: 'path parameter', headers: 'header' }
const isText = (path: string) => !path.startsWith('/body')

/** `/body/tags/0` as `body.tags[0]`, `/query/limit` as `query parameter limit`; an object's field may be called 0 too. */
const place = (path: string, input: Input): string => {
  const [, part = '', ...rest] = path.split('/').map(each => each.replaceAll('~1', '/').replaceAll('~0', '~'))
  let value = input[part]
  let tail = ''
  for (const each of rest) {
    tail += Array.isArray(value) ? `[${each}]` : `.${shortened(each)}`
    value = (value as Input | undefined)?.[each]
  }
  const name = partNames[part]
  return name === undefined ? part + tail : `${name} ${tail.slice(1)}`
}
const inside = (path: string, name: string, input: Input) =>
  place(`${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, input)

const existing = (schema: ObjectSchema | undefined) => {
  const names = Object.keys(schema?.properties ?? {})
  return names.length === 0 ? 'there is none' : `there ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}`
}

const wanted = (types: string[], asText = false) =>
  types.map(type => (/^[aio]/.test(type) ? `an ${type}` : type === 'null' ? type : `a ${type}`)).join(' or ') +
  (asText && types.includes('integer') ? ' in plain decimal digits' : '')

const int64Range = ({ minimum, maximum }: Record<string, unknown>) =>
  `an integer from ${minimum ?? '-9223372036854775808'} to ${maximum ?? '9223372036854775807'}`

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`

const shown = (value: unknown): string => {
  // What is too large for a double has come as Infinity, which JSON writes as null.
  if (typeof value === 'bigint' || typeof value === 'number') return shortened(String(value))
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  return shortened(JSON.stringify(value))
}
