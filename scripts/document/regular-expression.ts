const known = new Map<string, RegExp | undefined>()

/** Other dialects can ignore case from the beginning on: `(?i)^a` is `(?i:^a)` here. */
export const inEcmaScript = (pattern: string) =>
  pattern.replace(/^\(\?i\)(.*)$/s, '(?i:$1)').replace(/^\^\(\?i\)([^|]*)$/s, '^(?i:$1)')

/**
 * A pattern as JSON Schema recommends it, with the flag `u`, or as ECMA-262 has it without, if only that is valid;
 * undefined if neither is.
 */
export const regexOf = (pattern: string): RegExp | undefined => {
  if (!known.has(pattern))
    known.set(pattern, compiled(inEcmaScript(pattern), 'u') ?? compiled(inEcmaScript(pattern), ''))
  return known.get(pattern)
}

const compiled = (pattern: string, flags: string) => {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return undefined
  }
}
