import { contractOf } from '@contract-first/fastify'
import { compiled } from '../generated/compiled.js'
import * as generated from '../generated/operations.ts'

export { handlers } from './handlers/index.ts'

/** What is generated from the contract, and the documents to publish. */
export const contract = contractOf(
  { ...generated, compiled },
  {
    contract: new URL('../openapi/openapi.yaml', import.meta.url),
    generated: new URL('../generated/', import.meta.url)
  }
)
