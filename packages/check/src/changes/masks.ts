import { isObject, Missing, type Node, type OpenApiDocument } from '@contract-first/document'

type Side = 'before' | 'after'
type Sides = Record<Side, Node>

/** A schema that cannot be read on one side, with its counterpart. */
interface Masked extends Sides {
  /** The name of the component that it is on both sides, or of what is missing. */
  shared?: string
  was?: string
  is?: string
}

/** Stands in for schemas that cannot be read on one side, and for their counterparts: all around them is compared. */
export class Masks implements Record<Side, ReadonlyMap<Node, Node>> {
  readonly before = new Map<Node, Node>()
  readonly after = new Map<Node, Node>()
  readonly #documents: Record<Side, OpenApiDocument>

  constructor(documents: Record<Side, OpenApiDocument>) {
    this.#documents = documents
  }

  /** Masks what cannot be read among the schemas that two schemas combine, including themselves. */
  mask(schemas: Sides, combined: Record<Side, ReadonlySet<Node>>): { masked: Masked[]; isWhole: boolean } {
    const masked: Masked[] = []
    const whole: Masked = { ...schemas }
    for (const [side, other] of [['before', 'after'] as const, ['after', 'before'] as const]) {
      const known = this.#brokenIn(other, combined[other])
      for (const [text, nodes] of this.#brokenIn(side, combined[side])) {
        if (known.has(text)) continue
        const said = side === 'before' ? { was: text } : { is: text }
        const shared = this.#namedOnBoth(side, nodes, other, combined[other])
        if (shared !== undefined) this.hide(shared)
        else if (!nodes.includes(schemas[side]) || !this.#hidesKeyword(schemas, text)) {
          // What is missing is named by the reference to it, wherever it is referred to.
          const missing = nodes.find(each => each instanceof Missing)
          Object.assign(whole, said, missing && { shared: missing.name })
          continue
        }
        masked.push({ ...schemas, ...shared, ...said })
      }
    }
    const isWhole = (whole.was ?? whole.is) !== undefined
    return { masked: isWhole ? [...masked, whole] : masked, isWhole }
  }

  hide(sides: Sides): void {
    for (const side of ['before', 'after'] as const) this[side].set(sides[side], sides[side].withValue('masked'))
  }

  /** What cannot be read, with the schemas that lead to it. */
  #brokenIn(side: Side, combined: ReadonlySet<Node>): Map<string, Node[]> {
    const document = this.#documents[side]
    const all = [...combined].flatMap(node =>
      document.unreadableIn(document.resolve(node)).map(text => ({ text, node }))
    )
    const groups = Map.groupBy(all, ({ text }) => text)
    return new Map([...groups].map(([text, group]) => [text, group.map(({ node }) => node)]))
  }

  #namedOnBoth(side: Side, nodes: readonly Node[], other: Side, others: ReadonlySet<Node>): Masked | undefined {
    for (const node of nodes) {
      const shared = this.#documents[side].nameOf(node)
      const partner = shared && [...others].find(each => this.#documents[other].nameOf(each) === shared)
      if (shared && partner) return { shared, before: node, after: node, [other]: partner }
    }
    return undefined
  }

  /** Hides a keyword that cannot be read on both sides, if it is one. */
  #hidesKeyword(schemas: Sides, text: string): boolean {
    const [keyword = ''] = text.split(' ', 1)
    const areSchemas = [schemas.before, schemas.after].every(({ value }) => isObject(value) && value.$ref === undefined)
    if (!areSchemas || !/^(?!\$ref)[\w$-]+ /.test(text)) return false
    for (const side of ['before', 'after'] as const) {
      const node = this[side].get(schemas[side]) ?? schemas[side]
      const entries = node.entries().filter(([key]) => key !== keyword)
      const rest = node.withValue(Object.fromEntries(entries.map(([key, { value }]) => [key, value])))
      for (const [key, each] of entries) rest.replace(key, each)
      this[side].set(schemas[side], rest)
    }
    return true
  }
}
