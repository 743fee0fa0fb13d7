// Copied from @contract-first/generator/package/client-credentials.ts by `npm run generate`: do not edit it.

import type { Authorize } from './client-types.ts'

/** How a credential travels; undefined if it cannot. */
type Carrier = (secret: string) => { headers?: Readonly<Record<string, string>>; query?: string } | undefined

const isPrintable = (secret: string) => /^[\x21-\x7e]+$/.test(secret)
const inHeader = (name: string, secret: string, before = '') =>
  isPrintable(secret) ? { headers: { [name]: before + secret } } : undefined

export const bearer: Carrier = secret => inHeader('authorization', secret, 'Bearer ')

/** User and password, as `user:password`. */
export const basic: Carrier = secret => {
  const bytes = Array.from(new TextEncoder().encode(secret), byte => String.fromCharCode(byte))
  return inHeader('authorization', btoa(bytes.join('')), 'Basic ')
}

export const header =
  (name: string): Carrier =>
  secret =>
    inHeader(name, secret)

export const query =
  (name: string): Carrier =>
  secret => ({ query: `${encodeURIComponent(name)}=${encodeURIComponent(secret)}` })

/** Not in a browser, which sends its own cookies and no others. */
export const cookie =
  (name: string): Carrier =>
  secret =>
    inHeader('cookie', secret, `${name}=`)

/** For contracts with credentials other than bearer tokens; a credential without a carrier is a bearer token. */
export const authorize =
  (carriers: Readonly<Record<string, Carrier>>): Authorize =>
  async (alternatives, secretOf, refuse, { cookie }) => {
    for (const alternative of alternatives) {
      const names = typeof alternative === 'string' ? [alternative] : alternative
      const all: NonNullable<ReturnType<Carrier>>[] = []
      for (const name of names) {
        const secret = await secretOf(name)
        if (secret === undefined) break
        const carried = (carriers[name] ?? bearer)(secret)
        if (carried === undefined) throw refuse(name)
        all.push(carried)
      }
      if (all.length < names.length) continue
      const query = all.flatMap(each => each.query ?? []).join('&')
      const headers = Object.assign({}, ...all.map(each => each.headers))
      const cookies = [cookie, ...all.map(each => each.headers?.cookie)].filter(each => each !== undefined)
      if (headers.cookie !== undefined) headers.cookie = cookies.join('; ')
      const withQuery = (url: string) => `${url}${url.includes('?') ? '&' : '?'}${query}`
      return query === '' ? { headers } : { headers, withQuery }
    }
    return {}
  }
