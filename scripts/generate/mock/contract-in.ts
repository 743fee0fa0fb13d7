import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Contract } from '../../../src/engine/index.ts'

/** What was generated in a folder. */
export const contractIn = async (folder: string): Promise<Contract> => {
  const imported = (name: string) => import(pathToFileURL(join(folder, name)).href)
  const [{ basePath, limits, operations, securitySchemes }, { compiled }] = await Promise.all([
    imported('operations.ts'),
    imported('compiled.js')
  ])
  const json = readFileSync(join(folder, 'openapi.json'))
  const documents = { yaml: json, json, changelog: readFileSync(join(folder, 'CHANGELOG.md')) }
  return { basePath, limits, operations, compiled, securitySchemes, documents }
}
