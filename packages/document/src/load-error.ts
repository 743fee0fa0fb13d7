import type { Place } from './node.ts'
import { shortened } from './text.ts'

/** A document cannot be used; the message has a line for each problem. */
export class LoadError extends Error {
  override readonly name = 'LoadError'

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
  }
}

/** Why a file cannot be read. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

/** Names what is `Unreadable`. @throws LoadError */
export const naming = <T>(name: string, read: () => T): T => {
  try {
    return read()
  } catch (error) {
    if (error instanceof Unreadable) throw new LoadError([`${name}: ${error.message}`])
    throw error
  }
}

/** What is wrong, and where. */
export interface Problem {
  place: Place
  message: string
}

/** Compares problems by file, line and column. */
export const byPlace = ({ place: a }: Problem, { place: b }: Problem) =>
  a.file.localeCompare(b.file, 'en') || a.line - b.line || a.column - b.column

/** `openapi.yaml:3:1: message`, as compilers print it. */
export const lineOf = ({ place: { file, line, column }, message }: Problem) => `${file}:${line}:${column}: ${message}`

const maxLines = 100
const maxLength = 1_000

/** The problems, ordered by location; cut, as thousands of problems have one cause. */
export const loadErrorAt = (problems: readonly Problem[]) => {
  const lines = problems.toSorted(byPlace).map(each => shortened(lineOf(each), maxLength))
  const rest = lines.length - maxLines
  return new LoadError(rest <= 1 ? lines : [...lines.slice(0, maxLines), `${rest} more like these`])
}

/** Whether something is nested more deeply than the call stack allows. */
export const isStackOverflow = (error: unknown): boolean =>
  error instanceof RangeError && error.message.includes('call stack')
