import { declaredAs, type Operation } from './operations.ts'

/** An operation's row in the table: each status that is declared or was received. */
export interface CoverageRow {
  operation: string
  cells: { status: string; isDeclared: boolean; isSeen: boolean }[]
}

export const newRow = ({ id, responses }: Operation): CoverageRow => ({
  operation: id,
  cells: [...responses.keys()].map(status => ({ status, isDeclared: true, isSeen: false }))
})

/** Records which responses were received, except those to requests that belong to no operation. */
export const see = (rows: readonly CoverageRow[], { id, responses }: Operation, status: number): void => {
  const cells = rows.find(({ operation }) => operation === id)?.cells
  const name = declaredAs(responses, status) ?? String(status)
  const cell = cells?.find(each => each.status === name)
  if (cell === undefined) cells?.push({ status: name, isDeclared: false, isSeen: true })
  else cell.isSeen = true
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
