/** Text in which nothing means anything to Markdown. */
export const text = (plain: string) => plain.replace(/[\\`*_{}[\]<>#|~&]/g, '\\$&').replaceAll('\n', ' ')

/** As code, whatever backticks are in it. */
export const code = (plain: string) => {
  const fence = fenceFor(plain, 1)
  const space = /^`|`$/.test(plain) ? ' ' : ''
  return fence + space + plain.replaceAll('\n', ' ') + space + fence
}

/** As a block of code within an item of a list. */
export const block = (plain: string, language: string) => {
  const fence = fenceFor(plain, 3)
  return `${fence}${language}\n${plain}\n${fence}`.replaceAll(/^/gm, '  ')
}

/** More backticks than the text has in a row. */
const fenceFor = (plain: string, least: number) => {
  const longest = Math.max(0, ...(plain.match(/`+/g) ?? []).map(({ length }) => length))
  return '`'.repeat(Math.max(least, longest === 0 ? 0 : longest + 1))
}
