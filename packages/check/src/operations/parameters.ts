import { isObject, type Json, JsonReading, jsonText } from '@contract-first/document'
import { serializationOf } from '../attributes.ts'
import type { Parameter } from './operations.ts'

/** Serialized parameter values, by location. */
export interface Written {
  /** By name, percent-encoded. */
  path: Map<string, string>
  /** `limit=5`, percent-encoded. */
  query: string[]
  headers: Map<string, string>
  cookies: string[]
}

export const nothingWritten = (): Written => ({ path: new Map(), query: [], headers: new Map(), cookies: [] })

/** Adds a value in the parameter's style. */
export const write = (to: Written, parameter: Parameter, value: Json): void => {
  const { name } = parameter
  if (parameter.in === 'path') to.path.set(name, pathText(parameter, value))
  else if (parameter.in === 'querystring') to.query.push(...wholeTexts(parameter, value))
  else if (parameter.in === 'query') to.query.push(...queryTexts(parameter, value))
  else if (parameter.in === 'header') to.headers.set(name, plainText(parameter, value))
  else if (parameter.style === 'cookie') to.cookies.push(...queryTexts(parameter, value).map(decodeURIComponent))
  else to.cookies.push(...queryTexts(parameter, value))
}

/** A value as text; only its schema tells the type. */
export const textOf = (value: Json): string => (typeof value === 'string' ? value : jsonText(value))

const encode = encodeURIComponent

/** The parts of a value: its items, or the name and value of each property. */
const partsOf = (value: Json, explode: boolean, encoded: (text: string) => string): string[] => {
  if (Array.isArray(value)) return value.map(each => encoded(textOf(each)))
  if (!isObject(value)) return [encoded(textOf(value))]
  const pairs = Object.entries(value).map(([name, each]) => [encoded(name), encoded(textOf(each))])
  return explode ? pairs.map(pair => pair.join('=')) : pairs.flat()
}

const pathText = ({ name, style, explode, isJson }: Parameter, value: Json): string => {
  if (isJson) return encode(jsonText(value))
  const parts = partsOf(value, explode, encode)
  if (style === 'label') return `.${parts.join(explode ? '.' : ',')}`
  if (style !== 'matrix') return parts.join()
  if (!explode) return `;${name}=${parts.join()}`
  return parts.map(part => (isObject(value) ? `;${part}` : `;${name}=${part}`)).join('')
}

/** In style simple. */
export const plainText = ({ explode, isJson }: Pick<Parameter, 'explode' | 'isJson'>, value: Json): string =>
  isJson ? jsonText(value) : partsOf(value, explode, text => text).join()

const separators: Record<string, string> = { spaceDelimited: '%20', pipeDelimited: '%7C' }

export const queryTexts = (
  { name, style, explode, isJson }: Pick<Parameter, 'name' | 'style' | 'explode' | 'isJson'>,
  value: Json
): string[] => {
  const key = encode(name)
  if (isJson) return [`${key}=${encode(jsonText(value))}`]
  if (style === 'deepObject' && typeof value === 'object' && value !== null) return deepTexts(key, value)
  const parts = partsOf(value, explode, encode)
  if (!explode) return [`${key}=${parts.join(separators[style] ?? ',')}`]
  return isObject(value) ? parts : parts.map(part => `${key}=${part}`)
}

/** A query string that is one value. */
const wholeTexts = ({ isJson, type, node }: Parameter, value: Json): string[] => {
  if (isJson) return [encode(jsonText(value))]
  if (type !== 'application/x-www-form-urlencoded' || !isObject(value)) return [encode(textOf(value))]
  const encodings = node.get('content')?.get(type)?.get('encoding')
  return Object.entries(value).flatMap(([name, each]) => {
    const encoding = encodings?.get(name)
    const isStyled = ['style', 'explode', 'allowReserved'].some(key => encoding?.get(key) !== undefined)
    const isNested = [each].flat().some(one => typeof one === 'object' && one !== null)
    const how = { name, ...serializationOf(isStyled ? encoding : undefined, 'query') }
    if (isStyled || !isNested) return queryTexts({ ...how, isJson: false }, each)
    return [each].flat().flatMap(one => queryTexts({ ...how, isJson: true }, one))
  })
}

/** `filter[size][gte]=3`, `filter[names][0]=a`: OpenAPI only defines flat objects; this is the common form of nested ones. */
const deepTexts = (key: string, value: Json): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([inner, each]) => deepTexts(`${key}%5B${encode(inner)}%5D`, each))
    : [`${key}=${encode(textOf(value))}`]

/** Parses JSON without rounding integers; undefined if it is invalid. */
export const jsonOf = (text: string): Json | undefined => {
  try {
    return new JsonReading(text).toJson()
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The values that the text of a parameter or header may stand for; only its schema tells which. */
export const readingsOf = (text: string): Json[] => {
  const items = text.split(',').map(each => each.trim())
  return [...new Set([text, scalarOf(text)]), items, items.map(scalarOf)]
}

const scalarOf = (text: string): Json => {
  const plain = text.replace(/^(-?)0+(?=\d)/, '$1')
  return /^(?:true|false|null|-?\d.*)$/.test(plain) ? (jsonOf(plain) ?? text) : text
}
