/** What a map has under the key; otherwise what is made now, and kept. (`getOrInsertComputed` needs Node.js 26.) */
export const getOrMake = <K, V>(
  map: { get(key: K): V | undefined; has(key: K): boolean; set(key: K, value: V): unknown },
  key: K,
  make: (key: K) => V
): V => {
  const known = map.get(key)
  if (known !== undefined || map.has(key)) return known as V
  const made = make(key)
  map.set(key, made)
  return made
}
