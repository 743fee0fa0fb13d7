import { block, code, text } from '@contract-first/document'
import type { ChangesOutcome } from '../changes/check.ts'
import type { Finding } from '../changes/finding.ts'
import type { CheckReport } from '../outcome.ts'
import { excerpt } from './excerpt.ts'
import { type Cause, factsOf, groupsOf } from './groups.ts'
import { at, changesSummary, listed, placeOf, proofOf, sentenceOf, standingOf, summaries } from './wording.ts'

/** The changes as a changelog for a release or a pull request, then the other results. */
export const checkMarkdown = (report: CheckReport): string => {
  const { generated = [], routes, live, changes } = report
  const differences = [
    ...(routes?.failures ?? []).map(({ route, message }) => item(route, message)),
    ...(live?.failures ?? []).map(each => item(each.operation, `${each.what}. ${sentenceOf(each)}`, [code(each.curl)]))
  ]
  const others = summaries({ ...report, unanswered: [] }).filter(({ question }) => question !== 'changes')
  return [
    ...(changes === undefined ? [] : changesMarkdown(changes)),
    ...section('Stale', generated.map(staleItem)),
    ...section('Different from the contract', differences),
    ...others.map(({ question, summary }) => `${question}: ${text(summary)}`)
  ].join('\n\n')
}

const changesMarkdown = (changes: ChangesOutcome): string[] => {
  const { contract, against, findings, complaints, version } = changes
  const groups = Map.groupBy(findings, sectionOf)
  const since = against === undefined ? '' : `, compared with ${code(against)}`
  return [
    `## ${text(version.after || contract)}`,
    `${code(contract)}${since}: ${text(changesSummary(changes))}.`,
    ...proofOf(changes),
    ...section('Wrong', [
      ...complaints.map(({ message, at: place }) => item(at(place), message)),
      ...findingItems(groups.get('Wrong') ?? [])
    ]),
    ...sections.flatMap(title => section(title, findingItems(groups.get(title) ?? [])))
  ]
}

export const section = (title: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : [`### ${title}`, items.join('\n').trimEnd()]

/** The sections for changes, in order. */
export const sections = [
  'Breaking',
  'Needs a look',
  'Breaks generated code',
  'Deprecated',
  'Added',
  'Removed',
  'Changed',
  'Approved'
] as const

const titles = {
  wrong: 'Wrong',
  approved: 'Approved',
  breaking: 'Breaking',
  undecided: 'Needs a look',
  sdk: 'Breaks generated code'
} as const

/** `Wrong` is a problem that does not result from a change. */
export const sectionOf = (finding: Finding): (typeof sections)[number] | 'Wrong' => {
  const standing = standingOf(finding)
  if (standing !== 'compatible') return titles[standing]
  if (/^(?:deprecation|sunset)-/.test(finding.rule)) return 'Deprecated'
  if (finding.rule.endsWith('-added')) return 'Added'
  return /-removed(?:-|$)/.test(finding.rule) ? 'Removed' : 'Changed'
}

/** Several findings of a component are a list below its name. */
const findingItems = (findings: readonly Finding[]): string[] =>
  groupsOf(findings).flatMap(({ kind, heading, causes }) => {
    const items = causes.map(each => causeItem(each, kind === 'component' && causes.length > 1))
    if (kind !== 'component' || items.length === 1) return items
    return [`- **${text(heading)}**\n${items.join('\n').replaceAll(/^(?=.)/gm, '  ')}`]
  })

const causeItem = (cause: Cause, isListed: boolean): string => {
  const { rule, level, message, fingerprint, approved } = cause.finding
  const { states, witness, proven, more, users, places } = factsOf(cause)
  const value = witness === undefined ? [] : excerpt(witness, maxWidth)
  const head = item(placeOf(cause.finding), message, [
    states?.map(code).join(' → '),
    value.length === 1 && `${code(value.join())} ${proven}`,
    more && text(more),
    users && !isListed && `Used by ${users.length > 1 ? `${users.length} operations: ` : ''}${text(listed(users))}`,
    approved && `Approved until ${approved.until}: ${text(approved.reason)}`,
    level !== 'compatible' && [code(rule), code(fingerprint), places.map(code).join(' → ')].join(' '),
    value.length > 1 && `This ${proven}:`
  ])
  return value.length > 1 ? `${head}\n${block(value.join('\n'), 'json')}` : head
}

const maxWidth = 80

const staleItem = (stale: string): string => {
  const [first = '', ...more] = stale.split('\n')
  return more.length === 0 ? `- ${text(first)}` : `- ${text(first)}\n${block(more.join('\n'), 'diff')}`
}

const item = (name: string, message: string, lines: readonly (string | false | undefined)[] = []) =>
  [`- **${text(name)}**: ${text(message)}`, ...lines.filter(line => typeof line === 'string')].join('<br>')
