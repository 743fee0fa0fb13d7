import { getOrMake, isObject, type Json, type JsonObject, type Place } from '@contract-first/document'
import { Names } from './names.ts'
import type { Report } from './problems.ts'
import { derive, locate } from './read.ts'
import { allOperations, holderOf, withoutFragment } from './routed.ts'
import { resolverOf } from './rules.ts'

/** Adds what a contract may leave out, or what many leave out by mistake, with a warning of what the generator assumes. */
export const complete = (document: JsonObject, report: Report): void => {
  if (document.openapi === undefined) return
  if (document.paths === undefined && !report.isIncomplete(document)) {
    const mayLack =
      !String(document.openapi).startsWith('3.0') && (document.webhooks ?? document.components) !== undefined
    if (!mayLack) report.add(locate(document), 'paths is missing; an OpenAPI document object must have it')
    document.paths = derive({}, document)
  }
  // A missing `info` is reported already.
  const info = isObject(document.info) ? document.info : derive({} as JsonObject, document)
  document.info = Object.assign(info, { title: info.title ?? 'API', version: info.version ?? '0.0.0' })
  const operations = allOperations(document)
  const ids = new Names(
    operations.map(({ operation }) => String(operation.operationId)),
    ''
  )
  const firsts = new Map<Json, JsonObject>()
  for (const { path, method, item, operation } of operations) {
    if (report.isIncomplete(operation)) continue
    const at = locate(holderOf(item, method), method)
    const { operationId: written } = operation
    const first = written === undefined ? undefined : getOrMake(firsts, written, () => operation)
    if (first !== operation) {
      const id = ids.give(derivedId(method, path))
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
    completePath(path, item, operation, { at, resolve: resolverOf(document), report })
  }
}

/**
 * Completes what only the path, or only the parameters, have. If both have names of their own, one may be a misspelling of the
 * other, which is refused later.
 */
const completePath = (
  path: string,
  item: JsonObject,
  operation: JsonObject,
  { at, resolve, report }: { at: Place; resolve: ReturnType<typeof resolverOf>; report: Report }
) => {
  const lists = [item, operation].flatMap(holder => (Array.isArray(holder.parameters) ? [holder.parameters] : []))
  if ([item, operation, ...lists].some(each => report.isIncomplete(each))) return
  const names = [...withoutFragment(path).matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name as string)
  const nameOf = (parameter: Json) => {
    const { name, in: place } = resolve(parameter) ?? {}
    return place === 'path' && typeof name === 'string' ? name : undefined
  }
  const declared = new Set(lists.flat().map(nameOf))
  const undeclared = names.filter(name => !declared.has(name))
  const isNowhere = (parameter: Json) => {
    const name = nameOf(parameter)
    return name !== undefined && !names.includes(name)
  }
  if (undeclared.length > 0 && lists.flat().some(isNowhere)) return
  for (const list of lists) {
    const kept = list.filter((parameter, index) => {
      if (!isNowhere(parameter)) return true
      report.carry(locate(list, index), `path parameter ${nameOf(parameter)} is ignored: it does not occur in ${path}`)
      return false
    })
    list.splice(0, list.length, ...kept)
  }
  if (undeclared.length === 0) return
  const own = Array.isArray(operation.parameters) ? operation.parameters : derive([] as Json[], operation)
  for (const name of new Set(undeclared)) {
    report.carry(at, `{${name}} of ${path} is not declared; a path parameter ${name} of type string is assumed`)
    own.push(derive({ name, in: 'path', required: true, schema: derive({ type: 'string' }, operation) }, operation))
  }
  operation.parameters = own
}

const where = (operation: JsonObject) => {
  const { file, line } = locate(operation, 'operationId')
  return `${file}, line ${line}`
}

/** `getPetsPetId` for `GET /pets/{petId}`. */
export const derivedId = (method: string, path: string): string =>
  method.toLowerCase().replace(/\W/g, '') +
  [...path.matchAll(/[A-Za-z0-9]+/g)].map(([word]) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
