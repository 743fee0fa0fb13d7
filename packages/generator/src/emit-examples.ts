import type { ExampleResponse } from '@contract-first/check'
import { key, type Literal, literal } from './code.ts'
import type { Contract } from './normalise.ts'

/** A module of handlers that return examples, for operations that are not written yet. */
export const emitExamples = async ({ document, operations }: Contract): Promise<Record<string, string>> => {
  // Loading it takes time, which projects without examples need not spend.
  const { exampleResponses } = await import('@contract-first/check')
  const served = new Set(operations.map(each => each.operationId))
  const examples = exampleResponses(document).filter(each => served.has(each.operationId))
  const members = examples.map(each => `${key(each.operationId)}: async () => (${literal(resultOf(each))})`)
  const types = examples.map(each => `readonly ${key(each.operationId)}: Example`)
  return {
    'examples.js': `export const examples = {\n${members.map(each => `  ${each}`).join(',\n')}\n}\n`,
    'examples.d.ts': `
/** Returns the contract's example of a response. Its type says nothing: the response is checked when it is sent. */
type Example = () => Promise<never>

/** In place of handlers that are not written yet: responses as the contract shows them, or made from its schemas. */
export declare const examples: {
${types.join('\n')}
}
`
  }
}

const resultOf = ({ status, headers, body, mediaType }: ExampleResponse): Literal => ({
  status,
  contentType: mediaType,
  headers: Object.keys(headers).length === 0 ? undefined : headers,
  body
})
