import { ContractError, type Problem } from './problems.ts'
import { isObject, type Json, type JsonObject, locate } from './read.ts'

/** What a contract says of an operation's life: how far it is to be relied on, since when and until when. */
export interface Lifecycle {
  stability?: string
  deprecation?: {
    /** RFC 9745: seconds since 1970. */
    since: number
    /** The day from which on the operation may be removed, as in the contract. */
    removalDate: string
    replacedBy?: string
    headers: { Deprecation: string; Sunset: string; Link: string }
  }
}

// GitBook and oasdiff name the same things differently; oasdiff has no "experimental".
const sameStability: Record<string, string> = { experimental: 'draft' }

/** @throws ContractError when two names for one thing disagree, or a date is none */
export const lifecycleOf = (document: JsonObject, path: string, operation: JsonObject): Lifecycle => {
  const problems: Problem[] = []
  const complain = (key: string, message: string) => problems.push({ at: locate(operation, key), message })
  const agreed = (one: string, other: string, same = (value: Json) => value) => {
    const [left, right] = [operation[one], operation[other]]
    if (left !== undefined && right !== undefined && same(left) !== right) {
      complain(other, `${other} is ${right}, but ${one} is ${left}; they mean the same and have to agree`)
    }
    return left ?? right
  }
  const day = (key: string, value: Json | undefined) => {
    const date = new Date(`${value}T00:00:00Z`)
    if (typeof value === 'string' && date.toJSON()?.startsWith(value)) return date
    complain(key, `${key} is ${value}; a date like 2030-12-05 is expected`)
    return new Date(0)
  }

  const sunset = agreed('x-deprecated-sunset', 'x-sunset')
  const stability = agreed('x-stability', 'x-stability-level', value => sameStability[String(value)] ?? value)
  const lifecycle: Lifecycle = stability === undefined ? {} : { stability: String(stability) }

  if (operation.deprecated === true && sunset !== undefined) {
    const since = day('x-deprecated-since', operation['x-deprecated-since'])
    const until = day('x-deprecated-sunset', sunset)
    if (until < since) complain('x-deprecated-sunset', `the removal date ${sunset} is before the deprecation`)
    const replacement = operation['x-replaced-by']
    const replacedBy = pathOf(document, replacement)
    if (replacement !== undefined && replacedBy === undefined) {
      complain('x-replaced-by', `no operation is called ${replacement}`)
    }
    const page = operation['x-deprecation-page']
    // From the operation's own address up to where its base address and the document stand.
    const up = '../'.repeat(path.split('/').length - 2)
    const links = [
      ...(replacedBy === undefined ? [] : [`<${up}${replacedBy.slice(1)}>; rel="successor-version"`]),
      ...(page === undefined
        ? []
        : ['deprecation', 'sunset'].map(rel => `<${up}../${page}>; rel="${rel}"; type="text/html"`))
    ]
    lifecycle.deprecation = {
      since: since.getTime() / 1000,
      removalDate: String(sunset),
      ...(replacedBy !== undefined && { replacedBy: String(replacement) }),
      headers: { Deprecation: `@${since.getTime() / 1000}`, Sunset: until.toUTCString(), Link: links.join(', ') }
    }
  }
  if (problems.length > 0) throw new ContractError(problems)
  return lifecycle
}

const pathOf = (document: JsonObject, operationId: Json | undefined) => {
  if (!isObject(document.paths)) return undefined
  for (const [path, item] of Object.entries(document.paths)) {
    if (isObject(item) && Object.values(item).some(each => isObject(each) && each.operationId === operationId))
      return path
  }
  return undefined
}
