import { type Json, jsonText } from '@contract-first/document'

const maxLines = 12
const maxCharacters = 80
const shownCharacters = 40

/**
 * A value as indented JSON in at most a dozen lines, or in one of at most `width`. Omissions are marked: `"aaaa… (2001
 * characters)"`, `… 190 more`.
 */
export const excerpt = (value: Json, width: number): string[] => {
  const line = jsonText(value)
  return line.length <= width ? [line] : linesOf(value, maxLines)
}

/** `room` is at least 1. Each property of an object should get a line; items of an array are usually alike. */
const linesOf = (value: Json, room: number): string[] => {
  if (typeof value === 'string') return [stringText(value)]
  if (typeof value !== 'object' || value === null) return [jsonText(value)]
  const isArray = Array.isArray(value)
  const keyOf = (name: string) => (isArray ? '' : `${stringText(name)}: `)
  const entries = Object.entries(value).map(([name, each]): [string, Json] => [keyOf(name), each])
  const [opening, closing] = isArray ? '[]' : '{}'
  if (entries.length === 0) return [`${opening}${closing}`]
  if (room < 2 + Math.min(entries.length, 2)) {
    const line = jsonText(value)
    return [line.length <= maxCharacters ? line : `${opening}… ${entries.length} more${closing}`]
  }

  const lines: string[] = []
  let rest = entries.length
  for (const [name, each] of entries) {
    const left = room - 2 - lines.length
    const shown = entries.length - rest
    const wanted = isArray && shown > 0 ? lines.length / shown : 1
    if (left - Math.min(rest - 1, 1) < wanted) break
    rest--
    const [first, ...others] = linesOf(each, left - Math.min(rest, isArray || shown === 0 ? 1 : left - 1))
    const comma = rest > 0 ? ',' : ''
    lines.push(...[name + first, ...others].map((line, index) => (index === others.length ? line + comma : line)))
  }
  if (rest > 0) lines.push(`… ${rest} more`)
  return [`${opening}`, ...lines.map(line => `  ${line}`), `${closing}`]
}

const stringText = (text: string): string => {
  const characters = [...text]
  if (characters.length <= maxCharacters) return jsonText(text)
  return jsonText(`${characters.slice(0, shownCharacters).join('')}… (${characters.length} characters)`)
}
