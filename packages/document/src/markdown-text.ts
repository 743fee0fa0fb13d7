/** Escapes everything that has a meaning in Markdown. */
export const text = (plain: string) => plain.replace(/[\\`*_{}[\]<>#|~&]/g, '\\$&').replaceAll('\n', ' ')

/** As code, whatever backticks it contains. */
export const code = (plain: string) => {
  const fence = fenceFor(plain, 1)
  const space = /^`|`$/.test(plain) ? ' ' : ''
  return fence + space + plain.replaceAll('\n', ' ') + space + fence
}

/** As a code block within a list item. */
export const block = (plain: string, language: string) => {
  const fence = fenceFor(plain, 3)
  return `${fence}${language}\n${plain}\n${fence}`.replaceAll(/^/gm, '  ')
}

/** A fence with more backticks than any run of them in the text. */
const fenceFor = (plain: string, least: number) => {
  const longest = Math.max(0, ...(plain.match(/`+/g) ?? []).map(({ length }) => length))
  return '`'.repeat(Math.max(least, longest === 0 ? 0 : longest + 1))
}
