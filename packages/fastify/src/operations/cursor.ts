import { invalidRequest } from '../errors/api-error.ts'
import { sentQueryOf } from '../validation/sent-queries.ts'

// Eleven characters of base64url. Opaque to clients, so that the content may change.
const bytes = 8

/** The cursor of the page that follows this id. */
export const cursorAfter = (id: bigint): string => {
  const buffer = Buffer.allocUnsafe(bytes)
  buffer.writeBigInt64BE(id)
  return buffer.toString('base64url')
}

/** The id in a cursor, or `undefined` if the text is not a cursor. */
export const positionOf = (cursor: string): bigint | undefined => {
  const buffer = Buffer.from(cursor, 'base64url')
  if (buffer.length !== bytes) return undefined
  const id = buffer.readBigInt64BE()
  return id > 0n && cursorAfter(id) === cursor ? id : undefined
}

type PageQuery = { [filter: string]: unknown; cursor?: string; limit: number }

/**
 * A page of a list by ascending id, with a `Link` to the next page unless it is the last. `list` gets the query's filters, the
 * id before the page, and a limit of one more than requested, which shows whether there is more. The link repeats the rest of
 * the query. For objects, and lists in an unusual style, that needs the query object itself, not a copy.
 * @throws ApiError if this service has not issued the cursor
 */
export const pageOf = async <Item extends { id: bigint }, Query extends PageQuery>(
  query: Query,
  list: (page: Omit<Query, 'cursor' | 'limit'> & { after: bigint; limit: number }) => Promise<Item[]>
): Promise<{ status: 200; body: Item[]; headers?: { Link: string } }> => {
  const { cursor, limit, ...filters } = query
  const after = cursor === undefined ? 0n : positionOf(cursor)
  if (after === undefined) throw invalidRequest('query parameter cursor was not issued by this service.')
  const body = await list({ ...filters, after, limit: limit + 1 })
  const last = body[limit - 1]
  if (body.length <= limit || last === undefined) return { status: 200, body }
  body.pop()
  const sent = sentQueryOf(query)
  const carriedOn = sent === undefined ? pairsOf(filters) : sentPairs(sent)
  // A query-only reference (RFC 3986, section 5.2.2) works behind any path prefix.
  return {
    status: 200,
    body,
    headers: { Link: `<?cursor=${cursorAfter(last.id)}&limit=${limit}${carriedOn}>; rel="next"` }
  }
}

const pairsOf = (filters: object): string => {
  let pairs = ''
  for (const [name, value] of Object.entries(filters)) {
    if (value === undefined) continue
    for (const each of Array.isArray(value) ? value : [value]) {
      if (typeof each === 'object')
        throw new Error(
          `pageOf cannot put ${name} into the link, since it is not a text or a list of texts: pass the query itself, not a copy`
        )
      pairs += `&${encodeURIComponent(name)}=${encodeURIComponent(`${each}`)}`
    }
  }
  return pairs
}

const sentPairs = (query: string): string =>
  query
    .split('&')
    .filter(pair => ![...new URLSearchParams(pair).keys()].every(name => name === 'cursor' || name === 'limit'))
    .map(pair => `&${pair.replaceAll(unfitForLinks, encodeURIComponent)}`)
    .join('')

// What clients may have sent unencoded, but a URI must have percent-encoded (RFC 3986, section 2).
const unfitForLinks = /[^\x21-\x7e]+|[<>"\\^`{|}]/g
