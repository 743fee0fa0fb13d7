const dayMs = 86_400_000
/** Times further away are mistakes. */
const maxDays = 10_000
/** Without any request for longer, something is missing. */
const maxGap = 7

const dayOf = (timeMs: number) => Math.floor(timeMs / dayMs)

/** The days that have requests, counted from today. */
export class Days {
  readonly #today: number
  readonly #days = new Set<number>()

  /** @param today YYYY-MM-DD */
  constructor(today: string) {
    this.#today = dayOf(Date.parse(today))
  }

  /** Returns the day, as if it were in the future if it is unknown. */
  add(timeMs = Number.NaN): number {
    const day = dayOf(timeMs) - this.#today
    if (!(Math.abs(day) < maxDays)) return Number.POSITIVE_INFINITY
    this.#days.add(day)
    return day
  }

  /** The first and the last one, YYYY-MM-DD. */
  span(): { from: string; until: string } | undefined {
    if (this.#days.size === 0) return undefined
    const dateOf = (day: number) => new Date((this.#today + day) * dayMs).toISOString().slice(0, 10)
    return { from: dateOf(Math.min(...this.#days)), until: dateOf(Math.max(...this.#days)) }
  }

  /** Whether there were requests all along in so many days before today. */
  cover(count: number): boolean {
    const days = [...this.#days].filter(day => day < 0).sort((a, b) => a - b)
    const start = days.findLastIndex(day => day <= -count)
    const covered = [...days.slice(start), 0]
    return start !== -1 && covered.every((day, index) => day - (covered[index - 1] ?? day) <= maxGap)
  }
}
