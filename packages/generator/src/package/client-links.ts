import { urlOf } from './client-errors.ts'

/** One link of a `Link` header (RFC 8288). */
export interface Link {
  /** As written: often relative to the URL of the response. */
  target: string
  /** In lower case. */
  rels: readonly string[]
}

const parameter = /\s*;\s*([!#$%&'*+.^_`|~\w-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";,]*)))?/y
const target = /[\s,]*<([^>]*)>/y
const end = /\s*(?:,|$)/y

/**
 * The links about the response itself; one with an `anchor` is about something else.
 * @throws SyntaxError if the text is not a list of links, since an empty list would end a loop over pages too early
 */
export const parseLinks = (text: string): Link[] => {
  const links: Link[] = []
  let at = 0
  const next = (pattern: RegExp) => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match !== null) at = pattern.lastIndex
    return match
  }
  const failure = (expected: string) => new SyntaxError(`${expected} is expected at ${at} of ${text}`)
  while (/[^\s,]/.test(text.slice(at))) {
    const match = next(target)
    if (match === null) throw failure('a link in angle brackets')
    // If a parameter occurs twice, the first counts (section 3.3).
    const parameters = new Map<string, string>()
    for (let each = next(parameter); each !== null; each = next(parameter)) {
      const [, name = '', quoted, plain = ''] = each
      const value = quoted?.replace(/\\(.)/g, '$1') ?? plain
      if (!parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), value)
    }
    if (next(end) === null) throw failure('a comma or the end')
    const rels = (parameters.get('rel') ?? '').toLowerCase().split(/\s+/)
    if (!parameters.has('anchor')) links.push({ target: match[1] ?? '', rels })
  }
  return links
}

/** The target of the first link with this relation. */
export const linked = (response: Response, rel: string): URL | undefined => {
  const link = parseLinks(response.headers.get('link') ?? '').find(({ rels }) => rels.includes(rel))
  return link && new URL(link.target, urlOf(response))
}
