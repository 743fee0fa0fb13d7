import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { type ApiError, malformedPath, pathNotFound } from '../errors/api-error.ts'
import { decodedReserved } from './pairs.ts'

/**
 * Stands for any path that cannot be decoded, or that lacks a parameter: the router finds it, and the request passes through
 * the same hooks as all others. No client can send it.
 */
export const refusedPathUrl = '/\0'

/** The request target for the router. */
export const routableTarget = (target = '', basePaths: readonly string[] = []): string => {
  const url = originForm(target)
  return !url.includes('%') || decodedReserved(pathIn(url)) !== undefined ? url : refusedTarget(url, basePaths)
}

/** Stands for the path, below the same base path. */
export const refusedTarget = (url: string, basePaths: readonly string[]): string =>
  (basePaths.find(each => url.startsWith(`${each}/`)) ?? '') + refusedPathUrl

/** The error for a path in whose place the router has found `refusedPathUrl`. */
export const refusedPath = ({ raw }: FastifyRequest): ApiError => {
  const path = pathIn(urlOf(raw))
  return decodedReserved(path) === undefined ? malformedPath() : pathNotFound(path)
}

/** The path of a URL. */
export const pathIn = (url: string) => url.split(/[?#]/, 1)[0] ?? ''

/**
 * A path of the contract for the router, which compares decoded texts. Characters that mean something to the router, or are
 * reserved and so remain encoded in requests, stay encoded.
 */
export const routedPath = (path: string): string =>
  path.replace(/(?:%[\da-f]{2})+/gi, escapes => {
    try {
      const text = decodeURI(escapes)
      return /[*():]/.test(text) ? escapes : text
    } catch {
      return escapes
    }
  })

/** A URL with its real base path in place of the stand-in. */
export const withoutStandIn = (url: string, standIns: ReadonlyMap<string, string>): string => {
  for (const [other, basePath] of standIns)
    if (url.startsWith(other) && /^(?:[/?#]|$)/.test(url.slice(other.length))) return basePath + url.slice(other.length)
  return url
}

/** Servers must also accept the absolute form (RFC 9112, section 3.2.2). */
const originForm = (url: string) => (url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*(?=\/|$)/i, '') || '/')

/** A request's URL, as the client sent it even if its path is refused. */
export const urlOf = ({ url = '', originalUrl = url }: IncomingMessage & { originalUrl?: string }): string =>
  url.endsWith(refusedPathUrl) ? originForm(originalUrl) : url

/** The query of a request's URL, as it is written; empty if there is none. */
export const queryTextOf = ({ url = '' }: IncomingMessage): string => {
  // Where the router ends the path.
  const at = url.search(/[?#]/)
  return at === -1 ? '' : url.slice(at + 1)
}
