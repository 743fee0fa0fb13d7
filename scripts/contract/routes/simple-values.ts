import { isObject, type Json, type JsonObject } from '../../document/json.ts'
import { accepts } from '../schema/accepts.ts'
import { assertionsOf } from '../schema/assertions.ts'
import type { Schema } from '../schema/schema.ts'
import type { Solver } from '../schema/solve.ts'

const deepest = 3

/**
 * Values that show people what a schema allows: as simple as possible, but with optional properties, and an item in each
 * list. The same schema gives the same value; undefined if none is found.
 */
export const simpleValues = (solver: Solver): ((schema: Schema) => Json | undefined) => {
  // By depth: what is further down is shorter.
  const known = Array.from({ length: deepest + 1 }, () => new Map<Schema, Json | undefined>())

  const make = (schema: Schema, depth: number): Json | undefined => {
    const found = solver.find([schema], [])
    if (typeof found !== 'object') return undefined
    let { value } = found
    if (depth === deepest) return value
    const change = (changed: Json) => {
      if (accepts(schema, changed) === true) value = changed
    }
    const assertions = assertionsOf(schema)
    const items = assertions.find(({ keyword }) => keyword === 'items')?.keywords.items
    if (Array.isArray(value) && value.length === 0 && items !== undefined) {
      const item = valueAt(items, depth + 1)
      if (item !== undefined) change([item])
    }
    const properties = assertions.flatMap(({ keywords }) => [...(keywords.properties ?? [])])
    if (!isObject(value)) return value
    const members = properties.flatMap(([name, part]): [string, Json][] => {
      const inner = valueAt(part, depth + 1)
      return inner === undefined ? [] : [[name, inner]]
    })
    const all = { ...value, ...Object.fromEntries(members) }
    // Mostly they fit together; one by one, a schema of a hundred properties would be judged a hundred times.
    if (accepts(schema, all) === true) return all
    for (const [name, inner] of members) change({ ...(value as JsonObject), [name]: inner })
    return value
  }

  const valueAt = (schema: Schema, depth: number): Json | undefined => {
    const values = known[depth] as Map<Schema, Json | undefined>
    if (!values.has(schema)) values.set(schema, make(schema, depth))
    return values.get(schema)
  }
  return schema => valueAt(schema, 0)
}
