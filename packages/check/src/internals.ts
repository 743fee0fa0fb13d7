// For this repository's own tools; may change without notice.

export { serializationOf } from './attributes.ts'
export { verdict } from './changes/version.ts'
export { type Credential, credentialOf, headerValue } from './live/credentials.ts'
export {
  basePathOf,
  contentsOf,
  declaredAs,
  type Field,
  type Operation,
  operationsOf,
  type Parameter,
  parameterName,
  responseOf
} from './operations/operations.ts'
export { jsonOf, nothingWritten, plainText, queryTexts, readingsOf, textOf, write } from './operations/parameters.ts'
export { examplesOf } from './samples/examples.ts'
export { isForm, sentAs } from './samples/media.ts'
export { type Reply, requiredHeaders } from './samples/replies.ts'
export { type Sample, Samples } from './samples/samples.ts'
export type { Variant } from './samples/values.ts'
export { accepts } from './schema/accepts.ts'
export { Lowerer } from './schema/lower.ts'
export { canonical, type Direction } from './schema/schema.ts'
export { loadContract } from './shape.ts'
