import { isObject, type Json } from '../../document/json.ts'
import type { Node } from '../../document/node.ts'
import { inPlace, type Lowering } from './survey.ts'

/** What an alternative demands of every value. */
interface Demands {
  mayBe: { object: boolean; array: boolean }
  required: ReadonlySet<string>
  /** The values that are listed for a property. */
  listed: ReadonlyMap<string, ReadonlySet<Json>>
}

/** Which alternatives no object or array can match together, as types or the values listed for a required property show. */
export class Exclusion {
  readonly #lowering: Lowering
  readonly #known = new Map<Node, Demands>()

  constructor(lowering: Lowering) {
    this.#lowering = lowering
  }

  /** `hidden` properties never occur. */
  excludes(one: Node, other: Node, hidden: ReadonlySet<string>): boolean {
    const [left, right] = [this.#demandsOf(one), this.#demandsOf(other)]
    const types = ['object', 'array'] as const
    if (!types.some(type => left.mayBe[type] && right.mayBe[type])) return true
    return [...left.listed].some(([name, values]) => {
      const others = right.listed.get(name)
      const isPresent = !hidden.has(name) && (left.required.has(name) || right.required.has(name))
      const isNoArray = !left.mayBe.array || !right.mayBe.array
      return isPresent && isNoArray && others !== undefined && ![...values].some(each => others.has(each))
    })
  }

  #demandsOf(node: Node): Demands {
    const known = this.#known.get(node)
    if (known !== undefined) return known
    // Until it is known, and so for a schema that contains itself.
    this.#known.set(node, { mayBe: { object: true, array: true }, required: new Set(), listed: new Map() })
    const found = this.#demands(node)
    this.#known.set(node, found)
    return found
  }

  #demands(root: Node): Demands {
    const mayBe = { object: true, array: true }
    const required = new Set<string>()
    const listed = new Map<string, ReadonlySet<Json>>()
    for (const node of inPlace(this.#lowering, root)) {
      const { type } = node.value as { type?: Json }
      if (type !== undefined)
        for (const each of ['object', 'array'] as const) mayBe[each] &&= [type].flat().includes(each)
      for (const { value } of node.get('required')?.items() ?? []) required.add(String(value))
      for (const [name, property] of node.get('properties')?.entries() ?? []) {
        const values = this.#valuesOf(property)
        if (values !== undefined) listed.set(name, values)
      }
      for (const union of [node.get('anyOf'), node.get('oneOf')]) {
        const all = union?.items().map(each => this.#demandsOf(each))
        // Null and the like do not matter.
        const [first, ...others] = all?.filter(each => each.mayBe.object || each.mayBe.array) ?? []
        if (first === undefined) continue
        for (const each of ['object', 'array'] as const) mayBe[each] &&= [first, ...others].some(one => one.mayBe[each])
        for (const name of first.required) if (others.every(each => each.required.has(name))) required.add(name)
        for (const [name, values] of first.listed) {
          const lists = others.map(each => each.listed.get(name))
          if (!lists.includes(undefined))
            listed.set(name, new Set([...values, ...lists.flatMap(each => [...(each ?? [])])]))
        }
      }
    }
    return { mayBe, required, listed }
  }

  #valuesOf(property: Node): ReadonlySet<Json> | undefined {
    for (const { value } of inPlace(this.#lowering, property)) {
      const { const: constant, enum: values = constant === undefined ? undefined : [constant] } = value as {
        const?: Json
        enum?: Json
      }
      if (Array.isArray(values) && values.every(each => !isObject(each) && !Array.isArray(each))) return new Set(values)
    }
    return undefined
  }
}
