import { isObject, type Json, jsonText } from '@contract-first/document'
import { canonical } from '../schema/schema.ts'
import { excerpt } from './excerpt.ts'

/** A line of a diff: removed, added, or the same on both sides. */
export type DiffLine = readonly [mark: '-' | '+' | ' ', text: string]

const width = 60
const maxSame = 40
/** Members that are the same are shown if they are so few, or else fewer of them. */
const maxAll = 5
const maxBeside = 2

/** Two values as lines of JSON: what differs, where it is, and a little beside it; `… 3 more` is the same on both sides. */
export const jsonDiff = (was: Json, is: Json): DiffLine[] => {
  if (canonical(was) === canonical(is)) return marked(' ', was)
  const [before, after] = [membersOf(was), membersOf(is)]
  if (before === undefined || after === undefined || Array.isArray(was) !== Array.isArray(is))
    return [...marked('-', was), ...marked('+', is)]
  const [opening, closing] = Array.isArray(was) ? '[]' : '{}'
  const names = [...new Set([...before.keys(), ...after.keys()])]
  const same = new Set(names.filter(name => isSame(before.get(name), after.get(name))))
  const short = [...same].filter(name => jsonText(before.get(name)).length <= maxSame)
  const kept = new Set(short.slice(0, same.size > maxAll ? maxBeside : maxAll))
  const omitted = same.size - kept.size
  const members = names
    .filter(name => kept.has(name) || !same.has(name))
    .map(name => {
      const [old, now] = [before.get(name), after.get(name)]
      const inner =
        old === undefined ? marked('+', now as Json) : now === undefined ? marked('-', old) : jsonDiff(old, now)
      const start = typeof name === 'string' ? `${jsonText(name)}: ` : ''
      return withStart(inner, start)
    })
  const lines = members.flatMap((each, index) => (index < members.length - 1 || omitted > 0 ? withComma(each) : each))
  const rest: DiffLine[] = omitted === 0 ? [] : [[' ', `… ${omitted} more`]]
  const inside = [...lines, ...rest].map(([mark, text]): DiffLine => [mark, `  ${text}`])
  return [[' ', opening ?? ''], ...inside, [' ', closing ?? '']]
}

const isSame = (old: Json | undefined, now: Json | undefined) =>
  old !== undefined && now !== undefined && canonical(old) === canonical(now)

const membersOf = (value: Json): Map<string | number, Json> | undefined => {
  if (Array.isArray(value)) return new Map(value.entries())
  return isObject(value) ? new Map(Object.entries(value)) : undefined
}

export const marked = (mark: DiffLine[0], value: Json): DiffLine[] => excerpt(value, width).map(text => [mark, text])

const withStart = (lines: readonly DiffLine[], start: string): DiffLine[] => {
  const isCommon = lines[0]?.[0] === ' '
  return lines.map(([mark, text], index) => {
    const isFirst = isCommon ? index === 0 : lines.findIndex(each => each[0] === mark) === index
    return [mark, isFirst ? start + text : text]
  })
}

const withComma = (lines: readonly DiffLine[]): DiffLine[] => {
  const isCommon = lines.at(-1)?.[0] === ' '
  return lines.map(([mark, text], index) => {
    const isLast = isCommon ? index === lines.length - 1 : lines.findLastIndex(each => each[0] === mark) === index
    return [mark, isLast ? `${text},` : text]
  })
}
