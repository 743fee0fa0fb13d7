import { regexOf } from '@contract-first/document'
import type { Size, StringConstraints } from './finder.ts'
import { knownFormat, samples } from './formats.ts'
import type { Found } from './found.ts'
import { type Language, Languages } from './language.ts'
import { languageOf } from './regex.ts'
import { shortest } from './shortest.ts'

export const lengthOf = (text: string): number => Array.from(text).length

/** A string that satisfies all constraints: a typical one of the format, otherwise the shortest and most readable, but not empty. */
export const findString = (wanted: StringConstraints): Found<string> => {
  const { formats, notFormats } = wanted
  const range = { min: wanted.minLength ?? 0, max: wanted.maxLength ?? Number.POSITIVE_INFINITY }
  if (range.min > range.max || formats.some(format => notFormats.includes(format))) return 'none'

  const demanded = [...wanted.patterns.map(ofPattern), ...formats.map(ofFormat)]
  const refused = [...wanted.notPatterns.map(ofPattern), ...notFormats.map(ofFormat), ofTexts(wanted.excluded)]
  const isDecided = [...demanded, ...refused].every(each => each.holds !== undefined)
  const holds = (text: string) =>
    isWithin(range, text) && demanded.every(each => each.holds?.(text)) && !refused.some(each => each.holds?.(text))
  const sample = isDecided ? formats.flatMap(format => samples[format] ?? []).find(holds) : undefined
  if (sample !== undefined) return { value: sample }

  const make = new Languages()
  const [wide, narrow] = [demanded, refused].map(claims => claims.map(each => each.area(make))) as [Area[], Area[]]
  const most = make.and([...wide.map(each => each.atMost), ...narrow.map(each => make.not(each.atLeast))])
  if (!isDecided) return search(make, most, range, () => true) === 'none' ? 'none' : 'unknown'

  // If excluding strings takes too many steps, a candidate may still avoid them by chance.
  const unrefused = make.and(wide.map(each => each.about))
  const about = make.and([most, unrefused, ...narrow.map(each => make.not(each.about))])
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

const ofPattern = (pattern: string): Claim => {
  const regex = regexOf(pattern)
  const area = (make: Languages): Area => {
    const { language, exact } = regex ? languageOf(make, regex) : { language: make.all, exact: false }
    return { atMost: exact ? language : make.all, atLeast: exact ? language : make.none, about: language }
  }
  return { holds: regex && (text => regex.test(text)), area }
}

const ofFormat = (name: string): Claim => {
  const { holds, regex, isExact } = knownFormat(name)
  const area = (make: Languages): Area => {
    const { language } = languageOf(make, regex)
    return { atMost: language, atLeast: isExact ? language : make.none, about: language }
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
