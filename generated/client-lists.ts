// Copied from @contract-first/generator/package/client-lists.ts by `npm run generate`: do not edit it.

import { type Fail, messageOf, shortened, successful, urlOf } from './client-errors.ts'
import { linked } from './client-links.ts'
import { type Int64, own } from './client-places.ts'
import { linkKey } from './client-requests.ts'
import type { AnyResponse, Input, Operation, Paging, Values } from './client-types.ts'

// For operations that return lists; others do not load it.

/** The items of all pages. */
async function* items(pages: AsyncIterable<AnyResponse>, fail: Fail) {
  for await (const { body, status, response } of pages) {
    // A page without a body is empty.
    if (body === undefined) continue
    if (!Array.isArray(body)) throw fail('invalid-body', `got ${status} with a body that is not a list`, { response })
    yield* body
  }
}

/** All pages; `request` gets the response for an input. */
async function* pages(
  first: Promise<AnyResponse>,
  input: Values,
  request: (input: Values) => Promise<AnyResponse>,
  base: string,
  fail: Fail
) {
  const visited = new Set<string>()
  let page = await first
  for (;;) {
    const { response } = page
    yield successful(page, fail)
    visited.add(urlOf(response))
    const next = nextPage(response, base, fail)?.href
    if (next === undefined) return
    if (visited.has(next)) throw fail('invalid-link', `got a Link back to ${shortened(next)}`, { response })
    visited.add(next)
    page = await request({ ...input, [linkKey]: next })
  }
}

const listed: Paging['listed'] = (call, input, request, base, fail) => {
  const all = () => pages(call, input, request, base, fail)
  return Object.assign(call, {
    page: () => call.then(result => successful(result, fail)),
    pages: all,
    [Symbol.asyncIterator]: () => items(all(), fail)
  })
}

const linkedPage: Paging['linkedPage'] = (input, base) => {
  const url = own(input, linkKey)
  if (url === undefined || new URL(String(url)).origin === new URL(base).origin) return url as string | undefined
  throw new TypeError(`${linkKey} leads to another server than ${base}`)
}

/** A page with its `next`, which is computed, and may throw, only when it is read. */
const withNext: Paging['withNext'] = (page, operation, input, requested, base, int64, fail) =>
  Object.defineProperty(page, 'next', {
    enumerable: true,
    get: () => {
      const next = nextPage(page.response, base, fail)
      return next && (inputOf(next, new URL(requested), operation, input, int64) ?? { ...input, [linkKey]: next.href })
    }
  })

/** The input that leads to a URL, if there is one: the same path, and parameters that the operation has. */
const inputOf = (next: URL, requested: URL, { inputs }: Operation, input: Values, int64: Int64): Values | undefined => {
  if (next.pathname !== requested.pathname) return undefined
  const entries = Object.entries(inputs)
  const isKept = (key: string) => inputs[key]?.in !== 'query' && key !== linkKey
  const result = Object.fromEntries(Object.entries(input).filter(([key]) => isKept(key)))
  const names = new Set<string>()
  next.searchParams.forEach((_value, name) => void names.add(name))
  for (const name of names) {
    const [key, parameter] = entries.find(([key, each]) => each.in === 'query' && (each.name ?? key) === name) ?? []
    if (key === undefined || parameter === undefined) return undefined
    const texts = next.searchParams.getAll(name)
    const isSame = requested.searchParams.getAll(name).join() === texts.join()
    const value = (isSame ? input[key] : undefined) ?? fromTexts(texts, parameter, int64)
    if (value === undefined) return undefined
    result[key] = value
  }
  return result
}

/** The value of texts in a URL; undefined if it is uncertain. */
const fromTexts = (texts: string[], { as, many, commas, write }: Input, int64: Int64): unknown => {
  if (write !== undefined) return undefined
  if (many) {
    const values = (commas ? texts.join().split(',') : texts).map(each => fromText(each, as, int64))
    return values.includes(undefined) ? undefined : values
  }
  return texts.length === 1 ? fromText(`${texts}`, as, int64) : undefined
}

const fromText = (text: string, as: Input['as'], int64: Int64): unknown => {
  if (as === undefined || (as === 'int64' && int64 === 'string')) return text
  if (as === 'boolean') return text === 'true' || (text === 'false' ? false : undefined)
  if (as === 'int64' && int64 === 'bigint') return /^-?\d+$/.test(text) ? BigInt(text) : undefined
  const number = Number(text)
  // Undefined if the number is rounded, or could not be sent.
  return String(number) === text && (as === 'number' || Number.isSafeInteger(number)) ? number : undefined
}

const nextPage = (response: Response, base: string, fail: Fail): URL | undefined => {
  let next: URL | undefined
  try {
    next = linked(response, 'next')
  } catch (cause) {
    throw fail('invalid-link', `got an unreadable Link: ${messageOf(cause)}`, { cause, response })
  }
  if (next === undefined) return undefined
  const { origin } = new URL(base)
  // Another origin must not get the credential.
  if (next.origin !== origin)
    throw fail('invalid-link', `got a Link to ${shortened(next.href)}, away from ${origin}`, { response })
  // A request must not have any of these.
  next.username = next.password = next.hash = ''
  return next
}

export const list: Paging = { listed, linkedPage, withNext }
