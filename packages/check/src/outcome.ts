import type { ChangesOutcome } from './changes/check.ts'
import type { LiveReport } from './live/live.ts'
import type { StaticReport } from './routes/static.ts'

export const questions = ['generated', 'routes', 'live', 'changes'] as const
export type Question = (typeof questions)[number]

/** The results; those of checks that were not run or could not be completed are absent. */
export interface CheckReport {
  contract: string
  /** Whether it is one of several contracts, and none of the earlier ones is its own. */
  isNew?: true
  generated?: string[]
  routes?: StaticReport
  live?: LiveReport
  changes?: ChangesOutcome
  /** The checks that could not be completed, and why. */
  unanswered: { question: Question; reason: string; isFault: boolean }[]
}

/** Whether nothing is configured, not even releases, and there is no earlier contract: then a success would mean nothing. */
const hasCheckedNothing = ({ generated, routes, live, changes, isNew }: CheckReport): boolean =>
  (generated ?? routes ?? live ?? isNew) === undefined && changes?.against === undefined && !changes?.awaitsRelease

/** The exit code of the most severe result. A check that could not be completed is the most severe. */
export const exitCodeOf = (...reports: readonly CheckReport[]): number => {
  const [first = 0, ...others] = new Set(reports.map(codeOf))
  return others.length === 0 ? first : ([3, 1, 5, 4].find(each => each === first || others.includes(each)) ?? 0)
}

const codeOf = (report: CheckReport): number => {
  const { generated, routes, live, changes, unanswered } = report
  if (unanswered.some(({ isFault }) => isFault)) return 3
  if (changes?.fails) return 1
  if (hasCheckedNothing(report)) return 2
  if ((routes?.failures.length ?? 0) > 0 || (live?.failures.length ?? 0) > 0) return 5
  return (generated?.length ?? 0) > 0 ? 4 : 0
}
