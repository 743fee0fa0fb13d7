import { isJsonType, type Json, type JsonObject, type OpenApiDocument } from '@contract-first/document'
import { serializationOf } from '../attributes.ts'
import type { Impact, Part } from '../changes/impact.ts'
import { covers, type MediaType, mediaTypeOf, textOf } from '../changes/media-types.ts'
import { shapesOf } from '../changes/serialization.ts'
import { jsonOf } from '../operations/parameters.ts'
import type { LoggedRequest } from './logged-request.ts'
import type { Match } from './router.ts'

type Documents = Record<'before' | 'after', OpenApiDocument>

/** Whether a request would have been broken; undefined if the log does not show what decides it. */
export type Judge = (request: SentRequest) => boolean | undefined

/** A request to an operation, with its parts decoded when they are first needed. */
export class SentRequest {
  readonly logged: LoggedRequest
  readonly #match: Match
  #pairs: readonly Pair[] | undefined

  constructor(logged: LoggedRequest, match: Match) {
    this.logged = logged
    this.#match = match
  }

  /** What is sent in this place, by name; undefined if the log does not tell. */
  sentIn(location: string): readonly Pair[] | undefined {
    const { isTemplate, query, headers } = this.logged
    if (location === 'query') {
      this.#pairs ??= query === undefined ? undefined : pairsIn(query)
      return this.#pairs
    }
    if (location === 'path' && !isTemplate) {
      const { names, texts } = this.#match
      return texts.map((raw, index) => ({ name: names[index] ?? '', raw, text: decoded(raw) }))
    }
    // Programs that write HAR files leave cookies out.
    return location === 'header' ? headers && [...headers].map(([name, raw]) => ({ name, raw, text: raw })) : undefined
  }
}

interface Pair {
  name: string
  text: string
  /** As it was sent. */
  raw: string
}

const pairsIn = (query: string): Pair[] =>
  query
    .split('&')
    .filter(each => each !== '')
    .map(each => {
      const at = each.indexOf('=')
      const [name, raw] = at === -1 ? [each, ''] : [each.slice(0, at), each.slice(at + 1)]
      return { name: decoded(name.replaceAll('+', ' ')), raw, text: decoded(raw.replaceAll('+', ' ')) }
    })

const decoded = (text: string): string => {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Judges requests by the rule of a finding and what it is about. */
export const judgeOf = (rule: string, impact: Impact, documents: Documents): Judge => {
  if (rule.startsWith('operation-')) return () => true
  const { parameter, isBody, rejects } = impact
  if (parameter !== undefined) return parameterJudge(rule, parameter, rejects, documents)
  return isBody ? bodyJudge(rule, impact) : () => undefined
}

const whenMissing = /-(?:added-required|became-required|default-changed|default-removed)$/
const whenSent = /-(?:removed|moved)$/

const parameterJudge = (
  rule: string,
  { before, after }: NonNullable<Part['parameter']>,
  rejects: Impact['rejects'],
  documents: Documents
): Judge => {
  // Clients send what they were told before.
  const parameter = before ?? after
  if (parameter === undefined) return () => undefined
  const { location } = parameter
  const document = before === undefined ? documents.after : documents.before
  const { style, explode } = serializationOf(parameter.node, location)
  const isObject = [...shapesOf(document, parameter.node.get('schema'))].join() === 'object'
  // Any parameter may be one of its properties.
  const isSpread = location === 'query' && (style === 'deepObject' || (isObject && explode))
  const isRead = (!isObject || explode) && (style === 'simple' || style === 'form' || style.endsWith('Delimited'))
  const key = location === 'header' ? parameter.name.toLowerCase() : parameter.name
  const [media] = parameter.node.get('content')?.entries()[0] ?? []
  return request => {
    const all = request.sentIn(location)
    if (all === undefined || (isSpread && all.length > 0)) return undefined
    const pairs = all.filter(({ name }) => name === key)
    if (whenMissing.test(rule)) return pairs.length === 0
    if (pairs.length === 0) return location === 'path' ? undefined : false
    if (whenSent.test(rule)) return true
    if (rule.endsWith('-empty-refused')) return pairs.some(({ text }) => text === '')
    if (rule.endsWith('-reserved-refused')) return pairs.some(({ raw }) => /[:/?#[\]@!$'()*+,;]/.test(raw))
    if (!isRead || areMany(pairs) || !isJsonType(media ?? 'application/json')) return undefined
    const [text = '', ...more] = pairs.map(each => each.text)
    const value = media === undefined ? (more.length === 0 ? text : [text, ...more]) : jsonOf(text)
    return value === undefined ? undefined : rejects?.(value)
  }
}

/** Texts without types have many readings, which take too long if there are so many of them. */
const areMany = (pairs: readonly Pair[]) =>
  pairs.length > maxTexts || pairs.some(({ text }) => text.split(/[,| ]/, maxTexts + 1).length > maxTexts)

const maxTexts = 200

/** A name that occurs several times has a list. */
const textsByName = (entries: readonly (readonly [name: string, text: string])[]): JsonObject =>
  Object.fromEntries(
    [...Map.groupBy(entries, ([name]) => name)].map(([name, [first, ...more]]) => {
      return [name, more.length === 0 ? (first?.[1] ?? '') : [first, ...more].map(each => each?.[1] ?? '')]
    })
  )

const bodyJudge =
  (rule: string, { media, rejects }: Impact): Judge =>
  ({ logged: { body } }) => {
    if (body === undefined) return undefined
    if (/-(?:added|became)-required$/.test(rule) && media === undefined) return body === 'none'
    if (body === 'none') return false
    if (rule === 'request-body-removed') return true
    if (body.type === '') return undefined
    const sent = mediaTypeOf(body.type)
    if (media !== undefined && !covers(bare(media), bare(sent))) return false
    // A range may be left whose clients send what another entry covers.
    if (rule === 'request-media-type-removed')
      return media !== undefined && textOf(bare(media)) === textOf(bare(sent)) ? true : undefined
    const value = body.text === undefined ? undefined : contentOf(body.type, body.text)
    return value === undefined ? undefined : rejects?.(value)
  }

/** Without parameters, such as a charset, which senders handle loosely. */
const bare = (media: MediaType): MediaType => ({ ...media, parameters: new Set(), charset: undefined })

const contentOf = (type: string, text: string): Json | undefined => {
  if (isJsonType(type)) return jsonOf(text)
  const { type: group, subtype } = mediaTypeOf(type)
  if (subtype === 'x-www-form-urlencoded') {
    const pairs = pairsIn(text)
    return areMany(pairs) ? undefined : textsByName(pairs.map(each => [each.name, each.text]))
  }
  return group === 'text' && subtype === 'plain' ? text : undefined
}
