import { getOrMake } from '@contract-first/document'
import type { Tally, Trial } from './trial.ts'

type Named = readonly (readonly [string, Trial])[]

/** A table of the results for each document, with a total. */
export const tableOf = (trials: Named): string => {
  const rows = [
    [
      ...['document', 'operations', 'served', 'refused', 'carried', 'called', 'rejected', 'examples', 'unfit'],
      ...['types s', 'start s', 'CPU s', 'MB', 'runs']
    ],
    ...trials.map(([name, trial]) => [name, ...figuresOf([trial]), trial.failure === undefined ? 'yes' : 'no']),
    [
      `${trials.length} documents`,
      ...figuresOf(trials.map(([, trial]) => trial)),
      String(trials.filter(([, { failure }]) => failure === undefined).length)
    ]
  ]
  return aligned(rows)
}

/** Rows with the first column to the left, and the others to the right. */
const aligned = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => (row[column] ?? '').length)))
  const padded = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)
  return rows.map(row => row.map(padded).join('  ')).join('\n')
}

const figuresOf = (trials: readonly Trial[]): string[] => {
  const sum = (of: (trial: Trial) => number | undefined) => trials.reduce((all, trial) => all + (of(trial) ?? 0), 0)
  const tally = (of: (trial: Trial) => Tally | undefined) => {
    const [ok, all] = [sum(trial => of(trial)?.ok), sum(trial => of(trial)?.all)]
    return ok === all ? String(all) : `${ok}/${all}`
  }
  const usages = ({ generated, called, typed }: Trial) => [generated, called, typed].filter(each => each !== undefined)
  const most = Math.max(0, ...trials.flatMap(usages).map(({ megabytes }) => megabytes))
  return [
    ...[operationsOf, servedOf, refusedOf, (trial: Trial) => trial.generated.carried].map(of => String(sum(of))),
    tally(({ called }) => called?.called),
    tally(({ called }) => called?.rejected),
    tally(({ called }) => called?.examples),
    String(sum(({ called }) => called?.unfit.length)),
    sum(({ typed }) => typed?.seconds).toFixed(1),
    sum(({ called }) => called?.start.seconds).toFixed(1),
    sum(trial => usages(trial).reduce((all, { seconds }) => all + seconds, 0)).toFixed(1),
    most.toFixed(0)
  ]
}

const operationsOf = ({ generated }: Trial) => generated.operations
/** The number of refused operations: all of them, if the document does not run. */
const refusedOf = (trial: Trial) => (trial.failure === undefined ? trial.generated.refused.length : operationsOf(trial))
const servedOf = (trial: Trial) => operationsOf(trial) - refusedOf(trial) - unroutedOf(trial)
const unroutedOf = ({ generated, failure }: Trial) => (failure === undefined ? generated.unrouted.length : 0)

/** The reasons that affect most operations, with the numbers of operations and documents. */
export const commonReasons = (trials: Named, most: number): string[] => {
  const uses = new Map<string, { operations: number; documents: Set<string> }>()
  for (const [name, { generated }] of trials) {
    for (const reasons of generated.refusals) {
      for (const reason of new Set(reasons.map(inGeneral))) {
        const use = getOrMake(uses, reason, () => ({ operations: 0, documents: new Set() }))
        use.operations++
        use.documents.add(name)
      }
    }
  }
  return [...uses]
    .toSorted(([, a], [, b]) => b.operations - a.operations)
    .slice(0, most)
    .map(([reason, { operations, documents }]) => `${operations} in ${documents.size}: ${reason}`)
}
/** A message without the names and values of its place. */
const inGeneral = (message: string) =>
  message
    .replace(/^(\S+) is (?:"|\[|\{|\d|null|true|false).*; expected: /, (_all, key: string) =>
      known.has(key) ? `${key}; expected: ` : 'expected: '
    )
    .replace(/\b(parameter|header|operationId|\$ref) \S+/g, '$1 …')
    .replace(/\S+ contains itself/, 'it contains itself')
    .replace(/path segment \S+/, 'path segment …')
    .replace(/\{\S+\} of \S+/, '{…} of a path')
    .replace(/declare the object \S+ .*$/, 'declare an object differently')
    .slice(0, 140)

const known = new Set(['format', 'type', 'style', 'in', 'scheme', 'pattern', 'maximum', 'minimum'])
