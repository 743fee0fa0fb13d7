import { getOrMake, isObject, type Json } from '@contract-first/document'
import { Branch } from './branch.ts'
import type { Finder, StringConstraints } from './finder.ts'
import { type Found, firstOf } from './found.ts'
import { Inclusion, shareOf } from './inclusion.ts'
import { Interner } from './intern.ts'
import { RecursiveSearch } from './recursion.ts'
import { idsOf, type JsonType, type Keywords, type Schema } from './schema.ts'
import { findString } from './strings.ts'

// In the order in which readers prefer them.
const types: readonly JsonType[] = ['string', 'number', 'boolean', 'object', 'array', 'null']

/** Beyond this number of branches, the result is unknown: no real contract comes near. */
const maxBranches = 5_000
/** The same for all nested searches. */
const maxSteps = 200_000
const maxDepth = 200
/** Few, as it is often asked whether two schemas differ at all; where that is hard to decide, their parts are compared. */
const stepsToGlance = 2_000
/** For all searches of one group, each of which gets a share of the rest. */
const maxStepsTogether = 2_000_000

/**
 * Finds values for schemas. A search is split by type and by the alternatives of `anyOf`, `oneOf` and of everything denied, down
 * to plain demands on a number, string, array or object. A smallest value never contains a value found for the very same
 * schemas, so a search within itself has the result 'none', which makes recursive schemas decidable.
 */
export class Solver implements Finder {
  readonly interner = new Interner()
  readonly anything = this.make({})
  readonly nothing = this.make({ types: [] })
  // 'none' holds for all searches that assumed it of each other.
  readonly #found = new RecursiveSearch<Found<Json>>(
    result => (result === 'none' ? result : undefined),
    result => result !== 'none'
  )
  readonly #strings = new Map<string, Found<string>>()
  #branches = 0
  /** The same, including nested searches. */
  #steps = 0
  #limit = maxSteps
  #isTooDeep = false
  #isTogether = false
  #stepsLeft = maxStepsTogether
  readonly #inclusion = new Inclusion(keywords => this.make(keywords))

  make(keywords: Keywords): Schema {
    return this.interner.make(keywords)
  }

  constant(value: Json): Schema {
    this.#steps++
    if (Array.isArray(value)) {
      const all = value.map(each => this.constant(each))
      const { length } = all
      // The last items often have the same schema, which makes positions interchangeable.
      const items = all.at(-1) ?? this.nothing
      const prefixItems = all.slice(0, all.findLastIndex(({ id }) => id !== items.id) + 1)
      return this.make({ types: ['array'], prefixItems, items, minItems: length, maxItems: length })
    }
    if (!isObject(value)) return this.make({ values: [value] })
    return this.make({
      types: ['object'],
      properties: new Map(Object.entries(value).map(([key, each]) => [key, this.constant(each)])),
      additionalProperties: this.nothing,
      required: Object.keys(value)
    })
  }

  /** Cached, as strings with difficult patterns are needed in many places. */
  findString(wanted: StringConstraints): Found<string> {
    const { patterns, notPatterns } = wanted
    if (patterns.length + notPatterns.length === 0) return findString(wanted)
    return getOrMake(this.#strings, JSON.stringify(wanted), () => findString(wanted))
  }

  exceedsLimit(): boolean {
    return ++this.#steps > this.#limit
  }

  /** Whether the searches of the group have used up their steps, or would be nested too deeply. */
  get isExhausted(): boolean {
    return this.#isTooDeep || this.#steps > this.#limit
  }

  /** Runs searches that share a limit. */
  together<T>(search: () => T): T {
    this.#isTogether = true
    this.#isTooDeep = false
    this.#inclusion.share()
    this.#steps = 0
    this.#limit = shareOf(this.#stepsLeft)
    const result = search()
    this.#stepsLeft = Math.max(0, this.#stepsLeft - this.#steps)
    this.#isTogether = false
    this.#limit = maxSteps
    return result
  }

  /** Whether it takes few steps to see that all values are valid for `received`. */
  seesInclusion(all: readonly Schema[], received: Schema): boolean {
    if (this.#inclusion.holds(all, received)) return true
    if (this.#inclusion.isByParts(all, received)) return this.find(all) === 'none'
    return this.glance(all, [received]) === 'none'
  }

  /** As `find`, in few steps. */
  glance(all: readonly Schema[], none: readonly Schema[]): Found<Json> {
    return this.findWithin(stepsToGlance, all, none)
  }

  /** As `find`, in at most so many steps. */
  findWithin(steps: number, all: readonly Schema[], none: readonly Schema[]): Found<Json> {
    const limit = this.#limit
    if (!this.#isTogether) this.#steps = 0
    this.#limit = Math.min(limit, this.#steps + steps)
    const result = this.find(all, none)
    this.#limit = limit
    return result
  }

  find(all: readonly Schema[], none: readonly Schema[] = []): Found<Json> {
    this.#steps++
    const query = `${idsOf(all)}|${idsOf(none)}`
    const known = this.#found.known(query, 'none')
    if (known !== undefined) return known
    const [received] = none
    if (received !== undefined && this.#inclusion.holds(all, received)) return this.#found.find(query, () => 'none')
    const { depth } = this.#found
    if (depth > maxDepth) {
      this.#isTooDeep = true
      return 'unknown'
    }
    const branches = this.#branches
    this.#branches = 0
    if (depth === 0 && !this.#isTogether) this.#steps = 0
    const result = this.#found.find(query, () => (this.exceedsLimit() ? 'unknown' : this.#search(all, none)))
    this.#branches = branches
    if (result === 'unknown') this.#found.forget(query)
    return result
  }

  #search(all: readonly Schema[], none: readonly Schema[]): Found<Json> {
    if (none.some(each => all.some(({ id }) => id === each.id))) return 'none'
    return firstOf(types, type => {
      const branch = new Branch(type, this)
      branch.goal = { all, none }
      return all.every(each => branch.assert(each)) && none.every(each => branch.deny(each))
        ? this.decide(branch)
        : 'none'
    })
  }

  /** A value of a branch, with all its choices made. */
  decide(branch: Branch): Found<Json> {
    if (++this.#branches > maxBranches || this.exceedsLimit()) return 'unknown'
    // Each choice is examined to find the next.
    this.#steps += branch.choices.length
    const choice = branch.nextChoice()
    if (choice === undefined) return branch.value()
    return firstOf(choice, ({ take }) => {
      const next = branch.copy()
      return take(next) === false || next.isContradictory ? 'none' : this.decide(next)
    })
  }
}
