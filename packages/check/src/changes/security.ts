import type { Node, OpenApiDocument } from '@contract-first/document'
import { entriesAt } from '../attributes.ts'
import type { Direction } from '../schema/schema.ts'
import type { Operation } from './operation.ts'
import { parametersOf } from './parameters.ts'
import type { RuleId } from './rules.ts'
import type { Alternative, Requirement } from './security-schemes.ts'
import { alternativesOf, isKeyOf, lostCredentials, schemeText, withdrawnScopes } from './security-schemes.ts'
import type { Site } from './site.ts'

/** A client that satisfied an alternative must still satisfy one. Names of schemes are not seen by clients. */
export const compareSecurity = (site: Site, before: Operation, after: Operation) => {
  const parameters = [before, after].flatMap(each => [...parametersOf(each)])
  const required = parameters.filter(([, { required }]) => required).map(([key]) => key)
  // An API key that is also declared as a parameter is compared as a parameter.
  const others = (each: Alternative) => each.filter(({ scheme }) => !required.some(key => isKeyOf(key, scheme)))
  const [earlier, later] = [alternativesOf(before).map(others), alternativesOf(after).map(others)]
  const named = new Map([...earlier, ...later].flat().map(({ name }) => [name, `security scheme ${name}`]))
  const schemeIn = (alternatives: readonly Alternative[], name: string) =>
    alternatives.flat().find(each => each.name === name)?.scheme
  const isUnreadable = [...named].map(([name, place]) =>
    site.named(place).isUnreadable(schemeIn(earlier, name), schemeIn(later, name))
  )
  const [olds, news] = [before, after].map(({ document }) => document.root.get('components'))
  const components = site.named('components')
  if (isUnreadable.includes(true) || components.isUnreadable(olds, news)) return
  if (components.isUnreadable(olds?.get('securitySchemes'), news?.get('securitySchemes'))) return
  const { sent, expected } = site.inDirection(earlier, later)
  const at = site.named('security')
  const [was, is] = [earlier, later].map(alternatives => alternatives.map(textOf).join(' or '))
  const sides = { before: earlier[0]?.[0]?.node ?? before.node, after: later[0]?.[0]?.node ?? after.node }
  // Equal texts: a scheme itself changed, or it now grants a scope that was required already, which breaks nobody.
  const isAlike = was === is
  const refused = gapsBetween(sent, expected)
  for (const gap of refused) {
    if (isOfScheme(gap))
      reportScheme(site, 'security-scheme-changed', site.sides(gap.kin, gap.unmet), harmOf(gap, site.direction))
    else if (site.direction === 'request') reportUnmet(at, gap, String(is))
    else if (!isAlike) {
      const message = `Clients expect requests with ${was}; they now have ${is === 'none' ? 'no credentials' : is}.`
      at.report('response-security-reduced', { ...sides, was, is, message })
    }
  }
  if (refused.length > 0) return
  const benefitOf = (was = '', is = '') => `${was} became ${is}: ${benefits[site.direction]}`
  for (const gap of gapsBetween(expected, sent)) {
    const schemes = isOfScheme(gap) && site.sides(gap.unmet, gap.kin)
    const message = `${benefitOf(was, is)}${caveatOf(later.flat())}.`
    if (schemes)
      reportScheme(site, 'security-relaxed', schemes, benefitOf(ownText(schemes.before), ownText(schemes.after)))
    else if (!isAlike) at.report('security-relaxed', { ...sides, was, is, message })
  }
}

const benefits = { request: 'clients that had access keep it', response: 'clients still accept it' }

/** Compares the scopes that no operation requires; `compareSecurity` reports the others. */
export const compareUnusedScopes = (site: Site, operations: readonly Operation[]) => {
  const { before, after } = site.comparison
  const required = operations.flatMap(alternativesOf).flat()
  const schemesOf = ({ root }: OpenApiDocument) => entriesAt(root.get('components'), 'securitySchemes')
  const later = new Map(schemesOf(after))
  for (const [name, reference] of schemesOf(before)) {
    const [was, is] = [before.resolve(reference), later.get(name) && after.resolve(later.get(name) as Node)]
    if (is === undefined || lostCredentials(was, is) !== undefined) continue
    const isRequired = (scope: string) => required.some(each => each.name === name && each.scopes.includes(scope))
    const scopes = withdrawnScopes(was, is).filter(each => !isRequired(each))
    if (scopes.length === 0) continue
    const message = `${scopes.join(', ')} can no longer be granted, and no operation requires it.`
    const change = { before: was, after: is, was: scopes.join(', '), message }
    site.named(`security scheme ${name}`).report('security-scope-removed', change)
  }
}

/** What an alternative lacks of the nearest one on the other side, and what it has in its place. */
interface Gap {
  sent: Alternative
  unmet: Requirement
  kin: Requirement | undefined
}

const gapsBetween = (all: readonly Alternative[], expected: readonly Alternative[]): Gap[] =>
  all.flatMap(sent => {
    const kinOf = (unmet: Requirement) =>
      sent.find(each => isSame(unmet, each)) ?? sent.find(({ name }) => name === unmet.name)
    const gaps = expected.map(requirements => {
      const unmet = requirements.filter(each => !sent.some(other => isMet(each, other)))
      return unmet.map((each): Gap => ({ sent, unmet: each, kin: kinOf(each) }))
    })
    // A changed scheme explains more than an alternative that existed before.
    const unlike = (each: Gap[]) => each.filter(({ kin }) => kin === undefined).length
    return gaps.toSorted((a, b) => unlike(a) - unlike(b) || a.length - b.length)[0] ?? []
  })

/** A scheme that is another one under the same name. */
type SchemeGap = Gap & { kin: Requirement }

const isOfScheme = (gap: Gap): gap is SchemeGap => gap.kin !== undefined && !isSame(gap.unmet, gap.kin)

const isMet = (expected: Requirement, sent: Requirement) =>
  isSame(expected, sent) && missingScopes(expected, sent).length === 0 && withdrawnOf(expected, sent).length === 0

const isSame = (expected: Requirement, sent: Requirement) =>
  expected.scheme === undefined || sent.scheme === undefined
    ? expected.scheme === sent.scheme && expected.name === sent.name
    : lostCredentials(sent.scheme, expected.scheme) === undefined

const missingScopes = ({ scopes }: Requirement, sent: Requirement) =>
  scopes.filter(scope => !sent.scopes.includes(scope))

const withdrawnOf = ({ scheme, scopes }: Requirement, sent: Requirement) =>
  scheme && sent.scheme ? withdrawnScopes(sent.scheme, scheme).filter(each => scopes.includes(each)) : []

type Sides = Record<'before' | 'after', Requirement>

const reportScheme = (site: Site, rule: RuleId, { before, after }: Sides, effect: string) => {
  const sides = { before: before.scheme ?? before.node, after: after.scheme ?? after.node }
  const change = { ...sides, was: ownText(before), is: ownText(after), message: `${effect}${caveatOf([after])}.` }
  site.named(`security scheme ${after.name}`).report(rule, change)
}

const harmOf = ({ unmet, kin }: SchemeGap, direction: Direction): string => {
  const lost = (kin.scheme && unmet.scheme && lostCredentials(kin.scheme, unmet.scheme)) ?? ownText(kin)
  const now = direction === 'request' ? 'no longer accepted; those for' : 'now sent; clients expect those for'
  return `Credentials for ${lost} are ${now} ${ownText(unmet)}${direction === 'request' ? ' are' : ''}`
}

const ownText = ({ scheme, name }: Requirement) => (scheme === undefined ? name : schemeText(scheme))

const reportUnmet = (site: Site, { sent, unmet, kin }: Gap, required: string) => {
  const is = textOf([unmet])
  if (kin === undefined) {
    const rule = sent.length === 0 ? 'security-added' : 'security-requirement-added'
    const sides = { before: sent[0]?.node, after: unmet.node, was: textOf(sent), is }
    const verb = required.includes(' and ') ? 'are' : 'is'
    const start = sent.length === 0 ? '' : `${textOf(sent)} no longer suffices: `
    return site.report(rule, { ...sides, message: `${start}${required} ${verb} now required${caveatOf([unmet])}.` })
  }
  const sides = { before: kin.node, after: unmet.node, was: textOf([kin]), is }
  const missing = missingScopes(unmet, kin).join(', ')
  const message = missing
    ? `${missing} must now be granted: ${textOf([kin])} became ${is}.`
    : `${unmet.name} still requires ${withdrawnOf(unmet, kin).join(', ')}, but no longer grants it.`
  site.report(missing ? 'security-scope-added' : 'security-scope-withdrawn', { ...sides, message })
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
