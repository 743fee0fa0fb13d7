import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { isObject, type JsonObject, jsonText, jsonValue } from '@contract-first/document'
import { parse } from 'yaml'
import type { AnyOperation } from '../../packages/fastify/src/contract/contract.ts'
import { documentsIn } from '../../packages/generator/trials/generality/documents.ts'
import type { Usage } from '../../packages/generator/trials/generality/trial.ts'
import { examplesIn } from './contracts/start.ts'
import { quantile } from './measure.ts'

/** What a contract costs. */
export interface ContractFigures {
  name: string
  operations: number
  generate: Usage
  /** Of the compiler, for a handler of each operation. */
  types: Usage
  /** Up to the first response, with a compile cache. */
  start: Usage
  request: {
    cpuUs: number
    /** To the same request, where the contract has only four operations. */
    ratio: number
  }
}

/** The Animal Store's contract, and all in a folder with more than `least` operations. */
export const measureContracts = async (
  documents: string,
  folder: string,
  rounds: number,
  show: (text: string) => void,
  least = 100
): Promise<ContractFigures[]> => {
  const animals = join(import.meta.dirname, '../../openapi/petstore.yaml')
  const large = documentsIn(documents)
    .map(name => join(documents, name))
    .filter(file => (readFileSync(file, 'utf8').match(/["']?operationId["']?\s*:/g)?.length ?? 0) > least)
  const figures: ContractFigures[] = []
  for (const [index, document] of [animals, ...large].entries()) {
    const name = index === 0 ? 'Animal Store' : basename(dirname(document))
    show(`${name} …`)
    figures.push({ name, ...(await measure(document, join(folder, String(index)), rounds)) })
  }
  return figures.toSorted((a, b) => a.operations - b.operations)
}

const measure = async (document: string, folder: string, rounds: number): Promise<Omit<ContractFigures, 'name'>> => {
  const generate = await run<Usage & { operations: number }>('contracts/generate.ts', [document, folder])
  const { basePath, operations } = await import(pathToFileURL(join(folder, 'operations.ts')).href)
  const all = Object.values(operations as Record<string, AnyOperation>)
  writeFileSync(join(folder, 'handlers.ts'), handlersOf(all))
  const types = await run<Usage & { failures: object[] }>('../generality/check-types.ts', [folder])
  if (types.failures.length > 0) throw new Error(`${document}: ${JSON.stringify(types.failures[0])}`)
  // The first start fills the cache.
  const cache = { NODE_COMPILE_CACHE: join(folder, 'cache') }
  const startOnce = () => run<Usage>('contracts/first-response.ts', [folder], asStarted, cache)
  await startOnce()
  const start = await startOnce()
  return {
    operations: generate.operations,
    generate,
    types,
    start,
    request: await measureRequest(document, folder, all, basePath, rounds)
  }
}

/** As the scripts of a project start it. */
const asStarted = ['--min-semi-space-size=8', '--max-semi-space-size=8']

const handlersOf = (operations: readonly AnyOperation[]) => `
import type { Handlers } from ${JSON.stringify(join(import.meta.dirname, '../../packages/fastify/src/operations/handlers.ts'))}
import type { operations } from './operations.ts'
const unwritten = async (parts: unknown): Promise<never> => {
  throw new Error(String(parts))
}
export const handlers = {
${operations
  .filter(each => !('501' in each.responses))
  .map(
    ({ operationId, input }) =>
      `  ${JSON.stringify(operationId)}: ({ ${Object.keys(input).join(', ')} }) => unwritten([${Object.keys(input).join(', ')}])`
  )
  .join(',\n')}
} satisfies Handlers<typeof operations>
`

/** Requests to an operation without parameters, where there are all others, and where there are at most a few. */
const measureRequest = async (
  document: string,
  folder: string,
  all: readonly AnyOperation[],
  basePath: string,
  rounds: number
) => {
  const isSimple = ({ method, path, input }: AnyOperation) =>
    method === 'GET' && !path.includes('{') && input.query.required === undefined && input.headers === undefined
  const few = [...all.filter(isSimple), ...all].slice(0, 4)
  const small = `${folder}-small`
  const source = readFileSync(document, 'utf8')
  const written = (
    source.trimStart().startsWith('{') ? jsonValue(source) : parse(source, { intAsBigInt: true })
  ) as JsonObject
  const paths = isObject(written.paths) ? written.paths : {}
  const kept = Object.entries(paths).filter(([key]) => few.some(({ path }) => path === key))
  writeFileSync(`${small}.json`, jsonText({ ...written, paths: Object.fromEntries(kept) }))
  await run('contracts/generate.ts', [`${small}.json`, small, 'examples'])
  const examples = await examplesIn(small)
  const asked = few.find(each => isSimple(each) && each.operationId in examples)
  if (asked === undefined) throw new Error(`${document} has no operation that can be called without parameters`)
  const url = (asked.basePath ?? basePath) + asked.url
  const cpuUsIn = async (each: string) =>
    (await run<{ cpuUs: number }>('contracts/requests.ts', [each, small, url, String(rounds)])).cpuUs
  // In processes of their own, in turn: the same code is a little faster or slower in each.
  const times: [number, number][] = []
  for (let process = 0; process < processes; process++) times.push([await cpuUsIn(folder), await cpuUsIn(small)])
  const middle = (values: number[]) => quantile(values, 0.5)
  return { cpuUs: middle(times.map(([own]) => own)), ratio: middle(times.map(([own, few]) => own / few)) }
}
const processes = 3

/** What a process prints: each step is one of its own, for its memory and its time. */
const run = async <Result>(
  script: string,
  args: string[],
  flags: string[] = [],
  env: NodeJS.ProcessEnv = {}
): Promise<Result> => {
  const path = join(import.meta.dirname, script)
  const child = spawn(process.execPath, ['--max-old-space-size=4096', ...flags, path, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env }
  })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  if (output.startsWith('{')) return JSON.parse(output) as Result
  throw new Error(`${script} ${args.join(' ')}: ${errors}`)
}

/** For the largest contract. */
export const contractGoals = ({ generate, types, start, request }: ContractFigures) => [
  { text: 'generate in at most 10 s', isMet: generate.seconds <= 10 },
  { text: 'compile in at most 10 s and 500 MB', isMet: types.seconds <= 10 && types.megabytes <= 500 },
  { text: 'start in at most 1.5 s and 200 MB', isMet: start.seconds <= 1.5 && start.megabytes <= 200 },
  { text: 'at most 1.1 times the CPU per request of four operations', isMet: request.ratio <= 1.1 }
]
