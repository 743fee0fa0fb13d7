import { entriesOf, getOrMake, isObject, type Json, type JsonObject, put } from '@contract-first/document'
import { namesIn, targetOf } from './discriminator.ts'
import { isAnnotation, separated } from './merge.ts'
import { isReference, nameOf, referenceTo } from './pointer.ts'
import type { Report } from './problems.ts'
import { derive, locate } from './read.ts'
import { partsInPlace } from './schema-tree.ts'

// A base is a component with a discriminator and without variants of its own. Components that have it in their `allOf` are its
// children, and a value of the base must be valid for the child that the discriminator's property names.

/** Whether a schema's discriminator tells apart schemas that extend it with `allOf`. */
export const isBase = ({ discriminator, oneOf, anyOf }: JsonObject) =>
  discriminator !== undefined && oneOf === undefined && anyOf === undefined

/** A child inherits the base's keywords, but not its role. */
export const withoutBase = (schema: JsonObject) => {
  if (!isBase(schema)) return schema
  const { discriminator: _discriminator, ...rest } = schema
  return derive(rest, schema)
}

/** The bases of a contract, and their children. */
export class Bases {
  /** The names of components by discriminator. */
  readonly #names = new Map<Json, string>()
  readonly #children = new Map<string, string[]>()
  readonly #written: JsonObject

  constructor(written: JsonObject) {
    this.#written = written
    for (const [name, schema] of entriesOf(written)) {
      for (const part of partsOf(schema)) if (isBase(part)) this.#names.set(part.discriminator as Json, name)
      for (const parent of parentsOf(schema)) getOrMake(this.#children, parent, () => []).push(name)
    }
  }

  /** Whether a component is a child of another one, from which it may have inherited its discriminator. */
  isChild(name: string, { discriminator }: JsonObject): boolean {
    const base = this.#names.get(discriminator as Json)
    return base !== undefined && base !== name && this.#heirsOf(base, discriminator).children.includes(name)
  }

  /** A union with the discriminator of the base that all its variants extend, if that names each of them. */
  withInherited(schema: JsonObject): JsonObject {
    const { discriminator, oneOf, anyOf } = schema
    const variants = oneOf ?? anyOf
    const isAlone = oneOf === undefined || anyOf === undefined
    if (discriminator !== undefined || !Array.isArray(variants) || variants.length === 0 || !isAlone) return schema
    const names = variants.map(each => (isObject(each) && isReference(each) ? nameOf(each.$ref) : undefined))
    for (const [own, base] of this.#names) {
      const { propertyName, mapping } = own as JsonObject
      const named = new Set(entriesOf(mapping).map(([, target]) => targetOf(target)))
      const isChild = (name: string | undefined) =>
        name !== undefined && name !== base && named.has(name) && this.#leadsTo(name, base)
      if (names.every(isChild))
        return derive({ ...schema, discriminator: derive({ propertyName, mapping } as JsonObject, schema) }, schema)
    }
    return schema
  }

  /** A base as a union: its values are those of its children, or else of itself. */
  withChildren(schema: JsonObject, report: Report): JsonObject {
    const { discriminator, ...base } = schema
    const { propertyName, mapping, defaultMapping } = discriminator as JsonObject
    const open = { additionalProperties: true, ...base }
    const name = this.#names.get(discriminator as Json) ?? ''
    const { children, aliases } = this.#heirsOf(name, discriminator)
    if (children.length === 0 && aliases.length === 1) {
      report.carry(
        locate(schema, 'discriminator'),
        'the discriminator has no effect: no schema has this one in its allOf; values are checked against it alone, and may have other properties'
      )
      return derive(open, schema)
    }
    const [texts, itself] = separated(derive(base, schema))
    const [, rest] = separated(derive(open, schema))
    const names = derive({} as JsonObject, schema)
    const references = [...children, ...aliases].map(each => derive({ $ref: referenceTo('schemas', each) }, schema))
    for (const [value, index] of namesIn(references, mapping).names) put(names, value, Math.min(index, children.length))
    const inDefault = defaultMapping === undefined ? -1 : children.indexOf(targetOf(defaultMapping))
    const others = inDefault === -1 ? [rest] : []
    return derive(
      {
        ...texts,
        oneOf: [...references.slice(0, children.length), itself, ...others],
        discriminator: derive(
          {
            propertyName: propertyName as Json,
            mapping: names,
            otherwise: inDefault === -1 ? children.length + 1 : inDefault
          },
          schema
        )
      },
      schema
    )
  }

  /** The children at any depth, also those that only the mapping names. `aliases` only add texts such as a title to the base. */
  #heirsOf(base: string, discriminator: Json | undefined) {
    const aliases = new Set([base])
    const children = new Set<string>()
    const next = [base]
    for (const each of next)
      for (const child of this.#children.get(each) ?? []) {
        if (children.has(child) || aliases.has(child)) continue
        next.push(child)
        const isItself = aliases.has(each) && isAlias(this.#written[child] as JsonObject)
        if (isItself) aliases.add(child)
        else children.add(child)
      }
    for (const target of entriesOf((discriminator as JsonObject).mapping).map(([, each]) => targetOf(each)))
      if (isObject(this.#written[target]) && !this.#leadsTo(target, base)) children.add(target)
    return { children: [...children], aliases: [...aliases] }
  }

  /** Whether a schema applies a base to the same value. */
  #leadsTo(name: string, base: string, seen = new Set<string>()): boolean {
    if (name === base) return true
    if (seen.has(name)) return false
    seen.add(name)
    const reaches = (schema: JsonObject): boolean =>
      (isReference(schema) && this.#leadsTo(nameOf(schema.$ref), base, seen)) || partsInPlace(schema).some(reaches)
    const schema = this.#written[name]
    return isObject(schema) && reaches(schema)
  }
}

/** A schema and its parts, with references resolved. */
const partsOf = (schema: Json): JsonObject[] =>
  isObject(schema) ? [schema, ...((schema.allOf ?? []) as Json[]).flatMap(partsOf)] : []

const parentsOf = (schema: Json): string[] =>
  partsOf(schema).flatMap(part =>
    isReference(part) && (part !== schema || Object.keys(part).length > 1) ? [nameOf(part.$ref)] : []
  )

const isAlias = ({ allOf, $ref, ...others }: JsonObject) =>
  Object.keys(others).every(isAnnotation) && [allOf ?? [], $ref ?? []].flat().length === 1 && !isObjectPart(allOf)

const isObjectPart = (allOf: Json | undefined) => Array.isArray(allOf) && !isReference(allOf[0])
