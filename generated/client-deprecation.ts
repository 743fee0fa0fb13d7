// Copied from @contract-first/generator/package/client-deprecation.ts by `npm run generate`: do not edit it.

import { linked } from './client-links.ts'
import type { Int64 } from './client-places.ts'
import type { CommonOptions, Operation } from './client-types.ts'

/** Calls the hook if the operation is deprecated, by contract or by the server, and has not been reported yet. */
export const reportDeprecation = (
  hook: NonNullable<CommonOptions<Int64>['onDeprecated']>,
  reported: Set<string>,
  { id: operationId, deprecated }: Operation,
  response: Response
): void => {
  const header = response.headers.get('deprecation')
  const sunset = response.headers.get('sunset')
  const isDeprecated = deprecated !== undefined || header !== null || sunset !== null
  if (!isDeprecated || reported.has(operationId)) return
  reported.add(operationId)
  const url = (rel: string) => {
    try {
      return linked(response, rel)?.href
    } catch {
      return undefined
    }
  }
  const deprecation = {
    operationId,
    // RFC 9745: seconds since 1970, as a structured field.
    since: dayOf(Number(/^@(-?\d+)/.exec(header ?? '')?.[1]) * 1000) ?? deprecated?.since,
    removalDate: dayOf(Date.parse(sunset ?? '')) ?? deprecated?.removalDate,
    replacedBy: deprecated?.replacedBy ?? url('successor-version'),
    page: url('deprecation') ?? url('sunset')
  }
  const { reportError = console.error } = globalThis as { reportError?: (error: unknown) => void }
  new Promise(resolve => resolve(hook(deprecation))).catch(reportError)
}

/** As in `2030-12-05`. */
const dayOf = (milliseconds: number): string | undefined => {
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().slice(0, 10)
}
