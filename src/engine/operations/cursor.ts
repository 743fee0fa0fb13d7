import { invalidRequest } from '../errors.ts'

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

type Value = string | number | bigint | boolean | undefined
type PageQuery = { [filter: string]: Value; cursor?: string; limit: number }

/**
 * A page of a list by rising id, with a `Link` to the next one unless it is the last. `list` gets the query's filters, the id
 * that precedes the page, and one item more than requested as its limit, which shows whether there is more.
 * @throws ApiError if this service has not issued the cursor
 */
export const pageOf = async <Item extends { id: bigint }, Query extends PageQuery>(
  { cursor, limit, ...filters }: Query,
  list: (page: Omit<Query, 'cursor' | 'limit'> & { after: bigint; limit: number }) => Promise<Item[]>
): Promise<{ status: 200; body: Item[]; headers?: { Link: string } }> => {
  const after = cursor === undefined ? 0n : positionOf(cursor)
  if (after === undefined) throw invalidRequest('query parameter cursor was not issued by this service.')
  const body = await list({ ...filters, after, limit: limit + 1 })
  const last = body[limit - 1]
  if (body.length <= limit || last === undefined) return { status: 200, body }
  body.pop()
  let next = `cursor=${cursorAfter(last.id)}&limit=${limit}`
  for (const [name, value] of Object.entries(filters))
    if (value !== undefined) next += `&${name}=${encodeURIComponent(`${value}`)}`
  // A query-only reference (RFC 3986, section 5.2.2) works behind any path prefix.
  return { status: 200, body, headers: { Link: `<?${next}>; rel="next"` } }
}
