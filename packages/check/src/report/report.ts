import { styleText } from 'node:util'
import { jsonText } from '@contract-first/document'
import { rules } from '../changes/rules.ts'
import { type CheckReport, exitCodeOf } from '../outcome.ts'
import { loadComparable } from '../shape.ts'
import { type Block, code, markdownOf } from './blocks.ts'
import { editionOf } from './changelog.ts'
import { checkBlocks } from './check-blocks.ts'
import { annotation } from './github.ts'
import { gitlab } from './gitlab.ts'
import { htmlOf } from './html.ts'
import { junit } from './junit.ts'
import { brief, messagesOf, otherRules, whole } from './messages.ts'
import { sarif } from './sarif.ts'
import { checkText } from './text.ts'
import { faultsOf, present, proofOf, summaries } from './wording.ts'

type Reports = readonly CheckReport[]

/** The report on one contract or several. */
export const formats = {
  text: reports =>
    separated([
      ...told(reports).map(each => headed(reports, each, checkText(each))),
      ...unchangedIn(reports),
      ...totalOf(reports)
    ]),
  json: reports => {
    const all = reports.map(each => ({ ...each, exitCode: exitCodeOf(each) }))
    return jsonText(reports.length === 1 ? all[0] : { contracts: all, exitCode: exitCodeOf(...reports) }, 2)
  },
  github: reports =>
    [
      ...messagesIn(reports, brief).map(annotation),
      ...reports.flatMap(report => [
        ...present(reports.length > 1 && `${report.contract}:`),
        ...summaries(report).map(({ question, summary }) => `${question}: ${summary}`),
        ...(report.changes === undefined ? [] : proofOf(report.changes))
      ]),
      ...totalOf(reports)
    ].join('\n'),
  markdown: reports => markdownOf(blocksOf(reports)),
  html: reports => htmlOf(`Check of ${nameOf(reports)}`, blocksOf(reports)),
  changelog: reports => markdownOf(editionsOf(reports), true),
  'changelog-html': reports => {
    const editions = editionsOf(reports)
    const name = reports.length === 1 ? titleIn(nameOf(reports)) : nameOf(reports)
    return editions.length === 0 ? '' : htmlOf(`Changelog of ${name}`, editions)
  },
  sarif: reports => sarif(messagesIn(reports, whole), titles),
  junit: reports =>
    junit(
      messagesIn(reports, brief),
      reports.flatMap(report => {
        const of = present(reports.length > 1 && report.contract)
        return summaries(report).map(({ question, summary }) => [...of, question, summary].join(': '))
      })
    ),
  gitlab: reports => gitlab(messagesIn(reports, brief))
} as const satisfies Record<string, (reports: Reports) => string>

const messagesIn = (reports: Reports, limits: Parameters<typeof messagesOf>[1]) =>
  reports.flatMap(each => messagesOf(each, limits))

const nameOf = ([first, ...others]: Reports) =>
  first !== undefined && others.length === 0 ? first.contract : `${others.length + 1} contracts`

const separated = (texts: readonly string[]) => texts.filter(each => each !== '').join('\n\n')

const headed = ({ length }: Reports, report: CheckReport, text: string) => {
  if (length === 1) return text
  // A comparison begins with the name.
  const name = report.changes?.against === undefined && styleText('bold', report.contract)
  // Of one contract, these go to stderr alone.
  return separated(present(name, text, ...faultsOf(report)))
}

const totalOf = (reports: Reports): string[] => {
  if (reports.length === 1) return []
  const failing = reports.filter(each => exitCodeOf(each) !== 0).map(({ contract }) => contract)
  const which = failing.length === 0 ? 'all pass' : `${failing.length} of them fail: ${failing.join(', ')}`
  return [`${reports.length} contracts: ${which}`]
}

/** Of several contracts, those of which there is nothing to say. */
const unchanged = (reports: Reports): Reports =>
  reports.filter(report => {
    const { changes, live, routes, generated } = report
    if (reports.length === 1 || exitCodeOf(report) !== 0 || (live ?? routes ?? generated) !== undefined) return false
    const { against, findings, notes, excluded = 0, traffic } = changes ?? { findings: [], notes: [] }
    return against !== undefined && findings.length + notes.length + excluded === 0 && traffic === undefined
  })

const told = (reports: Reports): Reports => {
  const left = new Set(unchanged(reports))
  return reports.filter(each => !left.has(each))
}

const unchangedIn = (reports: Reports): string[] => {
  const names = unchanged(reports).map(({ contract }) => contract)
  return present(names.length > 0 && `Unchanged: ${names.join(', ')}`)
}

const blocksOf = (reports: Reports): Block[] => {
  const [first] = reports
  if (first !== undefined && reports.length === 1) return checkBlocks(first)
  return [
    ...[...totalOf(reports), ...unchangedIn(reports)].map(each => ({ paragraph: [each] })),
    ...told(reports).flatMap((report): Block[] => [
      { heading: [report.contract], level: 2 },
      ...checkBlocks(report).filter(each => !('heading' in each && each.level === 2)),
      ...present(...faultsOf(report), report.isNew && 'It is a new contract.').map(each => ({ paragraph: [each] }))
    ])
  ]
}

const editionsOf = (reports: Reports): Block[] =>
  reports.flatMap(({ contract, changes }): Block[] => {
    if (changes === undefined) return []
    const heading: Block = { heading: [`${titleIn(contract)}, `, code(contract)], level: 2 }
    return [...present(reports.length > 1 && heading), ...editionOf(changes)]
  })

const titleIn = (contract: string) => String(loadComparable(contract).root.get('info')?.get('title')?.value ?? contract)

const titles = { ...otherRules, ...Object.fromEntries(rules.map(({ id, title }) => [id, title])) }

export type Format = keyof typeof formats
