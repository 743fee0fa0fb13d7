import {
  entriesOf,
  getOrMake,
  holds,
  isObject,
  type Json,
  type JsonObject,
  type Place,
  type Problem,
  put
} from '@contract-first/document'
import { isRoutable } from './path-segments.ts'
import { isReference, nameOf, parsePointer, pointed } from './pointer.ts'
import type { Report } from './problems.ts'
import { derive, placeFinder, writtenAs } from './read.ts'
import { holderOf, isServedMethod, operationsOf, withoutFragment } from './routed.ts'
import { mapValues } from './schema-tree.ts'

/** An operation that cannot be served, with the reasons. */
export interface RefusedOperation {
  /** `ANY` if the path has no readable path item. */
  method: string
  path: string
  problems: Problem[]
  /** Whether the service responds 501; false if its method and path cannot be a route. */
  isRouted: boolean
}

/** The keys of path items that contain one or several operations. */
const allMethods = 'get put post delete patch head options trace query additionalOperations'.split(' ')

/** The number of operations as written, whatever is supported of them. */
export const countOperations = (document: JsonObject): number =>
  itemsOf(document).reduce((sum, { methods }) => sum + methods.length, 0)

/**
 * Finds the operations that cannot be served: those that contain a problem, or refer to a component that does. `others` are
 * problems in parts that no operation needs.
 */
export const refusedOperations = (document: JsonObject, problems: readonly Problem[], report: Report) => {
  const parts = new Parts(document, problems, report)
  const affected = new Set<Problem>()
  const operations = itemsOf(document).flatMap(({ path, item, methods, written }) =>
    methods.flatMap((method): RefusedOperation[] => {
      const own = parts.ofOperation(path, item, method)
      for (const each of own) affected.add(each)
      if (own.length === 0) return []
      const operation = holderOf(written, method)[method]
      const isRouted = isServedMethod(method) && isObject(operation) && item !== undefined && isPlain(path)
      return [{ method: method.toUpperCase(), path, problems: own, isRouted }]
    })
  )
  // Referenced path items have replaced their references.
  const components = parts.refusedComponents().filter(({ section }) => section !== 'pathItems')
  for (const { problems } of components) for (const each of problems) affected.add(each)
  const inherited = parts.ofSecurity()
  for (const each of inherited) affected.add(each)
  return {
    operations,
    isSecurityRefused: inherited.length > 0,
    components,
    others: problems.filter(each => !affected.has(each))
  }
}

const isPlain = (path: string) => withoutFragment(path).split('/').every(isRoutable)

/** The path items with their methods; for an omitted item, those that are written. */
const itemsOf = (document: JsonObject) => {
  const paths = isObject(document.paths) ? document.paths : {}
  const writtenPaths = (writtenAs(paths) ?? {}) as JsonObject
  return Object.keys(writtenPaths)
    .filter(path => !path.startsWith('x-'))
    .map(path => {
      const item = paths[path]
      const source = isObject(item) ? writtenAs(item) : writtenPaths[path]
      const written = (isObject(source as Json) ? source : {}) as JsonObject
      const additional = entriesOf(written.additionalOperations).map(([method]) => method)
      const methods = allMethods
        .filter(method => Object.hasOwn(written, method))
        .flatMap(method => (method === 'additionalOperations' && additional.length > 0 ? additional : method))
      return { path, item, written, methods: item === undefined && methods.length === 0 ? ['any'] : methods }
    })
}

interface Found {
  problems: Set<Problem>
  components: Set<string>
}
const nothing = (): Found => ({ problems: new Set(), components: new Set() })

/** Which problems the parts of a document have, and which components they refer to. */
class Parts {
  readonly #document: JsonObject
  readonly #components: JsonObject
  readonly #report: Report
  readonly #at = new Map<Place, Problem[]>()
  readonly #find: ReturnType<typeof placeFinder>
  readonly #known = new Map<string, Found>()

  constructor(document: JsonObject, problems: readonly Problem[], report: Report) {
    this.#document = document
    const components = isObject(document.components) ? document.components : derive({} as JsonObject, document)
    const { pathItems } = (writtenAs(document) as { components?: JsonObject } | undefined)?.components ?? {}
    // Path items as written, since in the document they have replaced the references to them.
    this.#components = { ...components, ...(isObject(pathItems) && { pathItems: derive({}, pathItems) }) }
    this.#report = report
    const same = new Map<string, Place>()
    for (const problem of problems) {
      for (const at of report.placesOf(problem)) {
        const place = getOrMake(same, `${at.file}:${at.line}:${at.column}`, () => at)
        getOrMake(this.#at, place, () => []).push(problem)
      }
    }
    this.#find = placeFinder([...this.#at.keys()])
  }

  ofOperation(path: string, item: Json | undefined, method: string): Problem[] {
    const found = nothing()
    const { paths, security } = this.#document
    if (!isObject(item)) {
      this.#entry(paths as JsonObject, path, found)
      return this.#whole(found)
    }
    this.#place(paths as JsonObject, path, found)
    this.#item(item, method, found)
    const operation = holderOf(item, method)[method]
    const own = isObject(operation) ? operation.security : []
    if (own === undefined) this.#inheritedSecurity(found)
    for (const each of (own ?? security ?? []) as Json[])
      for (const [name] of entriesOf(each)) found.components.add(`securitySchemes/${name}`)
    return this.#whole(found)
  }

  /** The problems of the security requirements that operations without their own inherit. */
  ofSecurity(): Problem[] {
    const found = nothing()
    this.#inheritedSecurity(found)
    return [...found.problems]
  }

  #inheritedSecurity(found: Found) {
    if (this.#document.security !== undefined) this.#entry(this.#document, 'security', found)
    else this.#place(this.#document, 'security', found)
  }

  /** Components with problems, or that refer to such components. */
  refusedComponents() {
    return entriesOf(this.#components).flatMap(([section, all]) => {
      if (!isObject(all)) return []
      // Some are omitted from the document, others were moved there.
      const names = new Set([...Object.keys(all), ...Object.keys(writtenAs(all) ?? {})])
      return [...names].flatMap(name => {
        const problems = this.#whole({ ...nothing(), components: new Set([`${section}/${name}`]) })
        return problems.length === 0 ? [] : [{ section, name, problems }]
      })
    })
  }

  #whole({ problems, components }: Found): Problem[] {
    const all = new Set(problems)
    // Grows while it is visited.
    const reached = new Set(components)
    for (const id of reached) {
      const found = this.#component(id)
      for (const each of found.problems) all.add(each)
      for (const each of found.components) reached.add(each)
    }
    return [...all]
  }

  #component(id: string): Found {
    return getOrMake(this.#known, id, () => {
      const found = nothing()
      const all = this.#components[id.slice(0, id.indexOf('/'))]
      if (isObject(all)) this.#entry(all, id.slice(id.indexOf('/') + 1), found)
      return found
    })
  }

  /** An entry of the document, or one that was omitted from it. */
  #entry(holder: JsonObject, key: string, found: Found) {
    this.#place(holder, key, found)
    const value = pointed(holder, [key])
    if (value !== undefined) this.#scan(value, found)
    else this.#written(pointed(writtenAs(holder) as JsonObject | undefined, [key]), found)
  }

  #place(holder: object, key: string, found: Found) {
    this.#add(this.#find.ofEntries(holder, [key]), found)
  }

  #add(places: readonly Place[], found: Found) {
    for (const place of places) for (const each of this.#at.get(place) ?? []) found.problems.add(each)
  }

  #scan(value: Json, found: Found) {
    if (typeof value !== 'object' || value === null || this.#report.isCarried(value)) return
    this.#add(this.#find.of(value), found)
    if (isReference(value)) found.components.add(`${value.$ref.split('/')[2]}/${nameOf(value.$ref)}`)
    for (const each of Object.values(value)) this.#scan(each, found)
    if (!this.#report.isIncomplete(value)) return
    for (const [key, each] of Object.entries(writtenAs(value) ?? {})) {
      if (Array.isArray(value) || !Object.hasOwn(value, key)) this.#written(each, found)
    }
  }

  /** The entries that affect an operation: all except those of other methods. */
  #item(item: JsonObject, method: string, found: Found) {
    const written = (writtenAs(item) ?? {}) as JsonObject
    for (const [key, each] of Object.entries(written)) {
      if (key === method || !allMethods.includes(key)) this.#entry(item, key, found)
      if (key !== 'additionalOperations' || !Object.hasOwn((each ?? {}) as object, method)) continue
      this.#place(item, key, found)
      this.#entry(isObject(item[key]) ? item[key] : derive({}, each as JsonObject), method, found)
    }
  }

  /** The problems in parts that were omitted from the document. */
  #written(value: Json | undefined, found: Found) {
    if (typeof value !== 'object' || value === null) return
    this.#add(this.#find.of(value), found)
    const [, section, name] = (isReference(value) && parsePointer(value.$ref.replace(/^#/, ''))) || []
    if (name !== undefined) found.components.add(`${section}/${name}`)
    for (const each of Object.values(value)) this.#written(each, found)
  }
}

type Refusals = ReturnType<typeof refusedOperations>

/** The document with a stand-in for each refused operation, and without refused components. */
export const withoutRefused = (
  document: JsonObject,
  { operations, components, isSecurityRefused }: Refusals
): JsonObject => {
  const gone = new Set(components.map(({ section, name }) => `${section}/${name}`))
  leaveOutWhatRefersTo(gone, document)
  const refused = new Map(operations.map(each => [`${each.method} ${each.path}`, each]))
  const paths = derive({} as JsonObject, document.paths as JsonObject)
  for (const [path, item] of entriesOf(document.paths)) {
    if (!isObject(item)) continue
    const kept = derive({} as JsonObject, item)
    const refusalOf = (method: string) => refused.get(`${method.toUpperCase()} ${path}`)
    const isServed = operationsOf(item).some(([method]) => refusalOf(method) === undefined)
    const keep = (to: JsonObject, key: string, each: Json) => {
      const refusal = refusalOf(key)
      if (refusal === undefined) put(to, key, withoutCallbacksTo(gone, each))
      else if (refusal.isRouted) put(to, key, standIn(each, item, refusal))
    }
    for (const [key, each] of Object.entries(item)) {
      if (key === 'additionalOperations' && isObject(each)) {
        const all = derive({} as JsonObject, each)
        for (const [method, operation] of Object.entries(each)) keep(all, method, operation)
        put(kept, key, all)
      }
      // Without a served operation, the parameters may be what is refused, and stand-ins have their own.
      else if (key !== 'parameters' || isServed) keep(kept, key, each)
    }
    if (operationsOf(kept).length > 0 || operationsOf(item).length === 0) put(paths, path, kept)
  }
  const earlier = (document['x-not-implemented'] ?? []) as string[]
  const all = derive([...new Set([...earlier, ...refused.keys()])], document)
  const result: JsonObject = derive(
    { ...document, paths, ...(all.length > 0 && { 'x-not-implemented': all }) },
    document
  )
  if (isObject(document.webhooks)) result.webhooks = withoutEntriesTo(gone, document.webhooks)
  if (isSecurityRefused) delete result.security
  if (!isObject(document.components)) return result
  const isGone = (requirement: Json) => entriesOf(requirement).some(([name]) => gone.has(`securitySchemes/${name}`))
  // All operations that inherit it are refused.
  if (((document.security ?? []) as Json[]).some(isGone)) delete result.security
  result.components = mapValues(document.components, (all, section) =>
    withoutEntries(all as JsonObject, name => gone.has(`${section}/${name}`))
  )
  return result
}

/** A mapping without some entries. */
const withoutEntries = (all: JsonObject, isGone: (name: string, value: Json) => boolean): JsonObject => {
  const kept = derive({} as JsonObject, all)
  for (const [name, each] of entriesOf(all)) if (!isGone(name, each)) put(kept, name, each)
  return kept
}

// Webhooks and callbacks are only documentation: a refused component does not refuse them, but their references must resolve.

const isDangling = (gone: ReadonlySet<string>, value: Json): boolean =>
  holds(value, part => isReference(part) && gone.has(`${part.$ref.split('/')[2]}/${nameOf(part.$ref)}`))

/** Adds to `gone` the shared callbacks and path items that refer to something in it. */
const leaveOutWhatRefersTo = (gone: Set<string>, { components }: JsonObject) => {
  if (!isObject(components)) return
  const all = ['callbacks', 'pathItems'].flatMap(section =>
    entriesOf(components[section]).map(([name, value]) => ({ id: `${section}/${name}`, value }))
  )
  for (let before = -1; before < gone.size; ) {
    before = gone.size
    for (const { id, value } of all) if (isDangling(gone, value)) gone.add(id)
  }
}

const withoutEntriesTo = (gone: ReadonlySet<string>, all: JsonObject): JsonObject =>
  withoutEntries(all, (_name, each) => isDangling(gone, each))

const withoutCallbacksTo = (gone: ReadonlySet<string>, operation: Json): Json =>
  isObject(operation) && isObject(operation.callbacks) && isDangling(gone, operation.callbacks)
    ? derive({ ...operation, callbacks: withoutEntriesTo(gone, operation.callbacks) }, operation)
    : operation

/** A stand-in only responds 501, so it needs neither security nor a description of its input. */
const standIn = (operation: Json, item: JsonObject, { path, problems }: RefusedOperation): JsonObject => {
  const origin = isObject(operation) ? operation : item
  const made = (value: object) => derive(value, origin) as JsonObject
  const texts = ['operationId', 'tags', 'summary', 'description', 'deprecated', 'servers'].flatMap(key =>
    origin[key] === undefined ? [] : [[key, origin[key]] as const]
  )
  const names = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name as string)
  const parameters = names.map(name => made({ name, in: 'path', required: true, schema: made({ type: 'string' }) }))
  return made({
    ...Object.fromEntries(texts),
    ...(parameters.length > 0 && { parameters: made(parameters) }),
    security: made([]),
    responses: made({ 501: made({ description: 'The service does not implement this operation.' }) }),
    'x-not-implemented': made(problems.map(({ message }) => message))
  })
}
