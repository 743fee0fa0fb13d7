import { readFileSync } from 'node:fs'
import { type LoadHookSync, registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

let isHooked = false

/**
 * Imports a file of a project. This file and its imports, even later ones, may be ES modules whatever the `type` in the
 * project's package.json: npm writes `commonjs` there, and Node.js warns if there is none.
 */
export const importModule = async (file: string) => {
  if (!isHooked) registerHooks({ load })
  isHooked = true
  const { href } = pathToFileURL(resolve(file))
  try {
    return await import(href)
  } catch (error) {
    // Node.js reports the place of a syntax error only when it reads the file as TypeScript.
    if (error instanceof SyntaxError && !/^file:|[ (]file:/m.test(error.stack ?? '')) await import(href + asTypeScript)
    throw error
  }
}

const asTypeScript = '?typescript'

const load: LoadHookSync = (url, context, nextLoad) => {
  if (url.endsWith(asTypeScript)) return nextLoad(url, { ...context, format: 'module-typescript' })
  const isOpen = context.format == null || context.format.startsWith('commonjs')
  const isImported = context.conditions.includes('import') && !url.includes('/node_modules/')
  if (!isOpen || !isImported || !/^file:.*\.[jt]s$/.test(url) || !hasModuleSyntax(url)) return nextLoad(url, context)
  return nextLoad(url, { ...context, format: url.endsWith('.ts') ? 'module-typescript' : 'module' })
}

// Excluded, because CommonJS can contain them as well: imports and exports of types, and calls of `import()`.
const hasModuleSyntax = (url: string) =>
  /^(?:export|import(?!\s*\())\b(?!\s+(?:type|interface|declare)\b)/m.test(readFileSync(fileURLToPath(url), 'utf8'))
