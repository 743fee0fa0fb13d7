import type { Finding } from '../changes/finding.ts'
import { isAbsence } from '../schema/describe.ts'
import { at, count, hitsText, isUsed, listed, placeOf, present, standingOf } from './wording.ts'

export interface Group {
  heading: string
  kind: 'whole' | 'component' | 'operation' | 'part'
  causes: Cause[]
}

/** `others` are the same in other places. */
export type Cause = { finding: Finding; others: Finding[] }

/** By component or, outside components, by operation or by what changed; what concerns the whole contract comes last. */
export const groupsOf = (findings: readonly Finding[]): Group[] => {
  const users = Map.groupBy(findings, ({ component }) => component)
  const groups = Map.groupBy(findings, finding => {
    const { component } = finding
    const uses = component === undefined ? finding.uses : usesOf(users.get(component) ?? [])
    if (finding.uses.length === 0) return 'whole:'
    if (uses.length === 1) return `operation:${uses[0]}`
    return component === undefined
      ? `part:${placeOf(finding)}, ${usedBy(uses)}`
      : `component:${component}, ${usedBy(uses)}`
  })
  return [...groups]
    .map(([key, group]): Group => {
      const [kind = ''] = key.split(':', 1)
      const heading = kind === 'whole' ? 'The whole contract' : key.slice(kind.length + 1)
      return { heading, kind: kind as Group['kind'], causes: causesOf(group) }
    })
    .toSorted((a, b) => Number(a.kind === 'whole') - Number(b.kind === 'whole'))
}

const usesOf = (findings: readonly Finding[]) => [...new Set(findings.flatMap(({ uses }) => uses))]
const usedBy = (uses: readonly string[]) => `used by ${count(uses.length, 'operation')}: ${listed(uses)}`

/** Merges findings that say the same about the same lines. */
export const causesOf = (findings: readonly Finding[]): Cause[] =>
  [...Map.groupBy(findings, keyOf).values()].map(([finding, ...others]) => ({ finding: finding as Finding, others }))

const keyOf = (finding: Finding) => {
  const { rule, before, after, was, is, approved, hits } = finding
  const places = [before, after].map(each => each && at(each))
  return JSON.stringify([standingOf(finding), rule, ...places, was, is, approved, hits])
}

/** The details that follow a finding's message; undefined where there is nothing to add. */
export const factsOf = ({ finding, others }: Cause) => {
  const { uses, before, after, was, is, message, witness, sentAs, approved, hits } = finding
  const areStatesTold =
    was === undefined ||
    is === undefined ||
    [was, is].every(each => isAbsence(each) || message.includes(each)) ||
    (was + is).includes('…')
  return {
    /** Both states of what changed, unless they are too long to be read. */
    states: areStatesTold ? undefined : [was, is],
    witness: sentAs ?? witness,
    proven: witness === undefined ? undefined : provenBy(finding),
    hits: hits && hitsText(hits),
    more: others.length > 0 && `the same at ${count(others.length, 'other place')}: ${listed(others.map(placeOf))}`,
    users: isUsed(finding) ? uses : undefined,
    approval: approved && `approved until ${approved.until}: ${approved.reason}`,
    places: present(before, after).map(at)
  }
}

const provenBy = ({ rule }: Finding): string =>
  rule.startsWith('response-') ? 'may now be sent and was not declared' : 'was accepted and is now rejected'
