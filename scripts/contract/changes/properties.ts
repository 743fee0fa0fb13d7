import type { OpenApiDocument } from '../../document/document.ts'
import type { Node } from '../../document/node.ts'
import { compareDefaults, defaultOf, isKept } from './defaults.ts'
import type { Level } from './finding.ts'
import { compareLifecycles, isRemarkable, lifecycleOf } from './lifecycle.ts'
import type { Site } from './site.ts'

/** Two schemas of which one became the other, wherever they are used. */
interface Pair {
  before: Node
  after: Node
  place: string
  /** What they are parts of. */
  parents: Set<Pair>
  sites: Site[]
}

/** A property as it is described by all that a schema is made of; without descriptions it is not there. */
interface Property {
  place: string
  before: readonly Node[]
  after: readonly Node[]
  /** On one side at least. */
  isRequired: boolean
}

/**
 * What is said of properties that the values do not show: what is announced of them, and what they count as when they
 * are left out. That a property goes before its time may be no change of the values that are allowed, and after its time
 * a change of them does no harm.
 */
export class Properties {
  readonly #documents: { before: OpenApiDocument; after: OpenApiDocument }
  readonly #today: string
  readonly #pairs = new Map<Node, Map<Node, Pair>>()
  readonly #reports: { pair: Pair; report: (site: Site) => void }[] = []
  /** Those with a sunset that are gone, and whether they may be. */
  readonly #gone = new Map<string, { mayBe: boolean }>()
  readonly #broken = new Set<string>()

  constructor({ before, after }: { before: OpenApiDocument; after: OpenApiDocument }, today: string) {
    this.#documents = { before, after }
    this.#today = today
  }

  /** To be called before the findings about the two schemas are asked for. */
  visit(site: Site, before: Node, after: Node) {
    const pending: Pair[] = []
    this.#pairOf(before, after, site.place, pending).sites.push(site)
    for (const pair of pending) this.#comparePair(pair, pending)
  }

  /** Whether a finding about a schema is no news beside what is reported of a property that is gone. */
  settles(place: string, level: Level): boolean {
    for (const [property, { mayBe }] of this.#gone) {
      const isInside = place.startsWith(property) && /^(?:$|[.[{])/.test(place.slice(property.length))
      if (!isInside) continue
      if (level !== 'compatible' && !mayBe) this.#broken.add(property)
      return mayBe || level === 'compatible'
    }
    return false
  }

  /** Reports what was found, at every operation that it concerns. */
  report() {
    for (const { pair, report } of this.#reports) for (const site of sitesOf(pair)) report(site)
  }

  #pairOf(before: Node, after: Node, path: string, pending: Pair[], parent?: Pair): Pair {
    const [left, right] = [this.#documents.before.resolve(before), this.#documents.after.resolve(after)]
    const known = this.#pairs.get(left)?.get(right)
    const place = this.#documents.before.nameOf(left) ?? path
    const pair = known ?? { before: left, after: right, place, parents: new Set(), sites: [] }
    if (parent !== undefined) pair.parents.add(parent)
    if (known === undefined) {
      const partners = this.#pairs.get(left) ?? new Map<Node, Pair>()
      this.#pairs.set(left, partners.set(right, pair))
      pending.push(pair)
    }
    return pair
  }

  /** Of several alternatives the one of the same name: their order says nothing. */
  #partnerOf(left: Node, before: readonly Node[], after: readonly Node[]): Node | undefined {
    if (before.length === 1 && after.length === 1) return after[0]
    const [earlier, later] = [this.#documents.before, this.#documents.after]
    const name = earlier.nameOf(earlier.resolve(left))
    return name === undefined ? undefined : after.find(each => later.nameOf(later.resolve(each)) === name)
  }

  #comparePair(pair: Pair, pending: Pair[]) {
    const earlier = partsOf(this.#documents.before, pair.before)
    const later = partsOf(this.#documents.after, pair.after)
    for (const step of new Set([...earlier.steps.keys(), ...later.steps.keys()])) {
      const place = pair.place + step
      const [before, after] = [earlier.steps.get(step) ?? [], later.steps.get(step) ?? []]
      const isRequired = [earlier, later].some(({ required }) => required.has(step))
      if (step.startsWith('.')) this.#compareProperty(pair, { place, before, after, isRequired })
      for (const left of before) {
        const right = this.#partnerOf(left, before, after)
        if (right !== undefined) this.#pairOf(left, right, place, pending, pair)
      }
    }
  }

  #compareProperty(pair: Pair, { place, before, after, isRequired }: Property) {
    const { before: earlier, after: newer } = this.#documents
    const [was, is] = [
      announcing(before.map(each => heeded(earlier, each))),
      announcing(after.map(each => heeded(newer, each)))
    ]
    const later: Later = report => this.#reports.push({ pair, report: site => report(site.named(place)) })
    if (is === undefined) {
      if (was !== undefined) this.#compareGone(place, was, later)
      return
    }
    if ([was, is].some(each => each !== undefined && isRemarkable(each)))
      later(site => compareLifecycles(site, was, is))
    if (!isRequired) this.#compareDefaults(before, after, later)
  }

  #compareDefaults(before: readonly Node[], after: readonly Node[], later: Later) {
    const lefts = before.map(node => ({ node, default: defaultOf(this.#documents.before, node) }))
    const rights = after.map(node => ({ node, default: defaultOf(this.#documents.after, node) }))
    const [left, right] = [lefts, rights].map(sides => sides.find(each => each.default !== undefined) ?? sides[0])
    // Alternatives may differ in their defaults.
    if (left === undefined || right === undefined || lefts.some(one => rights.some(each => isKept(one, each)))) return
    later(site => {
      if (site.direction === 'request') compareDefaults(site, 'property', left, right)
    })
  }

  #compareGone(place: string, before: Node, later: Later) {
    const { sunset } = lifecycleOf(before)
    if (sunset === undefined) return
    const mayBe = sunset <= this.#today
    this.#gone.set(place, { mayBe })
    later(site => {
      if (mayBe) site.report('property-removed-after-sunset', { before, message: 'It was removed as announced.' })
      else if (!this.#broken.has(place))
        site.report('property-removed', { before, message: `It was removed before ${sunset}, the announced date.` })
    })
  }
}

/** Reports something once it is known which operations it concerns. */
type Later = (report: (site: Site) => void) => void

interface Parts {
  /** Properties, items and further properties: `.name`, `[]`, `{}`. */
  steps: ReadonlyMap<string, readonly Node[]>
  /** The steps to properties that have to be there. */
  required: ReadonlySet<string>
}

/** The parts of a schema and of all that it is made of. */
const partsOf = (document: OpenApiDocument, schema: Node): Parts => {
  const steps = new Map<string, Node[]>()
  const required = new Set<string>()
  const add = (step: string, part: Node | undefined) => {
    if (part !== undefined) steps.set(step, [...(steps.get(step) ?? []), part])
  }
  const whole = new Set([schema])
  for (const each of whole) {
    const target = document.follow(each)
    if (target !== undefined) whole.add(target)
    for (const key of ['allOf', 'anyOf', 'oneOf']) for (const part of each.get(key)?.items() ?? []) whole.add(part)
    for (const [name, part] of each.get('properties')?.entries() ?? []) add(`.${name}`, part)
    for (const { value } of each.get('required')?.items() ?? []) required.add(`.${value}`)
    add('[]', each.get('items'))
    add('{}', each.get('additionalProperties'))
  }
  return { steps, required }
}

/** Beside a `$ref` nothing counts in OpenAPI 3.0. */
const heeded = (document: OpenApiDocument, node: Node): Node =>
  document.version === '3.0' ? document.resolve(node) : node

/** Of several descriptions of one property, the one that announces something. */
const announcing = (nodes: readonly Node[]): Node | undefined => nodes.find(isRemarkable) ?? nodes[0]

/** Where a schema is used, itself or as a part of others. */
const sitesOf = (pair: Pair): Site[] => {
  const users = new Set([pair])
  for (const { parents } of users) for (const parent of parents) users.add(parent)
  return [...users].flatMap(({ sites }) => sites)
}
