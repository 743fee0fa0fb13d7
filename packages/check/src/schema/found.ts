/** The result of a search: a value, the proof that there is none (`none`), or neither within its limits (`unknown`). */
export type Found<T> = { value: T } | 'none' | 'unknown'

/** The first value found for one of them; 'none' if there is certainly none for any. */
export const firstOf = <T, V>(choices: Iterable<T>, find: (choice: T) => Found<V>): Found<V> => {
  let answer: Found<V> = 'none'
  for (const choice of choices) {
    const result = find(choice)
    if (typeof result === 'object') return result
    if (result === 'unknown') answer = result
  }
  return answer
}
