import { isObject } from '../../document/json.ts'
import type { Node } from '../../document/node.ts'
import { regexOf } from '../../document/regular-expression.ts'
import type { Schema } from './schema.ts'
import { type Lowering, survey } from './survey.ts'

/**
 * Restricts a sender to declared properties, at every depth. A schema of its own beside the original, so that the latter's
 * alternatives are still told apart as before.
 */
export class Declared {
  readonly #lowering: Lowering
  readonly #known = new Map<string, Schema>()
  readonly #numbers = new Map<Node, number>()

  constructor(lowering: Lowering) {
    this.#lowering = lowering
  }

  /** What all schemas that apply to one value declare. */
  of(schemas: readonly Node[]): Schema {
    const found = survey(this.#lowering, schemas)
    const key = [...found.nodes]
      .map(each => this.#numberOf(each))
      .sort((a, b) => a - b)
      .join()
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const schema: Schema = { id: 0, keywords: {} }
    this.#known.set(key, schema)

    const nodes = [...found.nodes]
    const inner = (parts: Node[]) => (parts.length === 0 ? this.#lowering.solver.anything : this.of(parts))
    const rests = nodes
      .flatMap(each => each.get('additionalProperties') ?? each.get('unevaluatedProperties') ?? [])
      .filter(({ value }) => isObject(value) && Object.keys(value).length > 0)
    // A name that matches a pattern may also be declared or match another pattern: the schemas of either apply.
    const matched = (pattern: string) => [...found.names].filter(name => regexOf(pattern)?.test(name) !== false)
    const named = (name: string) => nodes.flatMap(each => propertyOf(each, name))
    const inPatterns = nodes.flatMap(each => each.get('patternProperties')?.entries() ?? []).map(([, each]) => each)
    const patterns = new Map(
      [...found.patterns].map(pattern => [pattern, inner([...inPatterns, ...matched(pattern).flatMap(named)])])
    )
    const properties = new Map([...found.names].map(name => [name, inner(named(name))]))
    const lengths = nodes.map(each => each.get('prefixItems')?.items().length ?? 0)
    const contained = nodes.flatMap(each => each.get('contains') ?? [])
    const isDescribed = (each: Node) => ['prefixItems', 'items', 'unevaluatedItems'].some(key => each.get(key))
    // Without a schema for items other than `contains`, any item is declared.
    const itemsAt = (index: number) =>
      nodes.some(isDescribed) ? [...nodes.flatMap(each => itemOf(each, index)), ...contained] : []
    const length = Math.max(0, ...lengths)
    const items = itemsAt(length)
    const prefixItems = Array.from({ length }, (_, index) => inner(itemsAt(index)))
    const others = found.isOpen ? inner(rests) : this.#lowering.solver.nothing
    schema.keywords = {
      ...(!found.isFree && { properties, patternProperties: patterns, additionalProperties: others }),
      ...(items.length > 0 && { items: inner(items) }),
      ...(length > 0 && { prefixItems })
    }
    return schema
  }

  #numberOf(node: Node): number {
    const number = this.#numbers.get(node) ?? this.#numbers.size
    this.#numbers.set(node, number)
    return number
  }
}

/** The schema of an item, by position or else for all other items. */
const itemOf = (node: Node, index: number): Node[] => {
  const own = node.get('prefixItems')?.get(index) ?? node.get('items') ?? node.get('unevaluatedItems')
  return own === undefined ? [] : [own]
}

/** The schemas of a property, by name and matching patterns, or else for all other properties. */
const propertyOf = (node: Node, name: string): Node[] => {
  const named = node.get('properties')?.get(name)
  const patterns = node.get('patternProperties')?.entries() ?? []
  const matching = patterns.filter(([pattern]) => regexOf(pattern)?.test(name))
  const own = [...(named === undefined ? [] : [named]), ...matching.map(([, each]) => each)]
  if (own.length > 0) return own
  return [node.get('additionalProperties') ?? node.get('unevaluatedProperties') ?? []].flat()
}
