import { isObject } from './json.ts'
import type { Node } from './node.ts'
import type { References } from './references.ts'

/**
 * A variant may extend, with `allOf`, the very schema that lists it under a discriminator. That schema is then meant without its
 * variants; otherwise the variant would be defined by itself.
 */
export const withoutVariantsWhereExtended = (root: Node, references: References): void => {
  for (const [, schema] of root.get('components')?.get('schemas')?.entries() ?? []) {
    if (!isObject(schema.value)) continue
    const { discriminator, oneOf, anyOf, ...base } = schema.value
    if (discriminator === undefined || (oneOf ?? anyOf) === undefined) continue
    const extended = schema.withValue(base)
    const seen = new Set<Node>()
    const visit = (part: Node): void => {
      if (seen.has(part)) return
      seen.add(part)
      const target = references.follow(part)
      if (target === schema) references.redirect(part, extended)
      else if (target !== undefined) visit(target)
      for (const each of part.get('allOf')?.items() ?? []) visit(each)
    }
    for (const each of ['oneOf', 'anyOf'].flatMap(keyword => schema.get(keyword)?.items() ?? [])) visit(each)
  }
}
