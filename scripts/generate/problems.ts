import type { Place } from '../document/node.ts'

export interface Problem {
  at: Place
  /** One line: what is wrong, and what would be right. */
  message: string
}

const byPlace = (a: Problem, b: Problem) =>
  a.at.file.localeCompare(b.at.file, 'en') || a.at.line - b.at.line || a.at.column - b.at.column

const textOf = ({ at, message }: Problem) => `${at.file}:${at.line}:${at.column}: ${message}`

/** Everything that is wrong with a contract, told in one go. */
export class ContractError extends Error {
  override readonly name = 'ContractError'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    const sorted = [...problems].sort(byPlace)
    super(sorted.map(textOf).join('\n'))
    this.problems = sorted
  }
}

/** Collects problems, so that no step has to stop at its first one; what is refused is left out of the later steps' input. */
export class Report {
  readonly #problems = new Map<string, Problem>()
  readonly #warnings: Problem[] = []
  readonly #incomplete = new WeakSet<object>()

  // A shared component is looked at once per use, but its problem is one.
  add(at: Place, message: string) {
    const problem = { at, message }
    this.#problems.set(textOf(problem), problem)
  }

  /** What would be better otherwise, and stops nothing. */
  warn(at: Place, message: string) {
    this.#warnings.push({ at, message })
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
