import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { docsPrefixOf } from '../../src/engine/docs/docs-prefix.ts'
import { type Contract, createService, keysTable } from '../../src/engine/index.ts'
import { parseJson } from '../../src/engine/operations/json.ts'
import { mockOf } from '../demo/mock.ts'
import type { Problem } from '../document/load-error.ts'
import { derive, Outcome } from '../generate/generate.ts'
import { ContractError, Report } from '../generate/problems.ts'
import type { Trial } from './trial.ts'

// Run with a document and an empty folder as arguments; prints a Trial as JSON. A process of its own, for its memory and
// its time.

/** Generates from a document, and starts what was generated, with examples in place of handlers. */
const tryDocument = async (document: string, folder: string): Promise<Trial> => {
  const report = new Report()
  const reasons = (problems: readonly Problem[]) => problems.map(({ message }) => message)
  const trial: Trial = { operations: 0, refused: 0, refusals: [], carried: [], seconds: 0, megabytes: 0 }
  const outcome = new Outcome()
  try {
    const files = await derive(document, report, outcome)
    mkdirSync(folder, { recursive: true })
    for (const [name, text] of files) writeFileSync(join(folder, name), text)
    await start(folder, files)
  } catch (error) {
    if (error instanceof ContractError) trial.refusals.push(reasons(error.problems))
    trial.failure = (error as Error).message
  }
  trial.operations = outcome.operations
  trial.refused = outcome.refused.length
  trial.refusals.push(...outcome.refused.map(({ problems }) => reasons(problems)))
  trial.carried = reasons(report.carried)
  const { user, system } = process.cpuUsage()
  return { ...trial, seconds: (user + system) / 1e6, megabytes: process.resourceUsage().maxRSS / 1024 }
}

const start = async (folder: string, files: ReadonlyMap<string, string>) => {
  const { basePath, limits, operations, securitySchemes } = await import(
    pathToFileURL(join(folder, 'operations.ts')).href
  )
  const { compiled } = await import(pathToFileURL(join(folder, 'compiled.js')).href)
  const json = Buffer.from(files.get('openapi.json') ?? '')
  const documents = { yaml: json, json, changelog: Buffer.from(files.get('CHANGELOG.md') ?? '') }
  const contract: Contract = { basePath, limits, operations, compiled, securitySchemes, documents }
  const service = createService({
    name: 'Trial',
    realm: 'trial',
    databasePath: 'trial.db',
    schema: { applicationId: 0x54726961, migrations: [keysTable], counted: {}, tables: () => ({}) },
    load: async () => ({ contract, handlers: () => ({}) })
  })
  const store = await service.openStore({ path: ':memory:' })
  const app = await service.build({ store, mock: mockOf(parseJson(json), AbortSignal.abort()) })
  try {
    await app.ready()
    const url = `${docsPrefixOf(contract)}/openapi.json`
    const { statusCode } = await app.inject(url)
    if (statusCode !== 200) throw new Error(`it starts, but ${url} gets ${statusCode}`)
  } finally {
    await app.close()
    await store.close()
  }
}

const [document = '', folder = ''] = process.argv.slice(2)
process.stdout.write(JSON.stringify(await tryDocument(document, folder)))
