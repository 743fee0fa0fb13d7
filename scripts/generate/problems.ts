/** A place in a source file; line and column begin at 1. */
export interface Location {
  file: string
  line: number
  column: number
}

export interface Problem {
  at: Location
  /** One line: what is wrong, and what would be right. */
  message: string
}

const byPlace = (a: Problem, b: Problem) =>
  a.at.file.localeCompare(b.at.file, 'en') || a.at.line - b.at.line || a.at.column - b.at.column

/** Everything that is wrong with a contract, told in one go. */
export class ContractError extends Error {
  override readonly name = 'ContractError'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    const sorted = [...problems].sort(byPlace)
    super(sorted.map(({ at, message }) => `${at.file}:${at.line}:${at.column}: ${message}`).join('\n'))
    this.problems = sorted
  }
}
