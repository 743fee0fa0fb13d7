import type { OpenApiDocument } from '../../document/document.ts'
import type { Node } from '../../document/node.ts'
import { entriesAt } from '../attributes.ts'
import type { Operation } from './operation.ts'
import { parametersOf } from './parameters.ts'
import {
  type Alternative,
  alternativesOf,
  isKeyOf,
  isSameScheme,
  type Requirement,
  schemeText,
  withdrawnScopes
} from './security-schemes.ts'
import type { Site } from './site.ts'

/**
 * A client that satisfied one of the alternatives must still satisfy one. Schemes are compared by content: clients do not
 * see their names.
 */
export const compareSecurity = (site: Site, before: Operation, after: Operation) => {
  const parameters = [before, after].flatMap(each => [...parametersOf(each)])
  const required = parameters.filter(([, { required }]) => required).map(([key]) => key)
  // A key that is a parameter, too, is compared as such.
  const others = (each: Alternative) => each.filter(({ scheme }) => !required.some(key => isKeyOf(key, scheme)))
  const [earlier, later] = [alternativesOf(before).map(others), alternativesOf(after).map(others)]
  const { sent, expected } = site.roles(earlier, later)
  const at = site.named('security')
  const refused = sent.filter(each => !isSatisfied(expected, each))
  const [was, is] = [earlier, later].map(alternatives => alternatives.map(textOf).join(' or '))
  const sides = { before: earlier[0]?.[0]?.node ?? before.node, after: later[0]?.[0]?.node ?? after.node }
  if (site.direction === 'response' && refused.length > 0) {
    const message = `Clients expect requests with ${was}; they now have ${is === 'none' ? 'no credentials' : is}.`
    at.report('response-security-reduced', { ...sides, was, is, message })
    return
  }
  for (const each of refused) {
    const nearest = expected.toSorted((a, b) => unmetOf(a, each).length - unmetOf(b, each).length)[0] ?? []
    for (const unmet of unmetOf(nearest, each)) reportUnmet(at, each, unmet, String(is))
  }
  if (refused.length > 0 || expected.every(each => isSatisfied(sent, each))) return
  const message = `${was} became ${is}: clients that had access keep it${caveatOf(later.flat())}.`
  at.report('security-relaxed', { ...sides, was, is, message })
}

/** Compares the scopes that no operation requires; `compareSecurity` tells of the others. */
export const compareUnusedScopes = (site: Site, operations: readonly Operation[]) => {
  const { before, after } = site.comparison
  const required = operations.flatMap(alternativesOf).flat()
  const schemesOf = ({ root }: OpenApiDocument) => entriesAt(root.get('components'), 'securitySchemes')
  const later = new Map(schemesOf(after))
  for (const [name, reference] of schemesOf(before)) {
    const [was, is] = [before.resolve(reference), later.get(name) && after.resolve(later.get(name) as Node)]
    if (is === undefined || !isSameScheme(was, is)) continue
    const isRequired = (scope: string) => required.some(each => each.name === name && each.scopes.includes(scope))
    const scopes = withdrawnScopes(was, is).filter(each => !isRequired(each))
    if (scopes.length === 0) continue
    const message = `${scopes.join(', ')} can no longer be granted, and no operation requires it.`
    const change = { before: was, after: is, was: scopes.join(', '), message }
    site.named(`security scheme ${name}`).report('security-scope-removed', change)
  }
}

const isSatisfied = (expected: readonly Alternative[], sent: Alternative) =>
  expected.some(each => unmetOf(each, sent).length === 0)

/** What an alternative requires beyond what is sent. */
const unmetOf = (expected: Alternative, sent: Alternative): Requirement[] =>
  expected.filter(each => !sent.some(other => isMet(each, other)))

const isMet = (expected: Requirement, sent: Requirement) =>
  isSame(expected, sent) && missingScopes(expected, sent).length === 0 && withdrawnOf(expected, sent).length === 0

const isSame = (expected: Requirement, sent: Requirement) =>
  expected.scheme === undefined || sent.scheme === undefined
    ? expected.scheme === sent.scheme && expected.name === sent.name
    : isSameScheme(sent.scheme, expected.scheme)

const missingScopes = ({ scopes }: Requirement, sent: Requirement) =>
  scopes.filter(scope => !sent.scopes.includes(scope))

const withdrawnOf = ({ scheme, scopes }: Requirement, sent: Requirement) =>
  scheme && sent.scheme ? withdrawnScopes(sent.scheme, scheme).filter(each => scopes.includes(each)) : []

const reportUnmet = (site: Site, sent: Alternative, unmet: Requirement, required: string) => {
  const kin = sent.find(each => isSame(unmet, each)) ?? sent.find(({ name }) => name === unmet.name)
  const is = textOf([unmet])
  if (kin === undefined) {
    const rule = sent.length === 0 ? 'security-added' : 'security-requirement-added'
    const sides = { before: sent[0]?.node, after: unmet.node, was: textOf(sent), is }
    const verb = required.includes(' and ') ? 'are' : 'is'
    const start = sent.length === 0 ? '' : `${textOf(sent)} no longer suffices: `
    site.report(rule, { ...sides, message: `${start}${required} ${verb} now required${caveatOf([unmet])}.` })
    return
  }
  const sides = { before: kin.node, after: unmet.node, was: textOf([kin]), is }
  if (!isSame(unmet, kin)) {
    const [was, is] = [kin, unmet].map(({ scheme, name }) => (scheme === undefined ? name : schemeText(scheme)))
    const message = `Credentials for ${was} are no longer accepted: ${is} is now required${caveatOf([unmet])}.`
    const schemes = { before: kin.scheme ?? kin.node, after: unmet.scheme ?? unmet.node }
    site.named(`security scheme ${unmet.name}`).report('security-scheme-changed', { ...schemes, was, is, message })
  } else if (missingScopes(unmet, kin).length > 0) {
    const message = `${missingScopes(unmet, kin).join(', ')} must now be granted: ${textOf([kin])} became ${is}.`
    site.report('security-scope-added', { ...sides, message })
  } else {
    const message = `${unmet.name} still requires ${withdrawnOf(unmet, kin).join(', ')}, but no longer grants it.`
    site.report('security-scope-withdrawn', { ...sides, message })
  }
}

/** `, but no scheme apikey is defined`, if the contract does not define one that it names. */
const caveatOf = (requirements: readonly Requirement[]): string => {
  const names = requirements.filter(({ scheme }) => scheme === undefined).map(({ name }) => name)
  return names.length === 0 ? '' : `, but no scheme ${[...new Set(names)].join(' or ')} is defined`
}

/** `apiKey and oauth (read, write)` */
const textOf = (alternative: Alternative): string =>
  alternative.map(({ name, scopes }) => name + (scopes.length === 0 ? '' : ` (${scopes.join(', ')})`)).join(' and ') ||
  'none'
