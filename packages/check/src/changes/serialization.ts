import type { Json, Node, OpenApiDocument } from '@contract-first/document'
import { isSet, type Serialization, serializationOf } from '../attributes.ts'
import type { Lists } from '../schema/texts.ts'
import type { Site } from './site.ts'

/** A single value is written like a list of one. */
const familyOf = ({ style }: Serialization) => style.replace(/^(?:(?:pipe|space)Delimited|cookie)$/, 'form')

const commas = { simple: ',', label: ',', matrix: ',', form: ',', cookie: ',' }
const delimiters: Record<string, string> = { ...commas, pipeDelimited: '|', spaceDelimited: ' ' }
const explodedDelimiters: Record<string, string> = { simple: ',', label: '.', cookie: ';' }

const delimiterOf = ({ style, explode }: Serialization) => (explode ? explodedDelimiters : delimiters)[style]

export const listsOf = (sent: Node | undefined, received: Node | undefined, location: string): Lists => ({
  sent: delimiterOf(serializationOf(sent, location)),
  received: delimiterOf(serializationOf(received, location)),
  ...(location === 'path' && { isNeverEmpty: true })
})

const objectForm = ({ style, explode }: Serialization) =>
  explode && style !== 'deepObject' ? `${style}, exploded` : style

/** The schema of a value, and the parameter, header or encoding that declares its serialization. */
export interface Serialized {
  node: Node | undefined
  schema: Node | undefined
}

/** Reports a serialization that keeps the receiver from reading a value as the sender wrote it. */
export const compareSerializations = (
  site: Site,
  subject: 'parameter' | 'header' | 'encoding',
  location: string,
  before: Serialized,
  after: Serialized
) => {
  const [left, right] = [serializationOf(before.node, location), serializationOf(after.node, location)]
  const [was, is] = [left, right].map(({ style, explode }) => `style ${style}, explode ${explode}`)
  if (was === is) return
  const { comparison, direction } = site
  const [earlier, later] = [shapesOf(comparison.before, before.schema), shapesOf(comparison.after, after.schema)]
  const { sent: shapes, expected } = site.inDirection(earlier, later)
  const isSameFamily = familyOf(left) === familyOf(right)
  // A change of shape is reported as a change of type, unless both are texts.
  const isOtherText = !isSameFamily && [...expected].some(shape => shape !== 'object')
  const isOther: Record<Shape, boolean> = {
    primitive: isOtherText,
    single: isOtherText,
    array: isOtherText || (expected.has('array') && delimiterOf(left) !== delimiterOf(right)),
    object: expected.has('object') && objectForm(left) !== objectForm(right)
  }
  const differing = [...shapes].filter(shape => isOther[shape])
  if (differing.length === 0) return
  // If the schema does not determine the shape, only a difference in all shapes is certain.
  const rule = shapes.size < 3 || differing.length === 3 ? 'serialization-changed' : 'serialization-unclear'
  const message = reserialized(was, is)
  site.report(`${direction}-${subject}-${rule}`, { before: before.node, after: after.node, was, is, message })
}

const unreservedText = { type: ['null', 'boolean', 'number', 'string'], pattern: "^[^:/?#[\\]@!$&'()*+,;=]*$" }
/** Values that have none of the reserved characters (RFC 3986, 2.2). */
const unreserved = { ...unreservedText, type: [...unreservedText.type, 'array'], items: unreservedText }

/** A receiver that expects reserved characters to be escaped may take them for delimiters. */
export const compareReserved = (site: Site, subject: 'parameter' | 'encoding', was: Serialized, is: Serialized) => {
  const { sent, expected } = site.inDirection(was, is)
  if (!isSet(sent.node, 'allowReserved') || isSet(expected.node, 'allowReserved')) return
  const { schema } = sent
  if (schema !== undefined && site.accepts(schema, schema.withValue(unreserved))) return
  const message = 'Reserved characters in it must now be escaped.'
  site.report(`${site.direction}-${subject}-reserved-refused`, { before: was.node, after: is.node, message })
}

export const reserialized = (was: string | undefined, is: string | undefined) =>
  `It was serialized as ${was} and is now serialized as ${is}.`

/** What determines how a value is serialized outside JSON; `single` is a list of at most one item. */
export type Shape = 'primitive' | 'single' | 'array' | 'object'

const all: ReadonlySet<Shape> = new Set(['primitive', 'array', 'object'])

export const areAll = (shape: Shape, document: OpenApiDocument, schema: Node | undefined): boolean =>
  [...shapesOf(document, schema)].join() === shape

/** The shapes of a schema's values, as far as its types determine them; otherwise all three. */
export const shapesOf = (document: OpenApiDocument, schema: Node | undefined): ReadonlySet<Shape> =>
  (schema && declaredShapes(document, schema, new Set())) ?? all

const declaredShapes = (document: OpenApiDocument, schema: Node, seen: Set<Node>): ReadonlySet<Shape> | undefined => {
  if (seen.has(schema)) return undefined
  seen.add(schema)
  const constant = schema.get('const')
  const values = schema.get('enum')?.items() ?? (constant && [constant])
  const types = schema.get('type')?.value ?? values?.map(({ value }) => typeName(value))
  if (types !== undefined) return new Set([types].flat().map(type => shapeOfType(type, schema)))
  const target = document.follow(schema)
  for (const part of [target, ...(schema.get('allOf')?.items() ?? [])]) {
    const shapes = part && declaredShapes(document, part, seen)
    if (shapes !== undefined) return shapes
  }
  const parts = ['anyOf', 'oneOf'].flatMap(key => schema.get(key)?.items() ?? [])
  const variants = parts.map(each => declaredShapes(document, each, seen))
  const known = variants.filter(each => each !== undefined)
  return known.length === 0 || known.length < variants.length ? undefined : new Set(known.flatMap(each => [...each]))
}

const shapeOfType = (type: Json, schema: Node): Shape => {
  if (type !== 'array') return type === 'object' ? type : 'primitive'
  return Number(schema.get('maxItems')?.value) <= 1 ? 'single' : type
}

const typeName = (value: Json): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)
