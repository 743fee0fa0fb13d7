import { essenceOf, isJsonType, type JsonObject } from '@contract-first/document'
import { type Code, type Literal, literal, pureCall, typeIndex } from './code.ts'
import type { Field } from './form-fields.ts'
import { isStreamed, type Media } from './media.ts'
import type { Content, Operation } from './normalise.ts'

const json = 'application/json'

/** The media type in which the client sends a body: JSON if declared, otherwise the first one; undefined if all are ranges. */
export const sentMedia = ({ schema, media = [] }: Content): Media | undefined => {
  if (schema !== undefined) return { type: json, kind: 'json', schema }
  const named = media.filter(({ type, kind }) => kind === 'stream' || !type.includes('*'))
  return named.find(({ kind }) => kind === 'json') ?? named[0]
}

/** The function with which the client writes a body in this media type; JSON needs none. */
export const encoderOf = ({ type, kind, fields, others }: Media): Code | undefined => {
  if (type === json) return undefined
  const name = JSON.stringify(type)
  if (kind === 'form' || kind === 'multipart') {
    const named = Object.entries(fields ?? {}).map(([each, field]): [string, Literal] => [each, sent(field)])
    const given = [...(fields || others ? [Object.fromEntries(named)] : []), ...(others ? [sent(others)] : [])]
    // As an object, a field called valueOf would have the type of the inherited method.
    return pureCall(`bodies.${kind}(${given.map(each => `${literal(each)} as const`).join(', ')})`)
  }
  return pureCall(`bodies.${kind === 'stream' ? 'bytes' : kind}(${type.includes('*') ? '' : name})`)
}

const sent = ({ file, json, style, explode, types }: Field): Literal => ({
  ...{ file, json, style, explode },
  type: types?.find(each => !each.includes('*'))
})

/** The type of the input; `content` is that of all declared media types, by name. */
export const bodyType = ({ type, kind, fields = {}, others }: Media, content: string): string => {
  if (kind === 'stream') return 'bodies.Bytes'
  const body = `${content}[${JSON.stringify(type)}]`
  const files = Object.entries(fields).flatMap(([name, { file }]) => (file ? [typeIndex(name)] : []))
  if (files.length === 0 && !others?.file) return body
  return `bodies.Form<${[body, files.join(' | ') || 'never', ...(others?.file ? ['true'] : [])].join(', ')}>`
}

/** The media types of a response that the client reads: those in JSON, if there are any. */
export const receivedMedia = ({ schema, media }: Content): readonly Media[] => {
  if (schema !== undefined) return [{ type: json, kind: 'json', schema }]
  const inJson = media?.filter(({ type }) => isJsonType(type)) ?? []
  return inJson.length > 0 ? inJson : (media ?? [])
}

/** The schema of a response, if it is JSON. */
export const receivedSchema = (response: Content): JsonObject | undefined => {
  const schemas = receivedMedia(response).flatMap(({ kind, schema = {} }) => (kind === 'json' ? [schema] : []))
  return schemas.length > 1 ? { anyOf: schemas } : schemas[0]
}

/** The function with which the client decides what a body becomes; JSON needs none. */
export const kindsOf = (response: Content): Code | undefined => {
  const all = receivedMedia(response).map(({ type, kind }): [string, Literal] => [
    essenceOf(type),
    kind === 'stream' ? (isStreamed(type) ? 'body' : 'blob') : kind
  ])
  if (all.length === 0 || (all.length === 1 && all[0]?.[0] === json)) return undefined
  return pureCall(`bodies.kinds(${literal(Object.fromEntries(all))})`)
}

/** The `Accept` header, needed if responses have media types that the client does not read. */
export const acceptOf = ({ responses }: Operation): string | undefined => {
  const all = responses.flatMap(receivedMedia).map(({ type }) => type)
  const isChoice = responses.some(each => (each.media?.length ?? 0) > receivedMedia(each).length)
  return isChoice ? [...new Set(all)].join(', ') : undefined
}
