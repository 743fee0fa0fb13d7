import type { IncomingMessage } from 'node:http'

/**
 * The address of a request whose path cannot be decoded, below `basePath` or not: for the router to find, so that such a
 * request passes through what all others do. No client can send it.
 */
export const malformedPathUrl = '/\0'

/** The request target as the router is to see it, for the service's own paths and those below `basePath`. */
export const routableTarget = (target = '', basePath = ''): string => {
  const url = originForm(target)
  if (isDecodable(url)) return url
  return url.startsWith(`${basePath}/`) ? basePath + malformedPathUrl : malformedPathUrl
}

/** A server has to take the absolute form too (RFC 9112, section 3.2.2). */
const originForm = (url: string) => (url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*(?=\/|$)/i, '') || '/')

const isDecodable = (url: string): boolean => {
  if (!url.includes('%')) return true
  const [path = ''] = url.split(/[?#]/, 1)
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/** A request's URL as the client sent it, as far as it is not known better. */
export const urlOf = ({ url = '', originalUrl = url }: IncomingMessage & { originalUrl?: string }): string =>
  url.endsWith(malformedPathUrl) ? originForm(originalUrl) : url
