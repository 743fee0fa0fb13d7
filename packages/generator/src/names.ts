import { getOrMake } from '@contract-first/document'
/**
 * Gives out the names in one emitted scope, such as a module, a function or a folder: none twice, and none that was taken
 * beforehand.
 */
export class Names {
  readonly #taken: Set<string>
  readonly #beforeNumber: string
  /** How many names there are for each wish. */
  readonly #counts = new Map<string, number>()

  constructor(taken: Iterable<string> = [], beforeNumber = '_') {
    this.#taken = new Set(taken)
    this.#beforeNumber = beforeNumber
  }

  has(name: string): boolean {
    return this.#taken.has(name)
  }

  /** The wished name, with a number if it is taken. */
  give(wish: string): string {
    for (let count = (this.#counts.get(wish) ?? 0) + 1; ; count++) {
      const name = count === 1 ? wish : `${wish}${this.#beforeNumber}${count}`
      if (this.#taken.has(name)) continue
      this.#counts.set(wish, count)
      this.#taken.add(name)
      return name
    }
  }
}

/** The same for identifiers of JavaScript. */
export class Identifiers extends Names {
  readonly #known = new Map<string, string>()

  /** The identifier for a name of the contract, always the same one. It is made of `words`. */
  of(name: string, words = name): string {
    return getOrMake(this.#known, name, () => {
      const base = words.replace(/[^A-Za-z0-9_$]+/g, '_').replace(/^(?=\d)/, '_')
      return this.give(reserved.has(base) || base === '' ? `${base}_` : base)
    })
  }
}

/** Names that no variable of a module can have. */
const reserved = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for ' +
    'function if implements import in instanceof interface let new null package private protected public return static super ' +
    'switch this throw true try typeof undefined var void while with yield'
  ).split(' ')
)

/** All words in code, so that names beside it can avoid them. */
export const wordsIn = (code: string): string[] => code.match(/[A-Za-z_$][\w$]*/g) ?? []
