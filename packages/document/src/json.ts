/** A JSON value. An integer beyond ±2^53 is a bigint, so that it is not rounded. */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject
/** A JSON object. */
export interface JsonObject {
  [key: string]: Json
}

/** Whether a value is an object and not a list. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The entries of an object; empty for any other value. */
export const entriesOf = (value: Json | undefined): [string, Json][] => (isObject(value) ? Object.entries(value) : [])

/** Whether the value, or a part of it at any depth, passes the test. */
export const holds = (value: Json, isMeant: (part: Json) => boolean): boolean =>
  isMeant(value) ||
  (typeof value === 'object' && value !== null && Object.values(value).some(each => holds(each, isMeant)))

/** The object or list with another entry or item. */
export const withPart = (whole: Json[] | JsonObject, key: string, part: Json): Json =>
  Array.isArray(whole) ? whole.with(Number(key), part) : { ...whole, [key]: part }

/** The value with each scalar in it changed. */
export const mapScalars = (value: Json, change: (scalar: Json) => Json): Json => {
  if (Array.isArray(value)) return value.map(each => mapScalars(each, change))
  if (!isObject(value)) return change(value)
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapScalars(each, change)]))
}

/** The value with large integers rounded, as most programs read it. */
export const asDoubles = (value: Json): Json =>
  mapScalars(value, each => (typeof each === 'bigint' ? Number(each) : each))

/** Copies of the value, each with one scalar replaced, for all scalars that have a replacement. */
export const withOther = (value: Json, other: (scalar: Json) => Json | undefined): Json[] => {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, each]) =>
      withOther(each, other).map(part => withPart(value, key, part))
    )
  const instead = other(value)
  return instead === undefined ? [] : [instead]
}

/** Sets an own property, even `__proto__`, which an assignment would not. */
export const put = (object: object, key: string, value: unknown): void => {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
  else (object as Record<string, unknown>)[key] = value
}

// Supported by V8, but not yet declared by TypeScript.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** JSON in which large integers keep all digits. */
export const jsonText = (value: unknown, indent?: number): string => {
  try {
    // Most values have no bigint, and a replacer takes several times as long.
    return JSON.stringify(value, undefined, indent)
  } catch {
    return JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? rawJSON(String(each)) : each), indent)
  }
}
