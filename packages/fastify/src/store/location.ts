import { resolve } from 'node:path'

/** Where a store is: a SQLite file or `:memory:`, or a PostgreSQL database, perhaps with a replica for reads. */
export type DatabaseLocation =
  | { readonly path: string; readonly url?: undefined }
  | { readonly url: string; readonly replicaUrl?: string | undefined; readonly path?: undefined }

export const isInMemory = ({ path }: DatabaseLocation): boolean => path === ':memory:'

/** The location for people, without the password, which must not end up in a log. */
export const describeLocation = (location: DatabaseLocation): string => {
  if (location.url !== undefined) return withoutPassword(location.url)
  return isInMemory(location) ? 'in memory only' : resolve(location.path)
}

// Up to the last @, since a password may contain one by mistake.
export const withoutPassword = (url: string): string =>
  url.replace(/^([^:]*:\/\/[^:@/]*):.*@/s, '$1@').replace(/([?&]password=)[^&]*/g, '$1…')

const tlsModes = ['disable', 'no-verify', 'verify-full']

/** What is wrong with the URL of a PostgreSQL database; `undefined` if nothing is. */
export const urlFault = (text: string): string | undefined => {
  const [, hosts] = /^postgres(?:ql)?:\/\/(?:[^@/]*@)?([^/?]*)/.exec(text) ?? []
  if (hosts === undefined) return 'it must begin with postgres://'
  for (const host of hosts.split(',')) {
    const url = URL.parse(text.replace(hosts, host))
    if (url === null || url.hostname === '')
      return 'a host is missing or invalid, or / : @ of the password are not percent-encoded'
    if (url.pathname.length < 2) return 'it must name a database after the host'
    // The driver treats other modes as verify-full, libpq does not, so they are rejected.
    const tls = url.searchParams.get('sslmode')
    if (tls !== null && !tlsModes.includes(tls)) return `sslmode must be one of ${tlsModes.join(', ')}`
  }
  return undefined
}
