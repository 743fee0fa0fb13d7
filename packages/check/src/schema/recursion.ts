/** A search under way. */
interface Frame {
  depth: number
  /** The lowest depth of a search under way whose result was assumed. */
  dependsOn: number
  /** The searches inside it whose results are preliminary. */
  preliminary: string[]
}

/**
 * The results of a search that may lead back to itself. A search that leads back to one under way assumes a result for that one;
 * its own result is preliminary until the other one ends, and then gives way to what is `settled` for all that depend on it.
 */
export class RecursiveSearch<T> {
  readonly #settled: (result: T) => T | undefined
  readonly #isFinal: (result: T) => boolean
  readonly #results = new Map<string, T>()
  readonly #open = new Map<string, number>()
  /** Searches with preliminary results, and the lowest depth that they depend on. */
  readonly #preliminary = new Map<string, number>()
  #frame: Frame = newFrame(0)

  /** `isFinal`: the result holds whatever was assumed. */
  constructor(settled: (result: T) => T | undefined, isFinal: (result: T) => boolean = () => false) {
    this.#settled = settled
    this.#isFinal = isFinal
  }

  /** How many searches are under way. */
  get depth(): number {
    return this.#open.size
  }

  /** The result, or what to assume of a search under way; undefined if it must be searched for. */
  known(key: string, assumed: T): T | undefined {
    const depth = this.#open.get(key) ?? this.#preliminary.get(key) ?? Number.POSITIVE_INFINITY
    this.#frame.dependsOn = Math.min(this.#frame.dependsOn, depth)
    return this.#open.has(key) ? assumed : this.#results.get(key)
  }

  find(key: string, search: () => T): T {
    const outer = this.#frame
    const own = newFrame(this.#open.size)
    this.#frame = own
    this.#open.set(key, own.depth)
    const result = search()
    this.#open.delete(key)
    this.#frame = outer
    this.#results.set(key, result)
    const { depth, dependsOn } = own
    if (dependsOn < depth) outer.dependsOn = Math.min(outer.dependsOn, dependsOn)
    if (dependsOn < depth && !this.#isFinal(result)) {
      for (const each of [...own.preliminary, key]) {
        this.#preliminary.set(each, Math.min(dependsOn, this.#preliminary.get(each) ?? dependsOn))
        outer.preliminary.push(each)
      }
    } else if (own.preliminary.length > 0) this.#settle(own.preliminary, this.#settled(result))
    return result
  }

  #settle(keys: readonly string[], result: T | undefined) {
    for (const key of keys) {
      this.#preliminary.delete(key)
      if (result === undefined) this.#results.delete(key)
      else this.#results.set(key, result)
    }
  }

  forget(key: string) {
    this.#results.delete(key)
  }
}

const newFrame = (depth: number): Frame => ({ depth, dependsOn: Number.POSITIVE_INFINITY, preliminary: [] })
