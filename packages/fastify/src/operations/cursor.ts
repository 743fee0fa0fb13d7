import { invalidRequest } from '../errors/api-error.ts'
import { parseJson } from '../node/json.ts'
import { InvalidPosition } from '../store/table.ts'
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

/** The cursor of the page that follows these values in this order. */
const cursorIn = (order: string, values: readonly unknown[]): string => {
  const text = JSON.stringify([order, ...values], (_, value) => (typeof value === 'bigint' ? [`${value}`] : value))
  return Buffer.from(text).toString('base64url')
}

/** The values in a cursor of this order; `undefined` if there is none. */
const valuesIn = (order: string, cursor: string): unknown[] | undefined => {
  try {
    const [, ...values] = parseJson(Buffer.from(cursor, 'base64url')) as unknown[]
    // `parseJson` makes bigints of large numbers, which a `real` column may have.
    const position = values.map(value =>
      Array.isArray(value) ? BigInt(value[0]) : typeof value === 'bigint' ? Number(value) : value
    )
    return cursorIn(order, position) === cursor ? position : undefined
  } catch {
    return undefined
  }
}

type PageQuery = { [filter: string]: unknown; cursor?: string; limit: number }

interface Next {
  cursor: string
  /** A reference with the cursor and the rest of the query, which works behind any path prefix (RFC 3986, section 5.2.2). */
  link: string
}

/** What `list` gets beside the filters: in an order of its own, also that, and the values before the page. */
type Asked<Query, Order> = Omit<Query, 'cursor' | 'limit'> & { limit: number } & ([Order] extends [never]
    ? { after: bigint }
    : { after: readonly unknown[] | undefined; order: Order })

type Identified = { id: bigint | number }

interface PageOptions<Order> {
  /** A member of the items, with `-` in front if it descends; equal ones are ordered by id. Default: by ascending id. */
  order?: Order
}

interface PageOf {
  /** With `body`, which makes the body, there is no `Link`; `next` is absent on the last page. */
  <Item extends Identified, Query extends PageQuery, Body, Order extends string = never>(
    query: Query,
    list: (page: Asked<Query, Order>) => Promise<Item[]>,
    options: PageOptions<Order> & { body: (items: Item[], next?: Next) => Body }
  ): Promise<{ status: 200; body: Body }>
  <Item extends Identified, Query extends PageQuery, Order extends string = never>(
    query: Query,
    list: (page: Asked<Query, Order>) => Promise<Item[]>,
    options?: PageOptions<Order>
  ): Promise<{ status: 200; body: Item[]; headers?: { Link: string } }>
}

/**
 * A page of a list, with a `Link` to the next page unless it is the last. `list` gets the query's filters, what is before the
 * page, and a limit of one more than requested, which shows whether there is more. The link repeats the rest of the query. For
 * objects, and lists in an unusual style, that needs the query object itself, not a copy.
 * @throws ApiError if this service has not issued the cursor, or `list` throws InvalidPosition
 */
export const pageOf: PageOf = async (
  query: PageQuery,
  list: (page: never) => Promise<Identified[]>,
  { order, body }: PageOptions<string> & { body?: (items: never, next?: Next) => unknown } = {}
) => {
  const { cursor, limit, ...filters } = query
  const read = order === undefined ? positionOf : (cursor: string) => valuesIn(order, cursor)
  const start = order === undefined ? 0n : undefined
  const after = cursor === undefined ? start : read(cursor)
  if (after === undefined && cursor !== undefined) throw notIssued()
  const most = limit + 1
  const asked = order === undefined ? { ...filters, after, limit: most } : { ...filters, order, after, limit: most }
  let items: Identified[]
  try {
    items = await list(asked as never)
  } catch (error) {
    throw error instanceof InvalidPosition ? notIssued() : error
  }
  const last = items[limit - 1]
  const isLast = items.length <= limit || last === undefined
  if (!isLast) items.pop()
  const next = isLast ? undefined : nextAfter(last, order, query, filters)
  if (body !== undefined) return { status: 200, body: body(items as never, next) }
  const headers = next && { Link: `<${next.link}>; rel="next"` }
  // biome-ignore lint/suspicious/noExplicitAny: the type depends on the options
  return (headers === undefined ? { status: 200, body: items } : { status: 200, body: items, headers }) as any
}

const notIssued = () => invalidRequest('query parameter cursor was not issued by this service.')

const nextAfter = (last: Identified, order: string | undefined, query: PageQuery, filters: object): Next => {
  const by = order?.replace(/^-/, '') as 'id'
  const values = by === 'id' ? [last.id] : [last[by], last.id]
  const cursor = order === undefined ? cursorAfter(BigInt(last.id)) : cursorIn(order, values)
  const sent = sentQueryOf(query)
  const carriedOn = sent === undefined ? pairsOf(filters) : sentPairs(sent)
  return { cursor, link: `?cursor=${cursor}&limit=${query.limit}${carriedOn}` }
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
