import { entriesOf, isObject, type Json, type JsonObject, lineOf } from '@contract-first/document'
import { isReference, nameOf } from './pointer.ts'
import type { Report } from './problems.ts'
import { type Contradiction, contradictionOf, locate, writtenAs } from './read.ts'
import { subschemasOf, typesOf } from './schema-tree.ts'

// A contradiction leaves a schema that no value satisfies. If values can do without it, such as an optional property, it is
// served as it is, with a warning; otherwise the schema around it is impossible as well.

/**
 * Why no value satisfies a schema: the first reason that `own` gives for one of the schemas and references that every value must
 * satisfy; undefined if there is none.
 */
export const unmet = <Reason>(
  schema: Json | undefined,
  own: (schema: JsonObject) => Reason | undefined,
  typesIn = typesOf
): Reason | undefined => {
  if (!isObject(schema) || schema.nullable === true) return undefined
  const inside = (each: Json | undefined) => unmet(each, own, typesIn)
  const first = (all: (Json | undefined)[]) => {
    for (const each of all) {
      const reason = inside(each)
      if (reason !== undefined) return reason
    }
    return undefined
  }
  const ofAll = (all: Json | undefined) => {
    const reasons = ((all ?? []) as Json[]).map(inside)
    return reasons.includes(undefined) ? undefined : reasons[0]
  }
  const ofType = (type: string) => {
    if (type === 'object') {
      const { required = [], properties } = schema
      const property = (name: string) =>
        isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : true
      return first((required as string[]).map(property))
    }
    if (type !== 'array') return undefined
    const { minItems = 0, items, prefixItems = [], contains, minContains = 1 } = schema
    const least = minItems as number
    const leading = (prefixItems as Json[]).slice(0, least)
    return first([...leading, least > leading.length && items, minContains !== 0 && contains])
  }
  const reason = own(schema) ?? first((schema.allOf ?? []) as Json[]) ?? ofAll(schema.anyOf) ?? ofAll(schema.oneOf)
  const types = typesIn(schema)
  if (reason !== undefined || types.length === 0 || schema.enum !== undefined) return reason
  const reasons = types.map(ofType)
  return reasons.includes(undefined) ? undefined : reasons[0]
}

/** Reports what contradictions make impossible, in normalised schemas. */
export class Impossible {
  readonly #components = new Map<string, Contradiction>()
  readonly #report: Report

  constructor(components: ReadonlyMap<string, JsonObject>, report: Report) {
    this.#report = report
    for (let before = -1; before !== this.#components.size; ) {
      before = this.#components.size
      for (const [name, schema] of components) {
        const reason = this.#components.has(name) ? undefined : this.#reason(schema)
        if (reason !== undefined) this.#components.set(name, reason)
      }
    }
    for (const schema of components.values()) this.#carry(schema)
  }

  /** Refuses a schema of an operation if no value satisfies it. */
  check(schema: JsonObject) {
    const reason = this.#reason(schema)
    if (reason === undefined) this.#carryInside(schema)
    // A component may contain the reason without being affected, such as in an optional property.
    else if (contains(writtenAs(schema), reason.at)) this.#report.addImpossible(reason.place, reason.message)
    else this.#report.addImpossible(locate(schema), `no value is valid here, because of ${lineOf(reason)}`)
  }

  #reason(schema: JsonObject): Contradiction | undefined {
    const own = (each: JsonObject) =>
      contradictionOf(each) ?? (isReference(each) ? this.#components.get(nameOf(each.$ref)) : undefined)
    return unmet(schema, own, meantTypes)
  }

  #carry(schema: JsonObject) {
    // The warning is at the component.
    if (isReference(schema)) return
    const reason = this.#reason(schema)
    if (reason === undefined) this.#carryInside(schema)
    else this.#report.carry(reason.place, `${reason.message}; until then, every value is rejected here`)
  }

  #carryInside(schema: JsonObject) {
    for (const each of subschemasOf(schema)) this.#carry(each)
  }
}

/** A schema with properties but without a type is meant for objects, although it allows other values. */
const meantTypes = (schema: JsonObject) => {
  const types = typesOf(schema)
  return types.length === 0 && entriesOf(schema.properties).length > 0 ? ['object'] : types
}

const contains = (value: unknown, wanted: object): boolean =>
  value === wanted ||
  (typeof value === 'object' && value !== null && Object.values(value).some(each => contains(each, wanted)))
