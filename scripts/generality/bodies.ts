import { essenceOf, isJsonType } from '../contract/routes/operations.ts'
import { textOf } from '../contract/routes/parameters.ts'
import { isObject, type Json, jsonText } from '../document/json.ts'

/** The text of a body in a media type; undefined if the type cannot express the value. */
export const bodyText = (mediaType: string, value: Json): string | undefined => {
  const type = essenceOf(mediaType)
  if (isJsonType(type) || type === '*/*' || type === 'application/*') return jsonText(value)
  if (type === 'application/x-www-form-urlencoded') {
    if (!isObject(value) || Object.values(value).some(each => typeof each === 'object')) return undefined
    return String(new URLSearchParams(Object.entries(value).map(([name, each]) => [name, textOf(each)])))
  }
  return typeof value === 'string' ? value : undefined
}

/** The media type to name in a request or response: a range stands for JSON. */
export const namedType = (mediaType: string): string =>
  mediaType === '*/*' || mediaType === 'application/*' ? 'application/json' : mediaType.replace('/*', '/plain')
