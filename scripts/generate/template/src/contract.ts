import { readFileSync } from 'node:fs'
import type { Contract } from '@animal-store/engine'
import { compiled } from '../generated/compiled.js'
import { basePath, limits, operations, securitySchemes } from '../generated/operations.ts'

export { handlers } from './handlers/index.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url))

/** What is generated from the contract, and the documents to publish. */
export const contract = {
  basePath,
  compiled,
  limits,
  operations,
  securitySchemes,
  documents: {
    yaml: read('openapi/openapi.yaml'),
    json: read('generated/openapi.json'),
    changelog: read('generated/CHANGELOG.md')
  }
} satisfies Contract
