import { isObject, type Json } from './json.ts'
import { LoadError, loadErrorAt } from './load-error.ts'
import type { Node } from './node.ts'

export type Version = '3.0' | '3.1'

/**
 * The OpenAPI version of a document; with `isLenient`, it may be a number.
 * @throws LoadError when it is unsupported, or the document is not OpenAPI
 */
export const versionOf = (root: Node, isLenient = false): Version => {
  const version = root.get('openapi') ?? root.get('swagger')
  if (version === undefined) {
    const expected = 'an OpenAPI document has "openapi", such as "3.1.0", at its top'
    throw new LoadError([`${root.source.name}: this is ${described(root.value)}; ${expected}`])
  }
  const { key, value, place } = version
  const isText = typeof value === 'string' || (typeof value === 'number' && isLenient)
  // YAML reads 3.0 as the number 3.
  const text = value === 3 ? '3.0' : String(value)
  const [supported] = key === 'openapi' && isText ? (/^3\.[012](?=\.|$)/.exec(text) ?? []) : []
  if (supported === undefined) throw loadErrorAt([{ place, message: refusal(key === 'swagger', value) }])
  // 3.2 is read as 3.1: what it adds does not change what it shares with 3.1.
  return supported === '3.0' ? '3.0' : '3.1'
}

export const refusal = (isSwagger: boolean, value: Json) => {
  if (isSwagger) return `Swagger ${value} is not supported; 2.0 is, and OpenAPI 3.0, 3.1 and 3.2`
  if (typeof value === 'string') return `OpenAPI ${value} is not supported; 3.0, 3.1 and 3.2 are`
  return `"openapi" is ${described(value)}; it should be a string, such as "3.1.0"`
}

const described = (value: Json) => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (!isObject(value)) return typeof value === 'string' ? 'text' : `the ${typeof value} ${value}`
  const keys = Object.keys(value)
  return keys.length > 4
    ? `an object of ${keys.slice(0, 4).join(', ')} …`
    : `an object of ${keys.join(', ') || 'nothing'}`
}
