import type { ChangesOutcome } from '../changes/check.ts'
import type { Finding } from '../changes/finding.ts'
import type { CheckReport } from '../outcome.ts'
import { type Block, bold, code, type Item, joined, type Line } from './blocks.ts'
import { excerpt } from './excerpt.ts'
import { type Cause, factsOf, groupsOf } from './groups.ts'
import { at, changesSummary, listed, placeOf, present, proofOf, sentenceOf, standingOf, summaries } from './wording.ts'

/** The changes for a pull request, then the other results. */
export const checkBlocks = (report: CheckReport): Block[] => {
  const { generated = [], routes, live, changes } = report
  const differences = [
    ...(routes?.failures ?? []).map(({ route, message }) => item(route, message)),
    ...(live?.failures ?? []).map(each => item(each.operation, `${each.what}. ${sentenceOf(each)}`, [code(each.curl)]))
  ]
  const others = summaries({ ...report, unanswered: [] }).filter(({ question }) => question !== 'changes')
  return [
    ...(changes === undefined ? [] : changesBlocks(changes)),
    ...section('Stale', generated.map(staleItem)),
    ...section('Different from the contract', differences),
    ...others.map(({ question, summary }) => ({ paragraph: [`${question}: ${summary}`] }))
  ]
}

const changesBlocks = (changes: ChangesOutcome): Block[] => {
  const { contract, against, findings, complaints, version } = changes
  const groups = Map.groupBy(findings, sectionOf)
  const since = against === undefined ? [] : against === contract ? [' is gone'] : [', compared with ', code(against)]
  return [
    { heading: [version.after || contract], level: 2 },
    { paragraph: [code(contract), ...since, `: ${changesSummary(changes)}.`] },
    ...proofOf(changes).map(each => ({ paragraph: [each] })),
    ...[titles.wrong, ...breaks, ...compatible, titles.approved, titles.unused].flatMap(title => {
      const wrong = title === titles.wrong ? complaints.map(({ message, at: place }) => item(at(place), message)) : []
      return section(title, [...wrong, ...findingItems(groups.get(title) ?? [])])
    })
  ]
}

const section = (title: string, list: readonly Item[]): Block[] =>
  list.length === 0 ? [] : [{ heading: [title], level: 3 }, { list }]

const titles = {
  breaking: 'Breaking',
  undecided: 'Needs a look',
  sdk: 'Breaks generated code',
  approved: 'Approved',
  unused: 'Unused',
  /** A problem that does not result from a change. */
  wrong: 'Wrong'
}
const breaks = [titles.breaking, titles.undecided, titles.sdk]
const compatible = ['Deprecated', 'Added', 'Removed', 'Changed']

const sectionOf = (finding: Finding): string => {
  const standing = standingOf(finding)
  return standing === 'compatible' ? compatibleSectionOf(finding) : titles[standing]
}

export const compatibleSectionOf = ({ rule }: Finding) => {
  if (/^(?:deprecation|sunset)-/.test(rule)) return 'Deprecated'
  if (rule.endsWith('-added')) return 'Added'
  return /-removed(?:-|$)/.test(rule) ? 'Removed' : 'Changed'
}

/** Several findings of a component are a list below its name. */
const findingItems = (findings: readonly Finding[]): Item[] =>
  groupsOf(findings).flatMap(({ kind, heading, causes }) => {
    const isListed = kind === 'component' && causes.length > 1
    const items = causes.map(each => causeItem(each, isListed))
    return isListed ? [{ lines: [[bold(heading)]], items }] : items
  })

const causeItem = (cause: Cause, isListed: boolean): Item => {
  const { rule, level, message, fingerprint, approved } = cause.finding
  const { states, witness, proven, hits, more, users, places } = factsOf(cause)
  const value = witness === undefined ? [] : excerpt(witness, maxWidth)
  const at = joined(places.map(code), ' → ')
  const head = item(
    placeOf(cause.finding),
    message,
    states && joined(states.map(code), ' → '),
    value.length === 1 && [code(value.join()), ` ${proven}`],
    hits && [hits],
    more && [more],
    users && !isListed && [`Used by ${users.length > 1 ? `${users.length} operations: ` : ''}${listed(users)}`],
    approved && [`Approved until ${approved.until}: ${approved.reason}`],
    level !== 'compatible' && joined(present([code(rule)], [code(fingerprint)], at.length > 0 && at), ' '),
    value.length > 1 && [`This ${proven}:`]
  )
  return value.length > 1 ? { ...head, code: [{ text: value.join('\n'), language: 'json' }] } : head
}

const maxWidth = 80

const staleItem = (stale: string): Item => {
  const [first = '', ...more] = stale.split('\n')
  return { lines: [[first]], ...(more.length > 0 && { code: [{ text: more.join('\n'), language: 'diff' }] }) }
}

const item = (name: string, message: string, ...lines: Parameters<typeof present<Line>>): Item => ({
  lines: present<Line>([bold(name), `: ${message}`], ...lines)
})
