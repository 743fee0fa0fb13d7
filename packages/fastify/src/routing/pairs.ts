/** A name and a text, not yet decoded. */
export type Pair = readonly [name: string, text: string]

/** The pairs of `a=1&b=2`. */
export const pairsIn = (text: string, separator: string | RegExp = '&'): Pair[] =>
  text.split(separator).flatMap(each => {
    if (each === '') return []
    const at = each.indexOf('=')
    return [at === -1 ? [each, ''] : [each.slice(0, at), each.slice(at + 1)]]
  })

/** The text of a query or a form, where a plus is a space; `undefined` if it cannot be percent-decoded to UTF-8. */
export const decoded = (text: string): string | undefined => decodedReserved(text.replaceAll('+', ' '))

/** The same where reserved characters need not be percent-encoded: a plus is a plus. */
export const decodedReserved = (text: string): string | undefined => {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
