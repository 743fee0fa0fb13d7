import { type AST, RegExpParser } from '@eslint-community/regexpp'
import {
  type CodePoints,
  complement,
  digits,
  lineTerminators,
  property,
  spaces,
  union,
  withBothCases,
  wordCharacters
} from './code-points.ts'
import type { Language, Languages } from './language.ts'
import { kept } from './memo.ts'

/** Undefined for what only newer versions of the language have, such as the scripts of a later Unicode. */
const parsed = ({ source, unicode }: RegExp): AST.Pattern | undefined => {
  try {
    return new RegExpParser().parsePattern(source, 0, source.length, { unicode })
  } catch {
    return undefined
  }
}

/** The rest of a text: `start` if nothing precedes it, so that `^` matches, otherwise `later`. */
interface Rest {
  start: Language
  later: Language
}

/**
 * The strings that a regular expression matches; it may have the flags `u` and `i`. Unless `exact`, the result is an
 * approximation: the expression contains a backreference, a lookbehind, a word boundary or a repeated assertion.
 */
export const languageOf = (make: Languages, regex: RegExp): { language: Language; exact: boolean } => {
  const { unicode, ignoreCase } = regex
  let exact = true
  // Whether it has sets beyond U+FFFF without the u flag: there, a set may match one of the two code units of a character.
  let readsHalves = false
  const known = new Map<AST.Element, Language>()

  /** The strings that begin with one of the alternatives and continue with the rest. */
  const either = ({ alternatives }: { alternatives: AST.Alternative[] }, rest: Rest): Rest =>
    anyOf(alternatives.map(each => each.elements.reduceRight((behind, one) => before(one, behind), rest)))

  const anyOf = (ways: Rest[]): Rest => ({
    start: make.or(ways.map(way => way.start)),
    later: make.or(ways.map(way => way.later))
  })

  /** The strings that begin with the element and continue with the rest. */
  const before = (element: AST.Element, rest: Rest): Rest => {
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup':
        if (element.type === 'Group' && element.modifiers !== null) exact = false
        return either(element, rest)
      case 'Quantifier': {
        // An optional element before any text makes no difference.
        if (element.min === 0 && rest.start === make.all && rest.later === make.all) return rest
        if (element.max !== 1) return repeated(element.element, element.min, element.max, rest)
        const once = before(element.element, rest)
        return element.min === 1 ? once : anyOf([once, rest])
      }
      case 'Assertion':
        if (isRepeated(element)) exact = false
        return asserted(element, rest)
      case 'Backreference': {
        exact = false
        const [group] = [element.resolved].flat()
        // Within a group, references to it match the empty string.
        return group !== undefined && group.end <= element.start ? repeated(group, 1, 1, rest) : rest
      }
      default: {
        const text = make.concat(characters(element), rest.later)
        return { start: text, later: text }
      }
    }
  }

  const repeated = (element: AST.Element, min: number, max: number, rest: Rest): Rest => {
    const empty = { start: make.empty, later: make.empty }
    const once = kept(known, element, () => before(element, empty).later)
    const loop = make.repeat(once, min, max)
    const later = make.concat(loop, rest.later)
    if (rest.start === rest.later) return { start: later, later }
    const taking = make.and([loop, make.concat(make.any, make.all)])
    const start = make.or([make.concat(taking, rest.later), loop.hasEmpty ? rest.start : make.none])
    return { start, later }
  }

  const asserted = (assertion: AST.Assertion, rest: Rest): Rest => {
    const both = ({ start, later }: Rest) => ({
      start: make.and([start, rest.start]),
      later: make.and([later, rest.later])
    })
    switch (assertion.kind) {
      case 'start':
        return { start: rest.start, later: make.none }
      case 'end':
        return both({ start: make.empty, later: make.empty })
      case 'lookahead': {
        const { start, later } = either(assertion, { start: make.all, later: make.all })
        return both(assertion.negate ? { start: make.not(start), later: make.not(later) } : { start, later })
      }
      default:
        exact = false
        return assertion.kind === 'word' || assertion.negate ? rest : either(assertion, rest)
    }
  }

  const characters = (element: AST.Element): Language => {
    const set = inCase(setOf(element))
    if (!unicode && set.some(([, to]) => to > 0xffff)) readsHalves = true
    return make.characters(set)
  }

  const setOf = (element: AST.Element | AST.CharacterClassElement): CodePoints => {
    switch (element.type) {
      case 'Character':
        return range(element.value, element.value)
      case 'CharacterClassRange':
        return range(element.min.value, element.max.value)
      case 'CharacterSet':
        return sets[element.raw] ?? property(element.raw)
      case 'CharacterClass': {
        const set = inCase(union(...element.elements.map(each => setOf(each))))
        return element.negate ? complement(set) : set
      }
      default:
        // Needs the v flag.
        return []
    }
  }

  const range = (from: number, to: number): CodePoints => {
    // Without the u flag, it contains only some of the halves.
    if (!unicode && to >= 0xd800 && from <= 0xdfff) exact = false
    return union([[from, to]])
  }

  const inCase = (set: CodePoints): CodePoints => (ignoreCase ? withBothCases(set, unicode) : set)

  const pattern = parsed(regex)
  if (pattern === undefined) return { language: make.all, exact: false }
  const { start, later } = either(pattern, { start: make.all, later: make.all })
  // The match may begin anywhere.
  const behind = start === later ? make.all : make.concat(make.any, make.all)
  const language = make.or([start, make.concat(behind, later)])
  return { language: readsHalves ? make.halves(language) : language, exact }
}

const isRepeated = ({ parent }: AST.Node): boolean =>
  parent !== null && ((parent.type === 'Quantifier' && parent.max !== 1) || isRepeated(parent))

const sets: Record<string, CodePoints> = {
  '.': complement(lineTerminators),
  '\\d': digits,
  '\\D': complement(digits),
  '\\s': spaces,
  '\\S': complement(spaces),
  '\\w': wordCharacters,
  '\\W': complement(wordCharacters)
}
