import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import type { Show } from '../../packages/fastify/src/commands/progress.ts'
import type { AnyOperation } from '../../packages/fastify/src/contract/contract.ts'
import { documentsIn } from '../../packages/generator/trials/generality/documents.ts'
import type { Usage } from '../../packages/generator/trials/generality/trial.ts'
import { contractVerdicts } from './goals.ts'
import { count } from './report.ts'

const trials = '../../packages/generator/trials/generality'
const animals = join(import.meta.dirname, '../../openapi/petstore.yaml')

/** A table of what contracts cost: the Animal Store's, and large ones in a folder. */
export const measureContracts = async (documents: string, folder: string, show: Show): Promise<string[][]> => {
  const isLarge = (file: string) => (readFileSync(file, 'utf8').match(/["']?operationId["']?\s*:/g)?.length ?? 0) > 100
  const all = documentsIn(documents).map(name => join(documents, name))
  const figures: Awaited<ReturnType<typeof measure>>[] = []
  for (const [index, document] of [animals, ...all.filter(isLarge)].entries()) {
    const name = index === 0 ? 'Animal Store' : basename(dirname(document))
    show(`${name} …`)
    figures.push(await measure(name, document, join(folder, String(index))))
  }
  figures.sort((a, b) => a.operations - b.operations)
  return [
    ['', 'operations', 'generate', 'compile handlers', 'start'],
    ...figures.map(({ name, operations, generate, compile, start }) => [
      name,
      count(operations),
      ...[generate, compile, start].map(
        ({ seconds, megabytes }) => `${seconds.toFixed(1)} s, ${megabytes.toFixed(0)} MB`
      )
    ]),
    ...figures.slice(-1).map(largest => ['goals of the largest', '', ...contractVerdicts(largest)])
  ]
}

const measure = async (name: string, document: string, folder: string) => {
  const generate = await run<Usage & { operations: number }>('contracts/generate.ts', [document, folder])
  const { operations } = await import(pathToFileURL(join(folder, 'operations.ts')).href)
  writeFileSync(join(folder, 'handlers.ts'), handlersOf(Object.values(operations)))
  const compile = await run<Usage & { failures: object[] }>(`${trials}/check-types.ts`, [folder])
  if (compile.failures.length > 0) throw new Error(`${document}: ${JSON.stringify(compile.failures[0])}`)
  const startOnce = () => run<Usage>('contracts/start.ts', [folder], join(folder, 'cache'))
  // The first start fills the cache.
  await startOnce()
  return { name, operations: generate.operations, generate, compile, start: await startOnce() }
}

const handlersOf = (operations: readonly AnyOperation[]) => `
import type { Handlers } from ${JSON.stringify(join(import.meta.dirname, '../../packages/fastify/src/operations/handlers.ts'))}
import type { operations } from './operations.ts'
const unwritten = async (parts: unknown): Promise<never> => {
  throw new Error(String(parts))
}
export const handlers = {
${operations
  .filter(({ responses }) => !('501' in responses))
  .map(({ operationId, input }) => [JSON.stringify(operationId), Object.keys(input).join(', ')])
  .map(([id, parts]) => `  ${id}: ({ ${parts} }) => unwritten([${parts}])`)
  .join(',\n')}
} satisfies Handlers<typeof operations>
`

/** The output of a script. Each step is a process of its own, so that memory and time are its own. */
const run = async <Result>(script: string, args: string[], cache?: string): Promise<Result> => {
  const path = join(import.meta.dirname, script)
  // The options with which a project's scripts start the service.
  const flags = cache === undefined ? [] : ['--min-semi-space-size=8', '--max-semi-space-size=8']
  const all = ['--conditions=@contract-first/source', '--max-old-space-size=4096', ...flags, path, ...args]
  const child = spawn(process.execPath, all, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...(cache !== undefined && { NODE_COMPILE_CACHE: cache }) }
  })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  if (output.startsWith('{')) return JSON.parse(output) as Result
  throw new Error(`${script} ${args.join(' ')}: ${errors}`)
}
