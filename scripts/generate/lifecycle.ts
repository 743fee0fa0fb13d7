import type { Report } from './problems.ts'
import { entriesOf, type Json, type JsonObject, locate } from './read.ts'
import { methods } from './rules.ts'

/** What a contract says of an operation's life: how far it is to be relied on, since when and until when. */
export interface Lifecycle {
  stability?: string
  deprecation?: {
    /** RFC 9745: seconds since 1970. */
    since: number
    /** The day from which on the operation may be removed, as in the contract. */
    removalDate: string
    replacedBy?: string
    headers: { Deprecation: string; Sunset: string; Link?: string }
  }
}

// GitBook's levels, and oasdiff's that mean the same. Where both know a level, they call it the same.
const sameLevel: Record<string, string> = { experimental: 'draft' }
const levels = {
  'x-stability': ['experimental', 'alpha', 'beta', 'stable'],
  'x-stability-level': ['draft', 'alpha', 'beta', 'stable']
}
const datesAndMore = ['x-deprecated-since', 'x-deprecated-sunset', 'x-sunset', 'x-replaced-by', 'x-deprecation-page']

/** Names that mean the same have to agree, and dates have to be dates: what does not is reported. */
export const lifecycleOf = (
  document: JsonObject,
  basePath: string,
  path: string,
  operation: JsonObject,
  report: Report
): Lifecycle => {
  const complain = (key: string, message: string) => report.add(locate(operation, key), message)
  const agreed = (one: string, other: string, same: Record<string, string> = {}) => {
    const [left, right] = [operation[one], operation[other]]
    if (left !== undefined && right !== undefined && (same[String(left)] ?? left) !== right) {
      complain(other, `${other} is ${right}, but ${one} is ${left}; they mean the same and have to agree`)
    }
    return left ?? right
  }
  const day = (key: string): Date | undefined => {
    const value = operation[key]
    const date = new Date(`${value}T00:00:00Z`)
    if (typeof value === 'string' && date.toJSON()?.startsWith(`${value}T`)) return date
    if (value === undefined)
      complain('deprecated', `${key} is missing; a deprecation has a date, like 2030-12-05, or none at all`)
    else complain(key, `${key} is ${value}; a date like 2030-12-05 is expected`)
    return undefined
  }

  for (const [key, allowed] of Object.entries(levels)) {
    const level = operation[key]
    if (level !== undefined && !allowed.includes(String(level))) {
      complain(key, `${key} is ${level}; expected is ${allowed.join(', ')}`)
    }
  }
  const stability = agreed('x-stability', 'x-stability-level', sameLevel)
  const sunset = agreed('x-deprecated-sunset', 'x-sunset')
  const lifecycle: Lifecycle = stability === undefined ? {} : { stability: String(stability) }

  const said = datesAndMore.filter(key => operation[key] !== undefined)
  if (operation.deprecated !== true) {
    for (const key of said) complain(key, `${key} says something only beside deprecated: true`)
    return lifecycle
  }
  if (said.length === 0) return lifecycle
  const since = day('x-deprecated-since')
  const removal =
    operation['x-deprecated-sunset'] === undefined && sunset !== undefined ? 'x-sunset' : 'x-deprecated-sunset'
  const until = day(removal)
  if (since === undefined || until === undefined) return lifecycle
  if (until < since) complain(removal, `the removal date ${sunset} is before the deprecation`)

  const replacement = operation['x-replaced-by']
  const replacedBy = replacement === undefined ? undefined : pathOf(document, replacement)
  if (replacement !== undefined && replacedBy === undefined) {
    complain('x-replaced-by', `no operation is called ${replacement}; an operationId is expected`)
  } else if (replacedBy?.includes('{')) {
    complain(
      'x-replaced-by',
      `${replacement} has parameters in its path, so that no Link can lead there; leave it to the description`
    )
  }
  const page = operation['x-deprecation-page']
  if (page !== undefined && typeof page !== 'string')
    complain('x-deprecation-page', 'x-deprecation-page should be an address')
  // From the operation's own address up to where its base address begins, and from there to where the document stands.
  const up = '../'.repeat(path.split('/').length - 2)
  const toDocument = up + '../'.repeat(basePath.split('/').length - 1)
  const pageAddress = /^[a-z]+:/.test(String(page)) ? String(page) : toDocument + page
  const links = [
    ...(replacedBy === undefined ? [] : [`<${up}${replacedBy.slice(1)}>; rel="successor-version"`]),
    ...(page === undefined
      ? []
      : ['deprecation', 'sunset'].map(rel => `<${pageAddress}>; rel="${rel}"; type="text/html"`))
  ]
  lifecycle.deprecation = {
    since: since.getTime() / 1000,
    removalDate: String(sunset),
    ...(replacedBy !== undefined && { replacedBy: String(replacement) }),
    headers: {
      Deprecation: `@${since.getTime() / 1000}`,
      Sunset: until.toUTCString(),
      ...(links.length > 0 && { Link: links.join(', ') })
    }
  }
  return lifecycle
}

const pathOf = (document: JsonObject, operationId: Json) =>
  entriesOf(document.paths).find(([, item]) =>
    entriesOf(item).some(
      ([method, each]) => methods.includes(method) && (each as JsonObject).operationId === operationId
    )
  )?.[0]
