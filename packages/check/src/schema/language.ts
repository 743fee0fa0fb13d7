import { getOrMake } from '@contract-first/document'
import { all as allCodePoints, type CodePoints, has, single } from './code-points.ts'

type Shape =
  | { kind: 'empty' }
  | { kind: 'characters'; set: CodePoints }
  | { kind: 'concat'; head: Language; tail: Language }
  | { kind: 'repeat'; of: Language; min: number; max: number }
  | { kind: 'or'; of: readonly Language[] }
  | { kind: 'and'; of: readonly Language[] }
  | { kind: 'not'; of: Language }

/**
 * A set of strings, as a regular expression with intersection and complement. What remains of an expression after a
 * character, its derivative, is again one, and there are finitely many: they are the states of an automaton that need not
 * be built, and in which a counted repetition costs only as much as the characters read. (The package `refa` 0.12 builds
 * automata: it does not decide `^.{1,10000}$`, and excluding `a.{10}c` exceeds 1.5 GB of memory.)
 */
export type Language = Shape & {
  readonly id: number
  readonly hasEmpty: boolean
  /** Known derivatives. */
  readonly after: Map<number, Language>
}

/** Creates languages; equal expressions from one instance are the same object. */
export class Languages {
  /** All character sets in use. */
  readonly sets: CodePoints[] = []
  /** The number of operands processed, for limits. */
  work = 0
  readonly #made = new Map<string, Language>()

  readonly none = this.#make('or', { kind: 'or', of: [] }, false)
  readonly empty = this.#make('empty', { kind: 'empty' }, true)
  readonly any = this.characters(allCodePoints)
  readonly all = this.repeat(this.any, 0, Number.POSITIVE_INFINITY)

  characters(set: CodePoints): Language {
    if (set.length === 0) return this.none
    const key = `[${set}]`
    if (!this.#made.has(key)) this.sets.push(set)
    return this.#make(key, { kind: 'characters', set }, false)
  }

  text(text: string): Language {
    const codePoints = Array.from(text, character => character.codePointAt(0) as number)
    return codePoints.reduceRight((tail, one) => this.concat(this.characters(single(one)), tail), this.empty)
  }

  concat(head: Language, tail: Language): Language {
    if (head === this.none || tail === this.none) return this.none
    if (head === this.empty) return tail
    if (tail === this.empty) return head
    if ((head === this.all && tail.hasEmpty) || (tail === this.all && head.hasEmpty)) return this.all
    if (head.kind === 'concat') return this.concat(head.head, this.concat(head.tail, tail))
    if (head.kind === 'or') return this.or(head.of.map(one => this.concat(one, tail)))
    return this.#make(`${head.id}.${tail.id}`, { kind: 'concat', head, tail }, head.hasEmpty && tail.hasEmpty)
  }

  repeat(of: Language, min: number, max: number): Language {
    if (max === 0 || of === this.empty) return this.empty
    if (of === this.none) return min === 0 ? this.empty : this.none
    if (min === 1 && max === 1) return of
    // If one repetition may be empty, all may be; the derivative relies on this form.
    if (of.hasEmpty) min = 0
    return this.#make(`${of.id}{${min},${max}}`, { kind: 'repeat', of, min, max }, min === 0)
  }

  or(languages: readonly Language[]): Language {
    const of = flat('or', languages)
    if (of.has(this.all)) return this.all
    return this.#combine('or', of)
  }

  and(languages: readonly Language[]): Language {
    const of = flat('and', languages)
    of.delete(this.all)
    if (of.size === 0) return this.all
    if (of.has(this.none)) return this.none
    if (of.has(this.empty)) return [...of].every(one => one.hasEmpty) ? this.empty : this.none
    const excluded = flat(
      'or',
      [...of].flatMap(one => (one.kind === 'not' ? [one.of] : []))
    )
    return [...of].some(one => excluded.has(one)) ? this.none : this.#combine('and', of)
  }

  not(of: Language): Language {
    if (of === this.none) return this.all
    if (of === this.all) return this.none
    return of.kind === 'not' ? of.of : this.#make(`!${of.id}`, { kind: 'not', of }, !of.hasEmpty)
  }

  derivative(language: Language, codePoint: number): Language {
    return getOrMake(language.after, codePoint, () => this.#derive(language, codePoint))
  }

  /** Languages whose union is the given one; a search visits far fewer of these than of unions. */
  alternatives(language: Language): readonly Language[] {
    if (language.kind === 'or') return language.of.flatMap(one => this.alternatives(one))
    if (language.kind !== 'and') return [language]
    const union = language.of.find(one => one.kind === 'or')
    if (!union) return [language]
    const others = language.of.filter(one => one !== union)
    return union.of.flatMap(one => this.alternatives(this.and([one, ...others])))
  }

  #derive(language: Language, codePoint: number): Language {
    switch (language.kind) {
      case 'empty':
        return this.none
      case 'characters':
        return has(language.set, codePoint) ? this.empty : this.none
      case 'concat': {
        const { head, tail } = language
        const within = this.concat(this.derivative(head, codePoint), tail)
        return head.hasEmpty ? this.or([within, this.derivative(tail, codePoint)]) : within
      }
      case 'repeat': {
        const { of, min, max } = language
        return this.concat(this.derivative(of, codePoint), this.repeat(of, Math.max(min - 1, 0), max - 1))
      }
      case 'or':
      case 'and':
        return this[language.kind](language.of.map(one => this.derivative(one, codePoint)))
      case 'not':
        return this.not(this.derivative(language.of, codePoint))
    }
  }

  #combine(kind: 'or' | 'and', languages: ReadonlySet<Language>): Language {
    this.work += languages.size
    const of = [...languages].sort((a, b) => a.id - b.id)
    const [first] = of
    if (first && of.length === 1) return first
    const hasEmpty = kind === 'or' ? of.some(one => one.hasEmpty) : of.every(one => one.hasEmpty)
    return this.#make(`${kind}${of.map(one => one.id)}`, { kind, of }, hasEmpty)
  }

  #make(key: string, shape: Shape, hasEmpty: boolean): Language {
    this.work++
    return getOrMake(this.#made, key, () => ({ ...shape, id: this.#made.size, hasEmpty, after: new Map() }))
  }
}

const flat = (kind: 'or' | 'and', languages: readonly Language[]): Set<Language> =>
  new Set(languages.flatMap(one => (one.kind === kind ? one.of : [one])))
