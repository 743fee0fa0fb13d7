import { isObject } from '@contract-first/document'
import { engineStatuses, isDeclared } from './engine-statuses.ts'
import type { Contract, Operation } from './normalise.ts'
import { idempotencyKeyOf } from './parameters.ts'
import type { Report } from './problems.ts'
import { locate } from './read.ts'

/** A status that the service itself may send although the operation does not declare it. */
export interface MissingStatus {
  operation: Operation
  status: number
  /** When it is sent. */
  reason: string
}

export const missingStatuses = ({ operations }: Contract): MissingStatus[] =>
  operations.flatMap(operation => {
    const { security, body, lifecycle, responses, written } = operation
    // A stand-in for a refused operation is not written anywhere.
    if (written['x-not-implemented'] !== undefined) return []
    const statuses = responses.map(({ status }) => status)
    const needed = engineStatuses({
      isSecured: isSecured(operation),
      isScoped: security.some(each => Object.values(each).flat().length > 0),
      hasBody: body !== undefined,
      isRepeatable: isRepeatable(operation),
      hasRemovalDate: lifecycle.deprecation?.removalDate !== undefined,
      isNegotiated: isNegotiated(responses),
      statuses
    })
    return [...needed]
      .filter(([status]) => !isDeclared(statuses, status))
      .map(([status, reason]) => ({ operation, status, reason }))
  })

/**
 * Warns of missing statuses, which clients would not expect. They are not added to what is generated, so that all readers of
 * the contract see the same.
 */
export const warnOfMissingStatuses = (contract: Contract, report: Report): void => {
  for (const { operation, status, reason } of missingStatuses(contract))
    report.warn(
      locate(operation.written, 'responses'),
      `${status} is not declared, but the service may respond with it (${reason}); npm run generate -- --fix adds it`
    )
  for (const operation of contract.operations) {
    const key = idempotencyKeyOf(operation.parameters)
    if (key === undefined || isRepeatable(operation)) continue
    report.carry(
      locate(key.written, 'name'),
      `${key.name} is only handed to the handler of ${operation.operationId}, as ` +
        (isSecured(operation)
          ? 'two bodies that are streams or files cannot be told apart'
          : 'without credentials, such a key belongs to nobody')
    )
  }
}

/** Warns of bodies that are mostly larger than the default limit allows. */
export const warnOfSmallBodies = ({ document, operations }: Contract, report: Report): void => {
  const limits = document['x-limits']
  if (isObject(limits) && limits.bodyBytes !== undefined) return
  for (const { body, written } of operations)
    if (hasFiles(body) && written['x-limits'] === undefined)
      report.warn(
        locate(written, 'requestBody'),
        'a body of more than 65536 bytes gets a 413; if files may be larger, add to the operation, for 10 MB: ' +
          'x-limits: { bodyBytes: 10000000 }'
      )
}

/** Whether it is a stream, or has files. */
const hasFiles = (body: Operation['body']): boolean =>
  (body?.media ?? []).some(({ kind }) => kind === 'stream' || kind === 'multipart')

const isSecured = ({ security }: Operation): boolean => security.some(each => Object.keys(each).length > 0)

const isRepeatable = (operation: Operation): boolean =>
  idempotencyKeyOf(operation.parameters) !== undefined && isSecured(operation) && !hasFiles(operation.body)

/** Whether a success has several media types. */
const isNegotiated = (responses: Operation['responses']): boolean => {
  // Beside another success, `default` is for errors.
  const successes = responses.some(({ status }) => status.startsWith('2')) ? /^2/ : /^default$/
  const types = responses.flatMap(({ status, schema, media }) => {
    if (!successes.test(status)) return []
    return media?.map(({ type }) => type) ?? (schema === undefined ? [] : ['application/json'])
  })
  return new Set(types).size > 1
}
