import { type Json, type JsonObject, LoadError, SourceFile, yamlDocument } from '@contract-first/document'
import { isCollection, isMap, isScalar, type Node, type Pair, stringify, visit, type YAMLMap } from 'yaml'

/** A key to be added to a mapping, which is given by its offset in the text. */
export interface Insertion {
  mapping: number
  key: string
  value: Json
}

/** How a mapping is written. Offsets are in the text of the file. */
interface Layout {
  /** In braces. */
  isFlow: boolean
  start: number
  entries: { key: string; start: number; end: number }[]
}

/**
 * The text of a YAML or JSON file with further keys in some of its mappings: statuses before higher ones, other keys at the
 * end, and in the given order. Nothing else changes, so comments, order, quotes and indentation stay.
 *
 * Not by `toString` of the package `yaml`, which writes all anew: of Twilio's contract, 13,436 of 35,869 lines change.
 *
 * Undefined if a mapping is written in a way in which this is not possible.
 */
export const withInsertions = (text: string, insertions: readonly Insertion[]): string | undefined => {
  const before = parsed(text)
  if (before === undefined) return undefined
  const isJson = isJsonText(text)
  const layoutOf = isJson ? jsonLayouts(text) : yamlLayouts(text)
  const style = styleOf(text, isJson)
  const pieces: Piece[] = []
  for (const [mapping, all] of Map.groupBy(insertions, each => each.mapping)) {
    const layout = layoutOf(mapping)
    if (layout === undefined) return undefined
    pieces.push(...all.map((each, index) => pieceFor(text, layout, each, index, style)))
  }
  const parts: string[] = []
  let end = 0
  for (const { at, added } of pieces.toSorted((one, other) => one.at - other.at || other.margin - one.margin)) {
    parts.push(text.slice(end, at), added)
    end = at
  }
  const made = parts.join('') + text.slice(end)
  const after = parsed(made)
  const inserted = new Set(insertions.map(({ key, value }) => idOf(key, value)))
  return after !== undefined && isExtension(before, after, inserted) ? made : undefined
}

const idOf = (key: string, value: Json) => `${key} ${JSON.stringify(value)}`

const isJsonText = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Undefined if it cannot be parsed. */
export const parsed = (text: string): Json | undefined => {
  try {
    return new SourceFile('', '', Buffer.from(text)).root.value
  } catch (error) {
    if (error instanceof LoadError) return undefined
    throw error
  }
}

/** Whether a value has everything that another one has, and otherwise only what was inserted. */
const isExtension = (before: Json, after: Json, inserted: ReadonlySet<string>): boolean => {
  if (typeof before !== 'object' || before === null) return before === after
  if (typeof after !== 'object' || after === null || Array.isArray(before) !== Array.isArray(after)) return false
  const valueIn = (all: object, key: string) => (all as JsonObject)[key] as Json
  return (
    Object.keys(before).every(key => Object.hasOwn(after, key)) &&
    Object.keys(after).every(key =>
      Object.hasOwn(before, key)
        ? isExtension(valueIn(before, key), valueIn(after, key), inserted)
        : inserted.has(idOf(key, valueIn(after, key)))
    )
  )
}

/** A range counts as its end; other keys come after all statuses. */
const statusIn = (key: string) =>
  /^\d(?:\d\d|XX)$/.test(key) ? Number(key.replace('XX', '99')) : Number.POSITIVE_INFINITY

interface Style {
  isJson: boolean
  endOfLine: string
  /** Of one level. */
  indent: string
  quote: "'" | '"'
}

const styleOf = (text: string, isJson: boolean): Style => {
  const [, indent = '  '] =
    (isJson ? /^\s*\{\r?\n([ \t]+)"/ : /^[^\s#-].*:[ \t]*(?:#.*)?\r?\n( +)[^\s#-]/m).exec(text) ?? []
  return {
    isJson,
    endOfLine: text.includes('\r\n') ? '\r\n' : '\n',
    indent,
    quote: (/\$ref: *(['"])/.exec(text)?.[1] ?? "'") as Style['quote']
  }
}

/** What is inserted where; what ends at the same place stands in the order of its indentation. */
interface Piece {
  at: number
  added: string
  margin: number
}

const pieceFor = (
  text: string,
  { entries, isFlow, start }: Layout,
  { key, value }: Insertion,
  index: number,
  style: Style
): Piece => {
  const [first] = entries
  if (first === undefined)
    return { at: start + 1, added: `${index === 0 ? '' : ','} ${written(key, value, true, '', '', style)}`, margin: 0 }
  const after = entries.findLastIndex(each => statusIn(key) === Infinity || statusIn(each.key) < statusIn(key))
  const [previous, next] = [entries[after], entries[after + 1]]
  const isOnOwnLine = (offset: number) => text.slice(lineAt(text, offset), offset).trim() === ''
  const isSpread = isOnOwnLine(first.start)
  const margin = isSpread ? text.slice(lineAt(text, first.start), first.start) : ''
  const entry = written(key, value, isFlow && !(style.isJson && isSpread), margin, text[first.start] ?? '', style)
  const line = style.endOfLine + margin
  if (next !== undefined && (isFlow || previous === undefined))
    return isOnOwnLine(next.start)
      ? {
          at: startOfComments(text, lineAt(text, next.start)),
          added: margin + entry + (isFlow ? ',' : '') + style.endOfLine,
          margin: margin.length
        }
      : { at: next.start, added: `${entry}, `, margin: 0 }
  const { end } = previous as Layout['entries'][number]
  return isFlow
    ? { at: end, added: `,${isSpread ? line : ' '}${entry}`, margin: 0 }
    : { at: endOfEntry(text, end, margin.length), added: line + entry, margin: margin.length }
}

const lineAt = (text: string, offset: number) => text.lastIndexOf('\n', offset - 1) + 1

/** A key and its value, without the margin of the first line. */
const written = (
  key: string,
  value: Json,
  isInline: boolean,
  margin: string,
  sibling: string,
  { isJson, indent, quote, endOfLine }: Style
): string => {
  const lines = (all: string) => all.trimEnd().replaceAll('\n', endOfLine + margin)
  if (isJson) return `"${key}": ${lines(JSON.stringify(value, undefined, isInline ? undefined : indent))}`
  const options = { indent: indent.length, lineWidth: 0, aliasDuplicateObjects: false, singleQuote: quote === "'" }
  const isNumeric = statusIn(key) !== Infinity
  const quotes = /^\d/.test(sibling) ? '' : (/^['"]/.exec(sibling)?.[0] ?? quote)
  const name = isNumeric ? quotes + key + quotes : key
  return isInline
    ? `${name}: ${stringify(value, { ...options, collectionStyle: 'flow' }).trimEnd()}`
    : lines(stringify({ key: value }, options).replace(/^key/, name))
}

/** Where the comments begin that stand directly above a line. */
const startOfComments = (text: string, line: number): number => {
  const previous = text.lastIndexOf('\n', line - 2) + 1
  return previous < line && /^[ \t]*#/.test(text.slice(previous, line)) ? startOfComments(text, previous) : line
}

/** The end of the last line of an entry, with the comments that stand below it, more indented than its key. */
const endOfEntry = (text: string, end: number, margin: number): number => {
  const last = text.slice(0, end).trimEnd().length
  const comments = new RegExp(`[^\\r\\n]*(?:\\r?\\n[ \\t]{${margin + 1},}#[^\\r\\n]*)*`, 'y')
  comments.lastIndex = last
  return last + (comments.exec(text)?.[0].length ?? 0)
}

const yamlLayouts = (text: string) => {
  const mappings = new Map<number, YAMLMap>()
  visit(yamlDocument(text, { merge: true, uniqueKeys: false }), {
    Map: (_key, map) => void mappings.set(map.range?.[0] ?? -1, map)
  })
  return (offset: number): Layout | undefined => {
    const map = mappings.get(offset)
    if (map === undefined) return undefined
    const entries = (map.items as Pair<Node, Node | null>[]).map(({ key, value }) => ({
      key: isScalar(key) ? String(key.value) : '',
      start: key.range?.[0] ?? 0,
      end: endOf(value) ?? endOf(key) ?? 0
    }))
    return { isFlow: map.flow === true, start: offset, entries }
  }
}

/** Undefined for an empty value. */
const endOf = (node: Node | null): number | undefined => {
  if (node === null || (isScalar(node) && node.source === '')) return undefined
  if (!isCollection(node) || node.flow === true) return node.range?.[1]
  const last = node.items.at(-1)
  if (!isMap(node)) return endOf((last ?? null) as Node | null)
  const { key, value } = last as Pair<Node, Node | null>
  return endOf(value) ?? endOf(key)
}

const jsonLayouts =
  (text: string) =>
  (offset: number): Layout => {
    const entries: Layout['entries'] = []
    const token = /"(?:[^"\\]|\\.)*"|[{}[\],]|[^\s"{}[\],]+/g
    token.lastIndex = offset
    let depth = 0
    let isKey = true
    for (let each = token.exec(text); each !== null; each = token.exec(text)) {
      const [part] = each
      if (/[{[]/.test(part) && part.length === 1) depth++
      else if (/[}\]]/.test(part) && part.length === 1) depth--
      else if (depth === 1 && part === ',') isKey = true
      else if (depth === 1 && isKey) {
        entries.push({ key: JSON.parse(part), start: each.index, end: token.lastIndex })
        isKey = false
      }
      if (depth === 0) break
      const last = entries.at(-1)
      if (last !== undefined && !isKey) last.end = token.lastIndex
    }
    return { isFlow: true, start: offset, entries }
  }
