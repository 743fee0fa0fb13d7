import type { Trial } from './trial.ts'

/** A table of what came of each document, with their sum. */
export const tableOf = (trials: readonly (readonly [string, Trial])[]): string => {
  const sum = (of: (trial: Trial) => number) => trials.reduce((all, [, trial]) => all + of(trial), 0)
  const running = trials.filter(([, trial]) => trial.failure === undefined).length
  const rows = [
    ['document', 'operations', 'served', 'refused', 'carried', 'CPU s', 'MB', 'runs'],
    ...trials.map(([name, trial]) => [
      name,
      ...counts(trial.operations, servedOf(trial), refusedOf(trial), trial.carried.length),
      trial.seconds.toFixed(1),
      trial.megabytes.toFixed(0),
      trial.failure === undefined ? 'yes' : 'no'
    ]),
    [
      `${trials.length} documents`,
      ...counts(
        sum(each => each.operations),
        sum(servedOf),
        sum(refusedOf),
        sum(each => each.carried.length)
      ),
      sum(each => each.seconds).toFixed(1),
      Math.max(0, ...trials.map(([, { megabytes }]) => megabytes)).toFixed(0),
      String(running)
    ]
  ]
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => (row[column] ?? '').length)))
  const padded = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)
  return rows.map(row => row.map(padded).join('  ')).join('\n')
}

const counts = (...numbers: number[]) => numbers.map(String)
/** Of a document that does not run, no operation is served. */
const refusedOf = (trial: Trial) => (trial.failure === undefined ? trial.refused : trial.operations)
const servedOf = (trial: Trial) => trial.operations - refusedOf(trial)

/** The reasons that concern most operations, with their number and that of documents. */
export const commonReasons = (trials: readonly (readonly [string, Trial])[], most: number): string[] => {
  const uses = new Map<string, { operations: number; documents: Set<string> }>()
  for (const [name, { refusals }] of trials) {
    for (const reasons of refusals) {
      for (const reason of new Set(reasons.map(inGeneral))) {
        const use = uses.getOrInsertComputed(reason, () => ({ operations: 0, documents: new Set() }))
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

/** A message without what is particular to one place. */
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
