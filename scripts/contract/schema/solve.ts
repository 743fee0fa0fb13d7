import { isObject, type Json } from '../../document/json.ts'
import { Branch } from './branch.ts'
import type { Finder } from './finder.ts'
import { type Found, firstOf } from './found.ts'
import { Inclusion } from './inclusion.ts'
import { Interner } from './intern.ts'
import type { JsonType, Keywords, Schema } from './schema.ts'

// In the order in which readers prefer them.
const types: readonly JsonType[] = ['string', 'number', 'boolean', 'object', 'array', 'null']

/** Beyond this number of branches, the result is unknown: no real contract comes near. */
const mostBranches = 5_000
/** The same for all nested searches, and for searches made together. */
const mostSteps = 200_000
const mostDepth = 200

/**
 * Finds values for schemas. A search is split by type and by the alternatives of `anyOf`, `oneOf`, `if` and of everything
 * denied, down to plain demands on a number, string, array or object, whose values are found in the same way. A smallest
 * value never contains a value found for the very same schemas, so a search within itself has the result 'none', which
 * makes recursive schemas decidable.
 */
export class Solver implements Finder {
  readonly interner = new Interner()
  readonly anything = this.make({})
  readonly nothing = this.make({ types: [] })
  readonly #answers = new Map<string, Found<Json>>()
  /** Results 'none' that hold only while an outer search has none either: the depth of that one, in order. */
  readonly #provisional = new Map<string, number>()
  readonly #trail: string[] = []
  readonly #open = new Map<string, number>()
  /** The lowest depth of an open search that the current one depends on. */
  #hangsOn = Number.POSITIVE_INFINITY
  #branches = 0
  /** The same, including nested searches. */
  #steps = 0
  #isTogether = false
  readonly #inclusion = new Inclusion()

  make(keywords: Keywords): Schema {
    return this.interner.make(keywords)
  }

  constant(value: Json): Schema {
    if (Array.isArray(value)) {
      const prefixItems = value.map(each => this.constant(each))
      return this.make({ types: ['array'], prefixItems, items: this.nothing, minItems: value.length })
    }
    if (!isObject(value)) return this.make({ values: [value] })
    return this.make({
      types: ['object'],
      properties: new Map(Object.entries(value).map(([key, each]) => [key, this.constant(each)])),
      additionalProperties: this.nothing,
      required: Object.keys(value)
    })
  }

  isTooMuch(): boolean {
    return ++this.#steps > mostSteps
  }

  /** Runs searches that share the limit of a single one. */
  together<T>(ask: () => T): T {
    this.#isTogether = true
    this.#steps = 0
    const answer = ask()
    this.#isTogether = false
    return answer
  }

  find(all: readonly Schema[], none: readonly Schema[] = []): Found<Json> {
    const question = `${idsOf(all)}|${idsOf(none)}`
    const provisional = this.#provisional.get(question)
    const open = this.#open.get(question)
    if (open !== undefined || provisional !== undefined) {
      this.#hangsOn = Math.min(this.#hangsOn, open ?? provisional ?? 0)
      return 'none'
    }
    const known = this.#answers.get(question)
    if (known !== undefined) return known

    const [received] = none
    if (received !== undefined && this.#inclusion.holds(all, received)) {
      this.#answers.set(question, 'none')
      return 'none'
    }
    const depth = this.#open.size
    if (depth > mostDepth) return 'unknown'
    const branches = this.#branches
    this.#branches = 0
    if (depth === 0 && !this.#isTogether) this.#steps = 0
    const outer = this.#hangsOn
    this.#hangsOn = Number.POSITIVE_INFINITY
    const before = this.#trail.length
    this.#open.set(question, depth)
    const answer = this.isTooMuch() ? 'unknown' : this.#search(all, none)
    this.#open.delete(question)
    this.#branches = branches

    const hangsOnOthers = this.#hangsOn < depth
    if (answer === 'none' && hangsOnOthers) this.#suppose(question, this.#hangsOn)
    else {
      if (answer !== 'unknown' || depth === 0) this.#answers.set(question, answer)
      for (const supposed of this.#trail.splice(before)) {
        const on = this.#provisional.get(supposed) ?? 0
        this.#provisional.delete(supposed)
        if (answer !== 'none') continue
        if (on < depth) this.#suppose(supposed, on)
        else this.#answers.set(supposed, 'none')
      }
    }
    this.#hangsOn = hangsOnOthers ? Math.min(outer, this.#hangsOn) : outer
    return answer
  }

  #suppose(question: string, on: number) {
    this.#provisional.set(question, on)
    this.#trail.push(question)
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
    if (++this.#branches > mostBranches || this.isTooMuch()) return 'unknown'
    const choice = branch.nextChoice()
    if (choice === undefined) return branch.value()
    return firstOf(choice, ({ take }) => {
      const next = branch.copy()
      return take(next) ? this.decide(next) : 'none'
    })
  }
}

const idsOf = (schemas: readonly Schema[]) => [...new Set(schemas.map(({ id }) => id))].sort((a, b) => a - b).join()
