import { entriesOf, isObject, type Json, type JsonObject } from '@contract-first/document'
import type { Parameter } from './parameters.ts'
import type { Report } from './problems.ts'
import { locate } from './read.ts'

type Resolve = (value: Json | undefined) => JsonObject | undefined

/** The document's security schemes by name. */
export const securitySchemesOf = (document: JsonObject, resolve: Resolve): Map<string, JsonObject> =>
  new Map(
    entriesOf(isObject(document.components) ? document.components.securitySchemes : undefined).flatMap(
      ([name, written]) => {
        const scheme = resolve(written)
        return scheme === undefined ? [] : [[name, scheme]]
      }
    )
  )

/** Why the service cannot verify credentials of a scheme; undefined if it can. */
const faultOf = (scheme: JsonObject): string | undefined => {
  if (scheme.type === 'mutualTLS') return 'certificates of clients are not supported'
  const how = String(scheme.scheme).toLowerCase()
  if (scheme.type !== 'http' || how === 'bearer' || how === 'basic') return undefined
  return `the authentication scheme ${scheme.scheme} is not supported; bearer and basic are`
}

/**
 * Whether a parameter is the credential of a scheme that the operation accepts. Many contracts declare it twice; it is for
 * the verifier, not for the handler, and no message may quote it.
 */
export const isCredential = (
  { name, in: place, written }: Parameter,
  security: readonly Readonly<Record<string, unknown>>[],
  schemes: ReadonlyMap<string, JsonObject>,
  report: Report
): boolean => {
  const comparable = (text: string) => (place === 'header' ? text.toLowerCase() : text)
  const scheme = security
    .flatMap(each => Object.keys(each))
    .find(each => {
      const { type, in: where, name: key } = schemes.get(each) ?? {}
      return type === 'apiKey' && where === place && comparable(String(key)) === comparable(name)
    })
  if (scheme === undefined) return false
  report.carry(
    locate(written, 'name'),
    `${place} parameter ${name} is the key of the security scheme ${scheme}, and is not given to handlers`
  )
  return true
}

/** Why a requirement cannot be satisfied, or its credentials cannot be verified. */
const faultIn = (requirement: JsonObject, schemes: ReadonlyMap<string, JsonObject>): string | undefined => {
  const names = Object.keys(requirement)
  const unknown = names.find(name => !schemes.has(name))
  if (unknown !== undefined)
    return `there is no security scheme ${unknown}; components has: ${[...schemes.keys()].join(', ') || 'none'}`
  const own = names.map(name => schemes.get(name) as JsonObject)
  const fault = own.map(faultOf).find(each => each !== undefined)
  if (fault !== undefined) return fault
  const forms = new Set(own.flatMap(formOfAuthorization))
  return forms.size > 1
    ? `a request has one Authorization header, which cannot be ${[...forms].join(' and ')} at once`
    : undefined
}

/** The form of the `Authorization` header that a scheme requires. */
const formOfAuthorization = ({ type, scheme, in: place, name }: JsonObject): string[] => {
  if (type === 'oauth2' || type === 'openIdConnect') return ['bearer']
  if (type === 'http') return [String(scheme).toLowerCase()]
  return place === 'header' && String(name).toLowerCase() === 'authorization' ? ['an API key'] : []
}

/** Reports alternatives that cannot be served: they are carried if another one is served, otherwise refused. */
export const checkRequirements = (
  requirements: readonly JsonObject[],
  schemes: ReadonlyMap<string, JsonObject>,
  report: Report
): void => {
  const faults = requirements.map(each => faultIn(each, schemes))
  const isServed = faults.includes(undefined)
  for (const [index, fault] of faults.entries()) {
    if (fault === undefined) continue
    const at = locate(requirements, index)
    const names = Object.keys(requirements[index] as JsonObject).join(' and ')
    if (isServed) report.carry(at, `the alternative ${names} is not accepted: ${fault}`)
    else report.add(at, `${names} cannot be required: ${fault}`)
  }
}

/** The alternatives that are served. */
export const servedAlternatives = (
  requirements: readonly JsonObject[],
  schemes: ReadonlyMap<string, JsonObject>
): Record<string, string[]>[] =>
  requirements
    .filter(each => faultIn(each, schemes) === undefined)
    .map(each => ({ ...each }) as unknown as Record<string, string[]>)

/** What is missing in a scheme. */
export const checkScheme = (name: string, scheme: JsonObject, report: Report): void => {
  const needs = { http: ['scheme'], apiKey: ['name', 'in'] }[scheme.type as string] ?? []
  for (const key of needs) {
    if (scheme[key] !== undefined || report.isIncomplete(scheme)) continue
    report.add(locate(scheme), `security scheme ${name} has no ${key}; ${examples[key]} is expected`)
  }
}
const examples: Readonly<Record<string, string>> = {
  scheme: 'bearer or basic',
  name: 'the name of the header, query parameter or cookie',
  in: 'header, query or cookie'
}
