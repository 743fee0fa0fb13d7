// For this repository's own tools; may change without notice.

export { serializationOf } from './attributes.ts'
export { verdict } from './changes/version.ts'
export { type Credential, credentialOf, headerValue } from './live/credentials.ts'
export {
  basePathOf,
  contentsOf,
  type Operation,
  operationsOf,
  type Parameter,
  parameterName,
  responseOf
} from './operations/operations.ts'
export { jsonOf, nothingWritten, queryTexts, readingsOf, textOf, write } from './operations/parameters.ts'
export { isForm, type Reply, repliesOf, sentAs } from './samples/replies.ts'
export { type Sample, Samples, type Unfit } from './samples/samples.ts'
export type { Variant } from './samples/values.ts'
export { accepts } from './schema/accepts.ts'
export { canonical, type Direction } from './schema/schema.ts'
export { loadContract } from './shape.ts'
