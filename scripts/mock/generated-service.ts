import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type Contract,
  createService,
  idempotencyTable,
  keysTable,
  type Service,
  type Verify
} from '../../src/engine/index.ts'
import type { AnyHandler } from '../../src/engine/operations/handlers.ts'

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

/** A service of any contract, which keeps nothing. The compiler cannot know what its handlers return: the engine checks it. */
export const serviceOf = (
  contract: Contract,
  { handlers, verify }: { handlers: Readonly<Record<string, AnyHandler>>; verify: Verify }
): Service =>
  createService({
    name: 'service',
    realm: 'service',
    databasePath: ':memory:',
    schema: { applicationId: 0x54726961, migrations: [keysTable, idempotencyTable], counted: {}, tables: () => ({}) },
    load: async () => ({ contract, handlers: () => handlers as never, verifiers: () => verify })
  })
