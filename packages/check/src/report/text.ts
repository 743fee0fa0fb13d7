import { styleText } from 'node:util'
import type { Json } from '@contract-first/document'
import type { ChangesOutcome } from '../changes/check.ts'
import { coverageTable } from '../live/coverage.ts'
import type { Difference } from '../live/differences.ts'
import type { LiveReport } from '../live/live.ts'
import type { CheckReport } from '../outcome.ts'
import type { StaticReport } from '../routes/static.ts'
import { excerpt } from './excerpt.ts'
import { type Cause, factsOf, type Group, groupsOf } from './groups.ts'
import type { Standing } from './wording.ts'
import { at, count, placeOf, placeWithin, present, proofOf, sentenceOf, standingOf, summaries } from './wording.ts'

/** All results for people; a summary line follows the findings of each check. */
export const checkText = (report: CheckReport): string => {
  const { generated = [], routes, live, changes } = report
  const details = {
    generated,
    routes: routes === undefined ? [] : staticText(routes),
    live: live === undefined ? [] : liveText(live),
    changes: changes === undefined ? [] : changesText(changes)
  }
  const parts = summaries(report).map(({ question, summary }) => {
    const proof = question === 'changes' && changes !== undefined ? proofOf(changes) : []
    return [...details[question], [styleText('bold', `${question}: ${summary}`), ...proof].join('\n')].join('\n\n')
  })
  // Single lines are grouped; blocks of several lines are separated.
  return parts.reduce((text, part) => {
    if (text === '') return part
    return text + (text.includes('\n') || part.includes('\n') ? '\n\n' : '\n') + part
  }, '')
}

type Colour = Parameters<typeof styleText>[0]

// `styleText` omits colours where they are not wanted.
const labels: Record<Standing, [string, Colour]> = {
  breaking: ['BREAKING', ['bold', 'red']],
  undecided: ['UNDECIDED', ['bold', 'yellow']],
  sdk: ['BREAKS CODE', ['bold', 'magenta']],
  compatible: ['compatible', 'green'],
  approved: ['approved', 'cyan'],
  unused: ['unused', 'cyan'],
  wrong: ['ERROR', ['bold', 'red']]
}
const noteLabel: [string, Colour] = ['note', 'cyan']
const differs: [string, Colour] = ['DIFFERS', ['bold', 'red']]
const perhaps: [string, Colour] = ['perhaps', 'yellow']
const labelWidth = 15
const indent = ' '.repeat(labelWidth)

const changesText = ({ contract, against, findings, complaints, notes }: ChangesOutcome): string[] => {
  const title = against === contract ? `${contract} is gone` : `${contract}, compared with ${against}`
  const others = [...complaints, ...notes].map((each): [string, string] => {
    const label = notes.includes(each) ? noteLabel : labels.wrong
    return [at(each.at), entry(label, each.message, [dim(each.rule)])]
  })
  return [
    ...present(against !== undefined && title),
    ...groupsOf(findings).map(({ heading, kind, causes }) =>
      block(heading, ...causes.map(each => causeText(kind, each)))
    ),
    ...blocksOf(others)
  ]
}

const block = (heading: string, ...entries: string[]) => [styleText('bold', heading), ...entries].join('\n')

const blocksOf = (entries: readonly [heading: string, entry: string][]): string[] =>
  [...Map.groupBy(entries, ([heading]) => heading)].map(([heading, group]) =>
    block(heading, ...group.map(([, each]) => each))
  )

const listUnder = (heading: string, lines: readonly string[]): string[] =>
  present(lines.length > 0 && block(heading, ...lines.map(line => `  ${line}`)))

const entry = ([word, colour]: [string, Colour], text: string, lines: Parameters<typeof present<string>>) =>
  [
    `  ${styleText(colour, word)}${' '.repeat(labelWidth - 2 - word.length)}${text}`,
    ...present(...lines).map(line => indent + line)
  ].join('\n')

const dim = (text: string) => styleText('dim', text)

const causeText = (kind: Group['kind'], cause: Cause): string => {
  const { finding, others } = cause
  const { rule, message, level, fingerprint } = finding
  const { states, witness, proven, hits, more, approval, places } = factsOf(cause)
  const part = kind === 'part' ? '' : ((kind === 'component' ? undefined : placeWithin(finding)) ?? placeOf(finding))
  const same = others.length === 0 ? '' : ` and ${others.length} more`
  return entry(labels[standingOf(finding)], part === '' ? message : `${part}: ${message}`, [
    states?.join(' → '),
    witnessText(witness, proven),
    hits,
    more,
    approval,
    places.length === 0 ? undefined : dim(places.join(' → ')),
    dim(level === 'compatible' ? rule : `${rule} ${fingerprint}${same}`)
  ])
}

const maxWidth = 100

const witnessText = (witness: Json | undefined, proven = ''): string | undefined => {
  if (witness === undefined) return undefined
  const lines = excerpt(witness, maxWidth)
  return lines.length === 1 ? `${lines[0]} ${proven}` : [...lines, proven].join(`\n${indent}`)
}

const staticText = ({ failures }: StaticReport): string[] =>
  blocksOf(failures.map(({ route, message }) => [route, entry(differs, message, [])]))

const liveText = (report: LiveReport): string[] => {
  const { failures, notes, gaps, coverage } = report
  const all = [...failures, ...notes]
  const untried = gaps.map(({ operation, reason }) => `${operation}: ${reason}`)
  const differenceText = (each: Difference) =>
    entry(failures.includes(each) ? differs : perhaps, each.what, [sentenceOf(each), dim(each.curl)])
  return [
    ...blocksOf(all.map(each => [each.operation, differenceText(each)])),
    ...present(all.some(({ curl }) => curl.includes('$KEY')) && dim(keyHint)),
    ...listUnder('Not tried', untried),
    ...listUnder('Left on the server', leftBehind(report)),
    block('Declared statuses', coverageTable(coverage))
  ]
}

const keyHint = 'These commands take the key from the variable KEY.'

/** What a live check has left on the server, a line for each item. */
const leftBehind = ({ url, left, lost, uncertain }: LiveReport): string[] => [
  ...left.map(path => url + path),
  ...Object.entries(lost).map(
    ([operation, number]) => `${operation}: ${count(number, 'resource')} without a URL, to be removed by hand`
  ),
  ...Object.entries(uncertain).map(
    ([operation, number]) => `${operation}: ${count(number, 'request')} that may have created something`
  )
]
