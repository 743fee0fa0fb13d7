import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The OpenAPI documents in a folder and its subfolders, by path relative to it; parts of other documents are none. */
export const documentsIn = (folder: string): string[] =>
  globSync('**/*.{yaml,yml,json}', { cwd: folder, exclude: ['**/node_modules/**', '**/.*/**'] })
    .filter(file => statSync(join(folder, file)).isFile() && isDocument(readFileSync(join(folder, file), 'utf8')))
    .sort()

/** At the top level of YAML a key begins its line; the first such key of a JSON text is taken for one. */
const isDocument = (text: string) =>
  /^\s*\{/.test(text) ? /"(?:openapi|swagger)"\s*:\s*"\d/.test(text) : /^["']?(?:openapi|swagger)["']?\s*:/m.test(text)
