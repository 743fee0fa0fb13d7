import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Verify } from '@contract-first/fastify'
import type { AnyHandler } from '../../../packages/fastify/src/operations/handlers.ts'
import { contractIn } from '../../../packages/generator/src/mock/contract-in.ts'
import { serviceOf } from '../../../packages/generator/trials/generality/generated-service.ts'

type Handlers = Readonly<Record<string, AnyHandler>>

/** Handlers that return examples, generated in a folder. */
export const examplesIn = async (folder: string): Promise<Handlers> =>
  (await import(pathToFileURL(join(folder, 'examples.js')).href)).examples

/** Starts what was generated in a folder. */
export const startIn = async (folder: string, examples: Handlers = {}) => {
  const contract = await contractIn(folder)
  const unwritten: AnyHandler = async () => ({ status: 501 })
  const handlers = Object.fromEntries(Object.keys(contract.operations).map(id => [id, examples[id] ?? unwritten]))
  const service = serviceOf(contract, { handlers, verify: anybody })
  const store = await service.openStore({ path: ':memory:' })
  return { contract, app: await service.build({ store }) }
}

const anybody: Verify = () => ({ id: 'bench', scopes: [] })
