import { listed as listedUpTo, type Place, parseVersion } from '@contract-first/document'
import { type ChangesOutcome, nothingToCompare } from '../changes/check.ts'
import { type Finding, type Severity, severityOf } from '../changes/finding.ts'
import type { Hits, Requests, Traffic } from '../changes/impact.ts'
import { isStanding, type VersionVerdict } from '../changes/version.ts'
import type { Difference } from '../live/differences.ts'
import type { LiveReport } from '../live/live.ts'
import type { CheckReport, Question } from '../outcome.ts'
import type { StaticReport } from '../routes/static.ts'

export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

/** Those that are there. */
export const present = <T>(...parts: (T | '' | false | undefined)[]): T[] => parts.filter(Boolean) as T[]

export const at = ({ file, line, column }: Place): string => `${file}:${line}:${column}`

/** What changed and, if it is used in both, whether requests or responses are affected. */
export const placeOf = (finding: Finding): string => {
  const { place, rule } = finding
  const [, direction] = /^(request|response)-/.exec(rule) ?? []
  return direction === undefined || !isUsed(finding) ? place : `${place} in ${direction}s`
}

/** The place within its operation or path, `query parameter limit`; undefined elsewhere. */
export const placeWithin = ({ place, uses: [use = ''] }: Finding): string | undefined => {
  // What is declared for all operations of a path is named by the path.
  const start = [use, /\/.*/.exec(use)?.[0] ?? use].find(each => each !== '' && place.startsWith(each))
  return start === undefined ? undefined : place.slice(start.length).trim()
}

/** Whether the affected operations must be named: the place of a part of an operation starts with it. */
export const isUsed = ({ place, uses }: Finding): boolean => uses.some(use => !place.startsWith(use))

export const listed = (names: readonly string[]): string => listedUpTo(names, 3)

/** A finding's severity for people; it also distinguishes approved findings, and problems that do not result from a change. */
export type Standing = Exclude<Severity, 'none'> | 'approved' | 'unused' | 'wrong'

export const standingOf = (finding: Finding): Standing => {
  if (finding.approved !== undefined) return 'approved'
  if (finding.hits?.passes) return 'unused'
  return isStanding(finding) ? 'wrong' : (severityOf(finding) as Standing)
}

const standings = ['breaking', 'undecided', 'sdk', 'compatible', 'approved', 'unused'] as const

export const changesSummary = (outcome: ChangesOutcome): string => {
  const { findings, complaints, version, checksVersion } = outcome
  const groups = Map.groupBy(findings, standingOf)
  const counts = standings.flatMap(each => {
    const number = groups.get(each)?.length ?? 0
    return number === 0 ? [] : [`${number} ${each === 'sdk' ? 'breaking only generated code' : each}`]
  })
  if (counts.length === 0) counts.push(unchanged(outcome))
  const wrong = [...complaints, ...(groups.get('wrong') ?? [])].map(({ rule }) => rule)
  for (const [rule, { length }] of Map.groupBy(wrong, each => each))
    counts.push(length === 1 ? rule : `${length} ${rule}`)
  return `${counts.join(', ')}; ${calledFor(version, checksVersion)}`
}

/** What a comparison without breaking and undecided findings has proven, what it has left out, and what access logs contain. */
export const proofOf = ({ proven = 0, excluded = 0, moved = [], traffic }: ChangesOutcome): string[] => {
  const movers = 'clients that call the URLs of the earlier contract need something that moves them'
  return present(
    proven > 0 && `Proven for ${count(proven, 'operation')}: no client of the earlier contract breaks.`,
    moved.length > 0 && `Compared ${listed(moved)}: ${movers}.`,
    excluded > 0 && `Left out: ${count(excluded, 'operation')}.`,
    traffic && trafficText(traffic)
  )
}

/** `breaks 12 of 1,204,117 requests of 3 clients, 1 to 28 November 2026` */
export const hitsText = (hits: Hits): string => {
  const number = `${hits.isAtMost ? 'at most ' : ''}${hits.requests.toLocaleString('en')}`
  const clients = hits.requests === 0 ? '' : clientsOf(hits)
  return `breaks ${number} of ${counted(hits.of, 'request')}${clients}${timeOf(hits)}`
}

const trafficText = (traffic: Traffic): string => {
  const { requests, outside, others, unreadable, unreadableAt } = traffic
  const places = [...unreadableAt, ...(unreadable > unreadableAt.length ? ['…'] : [])].join(', ')
  const left = present(
    outside > 0 && `${counted(outside, 'request')} to nothing that the earlier contract has`,
    others > 0 && `${counted(others, 'line')} without a request`,
    unreadable > 0 && `${counted(unreadable, 'line')} that cannot be read (${places})`
  )
  const rest = left.length === 0 ? '' : `; besides, ${left.join(', ')}`
  return `Traffic: ${counted(requests, 'request')}${clientsOf(traffic)}${timeOf(traffic)}${rest}.`
}

const counted = (number: number, noun: string) => `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`

const clientsOf = ({ clients, isMore }: Requests): string =>
  clients === undefined ? '' : ` of ${isMore ? 'more than ' : ''}${counted(clients, 'client')}`

const timeOf = ({ from, until }: Requests): string => {
  if (from === undefined || until === undefined) return ''
  const [first = '', last = ''] = [from, until].map(each => dates.format(Date.parse(each)))
  // What both have in common is told once.
  const [day = '', month = '', year = ''] = first.split(' ')
  const begin = last.endsWith(` ${month} ${year}`) ? day : last.endsWith(` ${year}`) ? `${day} ${month}` : first
  return first === last ? `, ${first}` : `, ${begin} to ${last}`
}

const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

const unchanged = ({ contract, against, version }: ChangesOutcome): string => {
  if (against === undefined)
    return nothingToCompare(contract, 'no release is published yet, and `contract release` makes the first')
  return version.step === 'patch' ? 'nothing that clients see has changed' : 'the interface has not changed'
}

const calledFor = ({ step, after, next, follows }: VersionVerdict, isChecked: boolean): string => {
  if (!isChecked && !follows && next !== undefined)
    return step === 'none' ? `version ${after}` : `calls for ${next} (${step})`
  const version = after === '' ? 'there is no info.version' : `info.version is ${after}`
  if (step === 'none' && !follows) return `${version}, less than ${next}`
  if (step === 'none') return after === '' ? version : `version ${after}`
  if (next === undefined) return `calls for a ${step} version`
  if (follows && parseVersion(after) !== undefined) return `calls for ${next} (${step}), and ${version}`
  const isWord = follows && after !== ''
  return `calls for ${next} (${step}), but ${version}${isWord ? ', not a semantic version' : ''}`
}

export const faultsOf = ({ unanswered }: CheckReport): string[] =>
  unanswered.flatMap(({ question, reason, isFault }) => (isFault ? [`${question}: ${reason}`] : []))

export const summaries = ({ generated, routes, live, changes, unanswered }: CheckReport) => {
  const all: [Question, string | undefined][] = [
    ['generated', generated && (generated.length === 0 ? 'up to date' : count(generated.length, 'stale file'))],
    ['routes', routes && staticSummary(routes)],
    ['live', live && liveSummary(live)],
    ['changes', changes && changesSummary(changes)]
  ]
  return [
    // Faults go to stderr.
    ...unanswered.flatMap(({ question, reason, isFault }) => (isFault ? [] : [{ question, summary: reason }])),
    ...all.flatMap(([question, summary]) => (summary === undefined ? [] : [{ question, summary }]))
  ]
}

const staticSummary = ({ routes, failures }: StaticReport): string =>
  failures.length === 0 ? `${count(routes, 'route')}, no differences` : count(failures.length, 'difference')

const liveSummary = ({ url, seed, requests, failures, created, left, lost, uncertain }: LiveReport): string => {
  const [stillThere, unsure] = [left.length + total(lost), total(uncertain)]
  return present(
    `${count(failures.length, 'difference')} in ${count(requests, 'request')} to ${url}, seed ${seed}`,
    created > 0 && `${count(created, 'resource')} created there, ${created - stillThere} removed, ${stillThere} left`,
    unsure > 0 && `${count(unsure, 'request')} that may have created ${created === 0 ? 'something' : 'more'}`
  ).join('; ')
}

const total = (counts: Record<string, number>): number => Object.values(counts).reduce((sum, each) => sum + each, 0)

export const sentenceOf = ({ wrong, right, times, others }: Difference): string => {
  const more = present(times > 1 && `${times} times`, others.length > 0 && `also ${listed(others)}`)
  return `It ${wrong}; expected: ${right}.${more.length === 0 ? '' : ` (${more.join('; ')})`}`
}
