import type { Place } from '../document/node.ts'
import type { ChangesOutcome } from './changes/check.ts'
import type { LiveReport } from './routes/live.ts'
import type { StaticReport } from './routes/static.ts'

export const questions = ['generated', 'routes', 'changes'] as const
export type Question = (typeof questions)[number]

/** What was found; a question that was not asked or could not be answered is absent. */
export interface CheckReport {
  contract: string
  /** A text for each stale file. */
  generated?: string[]
  routes?: Placed<StaticReport>
  live?: Placed<LiveReport>
  changes?: ChangesOutcome
  /** Questions that could not be answered, and why. */
  unanswered: { question: Question; reason: string; isFault: boolean }[]
}

/** With where the operation of a failure is in the contract, if it is there. */
export type Placed<Report extends { failures: object[] }> = Omit<Report, 'failures'> & {
  failures: (Report['failures'][number] & { at?: Place })[]
}

/** The exit code: that of the gravest result. Nothing is graver than what could not be answered. */
export const exitCodeOf = ({ generated, routes, live, changes, unanswered }: CheckReport): number => {
  if (unanswered.some(({ isFault }) => isFault)) return 3
  if (changes?.fails) return 1
  if ((routes?.failures.length ?? 0) > 0 || (live?.failures.length ?? 0) > 0) return 5
  return (generated?.length ?? 0) > 0 ? 4 : 0
}
