import type { Json, JsonObject, Node } from '@contract-first/document'
import { getOrMake } from '@contract-first/document'
import { typeOf } from './schema.ts'
import { inPlace, isNull, type Lowering, listedIn } from './survey.ts'

/** Finds alternatives that no object or array can match both, judging by types and by values listed for a required property. */
export const exclusions = (lowering: Lowering) => {
  const known = new Map<Node, ReturnType<typeof demandsIn>>()
  const demandsIn = (root: Node) => {
    const nodes = [...inPlace(lowering, root)]
    const types = nodes.flatMap(node => {
      const { type } = node.value as JsonObject
      const own = isNull(lowering, node) ? [] : type === undefined ? listedIn(node)?.map(typeOf) : [type].flat()
      return own === undefined ? [] : [own as readonly Json[]]
    })
    const listed = nodes
      .flatMap(node => node.get('properties')?.entries() ?? [])
      .map(([name, property]) => {
        const lists = [...inPlace(lowering, property)].map(listedIn)
        return [name, lists.find(each => each?.every(value => typeof value !== 'object' || value === null))] as const
      })
    return {
      /** Which of `object` and `array` it may be. */
      kinds: ['object', 'array'].filter(kind => types.every(each => each.includes(kind))),
      required: new Set(
        nodes.flatMap(
          node =>
            node
              .get('required')
              ?.items()
              .map(({ value }) => String(value)) ?? []
        )
      ),
      /** The values that are listed for a property. */
      listed: new Map(listed.flatMap(([name, values]) => (values === undefined ? [] : [[name, values]])))
    }
  }
  const demandsOf = (root: Node) => getOrMake(known, root, () => demandsIn(root))

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
