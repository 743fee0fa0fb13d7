import { decoded, isObject, type Json } from '@contract-first/document'
import type { Operation } from '../operations/operations.ts'
import { jsonOf, textOf } from '../operations/parameters.ts'
import type { Response } from './client.ts'

export interface Thing {
  /** `/pets/{petId}` */
  path: string
  /** The values of the path parameters, in order. */
  values: string[]
  /** Whether this run created it and may therefore change and remove it. */
  isOwn: boolean
}

export class Things {
  readonly #paths: string[]
  #list: Thing[] = []

  constructor(operations: readonly Operation[]) {
    this.#paths = [...new Set(operations.map(({ path }) => path))]
  }

  /** The most specific known resource on the path of an operation, preferably one that this run created: the first, or the last. */
  for(path: string, { ownOnly = false, last = false } = {}): Thing | undefined {
    const list = last ? this.#list.toReversed() : this.#list
    const onPath = list.filter(each => path === each.path || path.startsWith(`${each.path}/`))
    const usable = ownOnly ? onPath.filter(each => each.isOwn) : onPath
    return usable.toSorted((a, b) => b.path.length - a.path.length || Number(b.isOwn) - Number(a.isOwn))[0]
  }

  get own(): Thing[] {
    return this.#list.filter(each => each.isOwn)
  }

  forget(thing: Thing): void {
    this.#list = this.#list.filter(each => each !== thing)
  }

  /**
   * Learns from a 2xx response what was created or exists, and returns it if it is new. `baseUrl` is that of the
   * operation's path, `url` that of the request.
   */
  learn({ method, path }: Operation, baseUrl: string, url: string, response: Response): Thing | undefined {
    // With another status than 201 it may have existed before, so this run must not remove it.
    const isOwn = (method === 'POST' || method === 'PUT') && response.status === 201
    if (response.status >= 300 || (method !== 'GET' && !isOwn)) return undefined
    const pathOf = (reference: string) => pathBelow(baseUrl, new URL(reference, url))
    const { location } = response.headers
    const isLocated = isOwn && location !== undefined && URL.canParse(location, url)
    // PUT creates a resource at its own URL (RFC 9110, section 9.3.4).
    const at = method === 'PUT' ? pathOf(url) : isLocated ? pathOf(location) : undefined
    const resource = this.#at(at) ?? this.#inBody(path, pathOf(url), response)
    if (resource === undefined || this.#list.some(each => each.path === resource.path && !isOwn)) return undefined
    const known = this.#list.find(each => each.isOwn && filledPathOf(each) === filledPathOf({ ...resource, isOwn }))
    if (known !== undefined) return known
    const thing = { ...resource, isOwn }
    this.#list.push(thing)
    return thing
  }

  #at(path = ''): Omit<Thing, 'isOwn'> | undefined {
    for (const each of this.#paths) {
      const values = valuesIn(each, path)
      if (values !== undefined && values.length > 0) return { path: each, values }
    }
    return undefined
  }

  /** By the id in the body, if the contract has a path below this one for single resources. */
  #inBody(path: string, asked: string | undefined, { body }: Response): Omit<Thing, 'isOwn'> | undefined {
    const below = this.#paths.find(each => each.startsWith(`${path}/{`) && !each.slice(path.length + 1).includes('/'))
    if (below === undefined || asked === undefined) return undefined
    const id = idIn(jsonOf(body.toString()) ?? null, below.slice(path.length + 2, -1))
    const values = valuesIn(path, asked)
    return id === undefined || values === undefined ? undefined : { path: below, values: [...values, id] }
  }
}

export const filledPathOf = ({ path, values }: Thing): string => {
  const rest = values.map(encodeURIComponent)
  return path.replace(/\{[^{}]+\}/g, () => rest.shift() ?? '')
}

const pathBelow = (baseUrl: string, { pathname }: URL): string | undefined => {
  const base = new URL(baseUrl).pathname.replace(/\/$/, '')
  return pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : undefined
}

const plain = (name: string) => name.replace(/[^a-z\d]/gi, '').toLowerCase()

/** The id of a resource, or of the first in a list, which may have an envelope. Ids nested deeper belong to something else. */
const idIn = (value: Json, name: string): string | undefined => {
  if (Array.isArray(value)) return isObject(value[0]) ? idIn(value[0], name) : undefined
  if (!isObject(value)) return undefined
  for (const wanted of [plain(name), 'id']) {
    const id = Object.entries(value).find(([key]) => plain(key) === wanted)?.[1]
    if (typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint') return textOf(id)
  }
  const lists = Object.values(value).filter(each => Array.isArray(each))
  return lists.length === 1 ? idIn(lists[0] as Json[], name) : undefined
}

/** The values of a path template's parameters in a path, if it matches; each parameter is a whole segment. */
const valuesIn = (template: string, path: string): string[] | undefined => {
  const wanted = template.split('/')
  const given = path.split('/')
  const isParameter = (segment = '') => /^\{[^{}]*\}$/.test(segment)
  const fits =
    wanted.length === given.length && wanted.every((segment, at) => isParameter(segment) || segment === given[at])
  return fits ? given.filter((_, at) => isParameter(wanted[at])).map(decoded) : undefined
}
