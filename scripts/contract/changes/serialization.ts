import type { Node } from '../../document/node.ts'
import { type Serialization, serializationOf } from '../attributes.ts'
import { type Shape, shapesOf } from './shapes.ts'
import type { Site } from './site.ts'

/** Equal if values of a shape are serialized alike. */
const wireForms: Record<Shape, (serialization: Serialization) => string> = {
  primitive: ({ style }) => style,
  array: ({ style, explode }) => {
    if (style === 'simple' || style === 'deepObject') return style
    // Exploded items have no delimiter.
    return explode ? `${/Delimited$/.test(style) ? 'form' : style}, exploded` : style
  },
  object: ({ style, explode }) => (explode && style !== 'deepObject' ? `${style}, exploded` : style)
}

/** What is serialized, and what says how. */
export interface Serialized {
  node: Node | undefined
  schema: Node | undefined
}

/** Whether a receiver reads a value as the sender wrote it. */
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
  const { sent: shapes, expected } = site.roles(
    shapesOf(comparison.before, before.schema),
    shapesOf(comparison.after, after.schema)
  )
  // A value of another shape than before is one of another type.
  const common = [...shapes].filter(shape => expected.has(shape))
  const differing = common.filter(shape => wireForms[shape](left) !== wireForms[shape](right))
  if (differing.length === 0) return
  // If the schema does not determine the shape, only a difference in all shapes is certain.
  const rule = shapes.size < 3 || differing.length === 3 ? 'serialization-changed' : 'serialization-unclear'
  const message = `It was serialized as ${was}, and is now as ${is}.`
  site.report(`${direction}-${subject}-${rule}`, { before: before.node, after: after.node, was, is, message })
}
