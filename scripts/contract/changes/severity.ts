import type { Finding } from './finding.ts'

/**
 * How much a finding matters, the gravest first. `sdk` is what breaks those only who compile against generated code;
 * what has been approved matters as much as a compatible change.
 */
export const severities = ['breaking', 'undecided', 'sdk', 'compatible', 'none'] as const
export type Severity = (typeof severities)[number]

export const severityOf = ({ level, category, approved }: Finding): Severity => {
  if (level === 'compatible' || approved !== undefined) return 'compatible'
  return category === 'sdk' ? 'sdk' : level
}

/** Those that matter most first, else in the order that they have. */
export const byGravity = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted((a, b) => severities.indexOf(severityOf(a)) - severities.indexOf(severityOf(b)))

/** The gravest of all; `none` when there is nothing. */
export const gravestOf = (findings: readonly Finding[]): Severity => {
  const present = new Set(findings.map(severityOf))
  return severities.find(each => present.has(each)) ?? 'none'
}

/** Those that fail a check; what is approved never does, and none does with `none`. */
export const failing = (findings: readonly Finding[], least: Severity): Finding[] =>
  least === 'none'
    ? []
    : findings.filter(
        each => each.approved === undefined && severities.indexOf(severityOf(each)) <= severities.indexOf(least)
      )
