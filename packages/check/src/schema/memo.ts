/** What a map has under the key; otherwise what is made now, and kept. (`getOrInsertComputed` needs Node.js 26.) */
export const getOrMake = <K, V extends object | string | number | boolean>(
  map: { get: (key: K) => V | undefined; set: (key: K, value: V) => unknown },
  key: K,
  make: () => V
): V => {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
