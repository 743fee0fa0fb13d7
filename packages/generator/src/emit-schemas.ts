/** The module that exports the schemas of requests and responses. */
export const emitSchemas = (requests: string, received: string): string =>
  [
    exportsOf(requests, 'Request', './request-schemas.ts'),
    exportsOf(received, 'Response', './received-schemas.ts'),
    int64
  ].join('\n\n')

// A separate export for each, so that bundlers can drop unused ones, with names that differ from those of types, so that
// both can be imported.
const exportsOf = (module: string, direction: string, file: string) => {
  // Not the flag `m`: in its view, other characters that a comment may contain also end a line.
  const names = [...module.matchAll(/(?<=^|\n)export const ([^\s:]+)/g)].map(
    ([, name]) => `${name} as ${name}${direction}`
  )
  return names.length === 0 ? '' : `export { ${names.join(', ')} } from ${JSON.stringify(file)}`
}

// ajv-formats accepts any integer as int64. The bounds of the range are not doubles, and JSON.stringify would even change
// the lower one, to -9223372036854776000.
const int64 = `
/**
 * The format \`int64\` for Ajv, \`new Ajv2020({ formats: { int64 } })\`: that of ajv-formats accepts any integer.
 * JavaScript does not write numbers beyond 2^53 exactly.
 */
export const int64 = {
  type: 'number',
  validate: (value: number): boolean => Number.isInteger(value) && Math.abs(value) < 2 ** 63
} as const
`
