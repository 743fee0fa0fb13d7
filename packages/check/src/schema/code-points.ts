/** Code points as ranges, both ends included, ascending and separate. Surrogates are excluded: UTF-8 cannot encode them. */
export type CodePoints = readonly Range[]
type Range = readonly [from: number, to: number]

const last = 0x10ffff
const surrogates: Range = [0xd800, 0xdfff]

/** Everything outside the ranges, which may overlap and need no order. */
export const complement = (ranges: CodePoints): CodePoints => {
  const gaps: Range[] = []
  let next = 0
  for (const [from, to] of [...ranges, surrogates].sort(([a], [b]) => a - b)) {
    if (from > next) gaps.push([next, from - 1])
    next = Math.max(next, to + 1)
  }
  if (next <= last) gaps.push([next, last])
  return gaps
}

export const union = (...sets: CodePoints[]): CodePoints => complement(complement(sets.flat()))

export const has = (set: CodePoints, codePoint: number): boolean =>
  set.some(([from, to]) => from <= codePoint && codePoint <= to)

export const single = (codePoint: number): CodePoints => (has([surrogates], codePoint) ? [] : [[codePoint, codePoint]])

export const all = complement([])
export const digits: CodePoints = [[0x30, 0x39]]
export const wordCharacters = union(digits, [[0x41, 0x5a]], [[0x5f, 0x5f]], [[0x61, 0x7a]])
export const lineTerminators = union([[0x0a, 0x0a]], [[0x0d, 0x0d]], [[0x2028, 0x2029]])
export const spaces = union(
  [[0x09, 0x0d]],
  ...[0x20, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff].map(single),
  [[0x2000, 0x200a]]
)

/** Where examples are preferably taken from, the most readable first. */
const preferences = ['az', '09', 'AZ', '--', '__', '!~', '  ', 'àÿ', '¡\ud7ff', '😀🙏']
  .map(([from, to]): Range => [from?.codePointAt(0) ?? 0, to?.codePointAt(0) ?? 0])
  .concat([[0, last]])

/**
 * One code point, preferably readable, for each class of those that the sets do not distinguish: what holds for it holds
 * for its class.
 */
export const representatives = (sets: readonly CodePoints[]): number[] => {
  const borders = new Set([...sets, all].flat().flatMap(([from, to]) => [from, to + 1]))
  const starts = [...borders].sort((a, b) => a - b)
  const classes = new Map<string, { rank: number; codePoint: number }>()
  for (const [index, from] of starts.slice(0, -1).entries()) {
    if (!has(all, from)) continue
    const name = sets.map(set => (has(set, from) ? 1 : 0)).join('')
    const member = mostReadable(from, (starts[index + 1] as number) - 1)
    const other = classes.get(name)
    if (!other || member.rank < other.rank) classes.set(name, member)
  }
  return [...classes.values()].sort((a, b) => a.rank - b.rank || a.codePoint - b.codePoint).map(_ => _.codePoint)
}

const mostReadable = (from: number, to: number): { rank: number; codePoint: number } => {
  const rank = preferences.findIndex(([first, final]) => first <= to && from <= final)
  const [first] = preferences[rank] as Range
  return { rank, codePoint: Math.max(from, first) }
}
