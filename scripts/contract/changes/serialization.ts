import type { Node } from '../../document/node.ts'
import { type Serialization, serializationOf } from '../attributes.ts'
import type { RuleId } from './rules.ts'
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

/** Whether a receiver reads a value as the sender wrote it. */
export const compareSerializations = (
  site: Site,
  subject: 'parameter' | 'header' | 'encoding',
  location: string,
  before: { node: Node | undefined; schema: Node | undefined },
  after: { node: Node | undefined; schema: Node | undefined }
) => {
  const [left, right] = [serializationOf(before.node, location), serializationOf(after.node, location)]
  const [was, is] = [left, right].map(({ style, explode }) => `style ${style}, explode ${explode}`)
  if (was === is) return
  const { comparison, direction } = site
  const [earlier, later] = [shapesOf(comparison.before, before.schema), shapesOf(comparison.after, after.schema)]
  const [shapes, expected] = direction === 'request' ? [earlier, later] : [later, earlier]
  // A value of another shape than before is one of another type.
  const common = [...shapes].filter(shape => expected.has(shape))
  const differing = common.filter(shape => wireForms[shape](left) !== wireForms[shape](right))
  if (differing.length === 0) return
  // If the schema does not determine the shape, only a difference in all shapes is certain.
  const isSure = shapes.size < 3 || differing.length === 3
  site.report(`${direction}-${subject}-${isSure ? 'serialization-changed' : 'serialization-unclear'}` as RuleId, {
    before: before.node,
    after: after.node,
    was,
    is,
    message: `It was serialized as ${was}, and is now as ${is}.`
  })
}
