// Opaque to clients, so that its content may change; the eight bytes of an id are eleven characters of base64url.
const bytes = 8

/** The cursor of the page that follows this id. */
export const cursorAfter = (id: bigint): string => {
  const buffer = Buffer.allocUnsafe(bytes)
  buffer.writeBigInt64BE(id)
  return buffer.toString('base64url')
}

/** The id in a cursor, or `undefined` if it is not one. */
export const positionOf = (cursor: string): bigint | undefined => {
  const buffer = Buffer.from(cursor, 'base64url')
  if (buffer.length !== bytes) return undefined
  const id = buffer.readBigInt64BE()
  return id > 0n && cursorAfter(id) === cursor ? id : undefined
}
