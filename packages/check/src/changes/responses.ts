import type { Node, OpenApiDocument } from '@contract-first/document'
import { entriesAt } from '../attributes.ts'
import type { Direction } from '../schema/schema.ts'
import { compareContents, compareHeaders } from './contents.ts'
import { comparePresence, type Part } from './presence.ts'
import { responseHeaders } from './response-headers.ts'
import type { Site } from './site.ts'

/** By status, range (`4XX`) or `default`. */
export type Responses = ReadonlyMap<string, { reference: Node; node: Node }>

/** Each status is compared with the one that covers it on the other side: the same status, its range or `default`. */
export const compareResponses = (site: Site, before: Node, after: Node) => {
  const earlier = responsesOf(site.comparison.before, before)
  const later = responsesOf(site.comparison.after, after)
  const isSpelledOut = (status: string) => isNarrowed(status, earlier, later, site.direction)
  for (const status of new Set([...earlier.keys(), ...later.keys()])) {
    // The statuses within it are compared one by one.
    if (isSpelledOut(status)) continue
    const [was, is] = [coveringOf(earlier, status), coveringOf(later, status)]
    const at = site.part(`response ${status}`, was?.reference, is?.reference)
    if (at.isUnreadable(was?.reference, is?.reference)) continue
    // Interim responses, and those sent only to clients that ask for them (RFC 9110, 15.2, 15.3.7 and 15.4.5).
    const isAskedFor = /^(?:10[023]|206|304)$/.test(status)
    const isPromised = !isAskedFor && isSuccessIn(was === undefined ? later : earlier, status)
    if (was === undefined && is !== undefined) reportAdded(at, is.node, isPromised, isAskedFor)
    else if (is === undefined && was !== undefined) reportRemoved(at, was.node, isPromised)
    else if (was !== undefined && is !== undefined) {
      const { before: older, after: newer } = site.comparison
      // Responses to webhooks and callbacks come from clients, whom `x-response-headers` does not concern.
      const headersOf = (document: OpenApiDocument, operation: Node, response: Node) =>
        site.direction === 'response'
          ? responseHeaders(document, operation, status, response)
          : entriesAt(response, 'headers')
      const cover = earlier.has(status) ? undefined : String(was.reference.key)
      compareHeaders(at, headersOf(older, before, was.node), headersOf(newer, after, is.node), cover)
      // None has content (RFC 9110, 9.3.2, 15.3.5, 15.3.6 and 15.4.5).
      if (before.key !== 'head' && !['204', '205', '304'].includes(status)) compareBody(at, cover, was.node, is.node)
    }
  }
}

export const responsesOf = (document: OpenApiDocument, operation: Node): Responses =>
  new Map(
    entriesAt(operation, 'responses').map(([status, reference]) => [
      status === 'default' ? status : status.toUpperCase(),
      { reference, node: document.resolve(reference) }
    ])
  )

const coveringOf = (responses: Responses, status: string) =>
  responses.get(status) ??
  responses.get(`${status[0]}XX`) ??
  (isSuccessIn(responses, 'default') || !isSuccess(status) ? responses.get('default') : undefined)

/** Whether the sender replaced a range, or `default`, that the receiver declares by single statuses. */
const isNarrowed = (range: string, earlier: Responses, later: Responses, direction: Direction): boolean => {
  const [sent, expected] = direction === 'request' ? [earlier, later] : [later, earlier]
  if (!expected.has(range) || sent.has(range)) return false
  if (range === 'default') return isSuccessIn(expected, range) && [...sent.keys()].some(isSuccess)
  return /^\dXX$/.test(range) && [...sent.keys()].some(status => status !== range && status[0] === range[0])
}

const isSuccess = (status: string) => /^[123]/.test(status)

/** If a success is declared, `default` stands for the errors that are not declared. */
export const isSuccessIn = (responses: Responses, status: string) =>
  status === 'default' ? ![...responses.keys()].some(isSuccess) : isSuccess(status)

const reportAdded = (site: Site, after: Node, isPromised: boolean, isAskedFor: boolean) => {
  const { comparison, direction } = site
  const [message, unlike] = ['It is new.', 'It is new, and has a body unlike that of the other errors.']
  if (direction === 'request') site.report('request-status-added', { after, message: 'It is now accepted.' })
  else if (isPromised || comparison.options.strict) site.report('response-status-added', { after, message })
  else if (isAskedFor || comparison.isKnownError(after)) site.report('response-error-status-added', { after, message })
  else site.report('response-error-status-unlike', { after, message: unlike })
}

const reportRemoved = (site: Site, before: Node, isPromised: boolean) => {
  const { direction } = site
  const message = `It is no longer ${direction === 'request' ? 'accepted' : 'sent'}.`
  if (isPromised) site.report(`${direction}-status-removed`, { before, message })
  else site.report(`${direction}-error-status-removed`, { before, message: 'It was removed.' })
}

const compareBody = (site: Site, cover: string | undefined, before: Node, after: Node) => {
  const [was, is] = [before, after].map(contentOf)
  comparePresence(site.named(`${site.place} body`), 'body', was, is, cover)
  compareContents(site, was?.node, is?.node, site.direction === 'response')
}

/** A declared body is promised, whether or not it is `required`. */
const contentOf = (response: Node): Part | undefined => {
  const node = response.get('content')
  return node === undefined || node.entries().length === 0 ? undefined : { node, required: true }
}
