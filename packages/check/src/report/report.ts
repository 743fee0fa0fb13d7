import { jsonText } from '@contract-first/document'
import { rules } from '../changes/rules.ts'
import { type CheckReport, exitCodeOf } from '../outcome.ts'
import { loadComparable } from '../shape.ts'
import { markdownOf } from './blocks.ts'
import { editionOf } from './changelog.ts'
import { checkBlocks } from './check-blocks.ts'
import { annotation } from './github.ts'
import { gitlab } from './gitlab.ts'
import { htmlOf } from './html.ts'
import { junit } from './junit.ts'
import { brief, messagesOf, otherRules, whole } from './messages.ts'
import { sarif } from './sarif.ts'
import { checkText } from './text.ts'
import { proofOf, summaries, trafficOf } from './wording.ts'

export const formats = {
  text: checkText,
  json: report => jsonText({ ...report, exitCode: exitCodeOf(report) }, 2),
  github: report =>
    [
      ...messagesOf(report, brief).map(annotation),
      ...summaries(report).map(({ question, summary }) => `${question}: ${summary}`),
      ...(report.changes === undefined ? [] : [...proofOf(report.changes), ...trafficOf(report.changes)])
    ].join('\n'),
  markdown: report => markdownOf(checkBlocks(report)),
  html: report => htmlOf(`Check of ${report.contract}`, checkBlocks(report)),
  changelog: ({ changes }) => (changes === undefined ? '' : markdownOf(editionOf(changes), true)),
  'changelog-html': ({ changes, contract }) =>
    changes === undefined ? '' : htmlOf(`Changelog of ${titleIn(contract)}`, editionOf(changes)),
  sarif: report => sarif(messagesOf(report, whole), titles),
  junit: report => junit(messagesOf(report, brief), summaries(report)),
  gitlab: report => gitlab(messagesOf(report, brief))
} as const satisfies Record<string, (report: CheckReport) => string>

const titleIn = (contract: string) => String(loadComparable(contract).root.get('info')?.get('title')?.value ?? contract)

const titles = { ...otherRules, ...Object.fromEntries(rules.map(({ id, title }) => [id, title])) }

export type Format = keyof typeof formats
