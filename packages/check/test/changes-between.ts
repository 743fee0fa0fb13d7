import { readDocument } from '../../document/src/document.ts'
import { type CompareOptions, compareDocuments } from '../src/changes/compare.ts'
import type { Finding } from '../src/changes/finding.ts'
import type { Frame } from '../src/changes/rule.ts'
import { checkShape } from '../src/shape.ts'
import { documentOf } from './frames.ts'

/** The findings between two documents, given as parts in YAML. */
export const findingsBetween = (
  frame: Frame,
  before: string,
  after: string,
  options: Partial<CompareOptions> = {}
): Finding[] =>
  compareDocuments(documentIn(frame, before, 'before.yaml'), documentIn(frame, after, 'after.yaml'), {
    ...{ strict: false, today: '2026-11-20', graceDays: 90 },
    ...options
  })

const documentIn = (frame: Frame, part: string, name: string) => {
  const options = { isLenient: true }
  return checkShape(readDocument(documentOf(frame, part), name, options), options)
}

/** Like `findingsBetween`, one line each: `breaking operation-removed: GET /pets`. */
export const changesBetween = (...documents: Parameters<typeof findingsBetween>): string[] =>
  findingsBetween(...documents).map(({ level, rule, place }) => `${level} ${rule}: ${place}`)

/** What may break clients between two documents. */
export const breaksIn = (...documents: Parameters<typeof findingsBetween>): string[] =>
  changesBetween(...documents).filter(each => !each.startsWith('compatible'))
