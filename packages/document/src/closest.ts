/** The word that the author of `word` probably meant; undefined if none is close. */
export const closest = (word: string, words: Iterable<string>): string | undefined => {
  let best: string | undefined
  let least = Math.floor(word.length / 3) + 1
  for (const candidate of words) {
    if (Math.abs(candidate.length - word.length) >= least) continue
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance >= least) continue
    best = candidate
    least = distance
  }
  return best
}

/** How many letters must be inserted, deleted or replaced. */
const editDistance = (from: string, to: string) => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
