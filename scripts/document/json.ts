/** A value of JSON. An integer beyond ±2^53 is a bigint, so that none is rounded. */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The entries of an object, none of anything else. */
export const entriesOf = (value: Json | undefined): [string, Json][] => (isObject(value) ? Object.entries(value) : [])

/** Sets a property as an own one: an assignment to `__proto__` would not. */
export const put = (object: object, key: string, value: unknown) =>
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })

// Known to V8 and not yet to TypeScript.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** JSON in which large integers keep their digits. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? rawJSON(String(each)) : each), indent)
