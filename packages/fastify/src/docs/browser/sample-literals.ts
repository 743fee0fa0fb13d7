import type { Untyped } from './untyped.ts'

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
  if (digits !== undefined) return /^-?\d+$/.test(digits) ? Number.isSafeInteger(Number(digits)) : digits.length < 16
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
