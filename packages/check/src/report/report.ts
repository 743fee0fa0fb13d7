import { jsonText } from '@contract-first/document'
import { rules } from '../changes/rules.ts'
import { type CheckReport, exitCodeOf } from '../outcome.ts'
import { annotation } from './github.ts'
import { gitlab } from './gitlab.ts'
import { junit } from './junit.ts'
import { checkMarkdown } from './markdown.ts'
import { brief, messagesOf, otherRules, whole } from './messages.ts'
import { sarif } from './sarif.ts'
import { checkText } from './text.ts'
import { proofOf, summaries } from './wording.ts'

export const formats = {
  text: checkText,
  json: report => jsonText({ ...report, exitCode: exitCodeOf(report) }, 2),
  github: report =>
    [
      ...messagesOf(report, brief).map(annotation),
      ...summaries(report).map(({ question, summary }) => `${question}: ${summary}`),
      ...(report.changes === undefined ? [] : proofOf(report.changes))
    ].join('\n'),
  markdown: checkMarkdown,
  sarif: report => sarif(messagesOf(report, whole), titles),
  junit: report => junit(messagesOf(report, brief), summaries(report)),
  gitlab: report => gitlab(messagesOf(report, brief))
} as const satisfies Record<string, (report: CheckReport) => string>

const titles = { ...otherRules, ...Object.fromEntries(rules.map(({ id, title }) => [id, title])) }

export type Format = keyof typeof formats
