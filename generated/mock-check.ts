// Copied from @contract-first/generator/package/mock-check.ts by `npm run generate`: do not edit it.

import { testOfFormat } from './mock-formats.ts'
import { Check, resolved, type Schema, type TargetOf, words } from './schema-check.ts'

/** The first violation in a value, as a text that starts with `at`; undefined if it is valid. Integers may be bigints. */
export const violation = (
  schema: Schema,
  value: unknown,
  at: string,
  targetOf: TargetOf = reference => resolved(schema, reference)
): string | undefined => {
  const [first] = new Check(targetOf, testOfFormat).of(schema, value)
  if (first === undefined) return undefined
  const { path, rule, limit } = first
  const place = path.map(each => (typeof each === 'number' ? `[${each}]` : `.${each}`)).join('')
  return `${at}${place} ${(technical[rule] ?? words[rule])?.(limit as never)}`
}

/** What developers want to know. */
const technical: typeof words = {
  type: (types: string[]) => `must be of type ${types.join(' or ')}`,
  exact: (value: number) => `is ${value}, which a number does not hold exactly; use a bigint`,
  enum: () => 'is not in the list',
  format: (name: string) => `must be ${/^int/.test(name) ? 'an' : 'of the format'} ${name}`,
  pattern: (pattern: string) => `must match ${pattern}`,
  propertyNames: () => 'has a name that is not allowed',
  contains: (count: number) => `has ${count} such items`,
  anyOf: () => 'is none of the variants',
  oneOf: () => 'must be exactly one of the variants',
  not: () => 'is excluded'
}
