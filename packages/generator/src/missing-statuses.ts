import { entriesOf, getOrMake, isObject, type Json } from '@contract-first/document'
import { engineStatuses, isDeclared } from './engine-statuses.ts'
import type { Contract, Operation } from './normalise.ts'
import { idempotencyKeyOf } from './parameters.ts'
import { isReference, nameOf, referenceTo } from './pointer.ts'
import type { Report } from './problems.ts'
import { locate } from './read.ts'
import { resolverOf } from './rules.ts'

/**
 * Warns of each status that the service itself may send although the operation does not declare it: clients would not
 * expect it. It is reported and not added, so that all readers of the contract see the same.
 */
export const warnOfMissingStatuses = (contract: Contract, report: Report): void => {
  const suggestions = new Map<number, string | undefined>()
  const suggested = (status: number) => getOrMake(suggestions, status, () => suggestion(contract, status))
  for (const {
    operationId,
    method,
    path,
    security,
    body,
    lifecycle,
    parameters,
    responses,
    written
  } of contract.operations) {
    const statuses = responses.map(({ status }) => status)
    const isSecured = security.some(each => Object.keys(each).length > 0)
    const isStreamed = (body?.media ?? []).some(({ kind }) => kind === 'stream' || kind === 'multipart')
    const idempotencyKey = idempotencyKeyOf(parameters)
    const isRepeatable = idempotencyKey !== undefined && isSecured && !isStreamed
    if (idempotencyKey !== undefined && !isRepeatable)
      report.carry(
        locate(idempotencyKey.written, 'name'),
        `${idempotencyKey.name} is only handed to the handler of ${operationId}, as ` +
          (isSecured
            ? 'two bodies that are streams or files cannot be told apart'
            : 'without credentials, such a key belongs to nobody')
      )
    const needed = engineStatuses({
      isSecured,
      isScoped: security.some(each => Object.values(each).flat().length > 0),
      hasBody: body !== undefined,
      isRepeatable,
      hasRemovalDate: lifecycle.deprecation?.removalDate !== undefined,
      isNegotiated: isNegotiated(responses),
      statuses
    })
    const missing = [...needed].filter(([status]) => !isDeclared(statuses, status))
    if (missing.length === 0) continue
    const reasons = missing.map(([status, reason]) => `${status} (${reason})`)
    const lines = missing.flatMap(([status]) => suggested(status) ?? [])
    const others = missing.flatMap(([status]) => (suggested(status) === undefined ? [`'${status}'`] : []))
    const added = [...lines, ...(others.length > 0 ? [`${listed(others)} with the body of errors`] : [])]
    report.warn(
      locate(written, 'responses'),
      `${method} ${path} (${operationId}) does not declare ${listed(reasons)}, with which the service may respond; ` +
        `add ${added.join('; ')}`
    )
  }
}

const listed = (all: readonly string[]): string =>
  all.length < 2 ? all.join() : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`

/** Whether a success has several media types. */
const isNegotiated = (responses: Operation['responses']): boolean => {
  const types = responses.flatMap(({ status, schema, media }) => {
    if (!/^(?:2|default$)/.test(status)) return []
    return media?.map(({ type }) => type) ?? (schema === undefined ? [] : ['application/json'])
  })
  return new Set(types).size > 1
}

/** A line that declares the status with a response that the contract already has; undefined without one. */
const suggestion = ({ document, operations, schemas }: Contract, status: number): string | undefined => {
  const key = `'${status}':`
  const used = operations
    .map(({ written }) => (isObject(written.responses) ? written.responses[status] : undefined))
    .find(isReference)
  if (used !== undefined) return `${key} { $ref: '${used.$ref}' }`

  const resolve = resolverOf(document)
  const isOfStatus = (schema: Json | undefined) => {
    const properties = isReference(schema) ? schemas.lookup(nameOf(schema.$ref)).properties : undefined
    const pinned = isObject(properties) ? properties.status : undefined
    return isObject(pinned) && (pinned.const === status || String(pinned.enum) === String(status))
  }
  const components = isObject(document.components) ? document.components : {}
  for (const [name, response] of entriesOf(components.responses)) {
    const content = resolve(response)?.content
    const media = isObject(content) ? content['application/json'] : undefined
    if (isObject(media) && isOfStatus(media.schema)) return `${key} { $ref: '${referenceTo('responses', name)}' }`
  }
  const schema = [...schemas.all.keys()].map(name => referenceTo('schemas', name)).find($ref => isOfStatus({ $ref }))
  return schema === undefined
    ? undefined
    : `${key} { description: …, content: { application/json: { schema: { $ref: '${schema}' } } } }`
}
