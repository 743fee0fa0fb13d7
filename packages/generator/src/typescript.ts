import { createRequire } from 'node:module'
import type typescript from 'typescript'

// By `import`, Node.js would first search the nine megabytes of the compiler for ES module syntax and for the names that it exports.
export const ts: typeof typescript = createRequire(import.meta.url)('typescript')
