import { beyondFfff, complement } from './code-points.ts'
import { isKnownFormat, knownFormat, samples } from './formats.ts'
import type { Found } from './found.ts'
import { type Language, Languages } from './language.ts'
import { languageOf, toRegExp } from './regex.ts'
import { type LengthRange, shortest } from './shortest.ts'

export interface StringConstraints {
  /** Lengths are counted in code points. */
  minLength?: number | undefined
  maxLength?: number | undefined
  patterns: readonly string[]
  notPatterns: readonly string[]
  /** One that is not known is taken to allow any string. */
  formats: readonly string[]
  notFormats: readonly string[]
  excluded: readonly string[]
}

/** The length of a string as JSON Schema counts it, in code points. */
export const lengthOf = (text: string): number => Array.from(text).length

/**
 * A string that satisfies all constraints: a usual one of the format, or else the shortest, of letters and digits where
 * they will do, and the empty one last. `unknown` is left for patterns that are not regular or whose proof takes too
 * many steps, and for formats that are not known or not regular.
 */
export const findString = (wanted: StringConstraints): Found<string> => {
  const { formats, notFormats } = wanted
  const range = { min: wanted.minLength ?? 0, max: wanted.maxLength ?? Number.POSITIVE_INFINITY }
  if (range.min > range.max || formats.some(format => notFormats.includes(format))) return 'none'

  const demanded = [...wanted.patterns.map(ofPattern), ...formats.filter(isKnownFormat).map(ofFormat)]
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
  // Where what is refused takes too many steps, it may happen not to be met.
  const unrefused = make.and(areas.slice(0, demanded.length).map(area => area.about))
  for (const language of new Set([about, most, unrefused])) {
    const found = search(make, language, range, holds)
    if (typeof found === 'object' || (found === 'none' && language === most)) return found
  }
  const odd = ['(', ...Object.values(samples).flat()].find(holds)
  return odd === undefined ? 'unknown' : { value: odd }
}

const isWithin = ({ min, max }: LengthRange, text: string): boolean => {
  const length = lengthOf(text)
  return min <= length && length <= max
}

/** A set of strings, as far as it is known. */
interface Claim {
  /** Undefined where nobody can tell. */
  holds: ((text: string) => boolean) | undefined
  area: (make: Languages) => Area
}

/** Languages that the set is no greater than, no smaller than, and similar to. */
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
  const regex = toRegExp(pattern)
  if (!regex) return unknowable
  const area = (make: Languages): Area => {
    const { language, exact } = languageOf(make, regex)
    // Who wrote a pattern without the u flag thought of no character that is two to it.
    const about = regex.unicode
      ? language
      : make.and([language, make.repeat(make.characters(upToFfff), 0, Number.POSITIVE_INFINITY)])
    return { atMost: exact ? language : make.all, atLeast: exact ? language : make.none, about }
  }
  return { holds: text => regex.test(text), area }
}

const ofFormat = (name: string): Claim => {
  const format = knownFormat(name)
  if (!format) return unknowable
  const { holds, regex, exact, usual } = format
  const area = (make: Languages): Area => {
    const { language } = languageOf(make, regex)
    const about = usual ? languageOf(make, usual).language : language
    return { atMost: language, atLeast: exact ? language : make.none, about }
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
const maxWork = 500_000

/** One of `language` that holds; `none` when it has none of these lengths or none of those that it has does. */
const search = (
  make: Languages,
  language: Language,
  { min, max }: LengthRange,
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
