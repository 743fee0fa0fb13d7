import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { Exchange, Judgement } from './contract-judge.ts'

/** Where each process records what it has seen, for `contract-coverage.ts`. */
export const seenFolder = new URL('../../../.tap/contract-seen/', import.meta.url)

const seen = new Set<string>()
/** Records that a test has seen this response. */
export const record = ({ request, status }: Exchange, { operationId = '-', code = '-', violations }: Judgement) => {
  // A HEAD has no body to check, and a response that violates the contract does not count as seen.
  if (request?.method === 'HEAD' || violations.length > 0) return
  if (seen.size === 0) process.once('exit', leaveRecord)
  seen.add(`${operationId} ${status} ${code}`)
}
const leaveRecord = () => {
  mkdirSync(seenFolder, { recursive: true })
  writeFileSync(new URL(`${process.pid}-${randomUUID()}`, seenFolder), `${[...seen].join('\n')}\n`)
}
