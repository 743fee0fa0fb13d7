import { getOrMake } from '@contract-first/document'
import { type AST, RegExpParser } from '@eslint-community/regexpp'
import {
  all,
  type CodePoints,
  complement,
  digits,
  lineTerminators,
  spaces,
  union,
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
  repeated: Map<AST.Element, Language>
}

/**
 * The strings that a regular expression matches. Unless `exact`, the result is an approximation: the expression contains what no
 * real contract has, such as a backreference, a lookbehind, a word boundary, a repeated assertion or `\p{L}`.
 *
 * It is read from its end. In `^ab$`, the rest after the match is any text; before `$`, only the empty one; before `b`, `b`;
 * before `a`, `ab`; before `^`, `ab` at the start of a text, and nothing later. As a match may begin anywhere, the strings are
 * those that match at the start, or any text followed by one that matches later: `ab` alone.
 */
export const languageOf = (make: Languages, regex: RegExp): { language: Language; exact: boolean } => {
  const pattern = parse(regex)
  if (pattern === undefined) return { language: make.all, exact: false }
  const reading: Reading = { make, regex, isExact: true, repeated: new Map() }
  const { start, later } = either(pattern, { start: make.all, later: make.all }, reading)
  const behind = start === later ? make.all : make.concat(make.any, make.all)
  return { language: make.or([start, make.concat(behind, later)]), exact: reading.isExact }
}

const either = ({ alternatives }: { alternatives: AST.Alternative[] }, rest: Rest, reading: Reading): Rest =>
  anyOf(
    alternatives.map(({ elements }) => elements.reduceRight((behind, one) => before(one, behind, reading), rest)),
    reading
  )

const anyOf = (rests: Rest[], { make }: Reading): Rest => ({
  start: make.or(rests.map(each => each.start)),
  later: make.or(rests.map(each => each.later))
})

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
      reading.isExact = false
      return rest
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
      return rest
  }
}

const characters = (element: AST.Element, reading: Reading): Language => {
  const set = setOf(element, reading)
  // Without the u flag, it matches the halves of a character beyond U+FFFF.
  if (!reading.regex.unicode && set.some(([, to]) => to >= 0xd800)) reading.isExact = false
  return reading.make.characters(set)
}

const setOf = (element: AST.Element | AST.CharacterClassElement, reading: Reading): CodePoints => {
  switch (element.type) {
    case 'Character':
      return union([[element.value, element.value]])
    case 'CharacterClassRange':
      return union([[element.min.value, element.max.value]])
    case 'CharacterClass': {
      const set = union(...element.elements.map(each => setOf(each, reading)))
      return element.negate ? complement(set) : set
    }
    default: {
      const set = sets[element.raw]
      if (set === undefined) reading.isExact = false
      return set ?? all
    }
  }
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
