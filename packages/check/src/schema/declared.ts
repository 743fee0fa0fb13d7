import { getOrMake, isObject, type Node, regexOf } from '@contract-first/document'
import { isBase } from './discriminator.ts'
import { exclusions } from './exclusive.ts'
import type { Keywords, Schema } from './schema.ts'
import {
  type Alternative,
  appliedBy,
  conditionalIn,
  declaredBy,
  describesProperties,
  inPlace,
  isFreeObject,
  type Lowering,
  propertyOf,
  survey
} from './survey.ts'

/** Alternatives that apply to the same value. */
interface Union {
  holder: Node
  keyword: 'anyOf' | 'oneOf'
  /** A condition decides whether one of them has to match. */
  isConditional: boolean
  /** It is inside an alternative, which scalars such as null need not match. */
  isOptional?: true
}

interface Parts {
  nodes: ReadonlySet<Node>
  unions: readonly Union[]
  /** One of the chosen alternatives is an object that declares nothing. */
  isFree: boolean
}

interface Context {
  /** Some schema for this value declares properties, perhaps an alternative that was not chosen. */
  isDescribed: boolean
  hidden: ReadonlySet<string>
  /** It is a part of a value that was valid for several alternatives at once. */
  isCombined: boolean
  /** Conditions decide whether the schemas apply. */
  isConditional: boolean
}

/** With more combinations of alternatives than this, or inside one, whatever any alternative declares counts as declared. */
const maxWays = 64
const maxCombinations = 2_000
/** Several alternatives of a larger union are not combined. */
const maxCombined = 4

/**
 * Restricts a sender to declared properties, at every depth; what an alternative declares counts if the value is valid for
 * that alternative. The restriction is a separate schema, so that the original's alternatives keep their ids.
 */
export class Declared {
  readonly #lowering: Lowering
  readonly #conditionOf: ConditionOf
  readonly #exclusion: ReturnType<typeof exclusions>
  readonly #known = new Map<string, Schema>()
  readonly #numbers = new Map<Node, number>()
  #combinations = 0

  constructor(lowering: Lowering, conditionOf: ConditionOf) {
    this.#lowering = lowering
    this.#conditionOf = conditionOf
    this.#exclusion = exclusions(lowering)
  }

  /** What all schemas that apply to one value declare. */
  of(schemas: readonly Node[], isCombined = false, isConditional = false): Schema {
    const surveyed = survey(this.#lowering, schemas)
    const context = { isDescribed: describesProperties(surveyed), hidden: surveyed.hidden, isCombined, isConditional }
    return this.#combined(partsOf(this.#lowering, schemas, new Set(), isConditional), context, maxWays)
  }

  #combined(given: Parts, context: Context, max: number): Schema {
    const { parts, union, choices } = this.#nextChoice(given, context, max)
    const key = JSON.stringify([
      this.#numbersOf(parts.nodes),
      parts.unions.map(each => ({ ...each, holder: this.#numberOf(each.holder) })),
      parts.isFree,
      { ...context, hidden: [...context.hidden].sort() },
      max
    ])
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const schema: Schema = { id: 0, keywords: {} }
    this.#known.set(key, schema)
    if (context.isCombined && ++this.#combinations > maxCombinations) {
      schema.keywords = { opaque: ['what too many combinations of alternatives declare'] }
      return schema
    }
    this.#lowering.defer(() => {
      schema.keywords =
        union === undefined
          ? this.#keywords(parts, context)
          : { anyOf: this.#ways(parts, union, choices, context, Math.floor(max / choices.length)) }
    })
    return schema
  }

  #ways(parts: Parts, union: Union, choices: readonly Alternative[][], context: Context, max: number): Schema[] {
    const rest = parts.unions.filter(each => each !== union)
    return choices.map((chosen): Schema => {
      const inner = partsOf(
        this.#lowering,
        chosen.map(({ node }) => node),
        parts.nodes
      )
      const nodes = new Set([...parts.nodes, ...inner.nodes])
      const isFree = parts.isFree || chosen.some(({ node }) => isFreeObject(this.#lowering, node))
      const all = { nodes, unions: [...rest, ...inner.unions], isFree }
      const conditions = chosen.map(each => this.#conditionOf(union.keyword, each, context.hidden))
      const isCombined = context.isCombined || chosen.length > 1
      const hidden = new Set([
        ...context.hidden,
        ...chosen.flatMap(({ node }) => [...this.#lowering.occurrencesIn(node).hidden])
      ])
      const declared = this.#combined(all, { ...context, hidden, isCombined }, max)
      return { id: 0, keywords: { allOf: [...conditions, declared] }, isChoice: true }
    })
  }

  #nextChoice(given: Parts, { isDescribed, hidden, isCombined }: Context, max: number) {
    let parts = given
    // Grows while it is visited: unions inside alternatives are appended.
    const pending = [...given.unions]
    for (const union of pending) {
      const variants = this.#variantsOf(union)
      const nodes = variants.map(({ node }) => node).filter(each => !this.#exclusion.isScalar(each))
      if (this.#areAlike(nodes, isDescribed, union.isConditional)) {
        const inner = partsOf(this.#lowering, nodes, parts.nodes, union.isConditional)
        const unions = inner.unions.map((each): Union => ({ ...each, isOptional: true }))
        parts = this.#withAll(parts, union, { nodes: inner.nodes, unions })
        pending.push(...unions)
      } else {
        const areSingle = union.keyword === 'oneOf' && !union.isConditional
        const several = areSingle || variants.length > maxCombined ? [] : this.#combinationsOf(variants, hidden)
        const choices = [
          ...(union.isConditional || union.isOptional ? [[]] : []),
          ...variants.map(each => [each]),
          ...several
        ]
        const areTooMany = isCombined && several.length > 0 && max === maxWays
        if (!areTooMany && (max === maxWays || choices.length <= max)) return { parts, union, choices }
        const inner = new Set(nodes.flatMap(each => [...inPlace(this.#lowering, each, 'any')]))
        parts = this.#withAll(parts, union, { nodes: inner, unions: [] })
      }
    }
    return { parts, union: undefined, choices: [] }
  }

  /** The combinations of two or more alternatives that one value can match. */
  #combinationsOf(variants: readonly Alternative[], hidden: ReadonlySet<string>): Alternative[][] {
    const areExclusive = (one: Alternative, other: Alternative) =>
      this.#exclusion.excludes(
        one.node,
        other.node,
        new Set([...hidden, ...[one, other].flatMap(({ node }) => [...this.#lowering.occurrencesIn(node).hidden])])
      )
    const combinations: Alternative[][] = [[]]
    for (const each of variants) {
      const others = combinations.filter(chosen => !chosen.some(other => areExclusive(each, other)))
      combinations.push(...others.map(chosen => [...chosen, each]))
    }
    return combinations.filter(each => each.length > 1)
  }

  /** Treats all alternatives as if they applied together. */
  #withAll({ nodes, unions, isFree }: Parts, union: Union, inner: Pick<Parts, 'nodes' | 'unions'>): Parts {
    return {
      nodes: new Set([...nodes, ...inner.nodes]),
      unions: [...unions.filter(each => each !== union), ...inner.unions],
      isFree: isFree || this.#variantsOf(union).some(({ node }) => isFreeObject(this.#lowering, node))
    }
  }

  #variantsOf({ holder, keyword }: Union): Alternative[] {
    return this.#lowering.alternatives(holder, keyword)
  }

  #areAlike(variants: readonly Node[], isDescribed: boolean, isConditional: boolean): boolean {
    const describing = [...inItems, ...(isDescribed ? inObjects : [])]
    const describes = (node: Node) => describing.some(keyword => node.get(keyword) !== undefined)
    if (!variants.some(each => [...inPlace(this.#lowering, each, 'any')].some(describes))) return true
    return !isConditional && variants.length <= 1
  }

  #keywords({ nodes: all, isFree }: Parts, { isDescribed, hidden, ...context }: Context): Keywords {
    const nodes = [...all]
    const isConditional = context.isConditional || nodes.some(each => conditionalIn(each).length > 0)
    const declared = declaredBy(nodes)
    const names = [...new Set([...declared.names, ...declared.required])].filter(name => !hidden.has(name))
    const inner = (parts: Node[]) =>
      parts.length === 0
        ? this.#lowering.solver.anything
        : this.of(parts, context.isCombined && parts.length > 1, isConditional)
    const rests = nodes
      .flatMap(each => each.get('additionalProperties') ?? each.get('unevaluatedProperties') ?? [])
      .filter(({ value }) => isObject(value) && Object.keys(value).length > 0)
    const named = (name: string) => nodes.flatMap(each => propertyOf(each, name))
    const inPatterns = nodes.flatMap(each => each.get('patternProperties')?.entries() ?? [])
    // A name that matches a pattern may also be declared or match other patterns: what any of these declare.
    const inPattern = (pattern: string): Schema => {
      const own = inPatterns.filter(([key]) => key === pattern)
      const matched = names.filter(name => regexOf(pattern)?.test(name) !== false)
      const parts = [...[own, inPatterns].map(entries => entries.map(([, each]) => each)), ...matched.map(named)]
      return { id: 0, keywords: { anyOf: [...new Set(parts.map(inner))] } }
    }
    const patterns = new Map([...declared.patterns].map(pattern => [pattern, inPattern(pattern)]))
    const properties = new Map(names.map(name => [name, inner(named(name))]))
    if (nodes.some(isExpresslyOpen) && !declared.isOpen) properties.set(undeclaredName, this.#lowering.solver.anything)
    const lengths = nodes.map(each => each.get('prefixItems')?.items().length ?? 0)
    const contained = nodes.flatMap(each => each.get('contains') ?? [])
    const hasItems = (each: Node) => ['prefixItems', 'items', 'unevaluatedItems'].some(key => each.get(key))
    // `contains` declares nothing: without another schema for items, any item is declared.
    const itemsAt = (index: number) =>
      nodes.some(hasItems) ? [...nodes.flatMap(each => itemOf(each, index)), ...contained] : []
    const length = Math.max(0, ...lengths)
    const items = itemsAt(length)
    const prefixItems = Array.from({ length }, (_, index) => inner(itemsAt(index)))
    const others = declared.isOpen ? inner(rests) : this.#lowering.solver.nothing
    return {
      ...(isDescribed && !isFree && { properties, patternProperties: patterns, additionalProperties: others }),
      ...(items.length > 0 && { items: inner(items) }),
      ...(length > 0 && { prefixItems })
    }
  }

  #numbersOf(nodes: Iterable<Node>): number[] {
    return [...nodes].map(each => this.#numberOf(each)).sort((a, b) => a - b)
  }

  #numberOf(node: Node): number {
    return getOrMake(this.#numbers, node, () => this.#numbers.size)
  }
}

/** The schema that a value satisfies if it is valid for an alternative. */
type ConditionOf = (keyword: Union['keyword'], variant: Alternative, hidden: ReadonlySet<string>) => Schema

/** The schemas that apply in place, without alternatives; `above` have been found already. */
const partsOf = (
  lowering: Lowering,
  roots: readonly Node[],
  above: ReadonlySet<Node> = new Set(),
  areConditional = false
): Parts => {
  const nodes = new Set<Node>()
  const unions: Union[] = []
  const visit = (at: Node, isConditional: boolean) => {
    const node = lowering.target(at)
    if (nodes.has(node) || above.has(node) || !isObject(node.value)) return
    nodes.add(node)
    for (const each of appliedBy(lowering, node)) visit(each, isConditional)
    for (const each of conditionalIn(node)) visit(each, true)
    for (const keyword of ['anyOf', 'oneOf'] as const)
      if (node.get(keyword) !== undefined) unions.push({ holder: node, keyword, isConditional })
  }
  for (const each of roots) visit(each, areConditional)
  return { nodes, unions, isFree: false }
}

const inItems = ['items', 'prefixItems', 'unevaluatedItems', 'contains']
const inObjects = ['properties', 'patternProperties', 'required', 'additionalProperties', 'unevaluatedProperties']

/** Stands for all properties that only `additionalProperties: true` allows; must not be a name that the other side declares. */
export const undeclaredName = 'undeclared'

const isExpresslyOpen = (node: Node) =>
  isBase(node) ||
  ['additionalProperties', 'unevaluatedProperties'].some(keyword => {
    const value = node.get(keyword)?.value
    return value === true || (isObject(value) && Object.keys(value).length === 0)
  })

/** The schema of an item, by position or else for all other items. */
const itemOf = (node: Node, index: number): Node[] => {
  const own = node.get('prefixItems')?.get(index) ?? node.get('items') ?? node.get('unevaluatedItems')
  return own === undefined ? [] : [own]
}
