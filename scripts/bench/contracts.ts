import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import type { Show } from '../../packages/fastify/src/commands/progress.ts'
import type { AnyOperation } from '../../packages/fastify/src/contract/contract.ts'
import { documentsIn } from '../../packages/generator/trials/generality/documents.ts'
import type { Usage } from '../../packages/generator/trials/generality/trial.ts'
import { contractFigures, contractVerdict } from './goals.ts'
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
    ['', 'operations', ...contractFigures],
    ...figures.map(({ name, operations, ...figures }) => [
      name,
      count(operations),
      ...contractFigures.map(each => {
        const { seconds, megabytes } = figures[each]
        return `${seconds.toFixed(1)} s, ${megabytes.toFixed(0)} MB`
      })
    ]),
    ...figures
      .slice(-1)
      .map(largest => [
        'goals of the largest',
        '',
        ...contractFigures.map(each => contractVerdict(each, largest[each]))
      ])
  ]
}

const measure = async (name: string, document: string, folder: string) => {
  cpSync(dirname(document), join(folder, 'openapi'), { recursive: true })
  const contract = join('openapi', basename(document))
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ type: 'module', generator: { contract, skipRefused: true } })
  )
  const generate = await generateIn(folder)
  changeOperation(join(folder, contract))
  const again = await generateIn(folder)
  const mock = await mockIn(folder, contract)

  const generated = join(folder, 'generated')
  const { operations } = await import(pathToFileURL(join(generated, 'operations.ts')).href)
  writeFileSync(join(generated, 'handlers.ts'), handlersOf(Object.values(operations)))
  const compile = await run<Usage & { failures: object[] }>(`${trials}/check-types.ts`, [generated])
  if (compile.failures.length > 0) throw new Error(`${document}: ${JSON.stringify(compile.failures[0])}`)
  const startOnce = () => run<Usage>('contracts/start.ts', [generated], join(folder, 'cache'))
  // The first start fills the cache.
  await startOnce()
  return {
    name,
    operations: generate.operations,
    generate,
    'generate again': again,
    mock,
    'compile handlers': compile,
    start: await startOnce()
  }
}

/** Changes the summary of one operation. */
const changeOperation = (document: string) => {
  const text = readFileSync(document, 'utf8')
  const changed = text.replace(/(["']?summary["']?\s*:\s*["']?)(?=\w)/, '$1Changed ')
  writeFileSync(document, changed)
}

const hook = join(import.meta.dirname, 'contracts/usage-at-exit.ts')
const generator = join(import.meta.dirname, '../../packages/generator/bin/generator.js')
const commandLine = ['--conditions=@contract-first/source', '--import', hook, generator]
const usageFile = (folder: string) => join(folder, 'usage.json')
const environment = (folder: string) => ({ ...process.env, USAGE: usageFile(folder) })
const usageIn = (folder: string): Usage => JSON.parse(readFileSync(usageFile(folder), 'utf8'))

/** Runs the command in a project; its time includes that of the formatter, which is another process. */
const generateIn = async (folder: string): Promise<Usage & { operations: number }> => {
  const words = ['-c', '"$@" && times', 'sh', process.execPath, ...commandLine, 'generate']
  const child = spawn('sh', words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env: environment(folder) })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  // The last line of `times` is that of the shell's children, which includes theirs: 0m6.120s 0m0.870s
  const spent = /(\d+)m([\d.]+)s (\d+)m([\d.]+)s\s*$/.exec(output)?.slice(1).map(Number)
  const [, operations] = /of (\d+) operations are served/.exec(errors) ?? []
  if (spent === undefined || operations === undefined) throw new Error(`${folder}: ${errors}`)
  const [minutes = 0, seconds = 0, minutesOfSystem = 0, secondsOfSystem = 0] = spent
  const total = (minutes + minutesOfSystem) * 60 + seconds + secondsOfSystem
  return { ...usageIn(folder), seconds: total, operations: Number(operations) }
}

/** Starts a mock, and ends it once it accepts requests. */
const mockIn = async (folder: string, contract: string): Promise<Usage> => {
  const words = [...commandLine, 'mock', contract, '--port', '0']
  const child = spawn(process.execPath, words, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environment(folder)
  })
  const closed = once(child, 'close')
  for await (const line of createInterface(child.stdout)) if (line.includes('operations at')) child.kill()
  await closed
  return usageIn(folder)
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
