import type { Json, JsonObject, Node } from '@contract-first/document'
import { getOrMake } from '@contract-first/document'
import { typeOf } from './schema.ts'
import { inPlace, isNull, type Lowering, listedIn } from './survey.ts'

/** What an alternative demands of every value. */
interface Demands {
  /** Which of `object` and `array` it may be. */
  kinds: readonly string[]
  required: ReadonlySet<string>
  /** The values that are listed for a property. */
  listed: ReadonlyMap<string, readonly Json[]>
}

/** Finds alternatives that no object or array can match both, judging by types and by values listed for a required property. */
export const exclusions = (lowering: Lowering) => {
  const known = new Map<Node, Demands>()

  const demandsOf = (root: Node): Demands =>
    getOrMake(known, root, () => {
      // A preliminary result, which also serves a schema that contains itself.
      known.set(root, { kinds: ['object', 'array'], required: new Set(), listed: new Map() })
      let kinds = ['object', 'array']
      const required = new Set<string>()
      const listed = new Map<string, readonly Json[]>()
      for (const node of inPlace(lowering, root)) {
        const { type } = node.value as JsonObject
        const types = isNull(lowering, node) ? [] : type === undefined ? listedIn(node)?.map(typeOf) : [type].flat()
        kinds = kinds.filter(each => types?.includes(each) !== false)
        for (const { value } of node.get('required')?.items() ?? []) required.add(String(value))
        for (const [name, property] of node.get('properties')?.entries() ?? []) {
          const lists = [...inPlace(lowering, property)].map(listedIn)
          const values = lists.find(each => each?.every(value => typeof value !== 'object' || value === null))
          if (values !== undefined) listed.set(name, values)
        }
        for (const union of [node.get('anyOf'), node.get('oneOf')]) {
          const all = union?.items().map(each => demandsOf(each)) ?? []
          if (all.length === 0) continue
          kinds = kinds.filter(each => all.some(one => one.kinds.includes(each)))
          // Alternatives for scalars do not matter.
          const [first, ...others] = all.filter(each => each.kinds.length > 0)
          for (const name of first?.required ?? [])
            if (others.every(each => each.required.has(name))) required.add(name)
          for (const [name, values] of first?.listed ?? []) {
            const lists = others.map(each => each.listed.get(name))
            if (lists.every(each => each !== undefined)) listed.set(name, [...values, ...lists.flat()])
          }
        }
      }
      return { kinds, required, listed }
    })

  return {
    /** `hidden` properties never occur. */
    excludes: (one: Node, other: Node, hidden: ReadonlySet<string>): boolean => {
      const [left, right] = [demandsOf(one), demandsOf(other)]
      const kinds = left.kinds.filter(each => right.kinds.includes(each))
      if (kinds.length === 0) return true
      return [...left.listed].some(([name, values]) => {
        const others = right.listed.get(name)
        const isPresent = !hidden.has(name) && (left.required.has(name) || right.required.has(name))
        return (
          isPresent && !kinds.includes('array') && others !== undefined && !values.some(each => others.includes(each))
        )
      })
    },
    /** Whether it certainly allows neither objects nor arrays. */
    isScalar: (node: Node): boolean => demandsOf(node).kinds.length === 0
  }
}
