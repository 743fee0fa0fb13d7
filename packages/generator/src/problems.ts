import { byPlace, getOrMake, lineOf, listed, type Place, type Problem } from '@contract-first/document'

/** All problems of a contract. */
export class ContractError extends Error {
  override readonly name = 'ContractError'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    const sorted = problems.toSorted(byPlace)
    super(sorted.map(lineOf).join('\n'))
    this.problems = sorted
  }
}

/**
 * A line for each message, with the first place and some of the others: the same mistake is often made everywhere.
 *
 *     openapi.yaml:3:1: warning: message [and at 5:1, 9:1, parts.yaml:7:3 and 12 more]
 */
export const groupedLines = (problems: readonly Problem[]): string[] =>
  [...Map.groupBy(problems, ({ message }) => message)].map(([message, [first, ...others]]) => {
    const { place } = first as Problem
    const places = others.map(({ place: { file, line, column } }) =>
      [...(file === place.file ? [] : [file]), line, column].join(':')
    )
    return lineOf({ place, message }) + (places.length > 0 ? ` [and at ${listed(places, shownPlaces)}]` : '')
  })

const shownPlaces = 3

/** Collects problems, so that steps need not stop at the first one; what is refused is omitted from later steps. */
export class Report {
  /** The folder of the contract, as messages name it. */
  readonly folder: string
  readonly #problems = new Map<string, Problem>()
  readonly #blamed = new Map<string, Place[]>()
  readonly #warnings = new Map<string, Problem>()
  readonly #carried = new Set<string>()
  readonly #carriedParts = new WeakSet<object>()
  readonly #incomplete = new WeakSet<object>()
  #onImpossible: ((place: Place, message: string) => void) | undefined

  constructor(folder = '') {
    this.folder = folder
  }

  // A shared component is checked for each use, but its problem is reported only once.
  add(place: Place, message: string) {
    const problem = { place, message }
    this.#problems.set(lineOf(problem), problem)
  }

  /** Records a reference to a file that cannot be read, so that it shares the file's problems. */
  blame(file: string, reference: Place) {
    getOrMake(this.#blamed, file, () => []).push(reference)
  }

  /** The place of a problem, and the references to the file that it makes unreadable. */
  placesOf({ place }: Problem): readonly Place[] {
    return [place, ...(this.#blamed.get(place.file) ?? [])]
  }

  /** A schema that no value satisfies. */
  addImpossible(place: Place, message: string) {
    if (this.#onImpossible === undefined) this.add(place, message)
    else this.#onImpossible(place, message)
  }

  /** The result of a step; undefined, with warnings, if it finds schemas that no value satisfies. */
  unlessImpossible<Result>(consequence: string, step: () => Result): Result | undefined {
    let isPossible = true
    const result = this.#ofOptional(step, consequence, () => {
      isPossible = false
    })
    return isPossible ? result : undefined
  }

  /** The result of a step for something optional, in which a schema that no value satisfies is only a warning. */
  ofOptional<Result>(step: () => Result): Result {
    return this.#ofOptional(step, 'until then, every value is rejected here')
  }

  #ofOptional<Result>(step: () => Result, consequence: string, onImpossible?: () => void): Result {
    this.#onImpossible = (place, message) => {
      onImpossible?.()
      this.carry(place, `${message}; ${consequence}`)
    }
    try {
      return step()
    } finally {
      this.#onImpossible = undefined
    }
  }

  /** Something that could be better, but does not stop the generator. */
  warn(place: Place, message: string) {
    const problem = { place, message }
    this.#warnings.set(lineOf(problem), problem)
  }

  /** Something that is kept in the documentation although nothing is enforced. */
  carry(place: Place, message: string) {
    this.#carried.add(lineOf({ place, message }))
    this.warn(place, message)
  }

  /** Marks a part of the document that is documentation only. */
  markCarried(value: object) {
    this.#carriedParts.add(value)
  }

  isCarried(value: object) {
    return this.#carriedParts.has(value)
  }

  get warnings(): readonly Problem[] {
    return [...this.#warnings.values()].toSorted(byPlace)
  }

  get carried(): readonly Problem[] {
    return this.warnings.filter(each => this.#carried.has(lineOf(each)))
  }

  /** The problems so far, which are then forgotten. */
  takeProblems(): Problem[] {
    const problems = [...this.#problems.values()]
    this.#problems.clear()
    return problems
  }

  /** Marks an object from which something was omitted, so that nothing is reported as missing. */
  markIncomplete(value: object) {
    this.#incomplete.add(value)
  }

  isIncomplete(value: object) {
    return this.#incomplete.has(value)
  }

  /** @throws ContractError if there are problems */
  end() {
    if (this.#problems.size > 0) throw new ContractError([...this.#problems.values()])
  }
}
