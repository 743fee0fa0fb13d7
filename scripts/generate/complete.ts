import { entriesOf, isObject, type Json, type JsonObject } from '../document/json.ts'
import type { Report } from './problems.ts'
import { derive, locate } from './read.ts'
import { methods } from './routed.ts'

/** Adds what a contract may leave out, or what many leave out by mistake, with a warning of what the generator assumes. */
export const complete = (document: JsonObject, report: Report): void => {
  if (document.openapi === undefined) return
  if (document.paths === undefined && !report.isIncomplete(document)) {
    const mayLack =
      !String(document.openapi).startsWith('3.0') && (document.webhooks ?? document.components) !== undefined
    if (!mayLack) report.add(locate(document), 'paths is missing; an OpenAPI document object must have it')
    document.paths = derive({}, document)
  }
  const operations = entriesOf(document.paths).flatMap(([path, item]) =>
    methods.flatMap(method => {
      const operation = isObject(item) ? item[method] : undefined
      return isObject(operation) ? [{ path, method, item: item as JsonObject, operation }] : []
    })
  )
  const taken = new Set(operations.flatMap(({ operation }) => operation.operationId ?? []))
  const firsts = new Map<Json, JsonObject>()
  for (const { path, method, item, operation } of operations) {
    if (report.isIncomplete(operation)) continue
    const at = locate(item, method)
    const { operationId: written } = operation
    const first = written === undefined ? undefined : firsts.getOrInsertComputed(written, () => operation)
    if (first !== operation) {
      const wish = derivedId(method, path)
      let id = wish
      for (let count = 2; taken.has(id); count++) id = `${wish}${count}`
      taken.add(id)
      const fault =
        first === undefined ? 'operationId is missing' : `operationId ${written} is already used in ${where(first)}`
      report.carry(
        first === undefined ? at : locate(operation, 'operationId'),
        `${fault}; ${id} is assumed, which changes with the path`
      )
      operation.operationId = id
    }
    if (operation.responses === undefined) {
      operation.responses = derive({ default: derive({ description: '' }, operation) }, operation)
      report.carry(at, 'responses is missing; any status without a body is assumed')
    }
  }
}

const where = (operation: JsonObject) => {
  const { file, line } = locate(operation, 'operationId')
  return `${file}, line ${line}`
}

/** `getPetsPetId` for `GET /pets/{petId}`. */
export const derivedId = (method: string, path: string): string =>
  method + [...path.matchAll(/[A-Za-z0-9]+/g)].map(([word]) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
