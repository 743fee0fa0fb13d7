import { byPlace, lineOf, type Problem } from '../document/load-error.ts'
import type { Place } from '../document/node.ts'

/** Everything that is wrong with a contract, told in one go. */
export class ContractError extends Error {
  override readonly name = 'ContractError'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    const sorted = problems.toSorted(byPlace)
    super(sorted.map(lineOf).join('\n'))
    this.problems = sorted
  }
}

/** Collects problems, so that no step has to stop at its first one; what is refused is left out of the later steps' input. */
export class Report {
  readonly #problems = new Map<string, Problem>()
  readonly #warnings: Problem[] = []
  readonly #incomplete = new WeakSet<object>()

  // A shared component is looked at once per use, but its problem is one.
  add(place: Place, message: string) {
    const problem = { place, message }
    this.#problems.set(lineOf(problem), problem)
  }

  /** What would be better otherwise, and stops nothing. */
  warn(place: Place, message: string) {
    this.#warnings.push({ place, message })
  }

  get warnings(): readonly Problem[] {
    return this.#warnings.toSorted(byPlace)
  }

  /** Remembers that something was left out of this object, so that nobody complains about its absence. */
  markIncomplete(value: object) {
    this.#incomplete.add(value)
  }

  isIncomplete(value: object) {
    return this.#incomplete.has(value)
  }

  /** @throws ContractError when there is anything to tell */
  end() {
    if (this.#problems.size > 0) throw new ContractError([...this.#problems.values()])
  }
}
