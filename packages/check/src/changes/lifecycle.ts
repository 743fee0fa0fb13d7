import type { Lifecycle, Node } from '@contract-first/document'
import { isObject, readLifecycle, sinceKey, stabilityKeys, sunsetKeys } from '@contract-first/document'
import type { Site } from './site.ts'

/** In rising order. Experimental (oasdiff: draft) and alpha operations may break; unfinished beta ones may not. */
const stabilities: readonly string[] = ['experimental', 'alpha', 'beta', 'stable']
const keys = ['deprecated', sinceKey, ...sunsetKeys, ...stabilityKeys]

/** Whether a node has any lifecycle attribute. */
export const isRemarkable = ({ value }: Node): boolean => isObject(value) && keys.some(key => Object.hasOwn(value, key))

export const lifecycleOf = (node: Node): Lifecycle =>
  isObject(node.value) && isRemarkable(node)
    ? readLifecycle(node.value)
    : { stability: 'stable', deprecated: false, faults: [] }

/** Whether clients were told that it may change incompatibly. */
export const mayBreak = (node: Node): boolean => isUnstable(lifecycleOf(node).stability)
const isUnstable = (stability: string) => ['experimental', 'alpha'].includes(stability)

export const isPastSunset = (node: Node, today: string): boolean => (lifecycleOf(node).sunset ?? '9999') <= today

export const removedAsAnnounced = (node: Node) => `It was removed, as announced for ${lifecycleOf(node).sunset}.`

/** Compares the lifecycles of something that remains; without `before`, only checks the new one. */
export const compareLifecycles = (site: Site, before: Node | undefined, after: Node) => {
  const [was, is] = [before && lifecycleOf(before), lifecycleOf(after)]
  for (const { rule, key, is: said, message } of is.faults) {
    // If the date was withdrawn, that is reported rather than that it is missing.
    const isWithdrawn = rule === 'sunset-date-missing' && was?.sunset !== undefined
    if (!isWithdrawn) site.report(rule, { before, after: after.get(key) ?? after, is: said, message: `${message}.` })
  }
  const sides = { before, after }
  compareStabilities(site, was?.stability, is.stability, sides)
  if (was === undefined) return
  compareDeprecations(site, was, is, sides)
  compareSunsets(site, was, is, sides)
}

export const checkSunset = (site: Site, node: Node) => {
  const { sunset } = lifecycleOf(node)
  if (sunset === undefined || sunset > site.comparison.options.today) return
  const message = `Its sunset, ${sunset}, has come, and it is still there: remove it, or move the date.`
  site.report('sunset-date-passed', { after: node, is: sunset, message })
}

type Sides = { before: Node | undefined; after: Node }

const compareStabilities = (site: Site, was: string | undefined, is: string, sides: Sides) => {
  const change = { ...sides, was, is }
  if (was === is) return
  // Contracts may have levels of their own, so only a new unknown one is reported.
  if (!stabilities.includes(is)) {
    const message = `It is now ${is}, which is not one of the levels ${stabilities.join(', ')}, and counts as stable.`
    site.report('stability-unknown', { ...change, message })
  } else if (was !== undefined && rankOf(is) !== rankOf(was)) {
    const isLess = rankOf(is) < rankOf(was)
    // A part of an unstable operation promises no more than the operation.
    if (isLess && site.mayBreak && !isUnstable(was)) return
    const message = `It was ${was} and is now ${is}.`
    site.report(isLess ? 'stability-decreased' : 'stability-increased', { ...change, message })
  }
}

// Clients rely on an operation whose level they do not know.
const rankOf = (level: string) => stabilities.indexOf(stabilities.includes(level) ? level : 'stable')

const compareDeprecations = (site: Site, was: Lifecycle, is: Lifecycle, sides: Sides) => {
  if (was.deprecated === is.deprecated) return
  const removal = is.sunset === undefined ? '' : `, and may be removed from ${is.sunset} on`
  if (is.deprecated) site.report('deprecation-announced', { ...sides, message: `It is now deprecated${removal}.` })
  else site.report('deprecation-lifted', { ...sides, message: 'It is no longer deprecated.' })
}

const compareSunsets = (site: Site, was: Lifecycle, is: Lifecycle, sides: Sides) => {
  const change = { ...sides, was: was.sunset, is: is.sunset }
  if (was.sunset === is.sunset) return
  if (is.sunset === undefined) {
    const message = `It no longer has a date of removal; it was ${was.sunset}.`
    // An invalid date has been reported already, and a withdrawn deprecation needs no date.
    const namesDate = sunsetKeys.some(key => sides.after.get(key) !== undefined)
    if (is.deprecated && !namesDate) site.report('sunset-date-withdrawn', { ...change, message })
  } else if (was.sunset === undefined) {
    const isShort = checkNotice(site, is, sides)
    const message = `It may be removed from ${is.sunset} on.`
    if (was.deprecated && !isShort) site.report('deprecation-announced', { ...change, message })
  } else {
    const when = is.sunset < was.sunset ? 'earlier' : 'later'
    const message = `It may now be removed from ${is.sunset} on, ${when} than announced: ${was.sunset}.`
    site.report(`sunset-date-moved-${when}`, { ...change, message })
  }
}

/** Reports a notice that is too short; returns whether it did. */
const checkNotice = (site: Site, { since, sunset = '' }: Lifecycle, sides: Sides): boolean => {
  const { today, graceDays } = site.comparison.options
  const from = since !== undefined && since > today ? since : today
  const notice = Math.max(0, (Date.parse(sunset) - Date.parse(from)) / 86_400_000)
  if (notice >= graceDays || site.mayBreak) return false
  const message = `It may be removed from ${sunset} on, in ${notice} days; ${graceDays} days of notice are required.`
  site.report('sunset-notice-too-short', { ...sides, is: sunset, message })
  return true
}
