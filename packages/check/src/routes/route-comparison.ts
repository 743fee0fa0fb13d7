import type { OpenApiDocument } from '@contract-first/document'
import { responseHeaders } from '../changes/response-headers.ts'
import { contentOf, headersIn, namesIn, type Operation, type Parameter } from '../operations/operations.ts'

/** Compares operations of the contract with those of the registered routes: everything but schemas. */
export const routeComparison =
  (contract: OpenApiDocument, routes: OpenApiDocument) =>
  (declared: Operation, registered: Operation): string[] => {
    const [ours, theirs] = [partsOf(contract, declared, declared), partsOf(routes, registered, declared)]
    return [...new Set([...ours.keys(), ...theirs.keys()])].flatMap(what => {
      const owner = /^(?:body|response \S+)(?= )/.exec(what)?.[0]
      // If only one side has it, its parts are not reported as well.
      if (owner !== undefined && !(ours.has(owner) && theirs.has(owner))) return []
      const [says, has] = [ours.get(what), theirs.get(what)]
      if (says === has) return []
      if (says === undefined)
        return what === 'body'
          ? 'The route accepts a body, the contract has none.'
          : `${what}: missing in the contract.`
      if (has !== undefined) return `${what}: ${says} in the contract, ${has} in the route.`
      // The body of a GET has no meaning (RFC 9110, section 9.3.1), so a service may ignore it.
      if (what === 'body' && declared.method === 'GET') return []
      return what === 'body' ? 'The contract has a body, the route accepts none.' : `${what}: missing in the route.`
    })
  }

/**
 * How the parts of an operation are declared. Path parameters get the contract's names, and headers are in lower case, as neither
 * difference matters.
 */
const partsOf = (document: OpenApiDocument, operation: Operation, declared: Operation): Map<string, string> => {
  const { node, path, parameters, body, responses, security } = operation
  const [ours, theirs] = [declared.path, path].map(each => namesIn(each).reverse()) as [string[], string[]]
  const nameOf = ({ in: where, name }: Parameter) =>
    where === 'header' ? name.toLowerCase() : where === 'path' ? (ours[theirs.indexOf(name)] ?? name) : name
  const parts = new Map(parameters.map(each => [`${each.in} parameter ${nameOf(each)}`, needOf(each)]))
  if (body !== undefined) parts.set('body', needOf(body))
  for (const [type] of body?.content ?? []) parts.set(`body media type ${type}`, 'declared')
  // An operation without responses declares nothing about them.
  for (const [status, response] of declared.responses.size === 0 ? [] : responses) {
    parts.set(`response ${status}`, 'declared')
    for (const each of headersIn(document, responseHeaders(document, node, status, response)))
      parts.set(`response ${status} header ${each.name.toLowerCase()}`, needOf(each))
    for (const [type] of contentOf(document, response)) parts.set(`response ${status} media type ${type}`, 'declared')
  }
  const alternatives = security.map(each => each.toSorted().join(' and ') || 'nothing')
  return parts.set('security', alternatives.toSorted().join(' or ') || 'nothing')
}

const needOf = ({ required }: { required: boolean }) => (required ? 'required' : 'optional')
