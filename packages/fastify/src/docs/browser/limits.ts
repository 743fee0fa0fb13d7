import type { Untyped } from './untyped.ts'

/** What a value must be beside its type, in words, with code between NULs, which no pattern has. */
export const limitsInWords = (schema: Untyped, text: (value: unknown) => string): string[] => {
  const { required = [], properties = {}, examples = [], example = examples[0] } = schema
  const code = (value: unknown) => `\0${text(value)}\0`
  const length = (from: unknown, to: unknown, one: string) => rangeInWords(from, to, one, String)
  const values = [schema.enum?.map(code).join(' ') ?? []].flat()
  const missing = required.filter((name: string) => !Object.hasOwn(properties, name))
  return [
    ...values.map(list => `one of ${list}`),
    ...('const' in schema && schema.const !== undefined ? [`always ${code(schema.const)}`] : []),
    ...length(schema.minLength, schema.maxLength, 'character'),
    ...(schema.pattern === undefined ? [] : [`matches ${code(schema.pattern)}`]),
    ...numbersInWords(schema, text),
    ...(schema.multipleOf === undefined ? [] : [`a multiple of ${text(schema.multipleOf)}`]),
    ...length(schema.minItems, schema.maxItems, 'item'),
    ...(schema.uniqueItems === true ? ['no item twice'] : []),
    ...length(schema.minProperties, schema.maxProperties, 'field'),
    ...missing.map((name: string) => `must have ${code(name)}`),
    ...(schema.default === undefined ? [] : [`default ${code(schema.default)}`]),
    ...(example === undefined || typeof example === 'object' ? [] : [`for example ${code(example)}`])
  ]
}

export const numbersInWords = (schema: Untyped, text: (value: unknown) => string): string[] => {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = schema
  // In OpenAPI 3.0, they are true or false.
  const [from, over] = above === true ? [undefined, minimum] : [minimum, above === false ? undefined : above]
  const [to, under] = below === true ? [undefined, maximum] : [maximum, below === false ? undefined : below]
  return [
    ...rangeInWords(from, to, '', text),
    ...(over === undefined ? [] : [`more than ${text(over)}`]),
    ...(under === undefined ? [] : [`less than ${text(under)}`])
  ]
}

/** From how many to how many. */
export const rangeInWords = (from: unknown, to: unknown, one: string, text: (value: unknown) => string): string[] => {
  const [least, most] = [from, to].map(value => (value === undefined ? undefined : text(value)))
  const unit = one === '' ? '' : ` ${one}${(most ?? least) === '1' ? '' : 's'}`
  if (least === undefined) return most === undefined ? [] : [`at most ${most}${unit}`]
  if (most === undefined) return least === '0' && one !== '' ? [] : [`at least ${least}${unit}`]
  if (least === most) return [`${least}${unit}`]
  return least === '0' && one !== '' ? [`at most ${most}${unit}`] : [`${least} to ${most}${unit}`]
}
