/** The beginning of an absolute URL. */
export const host = /^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/]*/i

/** Equal for all URLs that are equivalent by RFC 3986, 6.2.2; the scheme's default port is dropped. */
export const normalUrl = (url: string): string => {
  const [authority = ''] = host.exec(url) ?? []
  const plainHost = authority
    .replaceAll(/\{[^{}]*\}|[^{]+/g, text => (text.startsWith('{') ? text : text.toLowerCase()))
    .replace(/^(https:.*):443$|^(http:.*):80$/, '$1$2')
  return plainHost + withoutDots(encoded(url.slice(authority.length)))
}

/** Removes unnecessary percent-encoding and adds what is missing; names in braces are left alone. */
export const encoded = (text: string) =>
  text.replaceAll(/\{[^{}]*\}|%[0-9a-f]{2}|[^!-~]+/gi, part => {
    if (part.startsWith('{')) return part
    if (!part.startsWith('%')) return encodeURIComponent(part.toWellFormed())
    const character = String.fromCharCode(Number.parseInt(part.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : part.toUpperCase()
  })

const withoutDots = (path: string): string => {
  const kept: string[] = []
  for (const segment of path.split('/')) {
    const isAbove = segment === '..' && ![undefined, '..'].includes(kept.at(-1))
    if (!isAbove && segment !== '.') kept.push(segment)
    else if (isAbove && kept.at(-1) !== '') kept.pop()
  }
  return kept.join('/')
}
