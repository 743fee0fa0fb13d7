import { getOrMake, type Node, type OpenApiDocument } from '@contract-first/document'
import { isSet } from '../attributes.ts'
import { nameInPlace } from '../schema/schema.ts'
import type { Level } from '../schema/schema-rules.ts'
import type { Wire } from '../schema/texts.ts'
import { compareDefaults, defaultOf, heeded, isKept, without } from './defaults.ts'
import type { Documents } from './findings.ts'
import { compareLifecycles, isRemarkable, lifecycleOf, removedAsAnnounced } from './lifecycle.ts'
import { Masks } from './masks.ts'
import { type Site, unreadable } from './site.ts'

/** A schema before and after the change, wherever it is used. */
interface Pair extends Record<'before' | 'after', Node> {
  place: string
  /** Where it was reached first, unless it has a name on both sides. */
  path: string
  parents: Set<Pair>
  /** Where its values are sent, and how they are written there. */
  uses: Use[]
  /** The schemas or references by which it was reached. */
  written: Pick<Pair, 'before' | 'after'>[]
  isMasked: boolean
}
type Use = { site: Site; wire: Wire }

/** A property, as described by all parts of a schema; without descriptions it does not exist. */
interface Property extends Record<'before' | 'after', readonly Node[]> {
  name: string
  place: string
  /** On at least one side. */
  isRequired: boolean
}

/** Compares what allowed values do not show: lifecycles and defaults of properties, and removals around a sunset. */
export class Properties {
  readonly #documents: Documents
  readonly #today: string
  readonly #pairs = new Map<Node, Map<Node, Pair>>()
  readonly #reports: { pair: Pair; report: (use: Use, isWhole: boolean) => void }[] = []
  /** Removed properties that had a sunset, and whether it has passed. */
  readonly #gone = new Map<string, { mayBe: boolean }>()
  readonly #broken = new Set<string>()
  readonly masks: Masks

  constructor(documents: Documents, today: string) {
    this.#documents = documents
    this.masks = new Masks(documents)
    this.#today = today
  }

  /** Must be called before the findings about the two schemas are used. */
  visit(site: Site, before: Node, after: Node, wire: Wire) {
    const pending: Pair[] = []
    this.#pairOf(before, after, site.place, pending).uses.push({ site, wire })
    for (const pair of pending) this.#comparePair(pair, pending)
  }

  /** Whether the removal of a property already covers a finding about a schema. */
  settles(place: string, level: Level): boolean {
    for (const [property, { mayBe }] of this.#gone) {
      const isInside = place.startsWith(property) && /^(?:$|[.[{])/.test(place.slice(property.length))
      if (!isInside) continue
      if (level !== 'compatible' && !mayBe) this.#broken.add(property)
      return mayBe || level === 'compatible'
    }
    return false
  }

  report() {
    for (const { pair, report } of this.#reports) for (const { owner, use } of usesOf(pair)) report(use, owner === pair)
  }

  #pairOf(before: Node, after: Node, path: string, pending: Pair[], parent?: Pair): Pair {
    const [left, right] = [this.#documents.before.resolve(before), this.#documents.after.resolve(after)]
    const place = this.#documents.before.nameOf(left) ?? path
    const partners = getOrMake(this.#pairs, left, () => new Map<Node, Pair>())
    const pair = getOrMake(partners, right, () => {
      const lists = { parents: new Set<Pair>(), uses: [], written: [] }
      const made = { before: left, after: right, place, path, isMasked: false, ...lists }
      pending.push(made)
      return made
    })
    if (parent !== undefined) pair.parents.add(parent)
    pair.written.push({ before, after })
    if (pair.isMasked) this.masks.hide({ before, after })
    return pair
  }

  /** Alternatives are paired by name: their order has no meaning. */
  #partnerOf(left: Node, before: readonly Node[], after: readonly Node[]): Node | undefined {
    if (before.length === 1 && after.length === 1) return after[0]
    const [earlier, later] = [this.#documents.before, this.#documents.after]
    const name = earlier.nameOf(earlier.resolve(left))
    return name === undefined ? undefined : after.find(each => later.nameOf(later.resolve(each)) === name)
  }

  #comparePair(pair: Pair, pending: Pair[]) {
    const earlier = partsOf(this.#documents.before, pair.before)
    const later = partsOf(this.#documents.after, pair.after)
    this.#maskBroken(pair, earlier.combined, later.combined)
    if (pair.isMasked) return
    for (const step of new Set([...earlier.steps.keys(), ...later.steps.keys()])) {
      const isNamed = step.startsWith('.')
      const place = pair.place + (isNamed ? `.${nameInPlace(step.slice(1))}` : step)
      const [before, after] = [earlier.steps.get(step) ?? [], later.steps.get(step) ?? []]
      const isRequired = [earlier, later].some(({ required }) => required.has(step))
      if (isNamed) this.#compareProperty(pair, { name: step.slice(1), place, before, after, isRequired })
      for (const left of before) {
        const right = this.#partnerOf(left, before, after)
        if (right !== undefined) this.#pairOf(left, right, place, pending, pair)
      }
    }
  }

  /** Reports what cannot be read of a pair on one side, and lets nothing else be said of it. */
  #maskBroken(pair: Pair, before: ReadonlySet<Node>, after: ReadonlySet<Node>) {
    const { before: earlier, after: later } = this.#documents
    if (earlier.problems.length + later.problems.length === 0) return
    const [written = pair] = pair.written
    const all = {
      before: new Set([...stepsTo(earlier, written.before), ...before]),
      after: new Set([...stepsTo(later, written.after), ...after])
    }
    const { masked, isWhole } = this.masks.mask(pair, all)
    const name = earlier.nameOf(pair.before)
    const isNamed = name !== undefined && name === later.nameOf(pair.after)
    pair.isMasked = isWhole
    if (isWhole) for (const each of isNamed ? [pair] : pair.written) this.masks.hide(each)
    for (const { shared, was, is, ...sides } of masked) {
      const place = shared ?? (isNamed ? name : pair.path)
      this.#reports.push({ pair, report: ({ site }) => site.named(place).reportUnreadable(sides, was, is) })
    }
  }

  #compareProperty(pair: Pair, { name, place, before, after, isRequired }: Property) {
    const { before: earlier, after: newer } = this.#documents
    const [was, is] = [announcing(earlier, before), announcing(newer, after)]
    const later: Later = report => {
      const isText = (wire: Wire, isWhole: boolean) => areTexts(wire, isWhole ? name : undefined)
      this.#reports.push({
        pair,
        report: ({ site, wire }, ...whole) => report(site.named(place), isText(wire, ...whole))
      })
    }
    if (is === undefined) return was === undefined ? undefined : this.#compareGone(place, was, later)
    if ([was, is].some(each => each !== undefined && isRemarkable(each)))
      later(site => compareLifecycles(site, was, is))
    if (!isRequired) this.#compareDefaults(before, after, later)
  }

  #compareDefaults(before: readonly Node[], after: readonly Node[], later: Later) {
    const { before: earlier, after: newer } = this.#documents
    const isBroken = (document: OpenApiDocument) => (node: Node) => unreadable(document, node) !== undefined
    if (before.some(isBroken(earlier)) || after.some(isBroken(newer))) return
    const lefts = before.map(node => ({ node, default: defaultOf(earlier, node) }))
    const rights = after.map(node => ({ node, default: defaultOf(newer, node) }))
    // Alternatives may have different defaults.
    const isAnyKept = lefts.some(one => rights.some(each => isKept(one, each)))
    if (isAnyKept && lefts.length !== rights.length) return
    const lostOf = (own: typeof lefts, others: typeof lefts) =>
      without(own, others).find(each => each.default !== undefined) ?? (isAnyKept ? undefined : own[0])
    const [left, right] = [lostOf(lefts, rights), lostOf(rights, lefts)]
    if (!left || !right || (left.default ?? right.default) === undefined) return
    // Clients never send it, so the default does not concern them.
    if (isSet(earlier.resolve(left.node), 'readOnly')) return
    later((site, isText) => {
      if (site.direction === 'request') compareDefaults(site, 'request-property', left, right, isText)
    })
  }

  #compareGone(place: string, before: Node, later: Later) {
    const { sunset } = lifecycleOf(before)
    if (sunset === undefined) return
    const mayBe = sunset <= this.#today
    this.#gone.set(place, { mayBe })
    later(site => {
      if (mayBe) site.report('property-removed-after-sunset', { before, message: removedAsAnnounced(before) })
      else if (!this.#broken.has(place))
        site.report('property-removed', { before, message: `It was removed before ${sunset}, the announced date.` })
    })
  }
}

/** Reports once the affected operations are known, and whether the property is a text there. */
type Later = (report: (site: Site, isText: boolean) => void) => void

/** Whether a property is written as text; in a form, only the fields themselves are, not properties inside them. */
const areTexts = (wire: Wire, field: string | undefined): boolean =>
  wire instanceof Map ? field !== undefined && wire.get(field) !== 'json' : wire !== 'data' && wire !== 'bytes'

const stepsTo = (document: OpenApiDocument, written: Node): Node[] => {
  const target = document.follow(written)
  return [written, ...(target === undefined ? [] : stepsTo(document, target))]
}

/** Of a schema and all that it combines: the steps `.name`, `[]`, `{}` to its parts, and those that it requires. */
export const partsOf = (document: OpenApiDocument, schema: Node) => {
  const steps = new Map<string, Node[]>()
  const required = new Set<string>()
  const add = (step: string, part: Node | undefined) => {
    if (part !== undefined) steps.set(step, [...(steps.get(step) ?? []), part])
  }
  const combined = new Set([schema])
  for (const each of combined) {
    const target = document.follow(each)
    if (target !== undefined) combined.add(target)
    for (const key of ['allOf', 'anyOf', 'oneOf']) for (const part of each.get(key)?.items() ?? []) combined.add(part)
    for (const [name, part] of each.get('properties')?.entries() ?? []) add(`.${name}`, part)
    for (const { value } of each.get('required')?.items() ?? []) required.add(`.${value}`)
    add('[]', each.get('items'))
    add('{}', each.get('additionalProperties'))
  }
  return { steps, required, combined }
}

/** Of several descriptions of a property, the one with lifecycle attributes. */
const announcing = (document: OpenApiDocument, nodes: readonly Node[]) => {
  const descriptions = nodes.map(each => heeded(document, each))
  return descriptions.find(isRemarkable) ?? descriptions[0]
}

const usesOf = (pair: Pair): { owner: Pair; use: Use }[] => {
  const users = new Set([pair])
  for (const { parents } of users) for (const parent of parents) users.add(parent)
  return [...users].flatMap(owner => owner.uses.map(use => ({ owner, use })))
}
