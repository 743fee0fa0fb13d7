import { getOrMake } from '@contract-first/document'
import { type AST, visitRegExpAST } from '@eslint-community/regexpp'
import { isDisjointWith, JS, NFA } from 'refa'
import { analyse, type Report } from 'scslre'

/** How many ways of matching a text a pattern may try before it counts as slow. */
const mostWays = 500_000
/** The length up to which texts are harmless: there are n^d / d! ways to cut n characters into d parts. */
const harmlessLength = ({ degree }: Growth): number => {
  if (degree === Number.POSITIVE_INFINITY) return 20
  const parts = Math.min(degree, 20)
  let ways = mostWays
  for (let part = 2; part <= parts; part++) ways *= part
  return Math.floor(ways ** (1 / parts))
}

/** Describes a pattern that long texts make slow; undefined if it is not. */
export const slownessOf = (regex: RegExp, maxLength: unknown): string | undefined => {
  const growth = growthOf(regex)
  if (growth === undefined) return undefined
  const limit = harmlessLength(growth)
  if (typeof maxLength === 'number' && maxLength <= limit) return undefined
  const [first, second] = growth.parts
  const causes = [
    'its long repetitions can match the same text',
    `${first} can match a text in several ways`,
    `${first} and ${second} can match the same text`
  ]
  const speed = { [Number.POSITIVE_INFINITY]: 'exponentially', 2: 'with at least the square of its length' }[
    growth.degree
  ]
  return `the time that it takes to reject a text can grow ${speed ?? `with its length to the power of ${growth.degree}`}, as ${causes[growth.parts.length]}; rewrite it, or add a maxLength of at most ${limit}`
}

/** How the time that a regular expression takes may grow with a text, and the parts that cause it. */
interface Growth {
  /** The power of its length with which the time may grow: 2 or more; infinite if it grows exponentially. */
  degree: number
  parts: readonly string[]
}

const known = new Map<string, Growth | undefined>()

/** Undefined if time grows with the text's length alone, as far as can be told. */
const growthOf = (regex: RegExp): Growth | undefined => getOrMake(known, String(regex), () => foundIn(regex))

const foundIn = (regex: RegExp): Growth | undefined => {
  const analysis = unlessUnknown(() => analyse(regex))
  if (analysis === undefined) return undefined
  const { parsed, reports } = analysis
  const overlapping = overlappingAlternatives(parsed.pattern, regex.flags)
  if (overlapping !== undefined) return { degree: Number.POSITIVE_INFINITY, parts: [overlapping] }
  const growth = worstOf(reports)
  if (growth !== undefined) return growth
  // Several long repetitions can be as slow as endless ones.
  const endless = withoutBounds(parsed.pattern)
  const worst = endless === regex.source ? undefined : foundIn(new RegExp(endless, regex.flags))
  return worst !== undefined && worst.degree > 2 ? { ...worst, parts: [] } : undefined
}

const worstOf = (reports: readonly Report[]): Growth | undefined => {
  const trades = reports.filter(each => each.type === 'Trade')
  const all = reports.map((each): Growth => {
    if (each.type !== 'Trade') {
      const { raw, max } = each.type === 'Self' ? each.parentQuant : { ...each.quant, max: 2 }
      return { degree: each.exponential ? Number.POSITIVE_INFINITY : max, parts: [raw] }
    }
    const { startQuant, endQuant } = each
    const degree = each.exponential ? Number.POSITIVE_INFINITY : tradingWith([startQuant, endQuant], trades)
    return { degree, parts: [startQuant.raw, endQuant.raw] }
  })
  return all.reduce<Growth | undefined>((worst, each) => (each.degree > (worst?.degree ?? 1) ? each : worst), undefined)
}

/** The size of a group of repetitions, these two included, any two of which can match the same text. */
const tradingWith = (some: readonly AST.Quantifier[], trades: readonly (Report & { type: 'Trade' })[]): number => {
  const isTrade = (one: AST.Quantifier, other: AST.Quantifier) =>
    trades.some(
      ({ startQuant, endQuant }) =>
        (startQuant === one && endQuant === other) || (startQuant === other && endQuant === one)
    )
  const all = [...some]
  for (const each of new Set(trades.flatMap(({ startQuant, endQuant }) => [startQuant, endQuant])))
    if (all.every(other => isTrade(each, other))) all.push(each)
  return all.length
}

/** The pattern without the upper bounds of long repetitions. */
const withoutBounds = (pattern: AST.Pattern): string => {
  const long = harmlessLength({ degree: 3, parts: [] })
  let { raw } = pattern
  visitRegExpAST(pattern, {
    onQuantifierLeave: ({ min, max, greedy, end }) => {
      if (max <= long || max === Number.POSITIVE_INFINITY) return
      const [from, to] = [raw.slice(0, raw.length - (pattern.end - end)), raw.slice(raw.length - (pattern.end - end))]
      raw = `${from.replace(/\{[^{}]*\}\??$/, `{${min},}${greedy ? '' : '?'}`)}${to}`
    }
  })
  return raw
}

/** Undefined for what the analysis does not support, such as lookarounds within repetitions or scripts of a later Unicode. */
const unlessUnknown = <Result>(analysis: () => Result): Result | undefined => {
  try {
    return analysis()
  } catch {
    return undefined
  }
}

/**
 * A repetition whose alternatives can begin with the same text, such as `(a|aa)+`, before something that may fail: a text then
 * has many readings, which are tried one after the other.
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
