/** A value of JSON. An integer beyond ±2^53 is a bigint, so that none is rounded. */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// Known to V8 and not yet to TypeScript.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** JSON in which large integers keep their digits. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? rawJSON(String(each)) : each), indent)
