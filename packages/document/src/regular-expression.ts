import { inJavaScript } from './pattern-dialects.ts'

interface Reading {
  regex: RegExp | undefined
  /** The expression in JavaScript's dialect; as written if it cannot be translated. */
  source: string
  /** Why it is not valid. */
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
  // Without the flag `u`, these would match letters.
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
  const plain = compiled(source, '')
  const lacksFlags = plain === undefined && /\(\?[ims-]+:/.test(source) && compiled('(?i:a)', '') === undefined
  return {
    regex: plain,
    source,
    ...(lacksFlags && { reason: 'flags for a part of a pattern, as in (?i:…), need Node.js 24 or newer' })
  }
}

/** The pattern in JavaScript's dialect: others have `\A` or `(?i)^a`, for example. */
export const inEcmaScript = (pattern: string): string => read(pattern).source

/**
 * The regular expression of a pattern, with the flag `u` as JSON Schema recommends, or without it if it is only valid so;
 * undefined if it is not valid at all.
 */
export const regexOf = (pattern: string): RegExp | undefined => read(pattern).regex

/**
 * The same without the flag `u`, which V8's linear-time engine does not support; undefined if that might change what it matches.
 * Nothing changes if all characters in the pattern are single UTF-16 units.
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

/** Removes backslashes as in `\!`, which the flag `u` does not allow. */
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
