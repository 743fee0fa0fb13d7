import type { Node } from '../../document/node.ts'
import { compareContents } from './contents.ts'
import { compareLifecycles } from './lifecycle.ts'
import { comparePresence, type Part } from './presence.ts'
import { compareSerializations } from './serialization.ts'
import type { Site } from './site.ts'

/** A parameter or a header: a value with a name, written as text. */
export interface Field extends Part {
  kind: 'parameter' | 'header'
  name: string
  location: string
  /** The node, or the reference to it. */
  reference: Node
}

export const compareField = (site: Site, before: Field | undefined, after: Field | undefined) => {
  const { location, kind } = (before ?? after) as Field
  // What stands in the path is always sent, whether or not it is listed among the parameters.
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
      message: `It was written as ${describe(was)}, and now is as ${describe(is)}.`
    })
    return
  }
  const [left, right] = [schemaOf(before), schemaOf(after)]
  compareSerializations(site, kind, location, left, right)
  site.compareSchemas(left.schema, right.schema, { before: before.node, after: after.node }, true)
}

const schemaOf = ({ node }: Field) => ({ node, schema: node.get('schema') })
