import { loadDocument } from '../../document/document.ts'
import { block, code, text } from '../../document/markdown-text.ts'
import { compareDocuments } from '../changes/compare.ts'
import type { Finding } from '../changes/finding.ts'
import { byGravity } from '../changes/severity.ts'
import { isStanding } from '../changes/version.ts'
import { excerpt } from './excerpt.ts'
import { sectionOf, sections } from './markdown.ts'
import { isUsed, listed, placeOf, provenBy, statesOf } from './wording.ts'

/** What clients meet in one version of a contract that they did not in the one before, as a part of a changelog. */
export const changelogBetween = (before: string, after: string): string => {
  // Nobody has written down when a version was released. On the last of all days everything that was announced has come
  // to pass, and no announcement comes too late, so that the comparison is the same whenever it is made.
  const options = { strict: false, today: '9999-12-31', graceDays: 0 }
  const findings = byGravity(compareDocuments(loadDocument(before), loadDocument(after), options))
  const groups = Map.groupBy(
    findings.filter(each => !isStanding(each)),
    sectionOf
  )
  if (groups.size === 0) return 'Only descriptions and the like have changed.'
  return sections
    .flatMap(section => {
      const items = alike(groups.get(section) ?? []).map(itemOf)
      return items.length === 0 ? [] : [`### ${titles[section] ?? section}`, items.join('\n').trimEnd()]
    })
    .join('\n\n')
}

// Whoever reads a changelog has nothing to decide.
const titles: Partial<Record<(typeof sections)[number], string>> = { 'Needs a look': 'May break' }

/** Together what happened to a header of many responses: a reader asks which operations, not how often it is written. */
const alike = (findings: readonly Finding[]): Finding[][] => [
  ...Map.groupBy(findings, finding => {
    const { rule, message, was, is, witness } = finding
    const header = headerOf(finding)
    return header === undefined ? finding : JSON.stringify([header, rule, message, was, is, witness])
  }).values()
]

const headerOf = (finding: Finding) => /\bresponse \S+ (header \S+)/.exec(placeOf(finding))?.[1]

const itemOf = (findings: readonly Finding[]): string => {
  const [finding] = findings as [Finding]
  const { rule, message, witness } = finding
  const isAlone = findings.length === 1
  const uses = [...new Set(findings.flatMap(each => each.uses))]
  const states = statesOf(finding)
  const value = witness === undefined ? [] : excerpt(witness, widest)
  const said = [
    text(rule.endsWith('-after-sunset') ? 'It was removed as announced.' : message),
    ...(states === undefined ? [] : [`${states.map(code).join(' → ')}.`]),
    ...(!isAlone || isUsed(finding)
      ? [isAlone ? `Used by ${text(listed(uses))}.` : `In ${text(uses.join(', '))}.`]
      : []),
    ...(value.length === 1 ? [`${code(value.join())} ${provenBy(finding)}.`] : []),
    ...(value.length > 1 ? [`This ${provenBy(finding)}:`] : [])
  ]
  const place = isAlone ? placeOf(finding) : `response ${headerOf(finding)}`
  const item = `- **${text(place)}**: ${said.join(' ')}`
  return value.length > 1 ? `${item}\n\n${block(value.join('\n'), 'json')}\n` : item
}

const widest = 80
