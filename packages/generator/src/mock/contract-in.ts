import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Contract, contractOf } from '@contract-first/fastify'

/** What was generated in a folder. */
export const contractIn = async (folder: string): Promise<Contract> => {
  const generated = pathToFileURL(join(folder, '/'))
  const imported = (name: string) => import(new URL(name, generated).href)
  const [{ basePath, limits, operations, securitySchemes }, { compiled }] = await Promise.all([
    imported('operations.ts'),
    imported('compiled.js')
  ])
  return contractOf(
    { basePath, limits, operations, securitySchemes, compiled },
    { contract: new URL('openapi.json', generated), generated }
  )
}
