import type { Finding } from './finding.ts'

/**
 * How severe a finding is, most severe first. `sdk` breaks only those who compile against generated code; an approved
 * finding is as severe as a compatible change.
 */
export const severities = ['breaking', 'undecided', 'sdk', 'compatible', 'none'] as const
/** How severe a finding is. */
export type Severity = (typeof severities)[number]

export const severityOf = ({ level, category, approved }: Finding): Severity => {
  if (level === 'compatible' || approved !== undefined) return 'compatible'
  return category === 'sdk' ? 'sdk' : level
}

/** Most severe first, otherwise in the given order. */
export const byGravity = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted((a, b) => severities.indexOf(severityOf(a)) - severities.indexOf(severityOf(b)))

/** The highest severity; `none` without findings. */
export const gravestOf = (findings: readonly Finding[]): Severity => {
  const present = new Set(findings.map(severityOf))
  return severities.find(each => present.has(each)) ?? 'none'
}

/** The findings that fail a check; approved ones never do, and with `none` no finding does. */
export const failing = (findings: readonly Finding[], least: Severity): Finding[] =>
  least === 'none'
    ? []
    : findings.filter(
        each => each.approved === undefined && severities.indexOf(severityOf(each)) <= severities.indexOf(least)
      )
