import { isJsonType, type Node, type OpenApiDocument } from '@contract-first/document'
import { entriesAt, isSet, textAt } from '../attributes.ts'
import { nameInPlace } from '../schema/schema.ts'
import type { Lists, Wire } from '../schema/texts.ts'
import { compareLifecycles } from './lifecycle.ts'
import { covering, covers, coversRecoded, type MediaType, mediaTypeOf, textOf } from './media-types.ts'
import { comparePresence, type Part } from './presence.ts'
import { partsOf } from './properties.ts'
import type { Serialized } from './serialization.ts'
import { areAll, compareReserved, compareSerializations, listsOf, reserialized, shapesOf } from './serialization.ts'
import type { Site } from './site.ts'

interface Content {
  media: MediaType
  node: Node
}

/** The receiver must support each media type that is sent; if it asks for them (`hasAccept`), one of them is enough. */
export const compareContents = (site: Site, before: Node | undefined, after: Node | undefined, hasAccept = false) => {
  if (before === undefined || after === undefined) return
  const [earlier, later] = [contentsOf(before), contentsOf(after)]
  const { sent, expected } = site.inDirection(earlier, later)
  const { strict } = site.comparison.options
  const matches = new Map(sent.map(each => [each, covering(expected, each.media) ?? recoded(site, each, expected)]))
  const known = new Set(matches.values())
  // In requests, a range that covers more than what is sent is reported as well: the server accepts more than before.
  const isSent = (other: Content) =>
    sent.some(({ media }) => covers(media, other.media)) || (site.direction === 'response' && known.has(other))
  const unsent = expected.filter(each => !isSent(each))
  // Clients still get the media type they ask for; if it was removed, that is reported by itself.
  const isOffered = hasAccept && !strict && (unsent.length > 0 || known.size > Number(known.has(undefined)))
  const isRequest = site.direction === 'request'
  const offered = isOffered ? 'response-media-type-offered' : 'response-media-type-added'
  for (const [each, match] of matches) {
    if (match === undefined)
      reportMediaType(site.about({ media: each.media }), isRequest ? 'request-media-type-removed' : offered, each)
    else if (site.direction === 'response') compareCharsets(site, match, each)
    // A range that is sent may include media types for which the receiver has entries of their own.
    const within = expected.filter(({ media }) => covers(each.media, media) && covering(sent, media) === each)
    for (const other of new Set([...(match === undefined ? [] : [match]), ...within])) {
      const { before: was, after: is } = site.sides(each, other)
      const media = other === match ? each.media : other.media
      compareContent(siteOf(site, media).about({ media }), was, is)
    }
  }
  for (const each of unsent)
    reportMediaType(site, isRequest ? 'request-media-type-added' : 'response-media-type-removed', each)
}

/** The text of a response that is the same but for its charset. JSON has none (RFC 8259, 11), and XML names its own. */
const recoded = ({ direction }: Site, { media }: Content, expected: readonly Content[]): Content | undefined =>
  direction === 'response' && media.type === 'text'
    ? expected.find(each => coversRecoded(each.media, media))
    : undefined

const compareCharsets = (site: Site, before: Content, after: Content) => {
  const [was, is] = [before, after].map(({ media }) => media.charset)
  if (before.media.type !== 'text' || after.media.type !== 'text' || was === is) return
  const change = { before: before.node, after: after.node, was, is }
  const report = (rule: 'removed' | 'added' | 'changed', what: string) =>
    site.report(`response-charset-${rule}`, { ...change, message: `charset=${what}.` })
  // Without one, ASCII is meant by RFC 2046, UTF-8 by browsers, and Latin 1 by others.
  if (was === 'utf-8' && is === undefined) report('removed', 'utf-8 was removed: some clients may assume another one')
  else if (was === undefined && is === 'utf-8') report('added', 'utf-8 was added')
  else report('changed', `${was ?? 'utf-8'} became charset=${is ?? 'utf-8'}: clients may decode it as before`)
}

export const contentsOf = (content: Node): Content[] =>
  content.entries().map(([text, node]) => ({ media: mediaTypeOf(text), node }))

const siteOf = (site: Site, media: MediaType) =>
  textOf(media) === 'application/json' ? site : site.named(`${site.place} (${textOf(media)})`)

const mediaTypeChanges = {
  'request-media-type-added': 'is now accepted',
  'request-media-type-removed': 'is no longer accepted',
  'response-media-type-added': 'may now be sent',
  'response-media-type-offered': 'is now sent to clients that ask for it',
  'response-media-type-removed': 'is no longer sent'
}

const reportMediaType = (site: Site, rule: keyof typeof mediaTypeChanges, { media, node }: Content) => {
  const text = textOf(media)
  const side = rule.endsWith('-removed') ? { before: node, was: text } : { after: node, is: text }
  site.report(rule, { ...side, message: `${text} ${mediaTypeChanges[rule]}.` })
}

const compareContent = (site: Site, before: Content, after: Content) => {
  if (site.isUnreadable(before.node, after.node)) return
  const { type, subtype } = before.media
  const isForm = type === 'multipart' || subtype === 'x-www-form-urlencoded'
  const [was, is] = [before, after].map(({ node }) => node.get('schema'))
  const holders = { before: before.node, after: after.node }
  const wire = isForm ? fieldsIn(site, before, after) : wireOf(before.media)
  const { comparison } = site
  const typed = [was && comparison.before.resolve(was), is && comparison.after.resolve(is)]
  // Raw bytes can only be described as a string.
  const isData = wire === 'bytes' && typed.some(each => (textAt(each, 'type') ?? 'string') !== 'string')
  const implied = isForm ? 'object' : type === 'text' ? 'string' : undefined
  site.compareSchemas(was, is, holders, isData ? 'data' : wire, implied)
  const items = [before, after].map(({ node }) => node.get('itemSchema'))
  site.named(`${site.place} item`).compareSchemas(items[0], items[1], holders, isForm ? wire : 'data')
  if (!isForm) return
  const names = [before, after].flatMap(({ node }) => entriesAt(node, 'encoding').map(([name]) => name))
  const later = ownTypesIn(comparison.after, is)
  const typedInBoth = ownTypesIn(comparison.before, was).filter(name => later.includes(name))
  for (const name of new Set([...names, ...typedInBoth]))
    compareEncoding(site.part(`field ${nameInPlace(name)}`), name, before, after)
}

const ownTypesIn = (document: OpenApiDocument, schema: Node | undefined) => {
  const steps = [...(schema ? partsOf(document, schema).steps : [])]
  const isOwn = (field: Node) => !usual.has(impliedType(document, field))
  return steps.flatMap(([step, parts]) => (step.startsWith('.') && parts.some(isOwn) ? [step.slice(1)] : []))
}

const wireOf = ({ type, subtype }: MediaType): Wire => {
  if (type === 'text' && subtype === 'plain') return 'text'
  // XML and CSV do not show the type of a value.
  if (/(?:^|[+])(?:xml|csv)$/.test(subtype)) return 'elements'
  return type === 'text' || /(?:^|[+])(?:json|yaml)$/.test(subtype) ? 'data' : 'bytes'
}

/** OpenAPI 3.0 ignores styles in multipart bodies. */
const hasStyles = ({ comparison }: Site, { media }: Content) =>
  media.type !== 'multipart' || comparison.before.version === '3.1'

/** The fields that are written in a style, or as JSON whatever their type. */
const fieldsIn = (site: Site, before: Content, after: Content) => {
  const { sent, expected } = site.inDirection(before, after)
  const names = [sent, expected].flatMap(({ node }) => entriesAt(node, 'encoding').map(([name]) => name))
  return new Map(
    names.flatMap((name): [string, Lists | 'json'][] => {
      const [from, to] = [sent, expected].map(({ node }) => node.get('encoding')?.get(name))
      const isStyled = ['style', 'explode', 'allowReserved'].some(key => (from?.get(key) ?? to?.get(key)) !== undefined)
      if (isStyled && hasStyles(site, before)) return [[name, listsOf(from, to, 'query')]]
      const types = textAt(to, 'contentType')?.split(',') ?? []
      return types.length > 0 && types.every(isJsonType) ? [[name, 'json']] : []
    })
  )
}

const compareEncoding = (site: Site, name: string, before: Content, after: Content) => {
  const { comparison } = site
  // Without an encoding, a field has the default for its type.
  const fieldOf = (document: OpenApiDocument, { node }: Content): Serialized => {
    const schema = node.get('schema')
    const steps = schema && partsOf(document, schema).steps
    const field = (steps?.get(`.${name}`) ?? steps?.get('{}'))?.find(({ value }) => value !== false)
    return { node: node.get('encoding')?.get(name), schema: field }
  }
  const [left, right] = [fieldOf(comparison.before, before), fieldOf(comparison.after, after)]
  // An added or removed field is reported elsewhere, and a field without a schema on either side is not sent.
  if (left.schema === undefined || right.schema === undefined) return
  compareFieldTypes(site, left, right)
  if (hasStyles(site, before)) compareSerializations(site, 'encoding', 'query', left, right)
  if (before.media.type === 'multipart')
    compareHeaders(site, entriesAt(left.node, 'headers'), entriesAt(right.node, 'headers'))
  else compareReserved(site, 'encoding', left, right)
}

const compareFieldTypes = (site: Site, left: Serialized, right: Serialized) => {
  const { comparison } = site
  const [before, after] = [left.node, right.node]
  const [said, says] = [textAt(before, 'contentType'), textAt(after, 'contentType')]
  const was = said ?? impliedType(comparison.before, left.schema)
  const is = says ?? impliedType(comparison.after, right.schema)
  const isImplied = said === undefined && says === undefined
  if (was === is || (isImplied && [was, is].some(each => usual.has(each)))) return
  // Bytes without a type may have any.
  if (site.inDirection(said, says).expected === undefined && site.inDirection(was, is).expected === bytes) return
  const change = { before, after, was, is }
  if (was === undefined || is === undefined) {
    const message = 'It may have another media type than before.'
    return site.report(`${site.direction}-encoding-type-unclear`, { ...change, message })
  }
  const mediaOf = (list: string) => list.split(',').map(text => ({ media: mediaTypeOf(text) }))
  const { sent, expected } = site.inDirection(mediaOf(was), mediaOf(is))
  if (sent.every(({ media }) => covering(expected, media) !== undefined)) return
  site.report(`${site.direction}-encoding-type-changed`, { ...change, message: `It was ${was} and is now ${is}.` })
}

const bytes = 'application/octet-stream'
const usual: ReadonlySet<string | undefined> = new Set(['text/plain', 'application/json', bytes, undefined])

/** The media type of a field that its schema implies (OpenAPI 3.1.1, 4.8.15); undefined if it implies several or none. */
const impliedType = (document: OpenApiDocument, field: Node | undefined, above: Node[] = []): string | undefined => {
  const schema = field && document.resolve(field)
  const [shape, ...others] = shapesOf(document, schema)
  if (schema === undefined || others.length > 0 || above.includes(schema)) return undefined
  if (shape === 'array' || shape === 'single') return impliedType(document, schema.get('items'), [...above, schema])
  if (shape === 'object') return 'application/json'
  const isEncoded = schema.get('format')?.value === 'binary' || schema.get('contentEncoding') !== undefined
  return textAt(schema, 'contentMediaType') ?? (isEncoded ? bytes : 'text/plain')
}

/** A parameter or a header: a named value, serialized as text. */
export interface Field extends Part {
  kind: 'parameter' | 'header'
  name: string
  location: string
  reference: Node
}

export const compareField = (site: Site, before: Field | undefined, after: Field | undefined, cover?: string) => {
  const { location, kind } = (before ?? after) as Field
  // A path parameter is always sent, even if it is not declared.
  if (location !== 'path') comparePresence(site, kind, before, after, cover)
  if (after !== undefined) compareLifecycles(site, before?.node, after.node)
  if (before !== undefined && after !== undefined) compareValues(site, before, after)
  else if (location === 'path' && after !== undefined && site.direction === 'request') {
    // The path had this parameter already, undeclared: clients could put any text there.
    const anyText = after.node.withValue({ type: 'string' })
    const lists = listsOf(after.node, after.node, location)
    site.compareSchemas(anyText, after.node.get('schema'), { before: after.node, after: after.node }, lists)
  }
}

const compareValues = (site: Site, before: Field, after: Field) => {
  const { kind, location } = before
  const { comparison } = site
  const left = writtenIn(comparison.before, before, after)
  const right = writtenIn(comparison.after, after, before)
  const [was, is] = [left.content, right.content]
  if (was !== undefined && is !== undefined) return compareContents(site, was, is)
  if (was !== undefined || is !== undefined) {
    const [form, now] = [was, is].map(content => content?.entries()[0]?.[0] ?? 'text')
    const change = { before: before.node, after: after.node, was: form, is: now, message: reserialized(form, now) }
    return site.report(`${site.direction}-${kind}-serialization-changed`, change)
  }
  compareSerializations(site, kind, location, left, right)
  const { sent, expected } = site.inDirection(left.node, right.node)
  const lists = listsOf(sent, expected, location)
  const isDeep = [before, after].every(({ node }) => textAt(node, 'style') === 'deepObject')
  const holders = { before: before.node, after: after.node }
  site.compareSchemas(left.schema, right.schema, holders, lists, isDeep ? 'object' : undefined)
}

/** A single value is written alike as `text/plain` and in a style; so are booleans and numbers in JSON. */
const writtenIn = (document: OpenApiDocument, { node }: Field, other: Field) => {
  const content = node.get('content')
  const schemaOf = (media: string) => content?.get(media)?.get('schema')
  const [plain, json] = [schemaOf('text/plain'), schemaOf('application/json')]
  if (areAll('primitive', document, plain)) return { node, schema: plain, content: undefined }
  const type = other.node.get('content') === undefined ? textAt(json && document.resolve(json), 'type') : undefined
  if (/^(?:boolean|integer|number)$/.test(type ?? '')) return { node, schema: json, content: undefined }
  return { node, schema: node.get('schema'), content }
}

type Headers = [name: string, reference: Node][]

/** Compares the headers of a response, which `cover` may have had before, or of a part of a multipart body. */
export const compareHeaders = (site: Site, before: Headers, after: Headers, cover?: string) => {
  const earlier = fieldsOf(site.comparison.before, before)
  const later = fieldsOf(site.comparison.after, after)
  for (const key of new Set([...earlier.keys(), ...later.keys()])) {
    const [was, is] = [earlier.get(key), later.get(key)]
    const at = site.part(`header ${(is ?? was)?.name}`, was?.reference, is?.reference)
    if (!at.isUnreadable(was?.reference, is?.reference)) compareField(at, was, is, cover)
  }
}

/** By lower-case name, without `Content-Type`, which OpenAPI ignores here (3.1.1, 4.8.17). */
const fieldsOf = (document: OpenApiDocument, headers: Headers): Map<string, Field> => {
  const fieldOf = (name: string, reference: Node): Field => {
    const node = document.resolve(reference)
    return { kind: 'header', location: 'header', node, required: isSet(node, 'required'), name, reference }
  }
  const all = headers.map(([name, reference]) => [name.toLowerCase(), fieldOf(name, reference)] as const)
  return new Map(all.filter(([name]) => name !== 'content-type'))
}
