// Copied from @contract-first/generator/package/mock-pattern.ts by `npm run generate`: do not edit it.

type Random = () => number

/** A text that most probably matches a pattern of a contract; the caller must check it. */
export const textOf = (pattern: string, random: Random): string => new Reader(pattern, random).alternatives()

// The most repetitions for `*` and `+`.
const most = 8

/** Reads a pattern, and writes a text that it matches. */
class Reader {
  readonly #pattern: string
  readonly #random: Random
  /** What groups have matched, by number and by name. */
  readonly #matched = new Map<string, string>()
  #groups = 0
  #at = 0

  constructor(pattern: string, random: Random) {
    this.#pattern = pattern
    this.#random = random
  }

  /** Reads all alternatives, and writes one of them. */
  alternatives(): string {
    const texts = [this.#sequence()]
    while (this.#skip('|')) texts.push(this.#sequence())
    return this.#among(texts)
  }

  #sequence(): string {
    let text = ''
    while (this.#at < this.#pattern.length && !/[|)]/.test(this.#next)) {
      const from = this.#at
      let piece = this.#atom()
      const to = this.#at
      const [least, greatest] = this.#repetition()
      if (least === 0 && greatest === 0) piece = ''
      const after = this.#at
      const times = least + Math.floor(this.#random() * (greatest - least + 1))
      text += times === 0 ? '' : piece
      // Read again for each repetition, so that the texts differ.
      for (let time = 1; time < times; time++) {
        this.#at = from
        text += this.#atom()
        this.#at = to
      }
      this.#at = after
    }
    return text
  }

  #repetition(): [number, number] {
    const [all, least, comma, greatest] = /^\{(\d+)(,(\d*))?\}/.exec(this.#pattern.slice(this.#at)) ?? []
    let bounds: [number, number] = [1, 1]
    if (all !== undefined) {
      this.#at += all.length
      const from = Number(least)
      bounds = [
        from,
        comma === undefined ? from : greatest === '' ? from + most : Math.min(Number(greatest), from + 30)
      ]
    } else if (this.#skip('*')) bounds = [0, most]
    else if (this.#skip('+')) bounds = [1, most]
    else if (this.#skip('?')) bounds = [0, 1]
    else return bounds
    this.#skip('?')
    return bounds
  }

  #atom(): string {
    const character = this.#take()
    if (character === '^' || character === '$') return ''
    if (character === '.') return this.#among(usual)
    if (character === '(') return this.#group()
    if (character === '[') return this.#class()
    if (character !== '\\') return character
    const [reference, name, number = ''] = /^(?:k<([^>]+)>|([1-9]\d*))/.exec(this.#rest) ?? []
    if (reference !== undefined) {
      this.#at += reference.length
      return this.#matched.get(name ?? number) ?? ''
    }
    const escaped = this.#escape()
    return escaped === '' ? '' : this.#among([...escaped])
  }

  #group(): string {
    const [look = '', name] = /^\?(?:<?[=!]|[ims-]*:|<([^>]+)>)/.exec(this.#rest) ?? []
    this.#at += look.length
    const number = look === '' || name !== undefined ? ++this.#groups : 0
    const text = this.alternatives()
    this.#skip(')')
    for (const each of [String(number), name ?? '']) this.#matched.set(each, text)
    // Lookarounds write nothing.
    return /[=!]$/.test(look) ? '' : text
  }

  #class(): string {
    const isNegated = this.#skip('^')
    let all = ''
    while (this.#at < this.#pattern.length && !this.#skip(']')) {
      const from = this.#member()
      if (from.length !== 1 || this.#next !== '-' || this.#pattern[this.#at + 1] === ']') all += from
      else {
        this.#skip('-')
        const to = this.#member()
        for (let code = from.charCodeAt(0); code <= to.charCodeAt(0); code++) all += String.fromCharCode(code)
      }
    }
    const allowed = isNegated ? usual.filter(each => !all.includes(each)) : [...all]
    const readable = allowed.filter(each => usual.includes(each))
    return this.#among(readable.length > 0 ? readable : allowed)
  }

  #member(): string {
    const character = this.#take()
    return character === '\\' ? this.#escape() : character
  }

  /** The characters that an escape stands for. */
  #escape(): string {
    const character = this.#take()
    const [code = ''] = character === 'x' ? (/^[0-9a-f]{2}/i.exec(this.#rest) ?? []) : []
    const [unicode = ''] = character === 'u' ? (/^(?:[0-9a-f]{4}|\{[0-9a-f]+\})/i.exec(this.#rest) ?? []) : []
    this.#at += code.length + unicode.length
    const digits = (code + unicode).replace(/[{}]/g, '')
    if (digits !== '') return String.fromCodePoint(Number.parseInt(digits, 16))
    const [property = ''] = /[pP]/.test(character) ? (/^\{[^}]*\}/.exec(this.#rest) ?? []) : []
    this.#at += property.length
    if (property !== '') return usual.filter(each => new RegExp(`\\${character}${property}`, 'u').test(each)).join('')
    if (/[dDwWsS]/.test(character)) return usual.filter(each => new RegExp(`\\${character}`).test(each)).join('')
    return { n: '\n', r: '\r', t: '\t', b: '', B: '' }[character] ?? character
  }

  get #rest() {
    return this.#pattern.slice(this.#at)
  }
  get #next() {
    return this.#pattern[this.#at] ?? ''
  }
  #take() {
    return this.#pattern[this.#at++] ?? ''
  }
  #skip(character: string): boolean {
    if (this.#next !== character) return false
    this.#at++
    return true
  }
  #among(choices: readonly string[]): string {
    return choices[Math.floor(this.#random() * choices.length)] ?? ''
  }
}

/** The printable characters, letters first. */
const usual = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-.,:;!?()/+*=@#%&~<>\'"']
