import { componentsOf, entriesOf, isObject, type Json, type JsonObject } from '@contract-first/document'
import { unmet } from './impossible.ts'
import { isReference, nameOf } from './pointer.ts'
import type { Report } from './problems.ts'
import { derive, locate } from './read.ts'
import { partsInPlace, schemasIn, subschemasOf } from './schema-tree.ts'

/**
 * Reports recursion without an end: a schema that refers to itself for the same value, whose references are removed so
 * that later steps terminate, and one that no finite value satisfies.
 */
export const refuseEndless = (document: JsonObject, report: Report): void => {
  const components = isObject(document.components) ? document.components.schemas : undefined
  const schemas = new Map(entriesOf(components).filter((entry): entry is [string, JsonObject] => isObject(entry[1])))
  withoutVariantsInBases(schemas)
  breakLoops(schemas, report)
  const infinite = infiniteIn(schemas)
  const edges = [...infinite].map(name => [name, referencesIn(schemasIn(schemas.get(name) as JsonObject))] as const)
  for (const name of recursiveIn(new Map(edges)))
    report.add(
      locate(components as JsonObject, name),
      `every ${name} contains another one, without end; make the property that contains it optional or nullable`
    )
}

/** If a variant has the union that lists it in its `allOf`, the union stands there without its variants. */
const withoutVariantsInBases = (schemas: ReadonlyMap<string, JsonObject>) => {
  for (const [name, schema] of schemas) {
    const { discriminator, oneOf, anyOf, ...base } = schema
    if (discriminator === undefined) continue
    const seen = new Set<Json>()
    const visit = (part: Json | undefined) => {
      if (!isObject(part) || seen.has(part)) return
      seen.add(part)
      const { $ref: reference, allOf = [] } = part
      for (const each of allOf as Json[]) visit(each)
      if (typeof reference !== 'string') return
      if (nameOf(reference) !== name) return visit(schemas.get(nameOf(reference)))
      delete part.$ref
      part.allOf = [derive({ ...base }, schema), ...(allOf as Json[])]
    }
    for (const each of (oneOf ?? anyOf ?? []) as Json[])
      visit(isReference(each) ? schemas.get(nameOf(each.$ref)) : each)
  }
}

const breakLoops = (schemas: ReadonlyMap<string, JsonObject>, report: Report) => {
  const open = new Set<string>()
  const done = new Set<string>()
  const visit = (schema: JsonObject) => {
    if (isReference(schema)) {
      const name = nameOf(schema.$ref)
      if (open.has(name)) {
        report.add(
          locate(schema, '$ref'),
          `${name} refers to itself for the same value, not for a part of it, so no value could be checked; refer to it from properties or items`
        )
        delete (schema as JsonObject).$ref
      } else component(name)
    }
    for (const each of partsInPlace(schema)) visit(each)
  }
  const component = (name: string) => {
    const schema = schemas.get(name)
    if (done.has(name) || schema === undefined) return
    open.add(name)
    visit(schema)
    open.delete(name)
    done.add(name)
  }
  const everywhere = (schema: JsonObject) => {
    visit(schema)
    for (const each of subschemasOf(schema)) everywhere(each)
  }
  for (const [name, schema] of schemas) {
    component(name)
    for (const each of subschemasOf(schema)) everywhere(each)
  }
}

/** The schemas that no finite value satisfies. */
const infiniteIn = (schemas: ReadonlyMap<string, JsonObject>): Set<string> => {
  const infinite = new Set(schemas.keys())
  const isInfinite = (schema: JsonObject) => (isReference(schema) && infinite.has(nameOf(schema.$ref))) || undefined
  for (let before = -1; before !== infinite.size; ) {
    before = infinite.size
    for (const name of infinite) if (unmet(schemas.get(name), isInfinite) === undefined) infinite.delete(name)
  }
  return infinite
}

/** The names of the components that schemas refer to. */
export const referencesIn = (schemas: readonly JsonObject[]): string[] =>
  schemas.filter(isReference).map(({ $ref }) => nameOf($ref))

/** The nodes of a graph that lie on a cycle. */
export const recursiveIn = (edges: ReadonlyMap<string, readonly string[]>): Set<string> => {
  const recursive = new Set<string>()
  const visited = new Set<string>()
  const nextOf = (name: string) => (edges.get(name) ?? []).filter(each => !visited.has(each))
  for (const name of edges.keys()) {
    if (visited.has(name)) continue
    for (const members of componentsOf(name, nextOf))
      for (const each of members) {
        visited.add(each)
        if (members.length > 1 || edges.get(each)?.includes(each)) recursive.add(each)
      }
  }
  return recursive
}
