import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type Json } from '@contract-first/document'
import type { Reply } from './replies.ts'
import { start } from './stage.ts'
import type { Called, Generated, Usage } from './trial.ts'
import { handlersModule } from './typed-handlers.ts'
import { usage } from './usage.ts'

// Run with a document, the folder generated from it, and a seed: starts the service, calls its operations, and prints the
// results. Handlers that return the same responses are written to `handlers.ts`, for the compiler.

const mostCompiled = 2

const callOperations = async (document: string, folder: string, seed: number): Promise<Called & Usage> => {
  const stage = await start(folder)
  const started = usage()
  // Only now, so that the cost of the start does not include what the calls need.
  const [{ loadContract, operationsOf, canonical }, { Calls }, { JudgedSamples }, { Verdicts }, { limitsOf }] =
    await Promise.all([
      import('@contract-first/check/internals'),
      import('./calls.ts'),
      import('./judged-samples.ts'),
      import('./verdicts.ts'),
      import('../../../fastify/src/contract/contract.ts')
    ])
  // Operations with broken references are refused.
  const contract = loadContract(document, { mayBeBroken: true })
  const { operations, documents } = stage.contract
  const samples = new JudgedSamples(contract, seed)
  const options = { document: contract, samples, key: stage.key, limits: limitsOf(stage.contract) }
  const defaults = new Set(defaultsIn(JSON.parse(documents.json.toString())).map(canonical))
  const calls = new Calls(stage, options, new Verdicts(contract, samples, defaults))
  const { refused, unrouted } = JSON.parse(readFileSync(join(folder, 'generated.json'), 'utf8')) as Generated
  const served = new Map(Object.values(operations).map(each => [`${each.method} ${each.path}`, each.operationId]))
  for (const operation of operationsOf(contract)) {
    const operationId = served.get(operation.id.replace(/#.*/, ''))
    const { method, path, id } = operation
    // The route of a GET also serves its HEAD.
    if (unrouted.includes(id) || (method === 'HEAD' && served.has(`GET ${path.replace(/#.*/, '')}`))) continue
    if (operationId !== undefined && !refused.includes(operation.id)) await calls.exercise({ operation, operationId })
    else if (!refused.includes(operation.id)) calls.fail(operation, 'is neither served nor refused')
  }
  await stage.close()
  const returned = [...calls.replies].flatMap(([id, replies]) => {
    const entry = operations[id]
    const compiled = replies.toSorted(byExample).slice(0, mostCompiled)
    return entry === undefined ? [] : [[entry, compiled] as const]
  })
  writeFileSync(join(folder, 'handlers.ts'), handlersModule(new Map(returned)))
  return { ...calls.made, unfit: samples.unfit, start: started, ...usage() }
}

const byExample = (one: Reply, other: Reply) => Number(other.example !== undefined) - Number(one.example !== undefined)

const defaultsIn = (value: Json): Json[] => {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(defaultsIn)
  return isObject(value) && value.default !== undefined ? [value.default, ...inner] : inner
}

const [document = '', folder = '', seed = '1'] = process.argv.slice(2)
process.stdout.write(JSON.stringify(await callOperations(document, folder, Number(seed))))
