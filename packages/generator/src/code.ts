import type { Json } from '@contract-first/document'

/** An expression, emitted unchanged. */
export class Code {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
/** A call that bundlers drop if its result is not used. */
export const pureCall = (text: string) => new Code(`/* @__PURE__ */ ${text}`)
export type Literal = Json | Code | undefined | Literal[] | { [key: string]: Literal }

export const literal = (value: Literal): string => {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (value instanceof Code) return value.text
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  const members: string[] = []
  for (const name of Object.keys(value)) {
    const each = (value as { [key: string]: Literal })[name]
    if (each !== undefined) members.push(`${key(name)}: ${literal(each)}`)
  }
  return `{${members.join(', ')}}`
}

/** The same by status. Keys are numbers: string keys would lose the type of the response. */
export const literalByStatus = (entries: [string, Literal][]): Code => {
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return new Code(`{${sorted.map(([name, each]) => `${typeKey(name)}: ${literal(each)}`).join(', ')}}`)
}

/** A property name. Unquoted, `__proto__` would set the prototype. */
export const key = (name: string) => (name === '__proto__' ? '["__proto__"]' : JSON.stringify(name))

/** The same in a type. The compiler tells 200 from "200", so numbers stand without quotes. */
export const typeKey = (name: string) => (isNumber(name) ? name : key(name))

/** The same as an index of a type. */
export const typeIndex = (name: string) => (isNumber(name) ? name : JSON.stringify(name))

const isNumber = (name: string) => /^\d/.test(name) && String(Number(name)) === name

/** A string literal in single quotes. */
export const quoted = (value: string) =>
  `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
