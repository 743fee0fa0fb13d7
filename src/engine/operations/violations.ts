import type { ErrorObject } from 'ajv'
import { shortened } from '../errors.ts'
import type { ObjectSchema } from './contract.ts'

/** A part of a request, by its name in handlers. */
export type Part = 'params' | 'query' | 'headers' | 'body'
type Input = Readonly<Record<string, unknown>>

/** The violations in words, and how many others there are. */
export interface Violations {
  named: readonly string[]
  others: number
}

const mostViolations = 10

export const inWords = (
  violations: readonly string[],
  errors: readonly ErrorObject[] = [],
  input: Input = {},
  isRounded = false
): Violations => {
  const named = violations.slice(0, mostViolations)
  let others = violations.length - named.length
  const otherwiseWrong = new Set(errors.filter(each => each.keyword !== 'format').map(each => each.instancePath))
  for (const error of errors) {
    // A number out of bounds may be out of its format's range as well; once is enough.
    if (error.keyword === 'format' && otherwiseWrong.has(error.instancePath)) continue
    // There may be thousands, and putting all into words would take too long.
    const text = named.length < mostViolations ? violation(error, input, isRounded) : undefined
    if (text === undefined) others++
    else if (!named.includes(text)) named.push(text)
  }
  return { named, others }
}

export const joined = (all: readonly Violations[]): Violations => {
  const named = all.flatMap(each => each.named)
  const others = all.reduce((sum, each) => sum + each.others, 0)
  return { named: named.slice(0, mostViolations), others: others + Math.max(0, named.length - mostViolations) }
}

export const sentence = ({ named, others }: Violations): string =>
  `${named.join('; ')}${others === 0 ? '' : `; and ${others} more`}.`

const violation = (error: ErrorObject, input: Input, isRounded: boolean): string => {
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
      return `${inside(error.instancePath, name, input)} is unknown; ${known(error.parentSchema as ObjectSchema)}`
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
    case 'minItems':
      return `${where} must have at least ${count(params.limit, 'item')}`
    case 'maxItems':
      return `${where} must have at most ${count(params.limit, 'item')}`
    case 'uniqueItems':
      return `${where} must not have the same item twice`
    case 'const':
      return `${where} must be ${shown(params.allowedValue)}${notThis}`
    case 'multipleOf':
      return `${where} must be a multiple of ${params.multipleOf}${notThis}`
    case 'pattern':
      return `${where} must match ${params.pattern}${notThis}`
    default:
      return `${where} ${error.message?.replace('NOT', 'not') ?? 'is not valid'}`
  }
}

const partNames: Record<string, string> = { query: 'query parameter', params: 'path parameter', headers: 'header' }
export const isText = (path: string) => !path.startsWith('/body')

/** `/body/tags/0` is `body.tags[0]`, `/query/limit` is `query parameter limit`; a field of an object may be 0 too. */
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

export const known = (schema: ObjectSchema | undefined) => {
  const names = Object.keys(schema?.properties ?? {})
  return names.length === 0 ? 'there are none' : `known: ${names.join(', ')}`
}

const wanted = (types: string[], asText = false) =>
  types.map(type => (/^[aio]/.test(type) ? `an ${type}` : type === 'null' ? type : `a ${type}`)).join(' or ') +
  (asText && types.includes('integer') ? ' in plain decimal digits' : '')

const int64Range = ({ minimum, maximum }: Record<string, unknown>) =>
  `an integer from ${minimum ?? '-9223372036854775808'} to ${maximum ?? '9223372036854775807'}`

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`

export const shown = (value: unknown): string => {
  // What is too large for a double is Infinity here, which JSON writes as null.
  if (typeof value === 'bigint' || typeof value === 'number') return shortened(String(value))
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  return shortened(JSON.stringify(value))
}
