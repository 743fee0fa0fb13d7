import type { OpenApiDocument } from '../../document/document.ts'
import type { Node } from '../../document/node.ts'
import { isSet } from './attributes.ts'
import { compareField, type Field } from './fields.ts'
import type { Site } from './site.ts'

type Headers = readonly (readonly [name: string, reference: Node])[]

/** Compares the headers of a response, or of a part of a form. */
export const compareHeaders = (site: Site, before: Headers, after: Headers) => {
  const earlier = fieldsOf(site.comparison.before, before)
  const later = fieldsOf(site.comparison.after, after)
  for (const key of new Set([...earlier.keys(), ...later.keys()])) {
    const [was, is] = [earlier.get(key), later.get(key)]
    compareField(site.part(`header ${(is ?? was)?.name}`, was?.reference, is?.reference), was, is)
  }
}

/** By name in small letters, without the one that is to be ignored (OpenAPI 3.1.1, 4.8.17). */
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
