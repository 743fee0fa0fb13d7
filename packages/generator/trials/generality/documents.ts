import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The OpenAPI documents in a folder and its subfolders, by path relative to it; parts of other documents are none. */
export const documentsIn = (folder: string): string[] =>
  globSync('**/*.{yaml,yml,json}', { cwd: folder, exclude: ['**/node_modules/**', '**/.*/**'] })
    .filter(file => statSync(join(folder, file)).isFile() && isDocument(readFileSync(join(folder, file), 'utf8')))
    .sort()

/** The first such key of a JSON text is taken for one of the top level; in YAML, those have the indentation of the first line. */
const isDocument = (text: string) => {
  if (/^\s*\{/.test(text)) return /"(?:openapi|swagger)"\s*:\s*"\d/.test(text)
  const [, indentation = ''] = /^(?!---|%| *(?:#|$))( *)\S/m.exec(text) ?? []
  return new RegExp(`^${indentation}["']?(?:openapi|swagger)["']?\\s*:`, 'm').test(text)
}
