import { type Int64, own, textOf } from './client-places.ts'
import type { HeaderValues, Operation, Values } from './client-types.ts'

/** An input key that replaces all parameters in the URL: its value is the URL of a page that the server linked to. */
export const linkKey = 'rel=next'

/** A request without its credential. */
export interface Prepared {
  url: string
  headers: HeaderValues
  body: string | Blob | FormData | undefined
}

/** @throws Error if no request can carry the input */
export const prepare = async (operation: Operation, input: Values, base: string, int64: Int64): Promise<Prepared> => {
  const inPath = new Map<string, string>()
  const query: string[] = []
  const headers: Record<string, string> = { ...operation.headers?.() }
  for (const [key, value] of Object.entries(input)) {
    if (value === undefined || key === linkKey || (key === 'body' && operation.body !== undefined)) continue
    const described = own(operation.inputs, key)
    if (described === undefined) throw new TypeError(`unknown input ${key}; it has ${inputNames(operation)}`)
    const name = described.name ?? key
    if (described.write !== undefined) {
      await described.write({ inPath, query, headers }, name, value, int64)
      continue
    }
    const texts = [value].flat().map(each => textOf(key, each, described.as, 'which is not allowed for a parameter'))
    const encoded = texts.map(encodeURIComponent)
    if (described.in === 'path') inPath.set(name, encoded.join())
    else if (described.in === 'header') headers[name] = texts.join()
    else {
      const values = described.commas && encoded.length > 0 ? [encoded.join()] : encoded
      query.push(...values.map(each => `${encodeURIComponent(name)}=${each}`))
    }
  }
  const path = operation.path.replace(/\{([^{}]+)\}/g, (_all, name: string) => {
    const text = inPath.get(name) ?? ''
    // In a URL, `.` and `..` change the path even if they are encoded.
    if (!/^\.{0,2}$/.test(text)) return text
    throw new TypeError(`${name} is ${JSON.stringify(text)}, which would change the path`)
  })
  const { body: places = {}, encode } = operation
  return {
    url: operation.list?.linkedPage(input, base) ?? base + path + (query.length > 0 ? '?' : '') + query.join('&'),
    headers,
    body: encode && input.body !== undefined ? await encode(input.body, places, int64) : undefined
  }
}

const inputNames = ({ inputs, body }: Operation) =>
  Object.keys(body ? { ...inputs, body } : inputs).join(', ') || 'none'

/** @throws TypeError if paths cannot be appended to it */
export const absolute = (baseUrl: string): string => {
  const { document, location } = globalThis as { document?: { baseURI: string }; location?: { href: string } }
  let href: string
  try {
    href = new URL(baseUrl, document?.baseURI ?? location?.href).href
  } catch (cause) {
    const message = `baseUrl is ${JSON.stringify(baseUrl)}; an absolute URL, like https://animals.example/v1, is expected`
    throw new TypeError(message, { cause })
  }
  if (!/^https?:\/\/[^/@]+\/[^?#]*$/.test(href))
    throw new TypeError(`baseUrl must be an http or https URL without user, query or fragment`)
  return href.replace(/\/+$/, '')
}
