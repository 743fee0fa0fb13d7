import { block, js } from './unit.ts'

/** A part of a text: a literal, or an expression. */
export type Piece = { literal: string } | { code: string; isString: boolean }

const comma = "(text === '{' ? '' : ',')"

/** Builds the JSON text of an object from as few pieces as possible. */
export class Text {
  readonly #lines: string[]
  /** Whether all members are known, so that one expression without a variable suffices. */
  readonly #isOne: boolean
  #pieces: Piece[] = [{ literal: '{' }]
  #isBegun = false
  #isFirst = true
  /** Whether there is certainly a member before. */
  #hasMember = false

  /** Statements are added to `lines`. */
  constructor(lines: string[], isOne: boolean) {
    this.#lines = lines
    this.#isOne = isOne
  }

  /** An expression that joins pieces. */
  static of(pieces: readonly Piece[]): string {
    const [only] = pieces
    if (pieces.length === 1 && only !== undefined && 'code' in only && !only.isString) return `String(${only.code})`
    const parts: string[] = []
    let known = ''
    for (const piece of pieces) {
      if ('literal' in piece) {
        known += piece.literal
        continue
      }
      if (known !== '') parts.push(js(known))
      known = ''
      parts.push(piece.code)
    }
    if (known !== '' || parts.length === 0) parts.push(js(known))
    return parts.join(' + ')
  }

  /** A member that is always there. */
  add(key: string, pieces: readonly Piece[]): void {
    if (this.#isFirst) this.#pieces.push({ literal: key }, ...pieces)
    else if (this.#hasMember) this.#pieces.push({ literal: `,${key}` }, ...pieces)
    else this.#pieces.push({ code: comma, isString: true }, { literal: key }, ...pieces)
    this.#isFirst = false
    this.#hasMember = true
  }

  /** A member that may be absent. */
  addIf(
    condition: string,
    key: string,
    { lines, pieces }: { lines: readonly string[]; pieces: readonly Piece[] }
  ): void {
    this.#flush()
    const all: Piece[] = [{ literal: this.#hasMember ? `,${key}` : key }, ...pieces]
    if (!this.#isFirst && !this.#hasMember) all.unshift({ code: comma, isString: true })
    this.#lines.push(...block(`if (${condition})`, [...lines, `text += ${Text.of(all)}`]))
    this.#isFirst = false
  }

  /** Members with other names: `head` begins a loop over them, each as `key` and `other`. */
  addOthers(head: string, { lines, pieces }: { lines: readonly string[]; pieces: readonly Piece[] }): void {
    this.#flush()
    const separator: Piece = this.#hasMember ? { literal: ',' } : { code: comma, isString: true }
    const all: Piece[] = [separator, { code: 'JSON.stringify(key)', isString: true }, { literal: ':' }, ...pieces]
    // JSON omits what is undefined.
    this.#lines.push(...block(head, [...lines, `if (other !== undefined) text += ${Text.of(all)}`]))
  }

  end(): Piece[] {
    if (this.#isOne) return [...this.#pieces, { literal: '}' }]
    this.#flush()
    return [{ code: 'text', isString: true }, { literal: '}' }]
  }

  #flush(): void {
    if (this.#pieces.length > 0)
      this.#lines.push(`${this.#isBegun ? 'text +=' : 'let text ='} ${Text.of(this.#pieces)}`)
    this.#isBegun = true
    this.#pieces = []
  }
}
