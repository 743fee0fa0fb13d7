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

/** With a separator between them: `a, b`. */
export const joined = (parts: readonly (Inline | Line)[], separator: string): Line =>
  parts.flatMap((each, index) => [...(index === 0 ? [] : [separator]), ...[each].flat()])

/** In a file for readers of its text, the lines of an item are lines there, too, and otherwise wherever it is shown. */
export const markdownOf = (blocks: readonly Block[], isFile = false): string =>
  blocks.map(each => markdownOfBlock(each, isFile ? '\n  ' : '<br>')).join('\n\n')

const markdownOfBlock = (block: Block, lineBreak: string): string => {
  if ('heading' in block) return `${'#'.repeat(block.level)} ${markdownOfLine(block.heading)}`
  if ('paragraph' in block) return markdownOfLine(block.paragraph)
  return block.list.map(each => markdownOfItem(each, lineBreak)).join('\n')
}

const markdownOfItem = ({ lines, code = [], items = [] }: Item, lineBreak: string): string =>
  [
    `- ${lines.map(markdownOfLine).join(lineBreak)}`,
    ...code.map(({ text, language }) => codeBlock(text, language)),
    ...items.map(each => markdownOfItem(each, lineBreak).replaceAll(/^(?=.)/gm, '  '))
  ].join('\n')

const markdownOfLine = (line: Line): string =>
  line
    .map(each => {
      if (typeof each === 'string') return text(each)
      return 'code' in each ? codeText(each.code) : `**${text(each.bold)}**`
    })
    .join('')
