import type { Place } from './node.ts'

/** A document cannot be used; the message has a line for each problem. */
export class LoadError extends Error {
  override readonly name = 'LoadError'

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
  }
}

export interface Problem {
  place: Place
  message: string
}

export const byPlace = ({ place: a }: Problem, { place: b }: Problem) =>
  a.file.localeCompare(b.file, 'en') || a.line - b.line || a.column - b.column

export const lineOf = ({ place: { file, line, column }, message }: Problem) => `${file}:${line}:${column}: ${message}`

/** All problems, ordered by location. */
export const loadErrorAt = (problems: readonly Problem[]) => new LoadError(problems.toSorted(byPlace).map(lineOf))

/** Whether something is nested more deeply than the call stack allows. */
export const isStackOverflow = (error: unknown): boolean =>
  error instanceof RangeError && error.message.includes('call stack')
