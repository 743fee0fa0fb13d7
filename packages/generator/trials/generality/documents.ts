import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The relative paths of OpenAPI documents in a folder and its subfolders, without files that are parts of other documents. */
export const documentsIn = (folder: string): string[] =>
  globSync('**/*.{yaml,yml,json}', { cwd: folder, exclude: ['**/node_modules/**', '**/.*/**'] })
    .filter(file => statSync(join(folder, file)).isFile() && isDocument(readFileSync(join(folder, file), 'utf8')))
    .sort()

/** In JSON, the first such key is assumed to be at the top level; in YAML, keys at the top level are indented as the first line. */
const isDocument = (text: string) => {
  if (/^\s*\{/.test(text)) return /"(?:openapi|swagger)"\s*:\s*"\d/.test(text)
  const [, indentation = ''] = /^(?!---|%| *(?:#|$))( *)\S/m.exec(text) ?? []
  return new RegExp(`^${indentation}["']?(?:openapi|swagger)["']?\\s*:`, 'm').test(text)
}
