import { readFileSync } from 'node:fs'
import { isSwagger, type JsonObject, lineOf, type Place } from '@contract-first/document'
import { stringify } from 'yaml'
import { type MissingStatus, missingStatuses } from '../missing-statuses.ts'
import type { Contract } from '../normalise.ts'
import { locate, positionOf, writtenAs } from '../read.ts'
import { ErrorResponses } from './error-responses.ts'
import { type Insertion, parsed, withInsertions } from './insertions.ts'

/** What declares the statuses that the service itself may send. */
export interface Fix {
  /** The new texts of files, by name. */
  files: Map<string, string>
  /** How many responses of operations are in them. */
  responses: number
  /** The new components in them: `responses/TooManyRequests`. */
  components: string[]
  /** What has to be added by hand, as it is written in a way that cannot be edited, with the places. */
  byHand: string[]
}

type Addition = Insertion & { file: string; place: Place }

/** What declares the missing statuses of all operations in the files of a contract. */
export const fixMissingResponses = (contract: Contract): Fix => {
  const missing = distinct(missingStatuses(contract)).toSorted((one, other) => one.status - other.status)
  const none = { files: new Map<string, string>(), responses: 0, components: [], byHand: [] }
  if (missing.length === 0) return none
  const responses = new ErrorResponses(contract)
  if (isSwagger(parsed(readFileSync(responses.file, 'utf8')) ?? null))
    return {
      ...none,
      byHand: [`${responses.file}: Swagger 2.0 is not edited; make generated/openapi.json the contract`]
    }
  const additions: Addition[] = []
  const byHand: string[] = []
  for (const each of missing) {
    const place = locate(each.operation.written, 'responses')
    const position = positionOf(each.operation.written.responses as JsonObject)
    const file = position?.file ?? place.file
    const value = { $ref: responses.referenceFor(each.status, file) }
    const addition = { file, mapping: position?.offset ?? -1, key: String(each.status), value, place }
    if (position === undefined) byHand.push(byHandOf(addition))
    else additions.push(addition)
  }
  const components = responses.additions().map(each => ({ ...each, place: { file: each.file, line: 1, column: 1 } }))
  const byFile = Map.groupBy([...components, ...additions], ({ file }) => file)
  const texts = new Map<string, string>()
  for (const [file, all] of byFile) {
    const text = withInsertions(readFileSync(file, 'utf8'), all)
    if (text !== undefined) texts.set(file, text)
    // What refers to components that cannot be added would not be valid.
    else if (components.some(each => each.file === file))
      return { ...none, byHand: [...components, ...additions].map(byHandOf) }
    else byHand.push(...all.map(byHandOf))
  }
  const added = additions.filter(({ file }) => texts.has(file))
  return { files: texts, responses: added.length, components: responses.added, byHand }
}

/** Each once, if operations share their responses. */
const distinct = (all: readonly MissingStatus[]): MissingStatus[] => {
  const seen = new Map<object, Set<number>>()
  return all.filter(({ operation: { written }, status }) => {
    const responses = writtenAs(written.responses as JsonObject) ?? written
    const statuses = seen.get(responses) ?? new Set()
    seen.set(responses, statuses)
    return !statuses.has(status) && statuses.add(status)
  })
}

const byHandOf = ({ place, key, value }: Addition): string =>
  lineOf({
    place,
    message: `add ${stringify({ [key]: value }, { collectionStyle: 'flow', lineWidth: 0, singleQuote: true })
      .trim()
      .slice(2, -2)}`
  })
