import { declaredAs, type Operation } from './operations.ts'

/** An operation's row in the table: each status that is declared or was received. */
export interface CoverageRow {
  operation: string
  cells: { status: string; isDeclared: boolean; isSeen: boolean }[]
}

/** Records which responses were received. */
export class Coverage {
  readonly #rows: Map<Operation, CoverageRow>

  constructor(operations: readonly Operation[]) {
    this.#rows = new Map(
      operations.map(operation => [
        operation,
        {
          operation: operation.id,
          cells: [...operation.responses.keys()].map(status => ({ status, isDeclared: true, isSeen: false }))
        }
      ])
    )
  }

  /** Ignores responses to requests that belong to no operation. */
  see(operation: Operation, status: number): void {
    const row = this.#rows.get(operation)
    if (row === undefined) return
    const name = declaredAs(operation.responses, status) ?? String(status)
    const cell = row.cells.find(each => each.status === name)
    if (cell === undefined) row.cells.push({ status: name, isDeclared: false, isSeen: true })
    else cell.isSeen = true
  }

  get rows(): CoverageRow[] {
    return [...this.#rows.values()]
  }
}

export const coverageTable = (rows: readonly CoverageRow[]): string => {
  const statuses = [...new Set(rows.flatMap(({ cells }) => cells.map(({ status }) => status)))].toSorted()
  const lines = [
    ['', ...statuses],
    ...rows.map(({ operation, cells }) => [
      operation,
      ...statuses.map(status => wordOf(cells.find(each => each.status === status)))
    ])
  ]
  const widths = ['', ...statuses].map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0)))
  return lines
    .map(line =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()
    )
    .join('\n')
}

const wordOf = (cell: CoverageRow['cells'][number] | undefined): string => {
  if (cell === undefined) return ''
  if (!cell.isDeclared) return 'undeclared'
  return cell.isSeen ? 'seen' : 'not seen'
}
