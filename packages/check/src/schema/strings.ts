import { regexOf } from '@contract-first/document'
import { beyondFfff, complement } from './code-points.ts'
import type { Size, StringConstraints } from './finder.ts'
import { knownFormat, samples } from './formats.ts'
import type { Found } from './found.ts'
import { type Language, Languages } from './language.ts'
import { languageOf } from './regex.ts'
import { shortest } from './shortest.ts'

/** The length of a string in code points, as JSON Schema counts it. */
export const lengthOf = (text: string): number => Array.from(text).length

/**
 * A string that satisfies all constraints: a typical one of the format, otherwise the shortest, preferably of letters and
 * digits and not empty. `unknown` for patterns that are not regular or need too many steps, and for formats that are
 * not regular.
 */
export const findString = (wanted: StringConstraints): Found<string> => {
  const { formats, notFormats } = wanted
  const range = { min: wanted.minLength ?? 0, max: wanted.maxLength ?? Number.POSITIVE_INFINITY }
  if (range.min > range.max || formats.some(format => notFormats.includes(format))) return 'none'

  const demanded = [...wanted.patterns.map(ofPattern), ...formats.map(ofFormat)]
  const refused = [...wanted.notPatterns.map(ofPattern), ...notFormats.map(ofFormat), ofTexts(wanted.excluded)]
  const claims = [...demanded, ...refused.map(opposite)]
  const holds = (text: string) => isWithin(range, text) && claims.every(claim => claim.holds?.(text))
  const sample = formats.flatMap(format => samples[format] ?? []).find(holds)
  if (sample !== undefined) return { value: sample }

  const make = new Languages()
  const areas = claims.map(claim => claim.area(make))
  const most = make.and(areas.map(area => area.atMost))
  if (claims.some(claim => !claim.holds)) return search(make, most, range, () => true) === 'none' ? 'none' : 'unknown'

  const about = make.and([most, ...areas.map(area => area.about)])
  // If excluding strings takes too many steps, a candidate may still avoid them by chance.
  const unrefused = make.and(areas.slice(0, demanded.length).map(area => area.about))
  for (const language of new Set([about, most, unrefused])) {
    const result = search(make, language, range, holds)
    if (typeof result === 'object' || (result === 'none' && language === most)) return result
  }
  const odd = ['(', ...Object.values(samples).flat()].find(holds)
  return odd === undefined ? 'unknown' : { value: odd }
}

const isWithin = ({ min, max }: Size, text: string): boolean => {
  const length = lengthOf(text)
  return min <= length && length <= max
}

/** A set of strings, as far as it is known. */
interface Claim {
  /** Undefined if it cannot be decided. */
  holds: ((text: string) => boolean) | undefined
  area: (make: Languages) => Area
}

/** Languages that contain the set, are contained in it, and resemble it. */
interface Area {
  atMost: Language
  atLeast: Language
  about: Language
}

const opposite = ({ holds, area }: Claim): Claim => ({
  holds: holds && (text => !holds(text)),
  area: make => {
    const { atMost, atLeast, about } = area(make)
    return { atMost: make.not(atLeast), atLeast: make.not(atMost), about: make.not(about) }
  }
})

const unknowable: Claim = {
  holds: undefined,
  area: ({ all, none }) => ({ atMost: all, atLeast: none, about: all })
}

const upToFfff = complement(beyondFfff)

const ofPattern = (pattern: string): Claim => {
  const regex = regexOf(pattern)
  if (!regex) return unknowable
  const area = (make: Languages): Area => {
    const { language, exact } = languageOf(make, regex)
    // Patterns without the u flag are not written with characters of two code units in mind.
    const about = regex.unicode
      ? language
      : make.and([language, make.repeat(make.characters(upToFfff), 0, Number.POSITIVE_INFINITY)])
    return { atMost: exact ? language : make.all, atLeast: exact ? language : make.none, about }
  }
  return { holds: text => regex.test(text), area }
}

const ofFormat = (name: string): Claim => {
  const { holds, regex, doubtful, usual } = knownFormat(name)
  const area = (make: Languages): Area => {
    const { language } = languageOf(make, regex)
    const within = (some: RegExp | undefined, otherwise: Language) =>
      some === undefined ? otherwise : make.and([language, languageOf(make, some).language])
    return {
      atMost: language,
      atLeast: make.and([language, make.not(within(doubtful, make.none))]),
      about: within(usual, language)
    }
  }
  return { holds, area }
}

const ofTexts = (texts: readonly string[]): Claim => {
  const all = new Set(texts)
  const area = (make: Languages): Area => {
    const language = make.or(texts.map(text => make.text(text)))
    return { atMost: language, atLeast: language, about: language }
  }
  return { holds: text => all.has(text), area }
}

const maxTries = 64
const maxWork = 200_000

/** A string of `language` for which `holds` is true; `none` if there is none of these lengths. */
const search = (
  make: Languages,
  language: Language,
  { min, max }: Size,
  holds: (text: string) => boolean
): Found<string> => {
  const limit = make.work + maxWork
  let remaining = language
  let outcome: Found<string> = 'unknown'
  for (let tries = 0; tries < maxTries; tries++) {
    outcome = shortest(make, remaining, { min: Math.max(min, 1), max }, limit)
    if (typeof outcome === 'string') break
    if (holds(outcome.value)) return outcome
    remaining = make.and([remaining, make.not(make.text(outcome.value))])
    outcome = 'unknown'
  }
  return min === 0 && language.hasEmpty && holds('') ? { value: '' } : outcome
}
