import { block, code, text } from '@contract-first/document'
import { compareDocuments } from '../changes/compare.ts'
import type { Finding } from '../changes/finding.ts'
import { isStanding } from '../changes/version.ts'
import { loadContract } from '../shape.ts'
import { sectionOf, sections } from './check-blocks.ts'
import { excerpt } from './excerpt.ts'
import { type Cause, causesBy, factsOf, usesOf } from './groups.ts'
import { listed, placeOf } from './wording.ts'

/** The changes between two versions of a contract, as a section of a changelog. */
export const changelogBetween = (before: string, after: string): string => {
  // Release dates are not recorded. With the last possible day, every sunset has passed and every notice is early enough,
  // so that the result does not depend on the current date.
  const options = { strict: false, today: '9999-12-31', graceDays: 0 }
  const findings = compareDocuments(loadContract(before), loadContract(after), options)
  const changes = findings.filter(each => !isStanding(each))
  const groups = Map.groupBy(changes, sectionOf)
  if (groups.size === 0) return 'Nothing that clients see has changed.'
  const section = (title: string, items: string[]) =>
    items.length === 0 ? [] : [`### ${title}`, items.join('\n').trimEnd()]
  return sections.flatMap(each => section(titles[each] ?? each, alike(groups.get(each) ?? []).map(itemOf))).join('\n\n')
}

// Readers of a changelog have nothing to decide.
const titles: Partial<Record<(typeof sections)[number], string>> = { 'Needs a look': 'May break' }

/** Groups the same change to a header of many responses: readers care about the operations, not about each declaration. */
const alike = (findings: readonly Finding[]): Cause[] =>
  causesBy(findings, finding => {
    const { rule, message, was, is, witness } = finding
    const header = headerOf(finding)
    return header === undefined ? finding : JSON.stringify([header, rule, message, was, is, witness])
  })

const headerOf = (finding: Finding) => /\bresponse \S+ (header \S+)/.exec(placeOf(finding))?.[1]

const itemOf = (cause: Cause): string => {
  const { finding, others } = cause
  const { rule, message } = finding
  const { states, witness, proven, users } = factsOf(cause)
  const isAlone = others.length === 0
  const value = witness === undefined ? [] : excerpt(witness, maxWidth)
  const said = [
    text(rule.endsWith('-after-sunset') ? 'It was removed as announced.' : message),
    states && `${states.map(code).join(' → ')}.`,
    !isAlone && `In ${text(usesOf([finding, ...others]).join(', '))}.`,
    isAlone && users && `Used by ${text(listed(users))}.`,
    value.length === 1 && `${code(value.join())} ${proven}.`,
    value.length > 1 && `This ${proven}:`
  ].filter(each => typeof each === 'string')
  const place = isAlone ? placeOf(finding) : `response ${headerOf(finding)}`
  const item = `- **${text(place)}**: ${said.join(' ')}`
  return value.length > 1 ? `${item}\n\n${block(value.join('\n'), 'json')}\n` : item
}

const maxWidth = 80
