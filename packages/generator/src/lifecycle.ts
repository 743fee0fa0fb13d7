import {
  basePathOf,
  type Json,
  type JsonObject,
  notADate,
  readLifecycle,
  sinceKey,
  stabilityKeys,
  sunsetKeys
} from '@contract-first/document'
import type { Report } from './problems.ts'
import { locate } from './read.ts'
import { allOperations } from './routed.ts'

/** The lifecycle of an operation: its stability and its deprecation. */
export interface Lifecycle {
  stability?: string
  deprecation?: {
    /** RFC 9745: seconds since 1970. */
    since?: number
    /** The day from which the operation may be removed, as in the contract. */
    removalDate?: string
    replacedBy?: string
    headers: { Deprecation?: string; Sunset?: string; Link?: string }
  }
}

// GitBook's levels, and the equivalent ones of oasdiff.
const levels = {
  'x-stability': ['experimental', 'alpha', 'beta', 'stable'],
  'x-stability-level': ['draft', 'alpha', 'beta', 'stable']
}
const dateKeys = [sinceKey, ...sunsetKeys]
const furtherKeys = ['x-replaced-by', 'x-deprecation-page']

/** Reports invalid dates, and synonymous keys that differ. */
export const lifecycleOf = (
  document: JsonObject,
  item: JsonObject,
  path: string,
  operation: JsonObject,
  report: Report
): Lifecycle => {
  const complain = (key: string, message: string) => report.add(locate(operation, key), message)
  const { deprecated, since, sunset, faults } = readLifecycle(operation)
  for (const key of stabilityKeys) {
    const [level, allowed] = [operation[key], levels[key]]
    if (level !== undefined && !allowed.includes(String(level)))
      complain(key, `${key} is ${level}; expected: ${allowed.join(', ')}`)
  }
  // A missing date is no problem here: clients still get the other one.
  for (const { rule, key, message } of faults) if (rule !== 'sunset-date-missing') complain(key, message)
  const stability = operation['x-stability'] ?? operation['x-stability-level']
  const lifecycle: Lifecycle = stability === undefined ? {} : { stability: String(stability) }

  const isWritten = (key: string) => operation[key] !== undefined
  const [dates, further] = [dateKeys.filter(isWritten), furtherKeys.filter(isWritten)]
  if (!deprecated) for (const key of further) complain(key, `${key} has an effect only beside deprecated: true`)
  if (!deprecated || dates.length + further.length === 0) return lifecycle
  const warn = (key: string, header: string) =>
    report.carry(
      locate(operation, 'deprecated'),
      `${key} is missing, so responses have no ${header} header; add a date like 2030-12-05`
    )
  if (!isWritten(sinceKey)) warn(sinceKey, 'Deprecation')
  if (!sunsetKeys.some(isWritten)) warn(sunsetKeys[0], 'Sunset')
  // Headers have a time, and the contract only a date, which means midnight in UTC.
  for (const key of dates)
    if (String(operation[key]).length > '2030-12-05'.length) complain(key, notADate(key, operation[key] as Json))

  const replacedBy = operation['x-replaced-by']
  const Link = linksOf(document, basePathOf(operation, item, document), path, operation, complain).join(', ')
  const seconds = since === undefined ? undefined : Date.parse(since) / 1000
  lifecycle.deprecation = {
    ...(seconds !== undefined && { since: seconds }),
    ...(sunset !== undefined && { removalDate: sunset }),
    ...(replacedBy !== undefined && placeOf(document, replacedBy) !== undefined && { replacedBy: String(replacedBy) }),
    headers: {
      ...(seconds !== undefined && { Deprecation: `@${seconds}` }),
      ...(sunset !== undefined && { Sunset: new Date(sunset).toUTCString() }),
      ...(Link !== '' && { Link })
    }
  }
  return lifecycle
}

/** Links to documentation for clients: relative, so that they do not depend on the service's URL. */
const linksOf = (
  document: JsonObject,
  basePath: string,
  path: string,
  { 'x-replaced-by': replacement, 'x-deprecation-page': page }: JsonObject,
  complain: (key: string, message: string) => void
): string[] => {
  const replacedBy = replacement === undefined ? undefined : placeOf(document, replacement)
  if (replacement !== undefined && replacedBy === undefined) {
    complain('x-replaced-by', `no operation has the operationId ${replacement}; name one that exists`)
  } else if (replacedBy?.path.includes('{')) {
    complain(
      'x-replaced-by',
      `${replacement} has parameters in its path, so no Link can point to it; mention it in the description instead`
    )
  }
  if (page !== undefined && typeof page !== 'string') complain('x-deprecation-page', 'x-deprecation-page must be a URL')
  // From the operation's URL up to the base URL, and from there to where the document is served.
  const up = '../'.repeat(path.split('/').length - 2)
  const toDocument = up + '../'.repeat(basePath.split('/').length - 1)
  const toReplacement = replacedBy?.basePath === basePath ? up : `${toDocument}${replacedBy?.basePath.slice(1)}/`
  const pageUrl = /^[a-z]+:/.test(String(page)) ? String(page) : toDocument + page
  return [
    ...(replacedBy === undefined
      ? []
      : [`<${reference(toReplacement + replacedBy.path.slice(1))}>; rel="successor-version"`]),
    ...(page === undefined
      ? []
      : ['deprecation', 'sunset'].map(rel => `<${encoded(pageUrl)}>; rel="${rel}"; type="text/html"`))
  ]
}

/** A relative reference; `./` keeps a colon from making it a scheme (RFC 3986, section 4.2). */
const reference = (path: string) => encoded(/^[^/]*:/.test(path) ? `./${path}` : path)

/** Percent-encodes the characters that neither a URI nor a header may contain. */
const encoded = (url: string) =>
  url.replaceAll(/[^\x21-\x7e]+|[<>"\\^`{}|]/g, each => encodeURIComponent(each.toWellFormed()))

const placeOf = (document: JsonObject, operationId: Json) => {
  const target = allOperations(document).find(({ operation }) => operation.operationId === operationId)
  return target && { path: target.path, basePath: basePathOf(target.operation, target.item, document) }
}
