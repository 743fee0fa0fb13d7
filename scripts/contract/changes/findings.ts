import type { Json } from '../../document/json.ts'
import type { Node } from '../../document/node.ts'
import { type Category, type Finding, fingerprintOf, type Level } from './finding.ts'
import { severities, severityOf } from './severity.ts'

/** A change as it is met at one of the places that it reaches. */
export interface Change {
  before?: Node | undefined
  after?: Node | undefined
  was?: string | undefined
  is?: string | undefined
  message: string
  witness?: Json | undefined
}

interface Cause extends Change {
  rule: string
  level: Level
  category: Category
  place: string
  uses: Set<string>
  ofAll: boolean
}

const weight: Record<Level, number> = { compatible: 0, undecided: 1, breaking: 2 }

/** What has been found so far: a cause that is met again only gains the operation that it was met in. */
export class Findings {
  readonly #causes = new Map<string, Cause>()
  readonly #disabled: ReadonlySet<string>

  constructor(disabled: ReadonlySet<string>) {
    this.#disabled = disabled
  }

  /** `use` is the operation that it was met in; undefined for what concerns the whole document. */
  add(rule: string, level: Level, category: Category, place: string, use: string | undefined, change: Change) {
    if (this.#disabled.has(rule)) return
    const key = JSON.stringify([rule, place, change.was, change.is])
    const known = this.#causes.get(key)
    const uses = known?.uses ?? new Set()
    if (use !== undefined) uses.add(use)
    const ofAll = use === undefined || known?.ofAll === true
    // An operation in which it harms tells more of it than one in which it does not.
    if (known !== undefined && weight[known.level] >= weight[level]) known.ofAll = ofAll
    else this.#causes.set(key, { ...change, rule, level, category, place, uses, ofAll })
  }

  /** The gravest first, else in the order in which they were met; `operations` is the order of their uses. */
  list(operations: Iterable<string>): Finding[] {
    const order = new Map([...new Set(operations)].map((name, index) => [name, index]))
    const indexOf = (use: string) => order.get(use) ?? order.size
    const gravity = (finding: Finding) => severities.indexOf(severityOf(finding))
    return [...this.#causes.values()]
      .map(({ uses, ofAll, ...cause }) =>
        findingOf(cause, ofAll ? [] : [...uses].toSorted((a, b) => indexOf(a) - indexOf(b)))
      )
      .toSorted((a, b) => gravity(a) - gravity(b))
  }
}

const findingOf = (cause: Omit<Cause, 'uses' | 'ofAll'>, uses: string[]): Finding => {
  const { rule, level, category, place, before, after, was, is, message, witness } = cause
  const states = { ...(was !== undefined && { was }), ...(is !== undefined && { is }) }
  return {
    rule,
    level,
    category,
    place,
    uses,
    ...(before !== undefined && { before: before.place }),
    ...(after !== undefined && { after: after.place }),
    ...states,
    message,
    ...(witness !== undefined && { witness }),
    fingerprint: fingerprintOf({ rule, place, ...states })
  }
}
