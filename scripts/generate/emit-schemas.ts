/** The module that offers the schemas to others, of the modules that hold those of requests and of answers. */
export const emitSchemas = (requests: string, received: string): string =>
  [
    offered(requests, 'Request', './request-schemas.ts'),
    offered(received, 'Response', './received-schemas.ts'),
    int64
  ].join('\n\n')

// One name each instead of one object of all, so that a bundler takes what is used; and none that a type has, so that
// both may be imported.
const offered = (module: string, direction: string, file: string) => {
  const names = [...module.matchAll(/^export const (\S+) =/gm)].map(([, name]) => `${name} as ${name}${direction}`)
  return names.length === 0 ? '' : `export { ${names.join(', ')} } from ${JSON.stringify(file)}`
}

// ajv-formats takes any integer for an int64. The ends of the range are no doubles, and the lower one would not be sent as
// itself either: to JSON.stringify it is -9223372036854776000.
const int64 = `
/**
 * The format \`int64\` for Ajv, \`new Ajv2020({ formats: { int64 } })\`: that of ajv-formats takes any integer.
 * A number beyond 2^53 is sent as JavaScript writes it, which is not to the last digit.
 */
export const int64 = {
  type: 'number',
  validate: (value: number): boolean => Number.isInteger(value) && Math.abs(value) < 2 ** 63
} as const
`
