import { inJavaScript } from './pattern-dialects.ts'

interface Reading {
  regex: RegExp | undefined
  /** The expression in JavaScript's dialect, or what is written if it is of none. */
  source: string
  /** Why it is none. */
  reason?: string
}

const known = new Map<string, Reading>()

const read = (pattern: string): Reading => {
  const reading = known.get(pattern) ?? readingOf(pattern)
  known.set(pattern, reading)
  return reading
}

const readingOf = (pattern: string): Reading => {
  const { source, reason } = inJavaScript(pattern)
  if (reason !== undefined) return { regex: undefined, source: pattern, reason }
  const regex = compiled(source, 'u')
  if (regex !== undefined) return { regex, source }
  // Without the flag, these are letters.
  if (/\\[pP]|\\u\{/.test(source)) {
    const plain = withoutNeedlessEscapes(source)
    const property = source.match(/\\[pP]\{[^}]*\}/g)?.find(each => compiled(each, 'u') === undefined)
    return {
      regex: compiled(plain, 'u'),
      source: plain,
      ...(property && {
        reason: `${property} is not a property of JavaScript; write one, such as \\p{L} or \\p{Script=Latin}`
      })
    }
  }
  return { regex: compiled(source, ''), source }
}

/** What other dialects write in another way, such as `\A` or `(?i)^a`, as JavaScript has it. */
export const inEcmaScript = (pattern: string): string => read(pattern).source

/**
 * A pattern as JSON Schema recommends it, with the flag `u`, or as ECMA-262 has it without, if only that is valid;
 * undefined if neither is.
 */
export const regexOf = (pattern: string): RegExp | undefined => read(pattern).regex

/**
 * The same without the flag `u`, with which V8 has no engine for linear time; undefined if that might match other texts. It
 * does not where all that the pattern names are single units of UTF-16.
 */
export const withoutUnicodeFlag = (regex: RegExp): RegExp | undefined => {
  const { source } = regex
  const isOfLookup = /\(\?(?!:)|\\[pPkSWD1-9]|\[\^/.test(source)
  const isBeyond = /\\u(?:\{|[d-fD-F])|[^\0-\ud6ff]/.test(source)
  const hasDot = source
    .replace(/\\./gs, '')
    .replace(/\[[^\]]*\]/g, '')
    .includes('.')
  return isOfLookup || isBeyond || hasDot ? undefined : compiled(source, '')
}

/** Why a pattern has no regular expression, if there is more to say than that it is invalid. */
export const whyNoRegex = (pattern: string): string | undefined => read(pattern).reason

/** `\!` is an exclamation mark, which the flag `u` wants without the backslash. */
const withoutNeedlessEscapes = (source: string) => {
  let isInClass = false
  return source.replace(/\\(.)|[[\]]/gs, (all, escaped?: string) => {
    if (escaped === undefined) isInClass = all === '['
    else if (/[^\w^$\\.*+?()[\]{}|/]/.test(escaped) && !(isInClass && escaped === '-')) return escaped
    return all
  })
}

const compiled = (pattern: string, flags: string) => {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return undefined
  }
}
