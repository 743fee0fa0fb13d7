interface Translation {
  source: string
  /** Why it has no translation, and what to write instead. */
  reason?: string
}

class Untranslatable extends Error {}

/** Translates a pattern from another dialect of regular expressions into JavaScript's, if its meaning is certain. */
export const inJavaScript = (pattern: string): Translation => {
  try {
    return { source: new Translator(unwrapped(pattern)).whole() }
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error
    return { source: pattern, reason: error.message }
  }
}

/** Removes slashes around `^…$`, where they could not match anything, and turns flags for the whole pattern into a group. */
const unwrapped = (pattern: string): string => {
  const [, inside = pattern, after = ''] = /^\/(\^.*\$)\/([imsu]*)$/s.exec(pattern) ?? []
  const [, start = '', before = '', rest = inside] = /^(\^|\\A)?\(\?([imsu]+)\)(.*)$/s.exec(inside) ?? []
  const flags = [...new Set(before + after)].filter(each => each !== 'u').join('')
  // After `^`, flags would also cover the alternatives, which `^` does not.
  if (before !== '' && start !== '' && rest.includes('|')) return inside
  return `${start}${flags === '' ? rest : `(?${flags}:${rest})`}`
}

const escapes: Readonly<Record<string, string>> = { a: '\\x07', e: '\\x1b' }
const ofPlaces: Readonly<Record<string, string>> = { A: '^', Z: '$', z: '$' }
const blanks = '\\t \\xa0\\u1680\\u180e\\u2000-\\u200a\\u202f\\u205f\\u3000'
const lineBreaks = '(?:\\r\\n|[\\n-\\r\\x85\\u2028\\u2029])'

/** The letters of JavaScript's own escapes. */
const ownEscapes = /[bBcdDfknpPrsStuvwWx]/

const posix: Readonly<Record<string, string>> = {
  ...{
    alpha: 'a-zA-Z',
    digit: '0-9',
    alnum: 'a-zA-Z0-9',
    upper: 'A-Z',
    lower: 'a-z',
    word: '\\w',
    xdigit: '0-9A-Fa-f'
  },
  ...{ space: '\\s', blank: ' \\t', cntrl: '\\x00-\\x1f\\x7f', print: '\\x20-\\x7e', graph: '\\x21-\\x7e' },
  punct: '!-\\/:-@\\[-`{-~'
}

const groups: readonly [RegExp, string][] = [
  [/^\(\?>/, 'JavaScript has no atomic groups, (?>…); write (?:…) if that matches no other texts'],
  [/^\(\?\(/, 'JavaScript has no conditions, (?(…)…); write its cases as alternatives'],
  [/^\(\?(?:R|[+-]?\d+|&|P>)/, 'JavaScript has no recursion; write what it stands for'],
  [/^\(\?\|/, 'JavaScript has no groups (?|…); write (?:…)'],
  [
    /^\(\?[imsuxUaLnJ-]+\)/,
    'JavaScript has flags such as (?i) only at the start of a pattern, and only i, m and s; write (?i:…) around what they apply to'
  ],
  [/^\(\?[imsuUaLnJ-]*x[imsuUaLnJ-]*:/, 'JavaScript has no flag x; write the pattern without blanks and comments'],
  [/^\(\*/, 'JavaScript has no verbs such as (*FAIL)']
]

class Translator {
  readonly #pattern: string
  #at = 0
  #written = ''
  /** The start of the last atom in the translation, and whether it matches a single character. */
  #atom = { start: 0, isSingle: false }

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  whole(): string {
    while (this.#at < this.#pattern.length) this.#next()
    return this.#written
  }

  #next(): void {
    const character = this.#pattern[this.#at] as string
    if (character === '\\') this.#escape()
    else if (character === '[') this.#class()
    else if (character === '(') this.#group()
    else if (/[*+?{]/.test(character)) this.#quantifier()
    else this.#put(character, character, !/[|)^$]/.test(character))
  }

  #escape(): void {
    const { length } = this.#written
    const quoted = this.#match(/^\\Q(.*?)(?:\\E|$)/s)
    if (quoted !== undefined) this.#put(quoted[0], (quoted[1] as string).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    else if (!this.#sharedEscape()) {
      const letter = this.#pattern[this.#at + 1] ?? ''
      const raw = `\\${letter}`
      const translated = { h: `[${blanks}]`, H: `[^${blanks}]`, R: lineBreaks, N: '.', K: '', ...ofPlaces }[letter]
      if (translated !== undefined) this.#put(raw, translated)
      else this.#known(letter, raw)
    }
    this.#atom = { start: length, isSingle: quoted === undefined }
  }

  /** Translates an escape that means the same inside a class; false if it is another one. */
  #sharedEscape(): boolean {
    const hexadecimal = this.#match(/^\\x\{([\dA-Fa-f]+)\}/)
    const property = this.#match(/^\\([pP])(?:\{\^(\w+)\}|([A-Z]))/)
    const letter = this.#pattern[this.#at + 1] ?? ''
    if (hexadecimal !== undefined) this.#put(hexadecimal[0], `\\u{${hexadecimal[1]}}`)
    else if (property?.[2] !== undefined) this.#put(property[0], `\\${property[1] === 'p' ? 'P' : 'p'}{${property[2]}}`)
    else if (property?.[3] !== undefined) this.#put(property[0], `\\${property[1]}{${property[3]}}`)
    else if (Object.hasOwn(escapes, letter)) this.#put(`\\${letter}`, escapes[letter] as string)
    else return false
    return true
  }

  /** Copies an escape that JavaScript has as well. */
  #known(letter: string, raw: string): void {
    if (/[A-Za-z]/.test(letter) && !ownEscapes.test(letter))
      throw new Untranslatable(
        `${raw} is not an escape of JavaScript; write what it stands for, or ${letter} for the letter`
      )
    const [whole = raw] = this.#match(/^\\(?:[upP]\{[^}]*\}|k<[^>]*>)/) ?? []
    this.#put(whole)
  }

  #class(): void {
    const { length } = this.#written
    const [start = ''] = this.#match(/^\[\^?/) ?? []
    this.#put(start, start)
    while (this.#at < this.#pattern.length && this.#pattern[this.#at] !== ']') {
      const name = this.#match(/^\[:(\^?)(\w+):\]/)
      const letter = this.#pattern[this.#at + 1] ?? ''
      if (name !== undefined) {
        const characters = name[1] === '' ? posix[name[2] as string] : undefined
        if (characters === undefined)
          throw new Untranslatable(`${name[0]} is not a class of JavaScript; write its characters`)
        this.#put(name[0], characters)
      } else if (this.#match(/^&&\[/))
        throw new Untranslatable('JavaScript has no intersections of classes, […&&[…]]; write what remains')
      else if (this.#pattern[this.#at] !== '\\') this.#put(this.#pattern[this.#at] as string)
      else if (letter === 'h') this.#put('\\h', blanks)
      else if (letter === 'Q' || !this.#sharedEscape()) this.#known(letter, `\\${letter}`)
    }
    if (this.#at < this.#pattern.length) this.#put(']')
    this.#atom = { start: length, isSingle: true }
  }

  #group(): void {
    const rest = this.#pattern.slice(this.#at)
    const comment = /^\(\?#[^)]*\)/.exec(rest)
    const named = /^\(\?(?:P<|')(\w+)[>']/.exec(rest)
    const again = /^\(\?P=(\w+)\)/.exec(rest)
    const reason = groups.find(([test]) => test.test(rest))?.[1]
    if (comment !== null) this.#put(comment[0], '')
    else if (named !== null) this.#put(named[0], `(?<${named[1]}>`)
    else if (again !== null) this.#put(again[0], `\\k<${again[1]}>`)
    else if (reason !== undefined) throw new Untranslatable(reason)
    else this.#ownGroup()
  }

  #ownGroup(): void {
    this.#put('(')
    // Matched at once, since a `?` after the parenthesis is not a quantifier.
    const [kind = ''] = this.#match(/^\?(?:<?[=!]|<\w+>|[ims]*(?:-[ims]+)?:)/) ?? []
    this.#put(kind, kind)
  }

  #quantifier(): void {
    const upTo = this.#match(/^\{,(\d+)\}/)
    const [quantifier = this.#pattern[this.#at] as string] = upTo ?? this.#match(/^(?:[*+?]|\{\d+(?:,\d*)?\})/) ?? []
    const { start, isSingle } = this.#atom
    const atom = isSingle ? this.#written.slice(start) : groupOfSingles.exec(this.#written)?.[1]
    this.#put(quantifier, upTo === undefined ? quantifier : `{0,${upTo[1]}}`)
    this.#atom = { start, isSingle: false }
    if (quantifier === '{' || this.#pattern[this.#at] !== '+') return
    this.#at++
    const behind = this.#pattern.slice(this.#at)
    if (/^\)*$/.test(behind) || (atom !== undefined && givesNothingBack(atom, behind))) return
    throw new Untranslatable(
      `JavaScript has no possessive quantifiers, such as ${quantifier}+; omit the + if what follows cannot begin with what is repeated`
    )
  }

  #match(expression: RegExp): RegExpExecArray | undefined {
    return expression.exec(this.#pattern.slice(this.#at)) ?? undefined
  }

  /** Reads a piece of the pattern, and writes its translation. */
  #put(raw: string, translated = raw, isSingle?: boolean): void {
    if (isSingle !== undefined) this.#atom = { start: this.#written.length, isSingle }
    this.#at += raw.length
    this.#written += translated
  }
}

/** An atom that matches a single character, in any dialect. */
const single = String.raw`\\[^QEbBkAzZKRN\d]|\[\^?\]?[^\]\\]*\]|[^\\[\](){}|*+?.^$]`
const nextSingle = new RegExp(String.raw`^\)*(${single})([*?+]|\{[^{}]*\})?[?+]?`, 'su')
const groupOfSingles = new RegExp(String.raw`(?<!\\)\((?:\?:)?(${single})(?:${single})*\)$`, 'su')

/**
 * Whether giving back repetitions would never help, as no character that may follow can begin with the repeated atom. `atom`
 * matches a single character, or is a group of such atoms in sequence.
 */
const givesNothingBack = (atom: string, behind: string): boolean => {
  let rest = behind
  while (!/^\)*(?:\$|\\[zZ])?\)*$/.test(rest)) {
    const [whole = '', next, quantifier = ''] = nextSingle.exec(rest) ?? []
    if (next === undefined || !areDisjoint(atom, inJavaScript(next).source)) return false
    if (!/^(?:[*?]|\{[,0])/.test(quantifier)) return true
    rest = rest.slice(whole.length)
  }
  return true
}

/** Whether no character matches both, whatever flags apply. */
const areDisjoint = (one: string, other: string): boolean => {
  try {
    return !new RegExp(`(?=${one})(?:${other})`, 'isu').test(everyCharacter())
  } catch {
    return false
  }
}

let characters: string | undefined
const everyCharacter = (): string => {
  characters ??= Array.from({ length: 0x110000 - 0x800 }, (_, i) =>
    String.fromCodePoint(i < 0xd800 ? i : i + 0x800)
  ).join('')
  return characters
}
