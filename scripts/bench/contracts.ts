import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { loadDocument, sourcesOf } from '../../packages/document/src/index.ts'
import type { Show } from '../../packages/fastify/src/commands/progress.ts'
import type { AnyOperation } from '../../packages/fastify/src/contract/contract.ts'
import { documentsIn } from '../../packages/generator/trials/generality/documents.ts'
import type { Usage } from '../../packages/generator/trials/generality/trial.ts'
import { packages } from '../packages.ts'
import { type ContractFigure, contractFigures, contractVerdict } from './goals.ts'
import { count } from './report.ts'
import { projectFolder } from './servers.ts'

const petstore = join(projectFolder, 'openapi/petstore.yaml')

/** The contracts that are measured: the Animal Store's, and large ones in a folder. */
export const contractsIn = (documents: string) => {
  const isLarge = (file: string) => sourcesOf(loadDocument(file, { mayBeBroken: true })).flatMap(idsIn).length > 100
  const all = documentsIn(documents).map(name => resolve(documents, name))
  const large = all.filter(isLarge).map(document => ({ name: basename(dirname(document)), document }))
  return [{ name: 'Animal Store', document: petstore }, ...large]
}

const idsIn = ({ path }: { path: string }) => readFileSync(path, 'utf8').match(/["']?operationId["']?\s*:/g) ?? []

/** A table of what contracts cost. */
export const measureContracts = async (documents: string, folder: string, show: Show): Promise<string[][]> => {
  const figures: ({ name: string; operations: number; types: Usage } & Record<ContractFigure, Usage>)[] = []
  for (const [index, { name, document }] of contractsIn(documents).entries()) {
    show(`${name} …`)
    const own = join(folder, String(index))
    const steps = stepsOf(document, own)
    const generate = await steps.generate()
    figures.push({
      name,
      operations: generate.operations,
      types: await typesOf(document, own),
      generate,
      'generate again': await steps['generate again'](),
      mock: await steps.mock(),
      new: await steps.new(),
      'compile handlers': await steps['compile handlers'](),
      start: await steps.start(),
      generality: await steps.generality()
    })
  }
  figures.sort((a, b) => a.operations - b.operations)
  return [
    ['', 'operations', 'openapi-typescript', ...contractFigures],
    ...figures.map(({ name, operations, types, ...figures }) => [
      name,
      count(operations),
      usageText(types),
      ...contractFigures.map(each => usageText(figures[each]))
    ]),
    ['goals of the largest', '', '', ...contractFigures.map(each => contractVerdict(each, figures))]
  ]
}

const usageText = ({ seconds, megabytes }: Usage) => `${seconds.toFixed(1)} s, ${megabytes.toFixed(0)} MB`

/** What is measured of a contract, in this order in a folder of its own, by the code of a checkout of this project. */
export const stepsOf = (document: string, folder: string, checkout = projectFolder) => {
  const contract = join('openapi', basename(document))
  const generated = join(folder, 'generated')
  const compile = async () => {
    const { operations } = await import(pathToFileURL(join(generated, 'operations.ts')).href)
    writeFileSync(join(generated, 'handlers.ts'), handlersOf(Object.values(operations), checkout))
    const script = join(checkout, 'packages/generator/trials/generality/check-types.ts')
    const { failures, ...usage } = await run<Usage & { failures: object[] }>(script, [generated])
    if (failures.length > 0) throw new Error(`${document}: ${JSON.stringify(failures[0])}`)
    return usage
  }
  const startOnce = () =>
    run<Usage>(join(checkout, 'scripts/bench/contracts/start.ts'), [generated], join(folder, 'cache'))
  return {
    generate: () => {
      rmSync(folder, { recursive: true, force: true })
      cpSync(dirname(document), join(folder, 'openapi'), { recursive: true })
      // As in a project, where the generator is installed.
      mkdirSync(join(folder, 'node_modules'))
      const manifest = { type: 'module', generator: { contract, skipRefused: true } }
      writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
      return generateIn(folder, checkout)
    },
    'generate again': () => {
      changeOperation(join(folder, contract))
      return generateIn(folder, checkout)
    },
    mock: () => mockIn(folder, contract, checkout),
    new: () => newIn(folder, document, checkout),
    'compile handlers': compile,
    // The first start fills the cache.
    start: () => startOnce().then(startOnce),
    generality: () => generalityOf(document, join(folder, 'generality'), checkout)
  } satisfies Record<ContractFigure, () => Promise<Usage>>
}

/** Changes the summary of one operation. */
const changeOperation = (document: string) => {
  const text = readFileSync(document, 'utf8')
  const changed = text.replace(/(["']?summary["']?\s*:\s*["']?)(?=\w)/, '$1Changed ')
  writeFileSync(document, changed)
}

const hook = join(import.meta.dirname, 'contracts/usage-at-exit.ts')
const options = ['--conditions=@contract-first/source', '--import', hook]
const generator = (checkout: string) => join(checkout, 'packages/generator/bin/generator.js')
const usageFile = (folder: string) => join(folder, 'usage.json')
const environment = (folder: string) => ({ ...process.env, USAGE: usageFile(folder) })
const usageIn = (folder: string): Usage => JSON.parse(readFileSync(usageFile(folder), 'utf8'))

/** Runs a program in a folder; its time includes that of the processes that it starts. */
const runIn = async (folder: string, ...program: string[]): Promise<{ usage: Usage; errors: string }> => {
  const words = ['-c', '"$@" && times', 'sh', process.execPath, ...options, ...program]
  const child = spawn('sh', words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env: environment(folder) })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  // The last line of `times` is that of the shell's children, which includes theirs: 0m6.120s 0m0.870s
  const spent = /(\d+)m([\d.]+)s (\d+)m([\d.]+)s\s*$/.exec(output)?.slice(1).map(Number)
  if (spent === undefined) throw new Error(`${folder}: ${errors}`)
  const [minutes = 0, seconds = 0, minutesOfSystem = 0, secondsOfSystem = 0] = spent
  const total = (minutes + minutesOfSystem) * 60 + seconds + secondsOfSystem
  return { usage: { ...usageIn(folder), seconds: total }, errors }
}

const generateIn = async (folder: string, checkout: string): Promise<Usage & { operations: number }> => {
  const { usage, errors } = await runIn(folder, generator(checkout), 'generate')
  const [, operations] = /of (\d+) operations are served/.exec(errors) ?? []
  if (operations === undefined) throw new Error(`${folder}: ${errors}`)
  return { ...usage, operations: Number(operations) }
}

/** Makes the types of clients with another generator, to show how fast the machine is. */
const typesOf = async (document: string, folder: string): Promise<Usage> => {
  const cli = join(projectFolder, 'node_modules/openapi-typescript/bin/cli.js')
  const { usage } = await runIn(folder, cli, document, '--output', 'types.d.ts')
  return usage
}

/** Makes a project that depends on archives of our packages, whose code is left out, as only its installation would need it. */
const newIn = async (folder: string, document: string, checkout: string): Promise<Usage> => {
  const archives = join(folder, '../packages')
  const words = ['new', 'new', '--contract', document, '--skip-refused', '--packages', archives]
  const make = () => {
    rmSync(join(folder, 'new'), { recursive: true, force: true })
    return runIn(folder, generator(checkout), ...words)
  }
  if (!existsSync(archives)) {
    mkdirSync(archives)
    const own = packages.map(each => `--workspace=packages/${each}`)
    const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', archives, ...own]
    execFileSync('npm', pack, { cwd: projectFolder, stdio: 'pipe' })
    // The first project chooses the versions of what all of them depend on.
    await make()
  }
  return (await make()).usage
}

/** What `npm run generality` does with a document. */
const generalityOf = async (document: string, folder: string, checkout: string): Promise<Usage> => {
  const script = join(checkout, 'packages/generator/trials/generality/try-document.ts')
  const { tryDocument }: typeof import('../../packages/generator/trials/generality/try-document.ts') = await import(
    pathToFileURL(script).href
  )
  const { failure, generated, called, typed } = await tryDocument(document, folder, 1)
  if (failure !== undefined || !called || !typed) throw new Error(`${document}: ${failure}`)
  const steps = [generated, called, typed]
  return {
    seconds: steps.reduce((sum, each) => sum + each.seconds, 0),
    megabytes: Math.max(...steps.map(each => each.megabytes))
  }
}

/** Starts a mock, and ends it once it accepts requests. */
const mockIn = async (folder: string, contract: string, checkout: string): Promise<Usage> => {
  const child = spawn(process.execPath, [...options, generator(checkout), 'mock', contract, '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environment(folder)
  })
  const closed = once(child, 'close')
  for await (const line of createInterface(child.stdout)) if (line.includes('operations at')) child.kill()
  await closed
  return usageIn(folder)
}

const handlersOf = (operations: readonly AnyOperation[], checkout: string) => `
import type { Handlers } from ${JSON.stringify(join(checkout, 'packages/fastify/src/operations/handlers.ts'))}
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
  // The options with which a project's scripts start the service.
  const flags = cache === undefined ? [] : ['--min-semi-space-size=8', '--max-semi-space-size=8']
  const all = ['--conditions=@contract-first/source', '--max-old-space-size=4096', ...flags, script, ...args]
  const child = spawn(process.execPath, all, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...(cache !== undefined && { NODE_COMPILE_CACHE: cache }) }
  })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  if (output.startsWith('{')) return JSON.parse(output) as Result
  throw new Error(`${script} ${args.join(' ')}: ${errors}`)
}
