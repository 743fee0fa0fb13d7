/** Gives out the names of one scope of what is emitted, a module or a function: none twice, and none of `unusable`. */
export class Names {
  readonly #taken: Set<string>
  /** How many names have begun with the same words. */
  readonly #counts = new Map<string, number>()

  constructor(unusable: Iterable<string> = []) {
    this.#taken = new Set(unusable)
  }

  /** The name that is wished for, with a number if there is one already. */
  give(wish: string): string {
    for (let count = (this.#counts.get(wish) ?? 0) + 1; ; count++) {
      const name = count === 1 ? wish : `${wish}_${count}`
      if (this.#taken.has(name)) continue
      this.#counts.set(wish, count)
      this.#taken.add(name)
      return name
    }
  }
}
