import type { JsonObject } from '@contract-first/document'
import { testOfFormat } from '@contract-first/formats'
import { sentMedia } from './client-media.ts'
import { literal, typeIndex } from './code.ts'
import { datePlaces } from './integer-places.ts'
import { Identifiers } from './names.ts'
import type { Contract, Operation } from './normalise.ts'
import type { Parameter } from './parameters.ts'
import type { Report } from './problems.ts'
import { derive } from './read.ts'
import { schemaModule } from './schema-module.ts'

interface Call {
  operation: Operation
  /** Its parameters, by their names in the input. */
  inputs: readonly { name: string; required: boolean; parameter: Parameter }[]
  /** Its operationId in camel case. */
  words: string
}

/** Validators for forms: of the input of each operation, and of its body. */
export const emitValidators = (contract: Contract, calls: readonly Call[], report: Report) => {
  const requests = schemaModule(contract, 'request', 'requests', report, { hasTexts: false })
  const hasFormat = contract.schemas.containing(
    ({ format }) => typeof format === 'string' && testOfFormat(format) !== undefined
  )
  const dates = datePlaces(contract.schemas)
  const identifiers = new Identifiers()
  const withDates = (schema: JsonObject, validator: string) => {
    const places = contract.hasDates ? literal(dates.of(schema)) : '{}'
    return places === '{}' ? validator : `dates.checking(${validator}, ${places})`
  }
  const validators = calls.flatMap(({ operation, inputs, words }) => {
    const { operationId, body, written } = operation
    const sent = body && sentMedia(body)
    const checked = sent?.kind === 'text' ? undefined : sent?.schema
    const type = `client.Inputs<I>[${typeIndex(operationId)}]`
    const validator = (kind: 'Body' | 'Input', type: string, schema: JsonObject) => `
/** The ${kind.toLowerCase()} of \`${operationId.replaceAll('*/', '*\\/')}\`. */
export const ${identifiers.of(operationId + kind, words + kind)} = <I extends client.Int64 = 'number'>(
  options?: core.ValidatorOptions<I>
): core.Validator<${type}> =>
  ${withDates(schema, `core.validator(${literal(requests.use(schema))}, options${hasFormat(schema) ? ', testOfFormat' : ''})`)} as never`
    const members: [string, JsonObject, boolean][] = [
      ...inputs.map(({ name, required, parameter: { schema } }): [string, JsonObject, boolean] => [
        name,
        schema,
        required
      ]),
      ...(body === undefined ? [] : [['body', checked ?? {}, body.required] as [string, JsonObject, boolean]])
    ]
    if (members.length === 0) return []
    const properties = derive(Object.fromEntries(members.map(([name, schema]) => [name, schema])), written)
    const required = members.flatMap(([name, , isRequired]) => (isRequired ? [name] : []))
    const whole = { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false }
    return [
      ...(checked === undefined ? [] : [validator('Body', `NonNullable<${type}['body']>`, checked)]),
      validator('Input', type, derive(whole, written))
    ]
  })
  const imports = [
    "import type * as client from './client.ts'",
    ...(contract.hasDates ? ["import * as dates from './client-dates.ts'"] : []),
    ...(validators.some(each => each.includes(', testOfFormat)'))
      ? ["import { testOfFormat } from './mock-formats.ts'"]
      : []),
    requests.imported('./validator-schemas.ts').trim(),
    "import * as core from './validator-core.ts'"
  ]
  return {
    'validators.ts': `
${imports.join('\n')}

${dates.constants()}

export type { Broken, Entered, Issue, Validator, ValidatorOptions } from './validator-core.ts'
${validators.join('\n')}
`,
    'validator-schemas.ts': requests.text() || 'export {}'
  }
}
