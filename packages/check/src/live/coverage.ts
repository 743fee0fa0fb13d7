import { declaredAs, type Operation } from '../operations/operations.ts'

/** An operation's row in the table: each status that is declared or was received. */
export interface CoverageRow {
  operation: string
  cells: { status: string; isDeclared: boolean; isSeen: boolean }[]
}

export const rowOf = ({ id, responses }: Operation, seen: ReadonlySet<number> = new Set()): CoverageRow => {
  const received = new Set([...seen].map(status => declaredAs(responses, status) ?? String(status)))
  const statuses = [...new Set([...responses.keys(), ...received])]
  const cellOf = (status: string) => ({ status, isDeclared: responses.has(status), isSeen: received.has(status) })
  return { operation: id, cells: statuses.map(cellOf) }
}

export const coverageTable = (rows: readonly CoverageRow[]): string => {
  const statuses = [...new Set(rows.flatMap(({ cells }) => cells.map(({ status }) => status)))].toSorted()
  const wordsFor = (status: string) => rows.map(({ cells }) => wordOf(cells.find(each => each.status === status)))
  const columns = [
    ['', ...rows.map(({ operation }) => operation)],
    ...statuses.map(status => [status, ...wordsFor(status)])
  ].map(column => {
    const width = Math.max(...column.map(({ length }) => length))
    return column.map(cell => cell.padEnd(width))
  })
  const lines = ['', ...rows].map((_, line) => columns.map(column => column[line]).join('  '))
  return lines.join('\n').replaceAll(/ +$/gm, '')
}

const wordOf = (cell: CoverageRow['cells'][number] | undefined): string => {
  if (cell === undefined) return ''
  if (!cell.isDeclared) return 'undeclared'
  return cell.isSeen ? 'seen' : 'not seen'
}
