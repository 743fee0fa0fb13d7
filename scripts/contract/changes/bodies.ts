import type { OpenApiDocument } from '../../document/document.ts'
import type { Node } from '../../document/node.ts'
import { isSet } from '../attributes.ts'
import { compareContents } from './contents.ts'
import { comparePresence, type Part } from './presence.ts'
import type { Site } from './site.ts'

/** Compares request bodies; `responses.ts` compares those of responses. */
export const compareBodies = (site: Site, before: Node, after: Node) => {
  const [earlier, later] = [bodyOf(site.comparison.before, before), bodyOf(site.comparison.after, after)]
  const at = site.part('request body', before.get('requestBody'), after.get('requestBody'))
  comparePresence(at, 'body', earlier, later)
  const [was, is] = [earlier, later].map(each => each?.node.get('content'))
  if (was !== undefined && is !== undefined) compareContents(at, was, is)
}

const bodyOf = (document: OpenApiDocument, operation: Node): Part | undefined => {
  const reference = operation.get('requestBody')
  if (reference === undefined) return undefined
  const node = document.resolve(reference)
  return { node, required: isSet(node, 'required') }
}
