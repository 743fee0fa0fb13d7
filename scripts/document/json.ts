/** A JSON value. An integer beyond ±2^53 is a bigint, so that it is not rounded. */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The entries of an object; empty for any other value. */
export const entriesOf = (value: Json | undefined): [string, Json][] => (isObject(value) ? Object.entries(value) : [])

/** Sets an own property, even `__proto__`, which an assignment would not. */
export const put = (object: object, key: string, value: unknown) =>
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })

// Supported by V8, but not yet declared by TypeScript.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** JSON in which large integers keep all digits. */
export const jsonText = (value: unknown, indent?: number): string => {
  try {
    // Most values have none, and a replacer takes several times as long.
    return JSON.stringify(value, undefined, indent)
  } catch {
    return JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? rawJSON(String(each)) : each), indent)
  }
}
