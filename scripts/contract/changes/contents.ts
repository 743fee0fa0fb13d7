import type { OpenApiDocument } from '../../document/document.ts'
import type { Node } from '../../document/node.ts'
import { entriesAt, isSet, textAt } from './attributes.ts'
import { compareLifecycles } from './lifecycle.ts'
import { covering, covers, type MediaType, mediaTypeOf, textOf } from './media-types.ts'
import { comparePresence, type Part } from './presence.ts'
import { compareSerializations } from './serialization.ts'
import type { Site } from './site.ts'

interface Content {
  media: MediaType
  node: Node
}

/** Compares media types: the receiver must support each one that is sent, and its content. */
export const compareContents = (site: Site, before: Node, after: Node) => {
  const [earlier, later] = [contentsOf(before), contentsOf(after)]
  const { sent, expected } = site.roles(earlier, later)
  for (const each of sent) {
    const match = covering(expected, each.media)
    if (match === undefined) reportUnexpected(site, each)
    else {
      const { before: was, after: is } = site.sides(each, match)
      compareContent(siteOf(site, each.media), was, is)
    }
  }
  for (const each of expected) {
    if (!sent.some(({ media }) => covers(each.media, media) || covers(media, each.media))) reportUnsent(site, each)
  }
}

export const contentsOf = (content: Node): Content[] =>
  content.entries().map(([text, node]) => ({ media: mediaTypeOf(text), node }))

const siteOf = (site: Site, media: MediaType) =>
  textOf(media) === 'application/json' ? site : site.named(`${site.place} (${textOf(media)})`)

const reportUnexpected = (site: Site, { media, node }: Content) => {
  const text = textOf(media)
  if (site.direction === 'request') {
    const message = `Clients send ${text}, which is no longer accepted.`
    site.report('request-media-type-removed', { before: node, was: text, message })
  } else {
    const message = `${text} may now be sent, which clients do not expect.`
    site.report('response-media-type-added', { after: node, is: text, message })
  }
}

const reportUnsent = (site: Site, { media, node }: Content) => {
  const text = textOf(media)
  if (site.direction === 'request') {
    site.report('request-media-type-added', { after: node, is: text, message: `${text} is now accepted.` })
  } else {
    const message = `Clients that ask for ${text} no longer get it.`
    site.report('response-media-type-removed', { before: node, was: text, message })
  }
}

const compareContent = (site: Site, before: Content, after: Content) => {
  site.compareSchemas(before.node.get('schema'), after.node.get('schema'), { before: before.node, after: after.node })
  const { type, subtype } = before.media
  if (type !== 'multipart' && subtype !== 'x-www-form-urlencoded') return
  const names = [before, after].flatMap(({ node }) => entriesAt(node, 'encoding').map(([name]) => name))
  for (const name of new Set(names)) {
    const [was, is] = [before, after].map(({ node }) => node.get('encoding')?.get(name))
    compareEncoding(
      site.part(`field ${name}`),
      { content: before, name, node: was },
      { content: after, name, node: is }
    )
  }
}

/** How a form field is encoded; without a node, the default for its type. */
interface Encoding {
  content: Content
  name: string
  node: Node | undefined
}

const compareEncoding = (site: Site, before: Encoding, after: Encoding) => {
  compareFieldTypes(site, before, after)
  const { comparison } = site
  // OpenAPI 3.0 ignores styles in multipart bodies.
  const hasStyle = before.content.media.type !== 'multipart' || comparison.before.version === '3.1'
  const schemaOf = (document: OpenApiDocument, { content, name }: Encoding) => {
    const schema = content.node.get('schema')
    return schema && document.resolve(schema).get('properties')?.get(name)
  }
  const [left, right] = [
    { node: before.node, schema: schemaOf(comparison.before, before) },
    { node: after.node, schema: schemaOf(comparison.after, after) }
  ]
  if (hasStyle) compareSerializations(site, 'encoding', 'query', left, right)
  if (before.node !== undefined && after.node !== undefined)
    compareHeaders(site, entriesAt(before.node, 'headers'), entriesAt(after.node, 'headers'))
}

const compareFieldTypes = (site: Site, { node: before }: Encoding, { node: after }: Encoding) => {
  const [was, is] = [textAt(before, 'contentType'), textAt(after, 'contentType')]
  if (was === is) return
  const change = { before, after, was, is }
  if (was === undefined || is === undefined) {
    const message = 'It is unknown whether its schema implies this media type.'
    site.report(`${site.direction}-encoding-type-unclear`, { ...change, message })
    return
  }
  const mediaOf = (list: string) => list.split(',').map(text => ({ media: mediaTypeOf(text) }))
  const { sent, expected } = site.roles(mediaOf(was), mediaOf(is))
  if (sent.every(({ media }) => covering(expected, media) !== undefined)) return
  site.report(`${site.direction}-encoding-type-changed`, { ...change, message: `It was ${was} and is now ${is}.` })
}

/** A parameter or a header: a named value, serialized as text. */
export interface Field extends Part {
  kind: 'parameter' | 'header'
  name: string
  location: string
  reference: Node
}

export const compareField = (site: Site, before: Field | undefined, after: Field | undefined) => {
  const { location, kind } = (before ?? after) as Field
  // A path parameter is always sent, even if it is not declared.
  if (location !== 'path') comparePresence(site, kind, before, after)
  if (after !== undefined) compareLifecycles(site, before?.node, after.node)
  if (before !== undefined && after !== undefined) compareValues(site, before, after)
}

const compareValues = (site: Site, before: Field, after: Field) => {
  const { kind, location } = before
  const [was, is] = [before, after].map(({ node }) => node.get('content'))
  if (was !== undefined && is !== undefined) {
    compareContents(site, was, is)
    return
  }
  if (was !== undefined || is !== undefined) {
    const describe = (content: Node | undefined) => content?.entries()[0]?.[0] ?? 'text'
    site.report(`${site.direction}-${kind}-serialization-changed`, {
      before: before.node,
      after: after.node,
      was: describe(was),
      is: describe(is),
      message: `It was serialized as ${describe(was)}, and is now as ${describe(is)}.`
    })
    return
  }
  const [left, right] = [schemaOf(before), schemaOf(after)]
  compareSerializations(site, kind, location, left, right)
  site.compareSchemas(left.schema, right.schema, { before: before.node, after: after.node }, true)
}

const schemaOf = ({ node }: Field) => ({ node, schema: node.get('schema') })

type Headers = readonly (readonly [name: string, reference: Node])[]

/** Compares the headers of a response or of a part of a multipart body. */
export const compareHeaders = (site: Site, before: Headers, after: Headers) => {
  const earlier = fieldsOf(site.comparison.before, before)
  const later = fieldsOf(site.comparison.after, after)
  for (const key of new Set([...earlier.keys(), ...later.keys()])) {
    const [was, is] = [earlier.get(key), later.get(key)]
    compareField(site.part(`header ${(is ?? was)?.name}`, was?.reference, is?.reference), was, is)
  }
}

/** By lower-case name, without `Content-Type`, which OpenAPI ignores here (3.1.1, 4.8.17). */
const fieldsOf = (document: OpenApiDocument, headers: Headers): Map<string, Field> =>
  new Map(
    headers.flatMap(([name, reference]): [string, Field][] => {
      const key = name.toLowerCase()
      const node = document.resolve(reference)
      const field: Field = {
        kind: 'header',
        name,
        location: 'header',
        node,
        reference,
        required: isSet(node, 'required')
      }
      return key === 'content-type' ? [] : [[key, field]]
    })
  )
