import { getOrMake } from '@contract-first/document'
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

/** Undefined for what only newer versions of the language have, such as the scripts of a later Unicode. */
const parse = ({ source, unicode }: RegExp): AST.Pattern | undefined => {
  try {
    return new RegExpParser().parsePattern(source, 0, source.length, { unicode })
  } catch {
    return undefined
  }
}

/** The possible rests of a text: `start` if nothing precedes it, so that `^` matches, otherwise `later`. */
interface Rest {
  start: Language
  later: Language
}

interface Reading {
  make: Languages
  regex: RegExp
  isExact: boolean
  /** Whether it has sets beyond U+FFFF without the u flag: there, a set may match one of the two code units of a character. */
  readsHalves: boolean
  /** What repeated elements match. */
  repeated: Map<AST.Element, Language>
}

/**
 * The strings that a regular expression matches; it may have the flags `u` and `i`. Unless `exact`, the result is an
 * approximation: the expression contains a backreference, a lookbehind, a word boundary or a repeated assertion.
 *
 * It is read from its end. In `^ab$`, the rest after the match is any text; before `$`, only the empty one; before `b`, `b`;
 * before `a`, `ab`; before `^`, `ab` at the start of a text, and nothing later. As a match may begin anywhere, the strings are
 * those that match at the start, or any text followed by one that matches later: `ab` alone.
 */
export const languageOf = (make: Languages, regex: RegExp): { language: Language; exact: boolean } => {
  const pattern = parse(regex)
  if (pattern === undefined) return { language: make.all, exact: false }
  const reading: Reading = { make, regex, isExact: true, readsHalves: false, repeated: new Map() }
  const { start, later } = either(pattern, { start: make.all, later: make.all }, reading)
  const behind = start === later ? make.all : make.concat(make.any, make.all)
  const language = make.or([start, make.concat(behind, later)])
  return { language: reading.readsHalves ? make.halves(language) : language, exact: reading.isExact }
}

/** The strings that begin with one of the alternatives and continue with the rest. */
const either = ({ alternatives }: { alternatives: AST.Alternative[] }, rest: Rest, reading: Reading): Rest =>
  anyOf(
    alternatives.map(({ elements }) => elements.reduceRight((behind, one) => before(one, behind, reading), rest)),
    reading
  )

const anyOf = (rests: Rest[], { make }: Reading): Rest => ({
  start: make.or(rests.map(each => each.start)),
  later: make.or(rests.map(each => each.later))
})

/** The strings that begin with the element and continue with the rest. */
const before = (element: AST.Element, rest: Rest, reading: Reading): Rest => {
  switch (element.type) {
    case 'Group':
      if (element.modifiers !== null) reading.isExact = false
      return either(element, rest, reading)
    case 'CapturingGroup':
      return either(element, rest, reading)
    case 'Quantifier':
      return quantified(element, rest, reading)
    case 'Assertion':
      return asserted(element, rest, reading)
    case 'Backreference':
      return referred(element, rest, reading)
    default: {
      const text = reading.make.concat(characters(element, reading), rest.later)
      return { start: text, later: text }
    }
  }
}

const quantified = ({ element, min, max }: AST.Quantifier, rest: Rest, reading: Reading): Rest => {
  const { all } = reading.make
  // An optional element before any text makes no difference.
  if (min === 0 && rest.start === all && rest.later === all) return rest
  if (max !== 1) return repeated(element, min, max, rest, reading)
  const once = before(element, rest, reading)
  return min === 1 ? once : anyOf([once, rest], reading)
}

const repeated = (element: AST.Element, min: number, max: number, rest: Rest, reading: Reading): Rest => {
  const { make } = reading
  const empty = { start: make.empty, later: make.empty }
  const once = getOrMake(reading.repeated, element, () => before(element, empty, reading).later)
  const loop = make.repeat(once, min, max)
  const later = make.concat(loop, rest.later)
  if (rest.start === rest.later) return { start: later, later }
  const taking = make.and([loop, make.concat(make.any, make.all)])
  const start = make.or([make.concat(taking, rest.later), loop.hasEmpty ? rest.start : make.none])
  return { start, later }
}

const asserted = (assertion: AST.Assertion, rest: Rest, reading: Reading): Rest => {
  const { make } = reading
  const anything = { start: make.all, later: make.all }
  const both = ({ start, later }: Rest) => ({
    start: make.and([start, rest.start]),
    later: make.and([later, rest.later])
  })
  if (isRepeated(assertion)) reading.isExact = false
  switch (assertion.kind) {
    case 'start':
      return { start: rest.start, later: make.none }
    case 'end':
      return both({ start: make.empty, later: make.empty })
    case 'lookahead': {
      const { start, later } = either(assertion, anything, reading)
      return both(assertion.negate ? { start: make.not(start), later: make.not(later) } : { start, later })
    }
    default:
      reading.isExact = false
      return assertion.kind === 'word' || assertion.negate ? rest : either(assertion, rest, reading)
  }
}

const referred = ({ resolved, start }: AST.Backreference, rest: Rest, reading: Reading): Rest => {
  reading.isExact = false
  const [group] = [resolved].flat()
  // Within a group, references to it match the empty string.
  return group !== undefined && group.end <= start ? repeated(group, 1, 1, rest, reading) : rest
}

const characters = (element: AST.Element, reading: Reading): Language => {
  const set = inCase(setOf(element, reading), reading.regex)
  if (!reading.regex.unicode && set.some(([, to]) => to > 0xffff)) reading.readsHalves = true
  return reading.make.characters(set)
}

const setOf = (element: AST.Element | AST.CharacterClassElement, reading: Reading): CodePoints => {
  switch (element.type) {
    case 'Character':
      return range(element.value, element.value, reading)
    case 'CharacterClassRange':
      return range(element.min.value, element.max.value, reading)
    case 'CharacterSet':
      return sets[element.raw] ?? property(element.raw)
    case 'CharacterClass': {
      const set = inCase(union(...element.elements.map(each => setOf(each, reading))), reading.regex)
      return element.negate ? complement(set) : set
    }
    default:
      // Needs the v flag.
      return []
  }
}

const range = (from: number, to: number, reading: Reading): CodePoints => {
  // Without the u flag, it contains only some of the halves.
  if (!reading.regex.unicode && to >= 0xd800 && from <= 0xdfff) reading.isExact = false
  return union([[from, to]])
}

const inCase = (set: CodePoints, { ignoreCase, unicode }: RegExp): CodePoints =>
  ignoreCase ? withBothCases(set, unicode) : set

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
