import type { Json, Node, OpenApiDocument } from '@contract-first/document'

/** What determines how a value is serialized outside JSON; `single` is a list of at most one item. */
export type Shape = 'primitive' | 'single' | 'array' | 'object'

const all: ReadonlySet<Shape> = new Set(['primitive', 'array', 'object'])

/** The shapes of a schema's values, as far as its types determine them; otherwise all three. */
export const shapesOf = (document: OpenApiDocument, schema: Node | undefined): ReadonlySet<Shape> =>
  (schema && declaredShapes(document, schema, new Set())) ?? all

/** Undefined if nothing determines them. */
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
  return union(
    ['anyOf', 'oneOf'].flatMap(key => schema.get(key)?.items() ?? []).map(each => declaredShapes(document, each, seen))
  )
}

const union = (variants: (ReadonlySet<Shape> | undefined)[]): ReadonlySet<Shape> | undefined =>
  variants.length === 0 || variants.includes(undefined)
    ? undefined
    : new Set(variants.flatMap(each => [...(each as ReadonlySet<Shape>)]))

const shapeOfType = (type: Json, schema: Node): Shape => {
  if (type !== 'array') return type === 'object' ? type : 'primitive'
  return Number(schema.get('maxItems')?.value) <= 1 ? 'single' : type
}

const typeName = (value: Json): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)
