import {
  basePathOf,
  entriesOf,
  getOrMake,
  isObject,
  isUrl,
  type Json,
  type JsonObject,
  type Place
} from '@contract-first/document'
import { faultOf, isRoutable } from './path-segments.ts'
import { isReference, nameOf, pointed } from './pointer.ts'
import type { Report } from './problems.ts'
import { locate } from './read.ts'
import { refuseEndless } from './recursion.ts'
import { holderOf, isBodiless, methodsOf, reachedInstead, withoutFragment } from './routed.ts'
import { checkRequirements, checkScheme, securitySchemesOf } from './security.ts'

// Rules about relations between parts of a contract; what each part may contain is in the grammar.

/** Resolves references; undefined if there is no target. */
export const resolverOf = (document: JsonObject, report?: Report) => {
  const resolve = (value: Json | undefined, seen = new Set<string>()): JsonObject | undefined => {
    if (!isReference(value)) return isObject(value) ? value : undefined
    if (seen.has(value.$ref)) {
      report?.add(locate(value, '$ref'), `$ref ${value.$ref} refers to itself`)
      return undefined
    }
    const [, section = ''] = value.$ref.split('/').slice(1)
    return resolve(pointed(document, ['components', section, nameOf(value.$ref)]), seen.add(value.$ref))
  }
  return (value: Json | undefined) => resolve(value)
}

export const checkRules = (document: JsonObject, report: Report) => {
  new Rules(document, report).check()
  refuseEndless(document, report)
}

class Rules {
  readonly #document: JsonObject
  readonly #report: Report
  readonly #resolve: (value: Json | undefined) => JsonObject | undefined
  readonly #schemes: ReadonlyMap<string, JsonObject>
  /** By path without the names of parameters. */
  readonly #paths = new Map<string, string>()
  /** By method and path without the names of parameters. */
  readonly #shapes = new Map<string, { url: string; path: string; place: Place }>()
  readonly #basePaths = new Set<string>()
  readonly #basePath: string
  readonly #reachedInstead: ReadonlyMap<string, string>

  constructor(document: JsonObject, report: Report) {
    this.#document = document
    this.#report = report
    this.#resolve = resolverOf(document, report)
    this.#basePath = basePathOf(document)
    this.#reachedInstead = reachedInstead(document)
    this.#schemes = securitySchemesOf(document, this.#resolve)
  }

  check() {
    const [server, ...others] = (this.#document.servers ?? []) as JsonObject[]
    if (server !== undefined) this.#server(server)
    for (const other of others) this.#furtherServer(other, this.#basePath)
    this.#security(this.#document)
    for (const [name, scheme] of this.#schemes) checkScheme(name, scheme, this.#report)
    for (const [path, item] of entriesOf(this.#document.paths)) if (isObject(item)) this.#path(path, item)
    this.#urlsThatAreBasePaths()
  }

  #security(holder: JsonObject) {
    if (holder.security === undefined || this.#report.isIncomplete(this.#document.components as JsonObject)) return
    checkRequirements(holder.security as JsonObject[], this.#schemes, this.#report)
  }

  #path(path: string, item: JsonObject) {
    const at = locate(this.#document.paths as JsonObject, path)
    const complain = (message: string) => {
      if (methodsOf(item).length > 0 || this.#report.isIncomplete(item)) this.#report.add(at, message)
      else this.#report.carry(at, `${message}; the path has no operation, and is for readers`)
    }
    this.#ownServers(item)
    const isElsewhere = methodsOf(item).every(method => this.#reachedInstead.has(`${method} ${path}`))
    const route = isElsewhere ? path.replace(/[#?].*$/s, '') : withoutFragment(path)
    const bare = basePathOf(item, this.#document) + route.replace(/\{[^}]*\}/g, '{}')
    const twin = getOrMake(this.#paths, bare, () => route)
    if (twin !== route)
      this.#report.carry(
        at,
        `${route} differs from ${twin} only in the names of its parameters, which OpenAPI does not allow`
      )
    for (const segment of route.split('/').slice(1)) {
      if (isRoutable(segment)) continue
      complain(`the path segment ${segment} is not supported; ${faultOf(segment)}`)
    }
    if (item.head !== undefined && item.get !== undefined)
      this.#report.carry(locate(item, 'head'), 'head is for readers: the service responds as to GET, without the body')
    const names = [...route.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name as string)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined) complain(`{${twice}} occurs twice in ${path}; each parameter may occur once`)
    for (const method of methodsOf(item)) {
      const operation = holderOf(item, method)[method] as JsonObject
      const at = locate(holderOf(item, method), method)
      if (this.#isElsewhere(path, method, at)) continue
      this.#shape(path, item, method, at)
      this.#ownServers(operation)
      this.#operation(operation, method)
      this.#pathParameters(operation, item, path, names, at)
    }
  }

  /** Whether requests for an operation reach another one. */
  #isElsewhere(path: string, method: string, at: Place): boolean {
    const other = this.#reachedInstead.get(`${method} ${path}`)
    const where =
      other === undefined
        ? `it is served at ${withoutFragment(path)}`
        : `a request for it reaches ${method.toUpperCase()} ${other}`
    const cause = path.includes('#')
      ? 'clients do not send what follows a #; '
      : path.includes('?')
        ? 'clients send what follows a ? as a query; '
        : ''
    if (other !== undefined || path.includes('#')) this.#report.carry(at, cause + where)
    return other !== undefined
  }

  #shape(path: string, item: JsonObject, method: string, place: Place) {
    const basePath = basePathOf(holderOf(item, method)[method] as JsonObject, item, this.#document)
    this.#basePaths.add(basePath)
    const url = basePath + withoutFragment(path)
    const own = { url, path, place }
    const same = getOrMake(this.#shapes, `${method} ${url.replace(/\{[^}]*\}/g, '{}')}`, () => own)
    const { file, line } = same.place
    if (same !== own)
      this.#report.add(place, `${url} is also the URL of ${same.path} (${file}, line ${line}); keep one`)
  }

  /** Only the paths of servers matter; hosts are a matter of deployment. */
  #ownServers(holder: JsonObject) {
    const [first, ...others] = (holder.servers ?? []) as JsonObject[]
    if (first === undefined) return
    this.#server(first)
    const basePath = basePathOf(holder)
    if (basePath === this.#basePath)
      this.#report.carry(
        locate(holder.servers as Json[], 0),
        'servers of paths and operations are for readers: the service has one base URL'
      )
    for (const other of others) this.#furtherServer(other, basePath)
  }

  #furtherServer(server: JsonObject, basePath: string) {
    const path = basePathOf({ servers: [server] })
    if (path !== basePath)
      this.#report.carry(
        locate(server),
        `the path of this server is ${path || '/'}, but operations are served below that of the first, ${basePath || '/'}; let a proxy rewrite it`
      )
  }

  /** The URL of an operation must not be another base path: requests below it get that path's errors. */
  #urlsThatAreBasePaths() {
    for (const { url, path, place } of this.#shapes.values()) {
      const bare = url.replace(/\/$/, '')
      if (withoutFragment(path) !== '/' && this.#basePaths.has(bare))
        this.#report.add(
          place,
          `the URL of ${path} is ${url}, and other operations are served below it; choose another`
        )
    }
  }

  #operation(operation: JsonObject, method: string) {
    const { requestBody, responses } = operation
    const body = this.#resolve(requestBody)
    if (method === 'get' || method === 'head') {
      // OpenAPI 3.0 ignores such a body; 3.1 permits it, but advises against it.
      const isPromised = !String(this.#document.openapi).startsWith('3.0')
      if (isPromised && body?.required === true)
        this.#report.add(
          locate(operation, 'requestBody'),
          `a ${method.toUpperCase()} cannot require a body: HTTP gives it no meaning`
        )
    } else if (this.#isEmpty(body?.content))
      this.#report.add(
        locate(operation, 'requestBody'),
        'the content of this requestBody is empty; application/json is expected'
      )
    if (this.#isEmpty(responses))
      this.#report.add(locate(operation, 'responses'), 'no response is declared here; at least one is expected')
    for (const [status, response] of entriesOf(responses)) {
      const resolved = this.#resolve(response)
      if (isBodiless(status) && resolved?.content !== undefined)
        this.#report.carry(locate(resolved, 'content'), `the content of a ${status} is ignored: HTTP gives it no body`)
    }
    this.#security(operation)
  }

  #isEmpty(all: Json | undefined): boolean {
    return isObject(all) && Object.keys(all).length === 0 && !this.#report.isIncomplete(all)
  }

  #pathParameters(operation: JsonObject, item: JsonObject, path: string, names: string[], at: Place) {
    const declared = new Set<string>()
    for (const list of [item.parameters, operation.parameters]) {
      const here = new Set<string>()
      for (const [index, written] of ((list ?? []) as Json[]).entries()) {
        const { name, in: place } = this.#resolve(written) ?? {}
        if (typeof name !== 'string' || place === undefined) continue
        const id = `${place} ${place === 'header' ? name.toLowerCase() : name}`
        const parameterAt = locate(list as Json[], index)
        if (here.has(id))
          this.#report.add(parameterAt, `${place} parameter ${name} is declared twice here; declare it once`)
        here.add(id)
        if (place !== 'path') continue
        declared.add(name)
        if (!names.includes(name))
          this.#report.add(
            parameterAt,
            `path parameter ${name} does not occur in ${path}; put {${name}} into the path, or omit it`
          )
      }
    }
    const lists = [item, operation, item.parameters, operation.parameters]
    if (lists.some(list => typeof list === 'object' && list !== null && this.#report.isIncomplete(list))) return
    for (const name of names.filter(each => !declared.has(each)))
      this.#report.add(
        at,
        `{${name}} of ${path} is not declared; a parameter with name: ${name} and in: path is expected`
      )
  }

  #server(server: JsonObject) {
    if (!isUrl(server))
      this.#report.carry(
        locate(server, 'url'),
        `${server.url} is not a URL, even with the defaults of its variables; / is assumed`
      )
    for (const [, name = ''] of String(server.url ?? '').matchAll(/\{([^}]*)\}/g)) {
      if (this.#report.isIncomplete(server) || Object.hasOwn((server.variables ?? {}) as JsonObject, name)) continue
      this.#report.carry(
        locate(server, 'url'),
        `the server variable ${name} is not declared, and is left as it is; one with a default is expected in variables`
      )
    }
  }
}
