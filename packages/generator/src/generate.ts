import { basename } from 'node:path'
import { type JsonObject, jsonText } from '@contract-first/document'
import { bundle } from './bundle.ts'
import { complete } from './complete.ts'
import { emitChangelog } from './emit-changelog.ts'
import { emitClient, fixedParts, warnOfOmittedOperations } from './emit-client.ts'
import { emitCompiled } from './emit-compiled.ts'
import { emitEnums } from './emit-enums.ts'
import { emitExamples } from './emit-examples.ts'
import { emitIndex } from './emit-index.ts'
import { emitOperations } from './emit-operations.ts'
import { emitPackage, type Naming } from './emit-package.ts'
import { emitSchemas } from './emit-schemas.ts'
import { emitClientTypes, emitServiceTypes } from './emit-types.ts'
import { formatted, type Present } from './format.ts'
import { warnOfMissingStatuses, warnOfSmallBodies } from './missing-statuses.ts'
import { type Contract, normalise } from './normalise.ts'
import { ContractError, Report } from './problems.ts'
import { showStep } from './progress.ts'
import { countOperations, type RefusedOperation, refusedOperations, withoutRefused } from './refused-operations.ts'
import { checkRules } from './rules.ts'
import { expandSharedHeaders } from './shared-headers.ts'

export type { Naming } from './emit-package.ts'

/** Reads a contract into the form that everything is generated from; problems and warnings are added to the report. */
export const readContract = (entry: string, report: Report): Contract => {
  const contract = check(bundle(entry, report), report)
  warnOfMissingStatuses(contract, report)
  warnOfSmallBodies(contract, report)
  return contract
}

const check = (document: JsonObject, report: Report): Contract => {
  showStep('checking the contract')
  complete(document, report)
  checkRules(document, report)
  expandSharedHeaders(document)
  return normalise(document, report)
}

/** How many operations a contract has, and which of them are not served. */
export class Outcome {
  operations = 0
  readonly refused: RefusedOperation[] = []
  /** Operations whose requests reach another one, so that they are documentation only: `get /pets#all`. */
  unrouted: readonly string[] = []
}

/**
 * Reads a contract and emits the modules that can still report problems; those for clients unless `hasClient` is false. With an
 * `outcome`, operations with problems are added to it, and replaced by stand-ins that respond 501.
 * @throws ContractError with all other problems
 */
export const read = (entry: string, report: Report, outcome?: Outcome, { hasDates = false, hasClient = true } = {}) => {
  let document = bundle(entry, report)
  if (outcome !== undefined) outcome.operations = countOperations(document)
  const end = <Modules extends object>(contract: Contract, modules: Modules) => {
    if (outcome !== undefined) outcome.unrouted = contract.unrouted
    warnOfMissingStatuses(contract, report)
    warnOfSmallBodies(contract, report)
    warnOfOmittedOperations(contract, report)
    report.end()
    return { contract, ...modules }
  }
  for (;;) {
    const contract = { ...check(document, report), hasDates }
    const modules = {
      operations: emitOperations(contract, report),
      client: hasClient ? emitClient(contract, report) : {}
    }
    const problems = outcome === undefined ? [] : report.takeProblems()
    if (outcome === undefined || problems.length === 0) return end(contract, modules)
    const refusals = refusedOperations(document, problems, report)
    // Without any operation, nothing would be left to serve.
    if (document.openapi === undefined || outcome.operations === 0) throw new ContractError(problems)
    for (const { place, message } of refusals.others)
      report.carry(place, `${message}; no operation needs it, so it is left out`)
    const isNew = ({ method, path }: RefusedOperation) =>
      !outcome.refused.some(each => each.method === method && each.path === path)
    const added = refusals.operations.filter(isNew)
    // The stand-in itself has a problem: another operation has its URL or its `operationId`.
    const impossible = refusals.operations.filter(each => !isNew(each) && each.isRouted)
    for (const each of impossible) each.isRouted = false
    const isSame = added.length + impossible.length + refusals.components.length === 0 && !refusals.isSecurityRefused
    if (isSame && refusals.others.length === problems.length) return end(contract, modules)
    // No progress: the remaining problems would be found again for ever.
    if (isSame) throw new ContractError(problems)
    outcome.refused.push(...added)
    document = withoutRefused(document, refusals)
  }
}

/** Of the generated files, those that a running service reads, by name. */
const served = async ({ contract, operations }: ReturnType<typeof read>, entry: string) => {
  showStep('making validation')
  return {
    documents: {
      'openapi.json': jsonText(contract.document, 2),
      'CHANGELOG.md': await emitChangelog(contract.document, entry)
    },
    modules: { ...operations, ...emitCompiled(contract) }
  }
}

/**
 * As `derive`, but only the files that a running service reads: those for clients take a third of the time.
 * @throws ContractError
 * @throws LoadError
 */
export const deriveServed = async (entry: string, report: Report, outcome: Outcome): Promise<Map<string, string>> => {
  const { documents, modules } = await served(read(entry, report, outcome, { hasClient: false }), entry)
  return new Map(Object.entries({ ...documents, ...modules }))
}

/**
 * The generated files by name, not yet formatted; with an `outcome`, also of a contract some of whose operations are
 * refused.
 * @throws ContractError with all problems of the contract, including what is not supported
 * @throws LoadError when a release of it cannot be read
 */
export const derive = async (
  entry: string,
  report = new Report(),
  outcome?: Outcome,
  naming: Naming = { contract: basename(entry) }
): Promise<Map<string, string>> => {
  const all = read(entry, report, outcome, { hasDates: naming.dates === true })
  const { contract, operations, client } = all
  const { document } = contract
  const { documents, modules: ofService } = await served(all, entry)

  if (naming.examples) showStep('making examples')
  const examples = naming.examples && (await emitExamples(contract))
  showStep('making types')
  // On one line, even if the file name contains line breaks.
  const header = `// Generated from ${naming.contract.replace(/\s+/g, ' ')} by \`npm run generate\`: edit that, not this.\n\n`
  const modules = {
    ...ofService,
    ...examples,
    'index.ts': emitIndex(contract),
    'bigint.ts': emitIndex(contract, 'bigint'),
    'string.ts': emitIndex(contract, 'string'),
    ...(naming.enums && { 'enums.ts': emitEnums(contract) }),
    ...client,
    'schemas.ts': emitSchemas(operations['request-schemas.ts'], client['received-schemas.ts'] ?? ''),
    'types.ts': emitClientTypes(contract),
    'types-bigint.ts': emitServiceTypes(contract)
  }
  return new Map([
    ...Object.entries(documents),
    ...emitPackage(document, naming),
    ...fixedParts(),
    ...Object.entries(modules).map(([file, text]) => [file, header + text] as const)
  ])
}

/**
 * The generated files by name. The same contract gives the same bytes, whatever is `present`.
 * @throws EmittedError if they are not valid code, which is a bug in the generator
 */
export const generate = async (
  entry: string,
  report?: Report,
  outcome?: Outcome,
  naming?: Naming,
  present?: Present
): Promise<Map<string, string>> => {
  const files = await derive(entry, report, outcome, naming)
  // The others are copies of modules that are written in this format, and compiled with this package.
  const fixed = fixedParts()
  const made = await formatted(new Map([...files].filter(([file]) => !fixed.has(file))), present)
  return new Map([...files].map(([file, text]) => [file, made.get(file) ?? text]))
}
