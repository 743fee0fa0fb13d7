import { type AST, visitRegExpAST } from '@eslint-community/regexpp'
import { isDisjointWith, JS, NFA } from 'refa'
import { analyse } from 'scslre'

/** With texts up to these lengths, no pattern of a usual size is slow. */
const harmless = { exponential: 20, polynomial: 1000 }

/** What to say of a pattern that long texts make slow; undefined if it is not. */
export const slownessOf = (regex: RegExp, maxLength: unknown): string | undefined => {
  const growth = growthOf(regex)
  if (growth === undefined) return undefined
  const limit = growth.isExponential ? harmless.exponential : harmless.polynomial
  if (typeof maxLength === 'number' && maxLength <= limit) return undefined
  const [first, second] = growth.parts
  const cause =
    second === undefined ? `${first} can match a text in several ways` : `${first} and ${second} can match the same`
  const speed = growth.isExponential ? 'exponentially' : 'with at least the square of its length'
  return `the time that it takes to reject a text can grow ${speed}, as ${cause}; rewrite it, or add a maxLength of at most ${limit}`
}

/** How the time that a regular expression takes may grow with a text, and the parts that cause it. */
interface Growth {
  isExponential: boolean
  parts: readonly string[]
}

const known = new Map<string, Growth | undefined>()

/** Undefined if time grows with the text's length alone, as far as can be told. */
const growthOf = (regex: RegExp): Growth | undefined => {
  const key = String(regex)
  if (!known.has(key)) known.set(key, foundIn(regex))
  return known.get(key)
}

const foundIn = (regex: RegExp): Growth | undefined => {
  const analysis = unlessUnknown(() => analyse(regex))
  if (analysis === undefined) return undefined
  const { parsed, reports } = analysis
  const overlapping = overlappingAlternatives(parsed.pattern, regex.flags)
  if (overlapping !== undefined) return { isExponential: true, parts: [overlapping] }
  const worst = reports.find(each => each.exponential) ?? reports[0]
  if (worst === undefined) return undefined
  const isExponential = worst.exponential
  if (worst.type === 'Trade') return { isExponential, parts: [worst.startQuant.raw, worst.endQuant.raw] }
  return { isExponential, parts: [worst.type === 'Self' ? worst.parentQuant.raw : worst.quant.raw] }
}

/** Undefined for what the analysis does not know, such as lookarounds within repetitions or scripts of a later Unicode. */
const unlessUnknown = <Result>(analysis: () => Result): Result | undefined => {
  try {
    return analysis()
  } catch {
    return undefined
  }
}

/**
 * A repetition of alternatives of which several can begin the same text, such as `(a|aa)+`, before something that may
 * fail: each text has many readings, which are tried one after the other.
 */
const overlappingAlternatives = (pattern: AST.Pattern, flags: string): string | undefined => {
  let found: string | undefined
  visitRegExpAST(pattern, {
    onQuantifierEnter: quantifier => {
      const { element, max, raw } = quantifier
      if (found !== undefined || max < 16 || !('alternatives' in element) || element.type === 'Assertion') return
      if (/^\)*$/.test(pattern.raw.slice(quantifier.end - pattern.start))) return
      const ways = element.alternatives.flatMap(
        each => unlessUnknown(() => languageOf(`(?:${each.raw})(?:${bodyOf(element)})*`, flags)) ?? []
      )
      if (
        ways.some((one, index) =>
          ways.slice(0, index).some(other => unlessUnknown(() => isDisjointWith(one, other, maxNodes)) === false)
        )
      )
        found = raw
    }
  })
  return found
}

const bodyOf = ({ alternatives }: { alternatives: readonly AST.Alternative[] }) =>
  alternatives.map(each => each.raw).join('|')

const maxNodes = 5000

const languageOf = (source: string, flags: string): NFA => {
  const { expression, maxCharacter } = JS.Parser.fromLiteral({ source, flags }).parse({ assertions: 'throw' })
  return NFA.fromRegex(expression, { maxCharacter })
}
