import type { OpenApiDocument } from '../document/document.ts'
import type { Node } from '../document/node.ts'
import { isSet } from './attributes.ts'
import { compareField, type Field } from './fields.ts'
import type { Site } from './site.ts'

/** Compares the headers of a response, or of a part of a form. */
export const compareHeaders = (site: Site, before: Node, after: Node) => {
  const earlier = headersOf(site.comparison.before, before)
  const later = headersOf(site.comparison.after, after)
  for (const key of new Set([...earlier.keys(), ...later.keys()])) {
    const [was, is] = [earlier.get(key), later.get(key)]
    compareField(site.part(`header ${(is ?? was)?.name}`, was?.reference, is?.reference), was, is)
  }
}

/** By name in small letters, without the one that is to be ignored (OpenAPI 3.1.1, 4.8.17). */
const headersOf = (document: OpenApiDocument, holder: Node): Map<string, Field> =>
  new Map(
    (holder.get('headers')?.entries() ?? []).flatMap(([name, reference]): [string, Field][] => {
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
