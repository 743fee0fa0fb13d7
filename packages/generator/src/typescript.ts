import { createRequire } from 'node:module'
import type * as OpenApiTypescript from 'openapi-typescript'
import type typescript from 'typescript'

// By `import`, Node.js would first search the nine megabytes of the compiler for ES module syntax and for the names that it
// exports, and openapi-typescript's entry would load a linter: a quarter of the time that `generate` takes for a small contract.
const require = createRequire(import.meta.url)

export const ts: typeof typescript = require('typescript')

type OpenApi = typeof OpenApiTypescript

export const transformSchema: OpenApi['transformSchema'] = require('openapi-typescript/dist/transform/index.cjs')
export const transformSchemaObject: OpenApi['transformSchemaObject'] =
  require('openapi-typescript/dist/transform/schema-object.cjs').default
export const { astToString }: OpenApi = require('openapi-typescript/dist/lib/ts.cjs')
export const { resolveRef, scanDiscriminators }: OpenApi = require('openapi-typescript/dist/lib/utils.cjs')
