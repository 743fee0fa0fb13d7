import { getOrMake, isObject, type Json, type JsonObject, placeIn, type SchemaPlace } from '@contract-first/document'
import type { Sources, Target } from './sources.ts'

/**
 * What a `$dynamicRef` to each name means: the schema with this `$dynamicAnchor` in the outermost resource on the path to it
 * (JSON Schema 2020-12, section 8.2.3.2). Contains only names for which an outer resource overrides the schema's own.
 */
export type Scope = ReadonlyMap<string, Target>
export const noScope: Scope = new Map()

export const idOf = (section: string, { file, keys }: Target) => `${section} ${file}#${JSON.stringify(keys)}`
export const idOfScope = (scope: Scope) => [...scope].map(([name, target]) => ` ${name}=${idOf('', target)}`).join('')

/**
 * Tells which schema a `$dynamicRef` means. If a schema is reached by several paths on which its dynamic references mean
 * different schemas, such as a generic list, it becomes a component for each.
 */
export class DynamicReferences {
  readonly #sources: Sources
  readonly #meant = new WeakMap<object, Target>()
  readonly #names = new Map<string, ReadonlySet<string>>()

  constructor(sources: Sources) {
    this.#sources = sources
  }

  /** The scope within a schema: adds the anchors of its resource, unless an outer one has them. */
  within(scope: Scope, file: string, schema: Json): Scope {
    if (!isObject(schema)) return scope
    const added = [...this.#sources.dynamicAnchors(file, schema)].filter(([name]) => !scope.has(name))
    if (added.length === 0) return scope
    return new Map([...scope, ...added.map(([name, targets]) => [name, only(targets)] as const)])
  }

  /** What a `$dynamicRef` that first leads to a schema means; undefined if that cannot be told. */
  meant(reference: string, first: Target, scope: Scope): Target | undefined {
    const name = anchorOf(reference)
    if (!isObject(first.value) || first.value.$dynamicAnchor !== name) return first
    const target = scope.get(name) ?? first
    return target === ambiguous ? undefined : target
  }

  /** Records that a reference leads to this schema, whatever its text. */
  mark<T extends object>(reference: T, target: Target): T {
    this.#meant.set(reference, target)
    return reference
  }

  targetOf(reference: object): Target | undefined {
    return this.#meant.get(reference)
  }

  /** The part of the scope that matters to a schema. */
  scopeOf(target: Target, around: Scope): Scope {
    if (around.size === 0) return noScope
    const own = this.within(noScope, target.file, target.value)
    const names = this.#namesFrom(target)
    const isDecided = ([name, outer]: readonly [string, Target]) => {
      const inner = own.get(name)
      return names.has(name) && (inner === undefined || idOf('', inner) !== idOf('', outer))
    }
    return new Map([...around].filter(isDecided))
  }

  /** The names of the dynamic references that a schema may lead to. */
  #namesFrom(target: Target): ReadonlySet<string> {
    return getOrMake(this.#names, idOf('', target), () => {
      const names = new Set<string>()
      const seen = new Set<string>()
      const follow = (to: Target | string) => {
        if (typeof to === 'string' || seen.has(idOf('', to))) return
        seen.add(idOf('', to))
        visit(to.value, to.file, 'schema')
      }
      const visit = (value: Json, file: string, place: SchemaPlace) => {
        if (Array.isArray(value)) for (const each of value) visit(each, file, place)
        if (!isObject(value) || place === 'data') return
        const { $ref, $dynamicRef } = place === 'schema' ? value : ({} as JsonObject)
        if (typeof $ref === 'string') follow(this.#sources.seek($ref, file, value))
        if (typeof $dynamicRef === 'string') {
          const name = anchorOf($dynamicRef)
          names.add(name)
          for (const each of this.#sources.allDynamic(name)) follow(each)
          follow(this.#sources.seek($dynamicRef, file, value))
        }
        for (const [key, each] of Object.entries(value)) visit(each, file, placeIn(place, key))
      }
      follow(target)
      return names
    })
  }
}

/** Stands for several schemas with the same anchor. */
const ambiguous: Target = { file: '', keys: [], value: true }
const only = (targets: readonly Target[]): Target => (targets.length === 1 ? (targets[0] as Target) : ambiguous)

const anchorOf = (reference: string) => reference.slice(reference.indexOf('#') + 1)
