import { type Node, type OpenApiDocument, shortened } from '@contract-first/document'
import { maxShown } from '../schema/describe.ts'
import type { Change, Level } from '../schema/schema-rules.ts'
import { byGravity, type Category, type Finding, fingerprintOf } from './finding.ts'
import type { Impact, Part } from './impact.ts'

/** A change, the component that it is in, and how and in which part of a message its values are sent. */
export interface ReportedChange extends Change {
  component?: string | undefined
  sentAs?: string | undefined
  sentIn?: string | undefined
  part?: Part | undefined
}

export type Documents = Record<'before' | 'after', OpenApiDocument>

interface Cause extends ReportedChange {
  rule: string
  level: Level
  category: Category
  place: string
  uses: Set<string>
  ofAll: boolean
  impacts: Impact[]
}

const weight: Record<Level, number> = { compatible: 0, undecided: 1, breaking: 2 }

/** Collects findings: a cause that is found again only gains the operation, if it affects it. */
export class Findings {
  readonly #causes = new Map<string, Cause>()

  /** `use` is the affected operation; undefined if the whole document is affected. */
  add(rule: string, level: Level, category: Category, place: string, use: string | undefined, change: ReportedChange) {
    const key = JSON.stringify([rule, place, change.was, change.is, change.identity])
    const earlier = this.#causes.get(key)
    // A change that breaks some operations does not affect those where it is compatible.
    const isHarmless = level === 'compatible'
    if (earlier !== undefined && isHarmless && earlier.level !== 'compatible') return
    const known = earlier?.level === 'compatible' && !isHarmless ? undefined : earlier
    const uses = known?.uses ?? new Set()
    const impacts = known?.impacts ?? []
    impacts.push({ ...change.part, rejects: change.rejects })
    if (use !== undefined) uses.add(use)
    const ofAll = use === undefined || known?.ofAll === true
    // The operation in which the change is most severe describes it best.
    if (known !== undefined && weight[known.level] >= weight[level]) known.ofAll = ofAll
    else this.#causes.set(key, { ...change, rule, level, category, place, uses, ofAll, impacts })
  }

  /** Most severe first; `operations` gives the order of `uses`, and `impacts` receives what each is about. */
  list(operations: Iterable<string>, documents: Documents, impacts?: Map<Finding, Impact[]>): Finding[] {
    const order = new Map([...new Set(operations)].map((name, index) => [name, index]))
    const indexOf = (use: string) => order.get(use) ?? order.size
    const all = [...this.#causes.values()].map(({ uses, ofAll, ...cause }) => {
      const finding = findingOf(cause, ofAll ? [] : [...uses].toSorted((a, b) => indexOf(a) - indexOf(b)), documents)
      impacts?.set(finding, cause.impacts)
      return finding
    })
    return byGravity(all)
  }
}

const maxText = 500

const findingOf = (cause: Omit<Cause, 'uses' | 'ofAll'>, uses: string[], documents: Documents): Finding => {
  const { rule, level, category, component, before, after, lost, gained, witness, sentAs, sentIn } = cause
  const [was, is] = [cause.was, cause.is].map(each => each && shortened(each, maxShown))
  const [place, message] = [cause.place, cause.message].map(each => shortened(each, maxText))
  const parent = before && after === undefined ? nearestIn(documents, before).place : undefined
  const sides = { before: before?.place, after: after?.place, parent, was, is, lost, gained }
  const all = { rule, level, category, place, component, uses, ...sides, message, witness, sentAs, sentIn }
  const known = Object.entries({ ...all, fingerprint: fingerprintOf(cause) }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(known) as unknown as Finding
}

/** The closest container of a removed part that is left. */
const nearestIn = ({ before, after }: Documents, removed: Node): Node => {
  let node = after.root
  // Another file may have moved with all that it contains.
  for (const key of removed.source === before.root.source ? removed.path : []) {
    // What now has the index of a removed item is another item.
    const next = Array.isArray(node.value) ? undefined : node.get(key)
    if (next === undefined) break
    node = next
  }
  return node
}
