import { jsonText, LoadError, type LoadOptions, type OpenApiDocument, readDocument } from '@contract-first/document'
import { isDate } from './changes/approvals.ts'
import { defaultGraceDays, todayInUtc } from './changes/check.ts'
import { type CompareOptions, compareDocuments } from './changes/compare.ts'
import { type Finding, gravestOf, type Severity } from './changes/finding.ts'
import type { Policy } from './changes/policies.ts'
import { type VersionVerdict, verdictOf } from './changes/version.ts'
import { policyOf, type UsageError } from './options.ts'
import { type ExampleResponse, exampleResponsesOf, type MadeReplies, madeRepliesOf } from './samples/replies.ts'
import { checkShape, loadContract, withinStack } from './shape.ts'

export type { Json, Place } from '@contract-first/document'
export { LoadError } from '@contract-first/document'
export type { Category, Finding, Severity } from './changes/finding.ts'
export type { Policy } from './changes/policies.ts'
export type { Step, VersionVerdict } from './changes/version.ts'
export type { ContractConfig } from './config.ts'
export { changelogBetween } from './report/changelog.ts'
export { fastifyRoutes } from './routes/fastify.ts'
export type { Registered } from './routes/static.ts'
export type { ExampleResponse, MadeReplies, Reply } from './samples/replies.ts'
export type { Level } from './schema/schema-rules.ts'

/** A file, `REF:PATH` in the git repository that contains the folder, or a parsed document. */
export type Contract = string | object

/** How two contracts are compared; by default not strictly, with 180 days of grace, on the current date in UTC. */
export interface CompareContractsOptions extends Partial<Omit<CompareOptions, 'show' | 'policy' | 'impacts'>> {
  /** Changes that count otherwise: `{ 'removed-servers': 'compatible' }`, or as in the configuration. */
  policy?: Policy | string
  /** Refuses documents with flaws; by default, what can be read of them is compared. */
  strictDocuments?: boolean
  /** The base of relative paths; the current folder by default. */
  cwd?: string
}

/** What has changed between two contracts. */
export interface Comparison {
  /** Most severe first. No finding is approved. */
  findings: Finding[]
  /** The highest severity, where `sdk` breaks generated code only; `none` without findings. */
  level: Severity
  /** The version that the changes require, and whether `info.version` satisfies it. */
  version: VersionVerdict
}

/**
 * Compares two contracts: how does `after` affect a client that was written against `before`? Lines of a parsed document
 * are those of `JSON.stringify(document, null, 2)`.
 * @throws LoadError when one of the two is not an OpenAPI 3.0 or 3.1 document, with a line for each problem
 * @throws RangeError when an option is invalid
 */
export const compareContracts = (
  before: Contract,
  after: Contract,
  options: CompareContractsOptions = {}
): Comparison => {
  const { strict = false, strictDocuments = false, policy = {}, cwd = process.cwd() } = options
  const { graceDays = defaultGraceDays, today = todayInUtc() } = options
  if (!isDate(today)) throw new RangeError(`today must be a date, YYYY-MM-DD, not ${today}.`)
  if (!(graceDays >= 0)) throw new RangeError(`graceDays cannot be ${graceDays}.`)
  const loading = { cwd, isLenient: !strictDocuments }
  const [old, now] = [documentOf(before, 'before', loading), documentOf(after, 'after', loading)]
  const findings = withinStack(() => compareDocuments(old, now, { strict, policy: policyIn(policy), graceDays, today }))
  return { findings, level: gravestOf(findings), version: verdictOf(findings, old, now) }
}

const policyIn = (given: Policy | string): Policy => {
  const text = typeof given === 'string' ? given : Object.entries(given).map(each => each.join('='))
  try {
    return policyOf(String(text))
  } catch (error) {
    throw new RangeError((error as UsageError).message)
  }
}

/**
 * A successful response for each operation of a contract that declares one with JSON, with text, or without content: the first example
 * that its schema allows, otherwise a value made from the schema, the same each time.
 * @throws LoadError when it is not an OpenAPI 3.0 or 3.1 document
 */
export const exampleResponses = (contract: Contract): ExampleResponse[] =>
  withinStack(() => exampleResponsesOf(documentOf(contract, 'contract')))

/**
 * Responses that fit a contract, which may be given as its bytes: its examples, and where it has none that fits, values made from
 * its schemas. The same seed makes the same values, in the same order.
 * @param seed an integer
 * @throws LoadError when it is not an OpenAPI 3.0 or 3.1 document
 */
export const madeReplies = (contract: Contract | Uint8Array, seed: number): MadeReplies =>
  madeRepliesOf(documentOf(contract, 'contract'), seed)

const documentOf = (contract: Contract | Uint8Array, name: string, options: LoadOptions = {}): OpenApiDocument =>
  typeof contract === 'string'
    ? loadContract(contract, options)
    : checkShape(readDocument(textOf(contract, name), name, options), options)

const textOf = (contract: object, name: string): string => {
  if (contract instanceof Uint8Array) return new TextDecoder().decode(contract)
  try {
    return jsonText(contract, 2)
  } catch (error) {
    // It contains itself.
    throw new LoadError([`${name}: not JSON: ${error instanceof Error ? error.message.split('\n', 1)[0] : error}`])
  }
}
