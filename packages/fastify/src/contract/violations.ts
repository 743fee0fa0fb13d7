import { shortened } from '../api-keys/hidden-keys.ts'
import { exactJson } from '../node/json.ts'

/** The path to a value as a linked list of keys, the last one first. */
export interface Path {
  readonly up: Path | undefined
  readonly at: string | number
  /** At the root: whether the contract has a name, which messages then show in full, whatever it looks like. */
  readonly isDeclared?: (name: string) => boolean
}

/** A violation before it is put into words: the keyword of JSON Schema, and where. */
export interface Fault {
  readonly keyword: string
  readonly path: Path
  readonly value: unknown
  /** What messages need, under Ajv's names. */
  readonly params: Readonly<Record<string, unknown>>
  /** Found while trying one variant; the client may have meant another. */
  isTentative: boolean
}

/** A part of a request, named as in handlers. */
export type Part = 'params' | 'query' | 'headers' | 'cookies' | 'body'

/** Violations in words, and how many more there are. */
export interface Violations {
  named: readonly Named[]
  others: number
}
interface Named {
  text: string
  part: Part
  /** `undefined` if only its text is known. */
  path?: Path | undefined
}

/** What is wrong with a request, and where. */
export interface Detail {
  /** One sentence. */
  readonly message: string
  /** The part of the request. */
  readonly in: 'path' | 'query' | 'header' | 'cookie' | 'body'
  /** The names and indices that lead to the value: `['limit']`, `['authors', 0]`; empty for the part itself. */
  readonly at: readonly (string | number)[]
}

/** How many violations are named; the others are counted. */
export const mostViolations = 10

export const inWords = (
  part: Part,
  violations: readonly string[],
  faults: readonly Fault[] = [],
  isRounded = false
): Violations => {
  const named: Named[] = violations.slice(0, mostViolations).map(text => ({ text, part }))
  let others = violations.length - named.length
  const outOfBounds = faults.some(isNumberFormat)
    ? placesOf(faults.filter(({ keyword }) => bounds.has(keyword)))
    : undefined
  for (const fault of faults) {
    // Not missing: it was sent, but could not be read.
    if (fault.keyword === 'required' && violations.some(each => each.startsWith(`${missing(fault)} `))) continue
    // A number out of bounds may be out of its format's range as well; one message is enough.
    if (isNumberFormat(fault) && outOfBounds?.has(place(fault.path))) continue
    // There may be thousands, and putting all of them into words would take too long.
    const text = named.length < mostViolations ? violation(fault, isRounded) : undefined
    if (text === undefined) others++
    else if (!named.some(each => each.text === text)) named.push({ text, part, path: pathOf(fault) })
  }
  return { named, others }
}

/** If a property is missing or unknown, the path of that property, not of its object. */
const pathOf = ({ path, params }: Fault): Path => {
  const name = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty
  return name === undefined ? path : { up: path, at: name as string }
}

const bounds = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'int64'])
const isNumberFormat = ({ keyword, value }: Fault) => keyword === 'format' && typeof value !== 'string'
const placesOf = (faults: readonly Fault[]) => new Set(faults.map(({ path }) => place(path)))

export const joined = (all: readonly Violations[]): Violations => {
  const named = all.flatMap(each => each.named)
  const others = all.reduce((sum, each) => sum + each.others, 0)
  return { named: named.slice(0, mostViolations), others: others + Math.max(0, named.length - mostViolations) }
}

export const sentence = ({ named, others }: Violations): string =>
  `${named.map(({ text }) => text).join('; ')}${others === 0 ? '' : `; and ${others} more`}.`

/** A detail for each violation, and one for all that are not named. */
export const detailsOf = ({ named, others }: Violations): Detail[] => {
  const details = named.map(each => ({ message: `${each.text}.`, in: detailParts[each.part], at: keysTo(each) }))
  const last = details.at(-1)
  return others === 0 || last === undefined
    ? details
    : [...details, { message: `There are ${others} more.`, in: last.in, at: [] }]
}

const detailParts = { params: 'path', query: 'query', headers: 'header', cookies: 'cookie', body: 'body' } as const

const keysTo = ({ text, path }: Pick<Named, 'text' | 'path'>): (string | number)[] => {
  if (path === undefined) return namedIn(text)
  if (path.up === undefined) return []
  return [...keysTo({ text, path: path.up }), typeof path.at === 'number' ? path.at : told(path.at, path.up)]
}

/** The name at the beginning of a text about a value that could not be read; it may be quoted and shortened. */
const namedIn = (text: string): string[] => {
  const [, quoted, plain] =
    /^(?:(?:query|path) parameter |header |cookie |body\.)(?:("(?:[^"\\]|\\.)*")|([^\s."[]+))/.exec(text) ?? []
  if (quoted === undefined) return plain === undefined ? [] : [plain]
  try {
    return [JSON.parse(quoted)]
  } catch {
    return []
  }
}

const violation = (fault: Fault, isRounded: boolean): string => {
  const { keyword, path, value, params } = fault
  // Rounded, the number is not what the client sent.
  const notThis = isRounded && typeof value === 'number' ? '' : `, not ${instead(keyword, params, value)}`
  const where = place(path)
  switch (keyword) {
    case 'required':
      return `${missing({ path, params })} is required`
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const name = params.additionalProperty ?? params.unevaluatedProperty
      return `${inside(path, name)} is unknown; ${known(params.known as readonly string[])}`
    }
    case 'dependentRequired':
      return `${inside(path, params.missingProperty)} is required if ${told(params.property as string, path)} is present`
    case 'propertyNames': {
      const { keyword, params: own } = params.by as Fault
      return `the name ${shown(params.propertyName)} in ${where} ${requirement(keyword, own, false)}`
    }
    case 'discriminator':
      return params.isMissing
        ? `${where} is required, one of ${among(params.values)}`
        : `${where} ${requirement(keyword, params, false)}${notThis}`
    case 'int64':
      return typeof value === 'number' || typeof value === 'bigint'
        ? `${where} must be ${anInt64(params)}${notThis}`
        : `${where} must be ${wanted(['integer'], isText(path))}${notThis}`
    default:
      return `${where} ${rangeOfType(fault) ?? requirement(keyword, params, isText(path))}${without.has(keyword) ? '' : notThis}`
  }
}

/** What was sent instead. Where a particular object or list is expected, naming only its type would not help. */
const instead = (keyword: string, params: Fault['params'], value: unknown): string => {
  const wanted =
    keyword === 'const' ? [params.allowedValue] : keyword === 'enum' ? (params.allowedValues as unknown[]) : []
  if (!isStructure(value) || !wanted.some(isStructure)) return shown(value)
  const json = isBrief(value) ? exactJson(value) : ''
  if (json !== '' && json.length <= mostShown) return shortened(json)
  const isOfKind = wanted.some(each => isStructure(each) && Array.isArray(each) === Array.isArray(value))
  return isOfKind ? shown(value).replace(/^an /, 'another ') : shown(value)
}

const mostShown = 60
const isStructure = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Whether a value is small, and JSON would show all of it. */
const isBrief = (value: unknown): boolean => {
  let left = mostShown
  const fits = (each: unknown): boolean => {
    left -= typeof each === 'string' ? each.length : 1
    if (left < 0 || ArrayBuffer.isView(each)) return false
    if (!isStructure(each)) return typeof each !== 'number' || Number.isFinite(each)
    const keys = Array.isArray(each) ? [] : Object.keys(each)
    left -= keys.reduce((sum, key) => sum + key.length, 0)
    return left >= 0 && Object.values(each).every(fits)
  }
  return fits(value)
}

export const plainInteger = /^(?:0|-?[1-9]\d*)$/

/** What an integer or number out of its type's range must be. */
const rangeOfType = ({ keyword, params, path, value }: Fault): string | undefined => {
  if (keyword !== 'type') return undefined
  const types = [params.type].flat()
  // An object has no text of its own: its `toString` may be what a client has sent.
  const isPlainText = isText(path) && typeof value !== 'object' && plainInteger.test(String(value))
  const isWhole = typeof value === 'bigint' || isPlainText
  if (isWhole && types.includes('integer') && !Number.isSafeInteger(Number(value)))
    return `must be an integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`
  const isBeyond =
    (value === Infinity || value === -Infinity) && types.some(each => each === 'number' || each === 'integer')
  return isBeyond ? `must be a number from ${-Number.MAX_VALUE} to ${Number.MAX_VALUE}` : undefined
}

// Keywords whose messages do not show the value: it is large, or the message says all.
const without = new Set([
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties', 'uniqueItems', 'items'],
  ...['anyOf', 'oneOf', 'not', 'false schema', 'readOnly', 'contains', 'unevaluatedItems'],
  'reserved name'
])

/** What a value must be, without what it is. */
export const requirementAt = ({ keyword, path, params }: Pick<Fault, 'keyword' | 'path' | 'params'>): string => {
  if (keyword === 'required') return `${missing({ path, params })} is required`
  if (keyword === 'dependentRequired')
    return `${inside(path, params.missingProperty)} is required if ${params.property} is present`
  if (keyword === 'additionalProperties') return `${inside(path, params.additionalProperty)} is not declared`
  return `${place(path)} ${keyword === 'int64' ? `must be ${anInt64(params)}` : requirement(keyword, params, false)}`
}

const requirement = (keyword: string, params: Fault['params'], asText: boolean): string =>
  requirements[keyword]?.(params, asText) ?? 'must match its schema'

const requirements: Readonly<Record<string, (params: Fault['params'], asText: boolean) => string>> = {
  type: ({ type }, asText) => `must be ${wanted([type as string | string[]].flat(), asText)}`,
  discriminator: ({ values }) => `must be one of ${among(values)}`,
  enum: ({ allowedValues }) => `must be one of ${among(allowedValues)}`,
  const: ({ allowedValue: value }) => `must be ${isStructure(value) ? shortened(exactJson(value)) : shown(value)}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  exclusiveMinimum: ({ limit }) => `must be more than ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${limit}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${multipleOf}`,
  minLength: ({ limit }) => `must have at least ${count(limit, 'character')}`,
  maxLength: ({ limit }) => `must have at most ${count(limit, 'character')}`,
  pattern: ({ pattern }) => `must match ${pattern}`,
  format: ({ format }) => `must match format "${format}"`,
  minItems: ({ limit }) => `must have at least ${count(limit, 'item')}`,
  maxItems: ({ limit }) => `must have at most ${count(limit, 'item')}`,
  items: ({ limit }) => `must have at most ${count(limit, 'item')}`,
  uniqueItems: () => 'must not have the same item twice',
  unevaluatedItems: ({ limit }) => `must not have undeclared items, such as the one at index ${limit}`,
  contains: ({ minContains: least, maxContains: most }) =>
    `must have ${contents(least, most)} that ${least === 1 && most === undefined ? 'matches' : 'match'} contains`,
  minProperties: ({ limit }) => `must have at least ${count(limit, 'property', 'properties')}`,
  maxProperties: ({ limit }) => `must have at most ${count(limit, 'property', 'properties')}`,
  propertyNames: () => 'must only have names that match propertyNames',
  if: () => 'must match the schema in then (or else)',
  dependentSchemas: () => 'must match the schema in dependentSchemas',
  anyOf: () => 'must match a schema in anyOf',
  oneOf: ({ areSeveral }) =>
    areSeveral ? 'matches more than one schema in oneOf' : 'must match exactly one schema in oneOf',
  not: () => 'must not match the schema in not',
  readOnly: () => 'must not be sent: it is read-only',
  writeOnly: () => 'must not be sent: it is write-only',
  'reserved name': ({ name }) => `must not have the name ${shown(name)}`,
  'false schema': () => 'must be absent, as no value is valid'
}

const partNames: Record<string, string> = {
  query: 'query parameter',
  params: 'path parameter',
  headers: 'header',
  cookies: 'cookie'
}
const isText = (path: Path): boolean => (path.up === undefined ? path.at !== 'body' : isText(path.up))

/** `body.tags[0]`, `query parameter limit`. */
const place = ({ up, at }: Path): string => {
  if (up === undefined) return partNames[at] ?? String(at)
  const tail = typeof at === 'number' ? `[${at}]` : `.${told(at, up)}`
  return up.up === undefined && isText(up) ? `${place(up)} ${tail.slice(1)}` : place(up) + tail
}

/** A property's name, shortened and without keys unless the contract has it: the client may have chosen it. */
const told = (name: string, path: Path): string => {
  const rest = shortened(name)
  return rest === name || startOf(path).isDeclared?.(name) ? name : rest
}
const startOf = (path: Path): Path => (path.up === undefined ? path : startOf(path.up))

const inside = (path: Path, name: unknown) => place({ up: path, at: name as string })

const missing = ({ path, params }: Pick<Fault, 'path' | 'params'>) => inside(path, params.missingProperty)

export const known = (names: readonly string[]) =>
  names.length === 0 ? 'none are allowed' : `known: ${names.join(', ')}`

const wanted = (types: string[], asText = false) =>
  types.map(type => (/^[aio]/.test(type) ? `an ${type}` : type === 'null' ? type : `a ${type}`)).join(' or ') +
  (asText && types.includes('integer') ? ' in plain decimal digits' : '')

const anInt64 = ({ allowedValues, minimum, maximum, multipleOf }: Record<string, unknown>) => {
  if (allowedValues !== undefined) return oneOf(allowedValues as unknown[])
  const range = `an integer from ${minimum ?? '-9223372036854775808'} to ${maximum ?? '9223372036854775807'}`
  return multipleOf === undefined ? range : `${range} that is a multiple of ${multipleOf}`
}

const oneOf = (values: readonly unknown[]) => `${values.length === 1 ? '' : 'one of '}${among(values)}`

const count = (number: unknown, noun: string, plural = `${noun}s`) => `${number} ${number === 1 ? noun : plural}`

/** A list of values: texts unquoted, structures as JSON; only the first ones of very many. */
const among = (values: unknown) => {
  const all = values as unknown[]
  const texts: string[] = []
  let length = 0
  for (const each of all) {
    const text = isStructure(each) ? shortened(exactJson(each)) : String(each)
    length += text.length
    if (length > mostListed && texts.length > 0) break
    texts.push(text)
  }
  const others = all.length - texts.length
  return `${texts.join(', ')}${others === 0 ? '' : ` and ${others} more`}`
}

const mostListed = 2000

const contents = (least: unknown, most: unknown) => {
  if (most === undefined) return `at least ${count(least, 'item')}`
  return least === 0 ? `at most ${count(most, 'item')}` : `${least} to ${count(most, 'item')}`
}

export const shown = (value: unknown): string => {
  // A number too large for a double is Infinity here, which JSON would write as null.
  if (typeof value === 'bigint' || typeof value === 'number') return shortened(String(value))
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null)
    return 'bytes' in value && value.bytes instanceof Buffer ? 'a file' : 'an object'
  return shortened(JSON.stringify(value))
}
