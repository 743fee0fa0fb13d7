import { canonical, queryTexts, sentAs, serializationOf, textOf } from '@contract-first/check/internals'
import { essenceOf, isJsonType, isObject, type Json, jsonText, type Node } from '@contract-first/document'

/** A body as it is sent. */
export interface BodyText {
  contentType: string
  text: string
  /** What the handler gets. */
  value: Json
  /** Whether only the schema tells numbers, booleans and lists from texts. */
  isForm?: true
}

/** A body in a media type, with its Media Type Object; undefined if the type cannot express the value. */
export const bodyText = (mediaType: string, value: Json, media: Node): BodyText | undefined => {
  const type = essenceOf(mediaType)
  if (type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data') {
    if (!isObject(value) || !isExpressible(value)) return undefined
    return type === 'multipart/form-data' ? multipart(value, media) : urlencoded(value, media)
  }
  const contentType = sentAs(mediaType, media)
  if (isJsonType(contentType)) return { contentType, text: jsonText(value), value }
  // Whatever its schema, the service receives a text.
  const text = typeof value === 'string' ? value : contentType === 'application/octet-stream' ? textOf(value) : '<any/>'
  return { contentType, text, value: text }
}

/** Whether a form can express a value: nothing in it is null or empty, and no name has brackets. */
export const isExpressible = (value: Json): boolean => canonical(expressible(value)) === canonical(value)

/** The value without what a form cannot express. */
export const expressible = (value: Json): Json => {
  if (typeof value !== 'object' || value === null) return value
  const isThere = (each: Json) => typeof each !== 'object' || (each !== null && Object.keys(each).length > 0)
  if (Array.isArray(value)) return value.map(expressible).filter(isThere)
  const kept = Object.entries(value).map(([name, each]) => [name, expressible(each)] as const)
  return Object.fromEntries(kept.filter(([name, each]) => !/[[\]"]/.test(name) && isThere(each)))
}

const isStructure = (value: Json): boolean =>
  isObject(value) || (Array.isArray(value) && value.some(each => typeof each === 'object'))

const urlencoded = (value: { [name: string]: Json }, media: Node): BodyText => {
  const pairs = Object.entries(value).flatMap(([name, each]) => {
    const encoding = media.get('encoding')?.get(name)
    const isStyled = encoding?.get('style') !== undefined || encoding?.get('explode') !== undefined
    return queryTexts({ name, ...serializationOf(encoding, 'query'), isJson: !isStyled && isStructure(each) }, each)
  })
  return { contentType: 'application/x-www-form-urlencoded', text: pairs.join('&'), value, isForm: true }
}

const boundary = 'the-boundary-of-parts'

const multipart = (value: { [name: string]: Json }, media: Node): BodyText => {
  const partOf = (name: string, each: Json) => {
    const [own] = String(media.get('encoding')?.get(name)?.get('contentType')?.value ?? '').split(/[,;]/)
    const isJson = typeof each === 'object'
    const type = own?.trim().replace('*/*', '').replace('/*', '/plain') || (isJson ? 'application/json' : undefined)
    return [
      `--${boundary}`,
      `Content-Disposition: form-data; name="${name}"`,
      ...(type === undefined ? [] : [`Content-Type: ${type}`]),
      '',
      isJson ? jsonText(each) : textOf(each)
    ]
  }
  const parts = Object.entries(value).flatMap(([name, each]) =>
    Array.isArray(each) && !isStructure(each) ? each.flatMap(item => partOf(name, item)) : partOf(name, each)
  )
  const text = [...parts, `--${boundary}--`, ''].join('\r\n')
  return { contentType: `multipart/form-data; boundary=${boundary}`, text, value, isForm: true }
}
