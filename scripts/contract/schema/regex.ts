import {
  type CodePoints,
  complement,
  digits,
  lineTerminators,
  property,
  single,
  spaces,
  union,
  withBothCases,
  wordCharacters
} from './code-points.ts'
import type { Language, Languages } from './language.ts'

/**
 * The strings that a regular expression matches; it may have the flags `u` and `i`. Unless `exact`, the result is an
 * approximation: the expression contains a backreference, a lookbehind, a word boundary or a repeated assertion.
 */
export const languageOf = (make: Languages, regex: RegExp): { language: Language; exact: boolean } => {
  const parser = new Parser(make, regex)
  const { start, later } = parser.alternatives().before({ start: make.all, later: make.all })
  // The match may begin anywhere.
  const behind = start === later ? make.all : make.concat(make.any, make.all)
  const language = make.or([start, make.concat(behind, later)])
  return { language: parser.readsHalves ? make.halves(language) : language, exact: parser.exact }
}

/** The rest of a text: `start` if nothing precedes it, so that `^` matches, otherwise `later`. */
interface Rest {
  start: Language
  later: Language
}

interface Part {
  /** Whether it is an assertion about its surroundings. */
  asserts: boolean
  /** The strings that begin with this part and continue with the rest. */
  before: (rest: Rest) => Rest
}

const nothing: Part = { asserts: false, before: rest => rest }

/** Parses expressions that RegExp has accepted, so that they need no further checks. */
class Parser {
  exact = true
  /** Whether it has sets beyond U+FFFF without the u flag: such a character is two units, and a set may match one of them. */
  readsHalves = false
  readonly #make: Languages
  readonly #source: string
  readonly #unicode: boolean
  readonly #ignoreCase: boolean
  readonly #groups: Part[] = [nothing]
  readonly #names = new Map<string, number>()
  #at = 0

  constructor(make: Languages, { source, unicode, ignoreCase }: RegExp) {
    this.#make = make
    this.#source = source
    this.#unicode = unicode
    this.#ignoreCase = ignoreCase
  }

  alternatives(): Part {
    const parts = [this.#sequence()]
    while (this.#take(/\|/y)) parts.push(this.#sequence())
    return parts.length === 1 ? (parts[0] as Part) : this.#either(parts)
  }

  #sequence(): Part {
    const parts: Part[] = []
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at] as string))
      parts.push(this.#repeated())
    return {
      asserts: parts.some(part => part.asserts),
      before: rest => parts.reduceRight((behind, part) => part.before(behind), rest)
    }
  }

  #repeated(): Part {
    const part = this.#single()
    const quantifier = this.#take(/(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y)
    if (!quantifier) return part
    const [, sign, least = '', comma, most] = quantifier
    const min = sign ? (sign === '+' ? 1 : 0) : Number(least)
    const max = sign ? (sign === '?' ? 1 : Number.POSITIVE_INFINITY) : comma ? Number(most || 'Infinity') : min
    if (max === 1) return min === 1 ? part : this.#either([part, nothing])
    return this.#loop(part, min, max)
  }

  #loop(part: Part, min: number, max: number): Part {
    const make = this.#make
    if (part.asserts) this.exact = false
    const once = part.before({ start: make.empty, later: make.empty }).later
    const loop = make.repeat(once, min, max)
    const taking = make.and([loop, make.concat(make.any, make.all)])
    const start = ({ start, later }: Rest) => make.or([make.concat(taking, later), loop.hasEmpty ? start : make.none])
    return {
      asserts: false,
      before: rest => {
        const later = make.concat(loop, rest.later)
        return { start: rest.start === rest.later ? later : start(rest), later }
      }
    }
  }

  #either(parts: Part[]): Part {
    return {
      asserts: parts.some(part => part.asserts),
      before: rest => {
        const ways = parts.map(part => part.before(rest))
        return { start: this.#make.or(ways.map(way => way.start)), later: this.#make.or(ways.map(way => way.later)) }
      }
    }
  }

  #single(): Part {
    const make = this.#make
    if (this.#take(/\^/y)) return { asserts: true, before: ({ start }) => ({ start, later: make.none }) }
    if (this.#take(/\$/y)) return this.#asserting(() => ({ start: make.empty, later: make.empty }))
    if (this.#take(/\./y)) return this.#characters(complement(lineTerminators))
    if (this.#take(/\(/y)) return this.#group()
    if (this.#take(/\[/y)) return this.#class()
    if (this.#take(/\\b/iy)) return this.#roughly(nothing)
    const reference = this.#take(/\\(?:([1-9]\d*)|k<([^>]*)>)/y)
    if (reference) {
      const [, number, name = ''] = reference
      const group = this.#groups[Number(number ?? this.#names.get(name))]
      return this.#roughly(group ?? nothing)
    }
    return this.#characters(this.#atom())
  }

  #group(): Part {
    const look = this.#take(/\?(<?)([=!])/y)
    if (look) {
      const part = this.#closed()
      const isNegative = look[2] === '!'
      return look[1] ? this.#roughly(isNegative ? nothing : part) : this.#lookahead(part, isNegative)
    }
    const plain = this.#take(/\?([a-z-]*):/y)
    if (plain) return plain[1] ? this.#roughly(this.#closed()) : this.#closed()
    const number = this.#groups.push(nothing) - 1
    const name = this.#take(/\?<([^>]*)>/y)?.[1]
    if (name) this.#names.set(name, number)
    const part = this.#closed()
    // Only now: within a group, references to it match the empty string.
    this.#groups[number] = part
    return part
  }

  #closed(): Part {
    const part = this.alternatives()
    this.#take(/\)/y)
    return part
  }

  #lookahead(part: Part, isNegative: boolean): Part {
    const make = this.#make
    return this.#asserting(() => {
      const { start, later } = part.before({ start: make.all, later: make.all })
      return isNegative ? { start: make.not(start), later: make.not(later) } : { start, later }
    })
  }

  #asserting(claim: () => Rest): Part {
    const before = (rest: Rest) => {
      const { start, later } = claim()
      return { start: this.#make.and([start, rest.start]), later: this.#make.and([later, rest.later]) }
    }
    return { asserts: true, before }
  }

  #roughly(part: Part): Part {
    this.exact = false
    return part
  }

  #class(): Part {
    const isNegated = this.#take(/\^/y)
    const sets: CodePoints[] = []
    while (!this.#take(/\]/y)) {
      const from = this.#atom()
      const to = typeof from === 'number' && this.#take(/-(?!\])/y) ? this.#atom() : from
      if (typeof from === 'number' && typeof to === 'number') sets.push(this.#range(from, to))
      else sets.push(this.#setOf(from), this.#setOf(to), from === to ? [] : single(dash))
    }
    const set = this.#inCase(union(...sets))
    return this.#characters(isNegated ? complement(set) : set)
  }

  #characters(atom: number | CodePoints): Part {
    const set = this.#inCase(this.#setOf(atom))
    if (!this.#unicode && set.some(([, to]) => to > 0xffff)) this.readsHalves = true
    const characters = this.#make.characters(set)
    const before = ({ later }: Rest) => {
      const text = this.#make.concat(characters, later)
      return { start: text, later: text }
    }
    return { asserts: false, before }
  }

  #setOf(atom: number | CodePoints): CodePoints {
    return typeof atom === 'number' ? this.#range(atom, atom) : atom
  }

  #range(from: number, to: number): CodePoints {
    // Without the u flag, it contains only some of the halves.
    if (!this.#unicode && (to > 0xffff || (to >= 0xd800 && from <= 0xdfff))) this.exact = false
    return union([[from, to]])
  }

  #inCase(set: CodePoints): CodePoints {
    return this.#ignoreCase ? withBothCases(set, this.#unicode) : set
  }

  /** A character, however it is written, or the set that an escape stands for. */
  #atom(): number | CodePoints {
    const set = this.#take(/\\[dswDSW]/y)
    if (set) return escapedSets[set[0]] as CodePoints
    const ofProperty = this.#unicode && this.#take(/\\p\{[^}]*\}/iy)
    if (ofProperty) return property(ofProperty[0])
    return this.#codePoint()
  }

  #codePoint(): number {
    const pair = this.#take(/\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/iy)
    if (pair) return 0x10000 + (hex(pair[1]) - 0xd800) * 0x400 + hex(pair[2]) - 0xdc00
    const code = this.#take(/\\(?:x([0-9a-f]{2})|u([0-9a-f]{4}))/iy)
    if (code) return hex(code[1] ?? code[2])
    const braced = this.#unicode && this.#take(/\\u\{([0-9a-f]+)\}/iy)
    if (braced) return hex(braced[1])
    const control = this.#take(/\\c([a-z])/iy)
    if (control) return (control[1] as string).charCodeAt(0) % 32
    const [, escaped, plain = ''] = this.#take(/\\(.)|(.)/suy) as RegExpExecArray
    // Without the u flag: octal codes, a lone `\c`, `\u{2}` for two letters.
    if (escaped && /[\dcu]/.test(escaped) && !this.#unicode) this.exact = false
    return escapedCharacters[escaped ?? ''] ?? ((escaped ?? plain).codePointAt(0) as number)
  }

  #take(token: RegExp): RegExpExecArray | null {
    token.lastIndex = this.#at
    const match = token.exec(this.#source)
    if (match) this.#at = token.lastIndex
    return match
  }
}

const hex = (text = '') => Number.parseInt(text, 16)

const escapedCharacters: Record<string, number> = { 0: 0, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }

const dash = 0x2d

const escapedSets: Record<string, CodePoints> = {
  '\\d': digits,
  '\\D': complement(digits),
  '\\s': spaces,
  '\\S': complement(spaces),
  '\\w': wordCharacters,
  '\\W': complement(wordCharacters)
}
