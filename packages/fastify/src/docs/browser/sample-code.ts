import type { SampleRequest } from './sample-request.ts'
import type { Untyped } from './untyped.ts'

/** The request as a command for a POSIX shell. */
export const curlSample = ({ method, url, headers, body, credentials }: SampleRequest): string => {
  const isForm = Array.isArray(body)
  const cookies = credentials.filter(each => each.in === 'cookie').map(({ name, value }) => `${name}=${value}`)
  return [
    // Braces and brackets would stand for several URLs.
    `curl ${method === 'GET' ? '' : `-X ${method} `}${/[[\]{}]/.test(url) ? '-g ' : ''}${shellQuoted(url)}`,
    ...Object.entries(headers)
      // curl adds the boundary of the form's parts.
      .filter(([name]) => !(isForm && name.toLowerCase() === 'content-type'))
      .map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(cookies.length > 0 ? [`-b ${shellQuoted(cookies.join('; '))}`] : []),
    ...(isForm ? body.map(curlField) : body === undefined ? [] : [curlBody(body)])
  ].join(' \\\n  ')
}

export const shellQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

export const curlBody = (body: unknown) =>
  body instanceof Blob ? `--data-binary ${shellQuoted(`@${nameOf(body)}`)}` : `--data-raw ${shellQuoted(String(body))}`

export const curlField = ([name, value]: [string, Untyped]) => {
  // With -F, @ and < at the beginning of a text would stand for files.
  if (!(value instanceof Blob)) return `--form-string ${shellQuoted(`${name}=${value}`)}`
  const text = textOf(value)
  if (text === undefined) return `-F ${shellQuoted(`${name}=@${nameOf(value)}`)}`
  return `-F ${shellQuoted(`${name}="${text.replace(/["\\]/g, '\\$&')}";type=${value.type}`)}`
}

/** The text of a part that has a media type: Swagger UI makes a file of it. */
export const textOf = (file: Untyped): string | undefined => file.data

export const nameOf = (file: Blob) => ('name' in file ? String(file.name) : 'file')

/** The request as a module in JavaScript. */
export const fetchSample = ({ method, url, headers, body, credentials }: SampleRequest): string => {
  const isForm = Array.isArray(body)
  const sent = Object.entries(headers).filter(([name]) => !(isForm && name.toLowerCase() === 'content-type'))
  const members = [
    ...(method === 'GET' ? [] : [`method: ${quoted(method)}`]),
    // Only the browser itself can send cookies.
    ...(credentials.some(each => each.in === 'cookie') ? [`credentials: 'include'`] : []),
    ...(sent.length > 0 ? [`headers: ${literal(Object.fromEntries(sent))}`] : []),
    ...(body === undefined ? [] : [isForm ? 'body' : `body: ${fetchBody(body)}`])
  ]
  const options = members.length > 0 ? `, {\n${indented(members.join(',\n'))}\n}` : ''
  const form = isForm ? ['const body = new FormData()', ...body.map(fetchField), ''] : []
  return [
    ...form,
    `const response = await fetch(${quoted(url)}${options})`,
    // response.json() would round integers beyond 2^53.
    'console.log(response.status, await response.text())'
  ].join('\n')
}

export const fetchField = ([name, value]: [string, string | Blob]) => {
  const add = `body.append(${quoted(name)}, `
  if (!(value instanceof Blob)) return `${add}${quoted(value)})`
  const text = textOf(value)
  return text === undefined
    ? `${add}file) // ${nameOf(value)}`
    : `${add}new Blob([${quoted(text)}], { type: ${quoted(value.type)} }))`
}

export const fetchBody = (body: unknown) => {
  if (body instanceof Blob) return `file // ${nameOf(body)}`
  const value = jsonOf(String(body))
  // JavaScript would round the numbers of a literal.
  return value === undefined || !isExact(value) ? quoted(String(body)) : `JSON.stringify(${literal(value)})`
}

export const memberOf = (object: string, name: string) =>
  isName(name) ? `${object}.${name}` : `${object}[${quoted(name)}]`

/** The value of a JSON text, with its numbers as written; `undefined` if it is not JSON. */
export const jsonOf = (text: string): unknown => {
  const digits = (_key: string, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value
  try {
    return JSON.parse(text, digits)
  } catch {
    return undefined
  }
}

/** The digits of a number, as `jsonOf` keeps them. */
export const digitsOf = (value: Untyped): string | undefined => {
  // A browser without JSON.rawJSON keeps no digits.
  if (typeof value === 'number') return String(value)
  return JSON.isRawJSON?.(value) ? value.rawJSON : undefined
}

/** Whether JavaScript represents all numbers within exactly. */
export const isExact = (value: Untyped): boolean => {
  const digits = digitsOf(value)
  if (digits !== undefined)
    return /^-?\d+$/.test(digits)
      ? Number.isSafeInteger(Number(digits))
      : digits.length < 16 && Number.isFinite(Number(digits))
  return typeof value !== 'object' || value === null || Object.values(value).every(isExact)
}

/** How a literal is written. */
interface LiteralOptions {
  /** The indentation of the line on which it begins. */
  indent?: string
  /** The schema of a value whose integers of format int64 are bigints. */
  bigints?: Untyped
}

/** A value in JavaScript, on one line if it fits. */
export const literal = (value: Untyped, { indent = '', bigints }: LiteralOptions = {}): string => {
  const digits = digitsOf(value)
  if (digits !== undefined) return isBigint(digits, bigints) ? `${digits}n` : digits
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const deeper = `${indent}  `
  const parts = Object.entries(value).map(([key, each]) => {
    const text = literal(each, {
      indent: deeper,
      bigints: bigints && partOf(bigints, Array.isArray(value) ? undefined : key)
    })
    return Array.isArray(value) ? text : `${isName(key) ? key : quoted(key)}: ${text}`
  })
  const [open, space, close] = Array.isArray(value) ? ['[', '', ']'] : ['{', ' ', '}']
  if (parts.length === 0) return open + close
  const line = `${open}${space}${parts.join(', ')}${space}${close}`
  const fits = line.length + indent.length <= 60 && !line.includes('\n')
  return fits ? line : `${open}\n${deeper}${parts.join(`,\n${deeper}`)}\n${indent}${close}`
}

export const quoted = (text: string) =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

export const isName = (text: string) => /^[A-Za-z_$][\w$]*$/.test(text)

export const indented = (text: string) => text.replace(/^/gm, '  ')

export const isBigint = (digits: string, schema: Untyped) =>
  schema !== undefined && /^-?\d+$/.test(digits) && (!Number.isSafeInteger(Number(digits)) || isInt64(schema))

/** Whether a schema, or one it combines, is of int64 with values beyond 2^53. */
export const isInt64 = (schema: Untyped): boolean => {
  const { format, minimum, maximum, allOf = [], anyOf = [], oneOf = [] } = schema ?? {}
  const isBounded = minimum >= Number.MIN_SAFE_INTEGER && maximum <= Number.MAX_SAFE_INTEGER
  return (format === 'int64' && !isBounded) || [...allOf, ...anyOf, ...oneOf].some(isInt64)
}

/** The schema of a property, or of the items of an array. */
export const partOf = (schema: Untyped, key: string | undefined): Untyped => {
  const own = key === undefined ? schema.items : (schema.properties?.[key] ?? schema.additionalProperties)
  const combined = ['allOf', 'anyOf', 'oneOf'].flatMap(each => schema[each] ?? [])
  const parts = [own, ...combined.map(each => partOf(each, key))].filter(each => typeof each === 'object')
  return parts.length > 1 ? { allOf: parts } : (parts[0] ?? {})
}
