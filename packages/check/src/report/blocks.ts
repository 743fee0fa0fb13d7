import { block as codeBlock, code as codeText, text } from '@contract-first/document'

/** A document as its writers read it: texts are plain, and each writer escapes them. */
export type Block = { heading: Line; level: 2 | 3 | 4 } | { paragraph: Line } | { list: readonly Item[] }

/** An item of a list: lines, then code, then a list below it. */
export interface Item {
  lines: readonly Line[]
  code?: readonly Code[]
  items?: readonly Item[]
}

export interface Code {
  text: string
  /** As after the fence of a code block: `json`. */
  language: string
}

export type Line = readonly Inline[]
export type Inline = string | { code: string } | { bold: string }

export const code = (text: string): Inline => ({ code: text })
export const bold = (text: string): Inline => ({ bold: text })

/** What stands between the inlines of a list: `a, b`. */
export const joined = (inlines: readonly Inline[], separator: string): Line =>
  inlines.flatMap((each, index) => (index === 0 ? [each] : [separator, each]))

export const markdownOf = (blocks: readonly Block[]): string => blocks.map(markdownOfBlock).join('\n\n')

const markdownOfBlock = (block: Block): string => {
  if ('heading' in block) return `${'#'.repeat(block.level)} ${markdownOfLine(block.heading)}`
  return 'paragraph' in block ? markdownOfLine(block.paragraph) : block.list.map(markdownOfItem).join('\n')
}

const markdownOfItem = ({ lines, code = [], items = [] }: Item): string =>
  [
    `- ${lines.map(markdownOfLine).join('<br>')}`,
    ...code.map(({ text, language }) => codeBlock(text, language)),
    ...items.map(each => markdownOfItem(each).replaceAll(/^(?=.)/gm, '  '))
  ].join('\n')

const markdownOfLine = (line: Line): string =>
  line
    .map(each => {
      if (typeof each === 'string') return text(each)
      return 'code' in each ? codeText(each.code) : `**${text(each.bold)}**`
    })
    .join('')
