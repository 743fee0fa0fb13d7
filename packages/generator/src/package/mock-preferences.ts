const token = "[!#$%&'*+.^_`|~\\w-]+"
const value = `[ \\t]*=[ \\t]*(?:${token}|"(?:[^"\\\\]|\\\\.)*")`
const parameters = `(?:[ \\t]*;(?:[ \\t]*${token}(?:${value})?)?)*`
const preference = new RegExp(`[ \\t,]*(${token})(${value})?${parameters}[ \\t]*(?:,|$)`, 'y')
const nothingMore = /[ \t,]*$/y

/**
 * The values of a Prefer header (RFC 7240, section 2) by name in lower case; empty for a name without one. Of a repeated
 * preference the first counts; parameters, after a semicolon, are ignored.
 * @throws SyntaxError with the rest that cannot be read
 */
export const readPreferences = (header: string): Map<string, string> => {
  const preferences = new Map<string, string>()
  for (let at = 0; !matches(nothingMore, header, at); at = preference.lastIndex) {
    const [, name = '', written = ''] = matches(preference, header, at) ?? []
    if (name === '') throw new SyntaxError(header.slice(at).trim())
    if (!preferences.has(name.toLowerCase())) preferences.set(name.toLowerCase(), unquoted(written))
  }
  return preferences
}

const matches = (pattern: RegExp, text: string, at: number) => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const unquoted = (written: string) => {
  const word = written.replace(/^[ \t]*=[ \t]*/, '')
  return word.startsWith('"') ? word.slice(1, -1).replace(/\\(.)/g, '$1') : word
}
