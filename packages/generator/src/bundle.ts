import { basename, dirname, extname, join, resolve } from 'node:path'
import {
  closest,
  entriesOf,
  isObject,
  isSwagger,
  type Json,
  type JsonObject,
  type Place,
  put
} from '@contract-first/document'
import { DynamicReferences, idOf, idOfScope, noScope, type Scope } from './dynamic-references.ts'
import { grammar } from './grammar.ts'
import { Names } from './names.ts'
import { isReference, referenceTo } from './pointer.ts'
import type { Report } from './problems.ts'
import { convertedFrom, derive, locate } from './read.ts'
import { carried, has, type Kind, type Rule, text, type Version } from './rule.ts'
import { Sources, type Target } from './sources.ts'

/**
 * Builds one document from a contract's files. It contains only what the grammar defines: everything else is reported and
 * omitted. Referenced parts outside `components` are moved there, so that every remaining `$ref` starts with
 * `#/components/`; a referenced path item replaces the reference.
 */
export const bundle = (entry: string, report: Report): JsonObject => {
  const main = resolve(entry)
  const sources = new Sources(entry, report)
  const written = sources.root(main)
  if (written === undefined) return {}
  const root = isSwagger(written) ? convertedFrom(written, report) : written
  if (root === undefined) return {}
  if (root !== written) {
    sources.replace(main, root)
    report.carry(
      locate(root as JsonObject, 'openapi'),
      'Swagger 2.0 is converted to OpenAPI 3.0, which is more exact; check openapi.json, and use it as the contract from now on'
    )
  }
  const version = isObject(root) ? versionOf(root.openapi) : undefined
  if (!isObject(root) || version === undefined) {
    const at = isObject(root)
      ? locate(root, 'swagger' in root ? 'swagger' : 'openapi')
      : { file: join(report.folder, basename(main)), line: 1, column: 1 }
    report.add(
      at,
      `this is not an OpenAPI document of version 3.0, 3.1 or 3.2, or Swagger 2.0; \`openapi: 3.1.0\` is expected`
    )
    return {}
  }
  if (typeof root.openapi !== 'string' || !/^3\.\d\.\d+$/.test(root.openapi)) {
    report.carry(locate(root, 'openapi'), `openapi is ${abbreviated(root.openapi ?? null)}, and read as ${version}.0`)
    root.openapi = `${version}.0`
  }
  if (version === '3.2')
    report.carry(
      locate(root, 'openapi'),
      'OpenAPI 3.2 is served, except for parts by position and items of streams in requests'
    )
  return new Bundler(root, main, version, sources, report).document()
}

/** YAML reads an unquoted 3.0 as the number 3. */
const versionOf = (openapi: Json | undefined): Version | undefined => {
  const [all, minor = '0'] = /^3(?:\.([012])(?:\.\d+(?:-.+)?)?)?$/.exec(String(openapi)) ?? []
  return all === undefined ? undefined : (`3.${minor}` as Version)
}

class Bundler {
  readonly #root: JsonObject
  readonly #main: string
  readonly #version: Version
  readonly #sources: Sources
  readonly #report: Report
  /** The components' names, by section and target. */
  readonly #names = new Map<string, string>()
  readonly #taken = new Map<string, Names>()
  readonly #moved: { section: string; name: string; kind: string; target: Target; scope: Scope }[] = []
  readonly #dynamic: DynamicReferences
  /** The scope of the schema that is being read. */
  #scope: Scope = noScope
  readonly #inlining = new Set<string>()

  constructor(root: JsonObject, main: string, version: Version, sources: Sources, report: Report) {
    this.#root = root
    this.#main = main
    this.#version = version
    this.#sources = sources
    this.#report = report
    this.#dynamic = new DynamicReferences(sources)
    for (const { section } of Object.values(grammar)) {
      if (section === undefined) continue
      const components = isObject(root.components) ? root.components[section] : undefined
      this.#taken.set(section, new Names(isObject(components) ? Object.keys(components) : []))
      for (const [name, value] of entriesOf(components)) {
        const target = this.#elsewhere(value, main)
        if (target === undefined || sectionOf(target, main) !== undefined) continue
        const id = idOf(section, target)
        if (!this.#names.has(id)) this.#names.set(id, name)
      }
    }
  }

  document(): JsonObject {
    const document = this.#visit(this.#root, 'document', this.#main, this.#root) as JsonObject
    const components = isObject(document.components) ? document.components : derive({} as JsonObject, document)
    // Moved parts may refer to other parts that must be moved.
    for (let next = this.#moved.shift(); next !== undefined; next = this.#moved.shift()) {
      const { section, name, kind, target } = next
      this.#scope = next.scope
      const value = this.#visit(target.value, kind, target.file, this.#root)
      if (value === undefined) continue
      components[section] ??= derive({}, components)
      put(components[section] as JsonObject, name, value)
    }
    // References to path items and media types have been replaced.
    delete components.pathItems
    delete components.mediaTypes
    if (Object.keys(components).length > 0) document.components = components
    return document
  }

  /** A copy of the known parts of a value; undefined if the value is of another kind. */
  #visit(value: Json, kindName: string, file: string, holder: object, key?: string | number): Json | undefined {
    const kind = grammar[kindName] as Kind
    if (kindName === 'schema' && typeof value === 'boolean') {
      if (this.#version !== '3.0' || key === 'additionalProperties') return value
    }
    if (!isObject(value)) return this.#refuse(holder, key, `${article(kind.name)} object is expected here`)
    if (kind.section === undefined && isLoneReference(value))
      return this.#replaced(
        value,
        file,
        (target, from) => this.#visit(target, kindName, from, value, '$ref'),
        this.#version === '3.2' && kindName === 'mediaType'
      )
    const around = this.#scope
    if (kindName === 'schema') this.#scope = this.#dynamic.within(around, file, value)
    const kept =
      kindName === 'schema' && Object.hasOwn(value, '$dynamicRef')
        ? this.#dynamicReference(value, file)
        : kind.section !== undefined && Object.hasOwn(value, '$ref')
          ? this.#reference(value, kindName, file)
          : this.#object(value, kind, file, () => (key === undefined ? locate(value) : locate(holder, key)))
    this.#scope = around
    return kept
  }

  #object(value: JsonObject, kind: Kind, file: string, at: () => Place, copy: JsonObject = {}): JsonObject {
    derive(copy, value)
    for (const key of Object.keys(value)) {
      const each = value[key] as Json
      if (key === '$ref' && kind.section !== undefined) continue
      if (kind === grammar.schema && key === 'items' && Array.isArray(each) && value.prefixItems === undefined) {
        this.#report.carry(
          locate(value, key),
          'items is a list, as in JSON Schema before 2020-12; it is read as prefixItems'
        )
        const first = this.#apply({ list: 'schema' }, each, key, value, file)
        if (first !== undefined) put(copy, 'prefixItems', first)
        continue
      }
      const name =
        kind === grammar.responses && /^[1-5]xx$/.test(key)
          ? key.toUpperCase()
          : kind === grammar.securityRequirement && this.#version === '3.2'
            ? this.#schemeName(key, file, value)
            : key
      if (name !== key && kind === grammar.responses && !Object.hasOwn(value, name))
        this.#report.carry(locate(value, key), `${key} is read as ${name}`)
      const rule = this.#ruleFor(kind, Object.hasOwn(value, name) ? key : name, value)
      const isMissing = each === null && (isForReaders(rule) || mayBeEmpty(kind, key))
      if (isMissing && !(key === 'example' && this.#allowsNull(kind === grammar.schema ? value : value.schema, file))) {
        this.#report.carry(locate(value, key), `${key} is null, which counts as missing`)
        continue
      }
      if (this.#isOdd(rule, each, value, key)) {
        if (isText(rule) && typeof each !== 'object') put(copy, key, String(each))
        continue
      }
      if (typeof rule !== 'string' && 'identifier' in rule) {
        if (typeof each !== 'string') this.#refuse(value, key, `${key} should be a string`)
        continue
      }
      const kept = typeof rule === 'string' ? this.#refuse(value, key, rule) : this.#apply(rule, each, key, value, file)
      if (kept === undefined) this.#report.markIncomplete(copy)
      else put(copy, name, kept)
    }
    // The name of a query string is not sent, so any will do.
    const assumed = kind === grammar.parameter && value.in === 'querystring' ? { name: 'query' } : kind.assumed
    for (const key of kind.required ?? []) {
      if (!Object.hasOwn(value, key) && assumed?.[key] === undefined)
        this.#report.add(at(), `${key} is missing; ${article(kind.name)} object must have it`)
    }
    for (const [key, each] of Object.entries(assumed ?? {})) {
      if (Object.hasOwn(value, key)) continue
      // In 3.2, a response needs no description, so there is no warning.
      if (this.#version !== '3.2' || kind !== grammar.response)
        this.#report.carry(at(), `${key} is missing; ${abbreviated(each)} is assumed`)
      put(copy, key, each)
    }
    return copy
  }

  /** Whether a schema does not rule null out by its type. */
  #allowsNull(schema: Json | undefined, file: string): boolean {
    if (!isObject(schema)) return false
    if (!isReference(schema))
      return schema.nullable === true || ['null', undefined].some(each => [schema.type].flat().includes(each))
    const target = this.#sources.seek(schema.$ref, file, schema)
    return typeof target !== 'string' && !isReference(target.value) && this.#allowsNull(target.value, target.file)
  }

  /** Whether documentation is of the wrong type: then it is read as a text if possible, and otherwise ignored. */
  #isOdd(rule: Rule | string, value: Json, holder: JsonObject, key: string): boolean {
    if (typeof rule === 'string' || !('value' in rule) || !isForReaders(rule) || isLoneReference(value)) return false
    const expected = rule.value(value, this.#version)
    if (expected === undefined) return false
    const isRead = isText(rule) && typeof value !== 'object'
    const read = isRead ? `is read as the text ${JSON.stringify(String(value))}` : 'is ignored'
    this.#report.carry(locate(holder, key), `${key} is ${abbreviated(value)}, and ${read}; expected: ${expected}`)
    return true
  }

  #ruleFor(kind: Kind, key: string, holder: JsonObject = {}): Rule | string {
    if (key.startsWith('x-') && !Object.hasOwn(kind.keys, key)) return { value: () => undefined, words: true }
    const rule = Object.hasOwn(kind.keys, key) ? kind.keys[key] : kind.others?.(key, Object.keys(holder), holder[key])
    if (typeof rule === 'string') return `${key} is unknown here; expected: ${rule}`
    if (rule === undefined) return unknown(key, kind, this.#version)
    if (rule.only !== undefined && !has(this.#version, rule.only)) {
      if (rule.otherwise !== undefined) return rule.otherwise
      if (isForReaders(rule) || 'carried' in rule)
        return carried(`is not a key of ${article(kind.name)} object in OpenAPI ${this.#version}, and is ignored`)
      return `${key} is not a key of ${article(kind.name)} object in OpenAPI ${this.#version}, only in ${rule.only}`
    }
    return rule
  }

  #apply(
    rule: Exclude<Rule, { identifier: true }>,
    value: Json,
    key: string,
    holder: JsonObject,
    file: string
  ): Json | undefined {
    if ('refused' in rule) return this.#refuse(holder, key, `${key} is not supported: ${rule.refused}`)
    if ('carried' in rule) {
      const expected = rule.unless?.(value)
      if (expected !== undefined) return this.#refuse(holder, key, `${key} is not supported: ${expected}`)
      this.#report.carry(locate(holder, key), `${key} ${rule.carried}`)
      return this.#carry(value, file)
    }
    if ('value' in rule) {
      const expected = rule.value(value, this.#version)
      if (expected === undefined) return value
      if (isLoneReference(value))
        return this.#replaced(value, file, (target, from) => this.#apply(rule, target, '$ref', value, from))
      return this.#refuse(holder, key, `${key} is ${abbreviated(value)}; expected: ${expected}`)
    }
    if ('one' in rule) return this.#visit(value, rule.one, file, holder, key)
    if (('list' in rule || 'map' in rule) && isLoneReference(value))
      return this.#replaced(value, file, (target, from) => this.#apply(rule, target, '$ref', value, from))
    if ('list' in rule) {
      if (!Array.isArray(value)) return this.#refuse(holder, key, `${key} should be a list`)
      if (rule.list === 'schema' && value.length === 0)
        return this.#refuse(holder, key, `${key} is empty; at least one schema is expected`)
      const kept = value.map((each, index) => this.#visit(each, rule.list, file, value, index))
      const copy = derive(
        kept.filter(each => each !== undefined),
        value
      )
      if (copy.length < kept.length) this.#report.markIncomplete(copy)
      return copy
    }
    if (!isObject(value)) return this.#refuse(holder, key, `${key} should be a mapping`)
    const copy = derive({} as JsonObject, value)
    for (const name of Object.keys(value)) {
      const each = value[name] as Json
      if ('references' in rule) {
        const target = this.#mapping(each, rule.references, name, value, file)
        if (target !== undefined) put(copy, name, target)
        continue
      }
      if (rule.names?.test(name) === false)
        this.#report.warn(
          locate(value, name),
          `${name} is not a valid component name; letters, digits, '.', '_' and '-' are expected`
        )
      const kept = this.#component(key, name, each, rule.map, file, value)
      if (kept === undefined) this.#report.markIncomplete(copy)
      else put(copy, name, kept)
    }
    return copy
  }

  // If a component merely refers to another file, the file's content takes its place.
  #component(section: string, name: string, value: Json, kind: string, file: string, holder: JsonObject) {
    const isComponent = isObject(this.#root.components) && this.#root.components[section] === holder
    const target = isComponent ? this.#elsewhere(value, file) : undefined
    if (target !== undefined && this.#names.get(idOf(section, target)) === name) {
      return this.#visit(target.value, kind, target.file, holder, name)
    }
    return this.#visit(value, kind, file, holder, name)
  }

  #elsewhere(value: Json, file: string): Target | undefined {
    if (!isReference(value) || Object.keys(value).length > 1 || value.$ref.startsWith('#')) return undefined
    return this.#sources.find(value.$ref, file, value, '$ref')
  }

  /** The name of a security scheme that a requirement refers to by URI. */
  #schemeName(key: string, file: string, holder: JsonObject): string {
    if (this.#taken.get('securitySchemes')?.has(key) || !/[#/.:]/.test(key)) return key
    const target = this.#sources.seek(key, file, holder)
    return typeof target === 'string' ? key : this.#nameOf(target, 'securityScheme')
  }

  #mapping(value: Json, kind: string, name: string, holder: JsonObject, file: string): Json | undefined {
    if (typeof value !== 'string') return this.#refuse(holder, name, `${name} should name a schema`)
    const { section } = grammar[kind] as Kind
    if (this.#taken.get(section ?? '')?.has(value)) return value
    const target = this.#sources.seek(value, file, holder)
    if (typeof target !== 'string') return referenceTo(section as string, this.#nameOf(target, kind))
    // A discriminator cannot change what is valid.
    if (target !== '') this.#report.carry(locate(holder, name), `${name} names no schema: ${value}: ${target}`)
    return undefined
  }

  #reference(value: JsonObject, kindName: string, file: string): Json | undefined {
    const kind = grammar[kindName] as Kind
    const { $ref } = value
    if (typeof $ref !== 'string') return this.#refuse(value, '$ref', '$ref should be a string')
    const target = this.#dynamic.targetOf(value) ?? this.#sources.find($ref, file, value, '$ref')
    if (target === undefined) return undefined
    if (kindName === 'pathItem') return this.#inline(target, value)
    if (!isObject(target.value) && typeof target.value !== 'boolean')
      return this.#refuse(value, '$ref', `$ref ${$ref} points to no ${kind.name} object`)
    const section = sectionOf(target, this.#main)
    const expected = `${article(kind.name)} object is expected here`
    if (section !== undefined && section !== kind.section)
      return this.#refuse(value, '$ref', `$ref ${$ref} points into ${section}; ${expected}`)
    const reference: JsonObject = { $ref: referenceTo(kind.section as string, this.#nameOf(target, kindName)) }
    // OpenAPI 3.0 ignores it there; authors mean it as beside an allOf.
    const isNullable = kindName === 'schema' && this.#version === '3.0' && value.nullable === true
    const copy: JsonObject = isNullable ? { allOf: [derive(reference, value)], nullable: true } : reference
    if (kindName === 'schema' && this.#version !== '3.0')
      return this.#object(value, kind, file, () => locate(value), copy)
    for (const [key, each] of Object.entries(value)) {
      if (key === '$ref' || (key === 'nullable' && isNullable)) continue
      const rule = this.#ruleFor(kind, key)
      if (key === 'summary' || key === 'description' || isForReaders(rule)) put(copy, key, each)
      else
        this.#report.carry(
          locate(value, key),
          `${key} beside a $ref is ignored in OpenAPI ${this.#version}; put it into the target of the $ref`
        )
    }
    return derive(copy, value)
  }

  /** A `$dynamicRef` as a `$ref` to the schema that it means here. */
  #dynamicReference(value: JsonObject, file: string): Json | undefined {
    const { $dynamicRef: reference, ...rest } = value
    if (typeof reference !== 'string') return this.#refuse(value, '$dynamicRef', '$dynamicRef should be a string')
    const first = this.#sources.find(reference, file, value, '$dynamicRef')
    if (first === undefined) return undefined
    const meant = this.#dynamic.meant(reference, first, this.#scope)
    if (meant === undefined)
      return this.#refuse(
        value,
        '$dynamicRef',
        `several schemas have ${reference.slice(reference.indexOf('#'))} as their $dynamicAnchor, with no $id between them, so it is unclear which is meant; give each schema around one an $id`
      )
    const { allOf = [] } = rest
    const plain = this.#dynamic.mark(derive({ $ref: reference } as JsonObject, value), meant)
    if (rest.$ref !== undefined)
      return this.#visit(derive({ ...rest, allOf: [...(allOf as Json[]), plain] }, value), 'schema', file, value)
    return this.#visit(this.#dynamic.mark(derive({ ...rest, ...plain }, value), meant), 'schema', file, value)
  }

  /** The target of a reference where OpenAPI allows none. */
  #replaced(
    value: JsonObject & { $ref: string },
    file: string,
    read: (target: Json, file: string) => Json | undefined,
    isMediaType = false
  ): Json | undefined {
    const target = this.#sources.find(value.$ref, file, value, '$ref')
    if (target === undefined) return undefined
    return this.#once('', target, value, () => {
      if (!isMediaType)
        this.#report.carry(locate(value, '$ref'), 'OpenAPI has no references here; this one is replaced by its target')
      return read(target.value, target.file)
    })
  }

  /** A path item in place of the reference to it. */
  #inline(target: Target, holder: JsonObject): Json | undefined {
    for (const key of Object.keys(holder).filter(each => each !== '$ref'))
      this.#refuse(
        holder,
        key,
        `${key} beside the $ref of a path item has no defined meaning; put it into the path item`
      )
    return this.#once('pathItems', target, holder, () =>
      this.#visit(target.value, 'pathItem', target.file, holder, '$ref')
    )
  }

  /** What replaces the reference in `holder`, unless it is in that itself. */
  #once(section: string, target: Target, holder: JsonObject, read: () => Json | undefined): Json | undefined {
    const id = idOf(section, target)
    if (this.#inlining.has(id)) return this.#refuse(holder, '$ref', `$ref ${holder.$ref} refers to itself`)
    this.#inlining.add(id)
    const replacement = read()
    this.#inlining.delete(id)
    return replacement
  }

  /** The name of the component that a target is, or is moved to. */
  #nameOf(target: Target, kindName: string): string {
    const { section = '' } = grammar[kindName] as Kind
    const scope = kindName === 'schema' ? this.#dynamic.scopeOf(target, this.#scope) : noScope
    if (scope.size === 0 && sectionOf(target, this.#main) === section) return target.keys[2] as string
    const id = idOf(section, target) + idOfScope(scope)
    const known = this.#names.get(id)
    if (known !== undefined) return known
    const wish = [preferredName(target), ...new Set([...scope.values()].map(ownerOf))].join('_of_')
    const name = (this.#taken.get(section) as Names).give(wish)
    this.#names.set(id, name)
    this.#moved.push({ section, name, kind: kindName, target, scope })
    return name
  }

  /** A copy of a part that is documentation only: as written, but with references that stay within the document. */
  #carry(value: Json, file: string, around: readonly string[] = []): Json {
    if (typeof value !== 'object' || value === null) return value
    if (isReference(value)) {
      const target = this.#sources.seek(value.$ref, file, value)
      if (typeof target === 'string') return value
      const component = this.#componentAt(target)
      if (component !== undefined) return this.#carried({ ...value, $ref: component }, value)
      const id = idOf('', target)
      // Recursion without a component would never end.
      return around.includes(id) ? this.#carried({}, value) : this.#carry(target.value, target.file, [...around, id])
    }
    const copy = this.#carried(Array.isArray(value) ? [] : {}, value) as JsonObject
    for (const [key, each] of Object.entries(value)) put(copy, key, this.#carry(each, file, around))
    return copy
  }

  /** The reference to the component that a target is, or is moved to. */
  #componentAt(target: Target): string | undefined {
    const own = sectionOf(target, this.#main)
    // Path items are inlined.
    if (own !== undefined) return own === 'pathItems' ? undefined : referenceTo(own, target.keys[2] as string)
    const [, section] = target.keys.length === 3 && target.keys[0] === 'components' ? target.keys : []
    const found = Object.entries(grammar).find(
      ([name, kind]) =>
        kind.section !== undefined &&
        name !== 'pathItem' &&
        (this.#names.has(idOf(kind.section, target)) || (kind.section === section && isObject(target.value)))
    )
    if (found !== undefined) return referenceTo(found[1].section as string, this.#nameOf(target, found[0]))
    return undefined
  }

  #carried<T extends object>(copy: T, from: object): T {
    this.#report.markCarried(copy)
    return derive(copy, from)
  }

  #refuse(holder: object, key: string | number | undefined, message: string): undefined {
    this.#report.add(locate(holder, key), message)
  }
}

/** Whether null, as of a YAML heading with nothing below it, promises nothing here. */
const mayBeEmpty = (kind: Kind, key: string) =>
  kind === grammar.components ||
  kind === grammar.paths ||
  ['tags', 'servers', 'parameters', 'headers', 'content'].includes(key)

/** Whether it is a reference with nothing beside it. */
const isLoneReference = (value: Json): value is JsonObject & { $ref: string } =>
  isReference(value) && Object.keys(value).length === 1

/** The component section of the main file that directly contains a target. */
const sectionOf = ({ file, keys }: Target, main: string) =>
  file === main && keys.length === 3 && keys[0] === 'components' ? keys[1] : undefined

const maps = new Set(['properties', '$defs', 'definitions', ...Object.values(grammar).map(({ section }) => section)])
const silent = new Set(['components', 'paths', 'properties', 'schemas', 'content', 'application/json'])

/** The name of the component that a schema is in. */
const ownerOf = (target: Target) =>
  preferredName(target.keys[0] === 'components' ? { ...target, keys: target.keys.slice(0, 3) } : target)

/** The preferred name for a target: its name in its file, otherwise one derived from its path. */
const preferredName = ({ file, keys }: Target) => {
  const stem = basename(file, extname(file))
  const name = maps.has(keys.at(-2)) ? keys.at(-1) : keys.filter(key => !silent.has(key)).join('_')
  return (
    (name || (stem === 'index' ? basename(dirname(file)) : stem))
      .replace(/[^A-Za-z0-9._-]+/g, '_')
      .replace(/^_+|_+$/g, '') || '_'
  )
}

const isForReaders = (rule: Rule | string): boolean =>
  typeof rule !== 'string' && 'value' in rule && rule.words === true

const isText = (rule: Rule | string): boolean =>
  typeof rule !== 'string' && 'value' in rule && rule.value === text.value

/** The rule for an unknown key: it may be misspelled or belong elsewhere; otherwise it is documentation. */
const unknown = (key: string, kind: Kind, version: Version): Rule | string => {
  const known = Object.entries(kind.keys).flatMap(([each, rule]) =>
    'refused' in rule || (rule.only !== undefined && !has(version, rule.only)) ? [] : [each]
  )
  const meant = closest(key, known)
  if (meant !== undefined) {
    // Keywords in the style of another language, such as min_items, are annotations in JSON Schema.
    const isForeign = kind === grammar.schema && key.replace(/[-_]/g, '').toLowerCase() === meant.toLowerCase()
    if ((isPromise(kind.keys[meant]) && !isForeign) || kind.isClosed)
      return `${key} is unknown here; did you mean ${meant}?`
    return carried(`is unknown here, and is ignored; did you mean ${meant}?`)
  }
  const isMisplaced = kind !== grammar.schema && Object.values(grammar).some(each => isPromise(each.keys[key]))
  if (!isMisplaced && kind.isClosed !== true)
    return carried(`is not a key of ${article(kind.name)} object, and is ignored`)
  const list = known.length > 12 ? 'the keys that OpenAPI defines' : known.join(', ')
  return `${key} is unknown here; ${article(kind.name)} object may have ${list}, and x-…`
}

const isPromise = (rule: Rule | undefined): boolean => {
  if (rule === undefined || isForReaders(rule) || 'carried' in rule) return false
  const [kind] = ['one', 'list', 'map'].map(key => (rule as Record<string, unknown>)[key]).filter(each => each)
  return !documentary.has(String(kind))
}
/** Kinds of objects that are documentation. */
const documentary = new Set(['example', 'externalDocs', 'link', 'contact', 'license', 'tag'])

const article = (name: string) => `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`
const abbreviated = (value: Json) =>
  JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? String(each) : each)).slice(0, 60)
