import { basename } from 'node:path'
import { jsonText } from '../document/json.ts'
import { bundle } from './bundle.ts'
import { formatted } from './code.ts'
import { emitChangelog } from './emit-changelog.ts'
import { emitClient, fixedParts } from './emit-client.ts'
import { emitIndex } from './emit-index.ts'
import { emitOperations } from './emit-operations.ts'
import { emitPackage } from './emit-package.ts'
import { emitSchemas } from './emit-schemas.ts'
import { emitTypes } from './emit-types.ts'
import { warnOfMissingStatuses } from './missing-statuses.ts'
import { type Contract, normalise } from './normalise.ts'
import { Report } from './problems.ts'
import { checkRules } from './rules.ts'
import { expandSharedHeaders } from './shared-headers.ts'

/** Reads a contract into the form that everything is generated from; problems and warnings are added to the report. */
export const readContract = (entry: string, report: Report): Contract => {
  const document = bundle(entry, report)
  checkRules(document, report)
  expandSharedHeaders(document)
  const contract = normalise(document, report)
  warnOfMissingStatuses(contract, report)
  return contract
}

/**
 * The generated files by name, not yet formatted.
 * @throws ContractError with all problems of the contract, including what is not supported
 * @throws LoadError when a release of it cannot be read
 */
export const derive = async (entry: string, report = new Report()): Promise<Map<string, string>> => {
  const contract = readContract(entry, report)
  const { document } = contract
  const operations = emitOperations(contract, report)
  const client = emitClient(contract, report)
  report.end()

  const header = `// Generated from openapi/${basename(entry)} by \`npm run generate\`: edit that, not this.\n\n`
  const modules = {
    ...operations,
    'index.ts': emitIndex(contract, './types.ts'),
    'bigint.ts': emitIndex(contract, './types-bigint.ts'),
    ...client,
    'schemas.ts': emitSchemas(operations['request-schemas.ts'], client['received-schemas.ts'] ?? ''),
    'types.ts': await emitTypes(contract, 'number'),
    'types-bigint.ts': await emitTypes(contract, 'bigint')
  }
  return new Map([
    ['openapi.json', jsonText(document, 2)],
    ...emitPackage(document, entry),
    ['CHANGELOG.md', await emitChangelog(document, entry)],
    ...fixedParts(),
    ...Object.entries(modules).map(([file, text]) => [file, header + text] as const)
  ])
}

/** The generated files by name. The same contract gives the same bytes. */
export const generate = async (entry: string, report?: Report): Promise<Map<string, string>> =>
  formatted(await derive(entry, report))
