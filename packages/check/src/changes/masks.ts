import { isObject, Missing, type Node, type OpenApiDocument } from '@contract-first/document'

type Side = 'before' | 'after'
type Sides = Record<Side, Node>

/** A schema that cannot be read on one side, with its counterpart. */
interface Masked extends Sides {
  /** The name of the component that it is on both sides, or of what is missing. */
  shared?: string
  /** What cannot be read. */
  was?: string
  is?: string
}

/**
 * What is read instead of schemas that cannot be read on one side, and instead of their counterparts: then what can be read of
 * the schemas around them is compared, and nothing is said of these.
 */
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
    const broken = { before: this.#brokenIn('before', combined), after: this.#brokenIn('after', combined) }
    for (const side of ['before', 'after'] as const) {
      const other = side === 'before' ? 'after' : 'before'
      for (const [text, nodes] of broken[side]) {
        if (broken[other].has(text)) continue
        const said = side === 'before' ? { was: text } : { is: text }
        const shared = this.#namedOnBoth(side, nodes, combined[other])
        if (shared !== undefined) this.hide(shared)
        else if (nodes.includes(schemas[side]) && this.#lacksOnly(schemas, text)) this.#withoutKeyword(schemas, text)
        else {
          Object.assign(whole, said, this.#missingAmong(nodes))
          continue
        }
        masked.push({ ...schemas, ...shared, ...said })
      }
    }
    const isWhole = (whole.was ?? whole.is) !== undefined
    return { masked: isWhole ? [...masked, whole] : masked, isWhole }
  }

  /** What is missing is named by the reference to it, wherever it is referred to. */
  #missingAmong(nodes: readonly Node[]): Pick<Masked, 'shared'> {
    const missing = nodes.find(each => each instanceof Missing)
    return missing === undefined ? {} : { shared: missing.name }
  }

  hide({ before, after }: Sides): void {
    this.before.set(before, before.withValue('masked'))
    this.after.set(after, after.withValue('masked'))
  }

  /** What cannot be read, with the schemas that lead to it. */
  #brokenIn(side: Side, combined: Record<Side, ReadonlySet<Node>>): Map<string, Node[]> {
    const document = this.#documents[side]
    const broken = new Map<string, Node[]>()
    for (const node of combined[side])
      for (const text of document.unreadableIn(document.resolve(node)))
        broken.set(text, [...(broken.get(text) ?? []), node])
    return broken
  }

  #namedOnBoth(
    side: Side,
    nodes: readonly Node[],
    others: ReadonlySet<Node>
  ): (Sides & { shared: string }) | undefined {
    const own = this.#documents[side]
    const foreign = this.#documents[side === 'before' ? 'after' : 'before']
    for (const node of nodes) {
      const name = own.nameOf(node)
      const partner = name && [...others].find(each => foreign.nameOf(each) === name)
      if (name && partner)
        return side === 'before'
          ? { shared: name, before: node, after: partner }
          : { shared: name, before: partner, after: node }
    }
    return undefined
  }

  #lacksOnly({ before, after }: Sides, text: string): boolean {
    const isKeyword = /^(?!\$ref)[\w$-]+ /.test(text)
    return isKeyword && [before, after].every(({ value }) => isObject(value) && value.$ref === undefined)
  }

  #withoutKeyword(schemas: Sides, text: string): void {
    const [keyword] = text.split(' ')
    for (const side of ['before', 'after'] as const) {
      const node = this[side].get(schemas[side]) ?? schemas[side]
      const entries = node.entries().filter(([key]) => key !== keyword)
      const rest = node.withValue(Object.fromEntries(entries.map(([key, { value }]) => [key, value])))
      for (const [key, each] of entries) rest.replace(key, each)
      this[side].set(schemas[side], rest)
    }
  }
}
