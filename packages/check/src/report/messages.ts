import { type Json, jsonText, type Place } from '@contract-first/document'
import { complaintRules, type Finding, severityOf } from '../changes/finding.ts'
import type { CheckReport } from '../outcome.ts'
import { excerpt } from './excerpt.ts'
import { type Cause, causesOf, factsOf } from './groups.ts'
import { faultsOf, listed, placeOf, present, sentenceOf } from './wording.ts'

/** A result about a line, for programs that show it there. */
export interface Message {
  level: 'error' | 'warning' | 'note'
  rule: string
  text: string
  at: Place
  /** The location in the contract that was compared with. */
  before?: Place
  fingerprint?: string
  approval?: string
}

interface Detail {
  value: (value: Json) => string
  names: (names: readonly string[]) => string
  causes: (findings: readonly Finding[]) => Cause[]
}
export const whole: Detail = {
  value: value => jsonText(value),
  names: names => names.join(', '),
  causes: findings => findings.map(finding => ({ finding, others: [] }))
}
export const brief: Detail = { value: value => excerpt(value, maxWidth).join('\n'), names: listed, causes: causesOf }
const maxWidth = 100

/** The most severe of each check first, since GitHub shows only ten of a kind. */
export const messagesOf = (report: CheckReport, detail: Detail): Message[] => {
  const { contract, generated = [], routes, live, changes } = report
  const at = { file: contract, line: 1, column: 1 }
  return [
    ...faultsOf(report).map(each => errorAt(at, 'not-answered', each)),
    ...generated.map(text => errorAt(fileOf(text) ?? at, 'generated-stale', text)),
    ...(routes?.failures ?? []).map(({ route, message, at: place = at }) =>
      errorAt(place, 'routes-differ', `${route}: ${message}`)
    ),
    ...(live?.failures ?? []).map(each =>
      errorAt(each.at ?? at, 'server-differs', `${each.operation}, ${each.what}: ${sentenceOf(each)}\n${each.curl}`)
    ),
    ...(changes?.complaints ?? []).map(({ rule, message, at }) => errorAt(at, rule, message)),
    ...detail.causes(changes?.findings ?? []).map(cause => messageOf(cause, contract, detail)),
    ...(changes?.notes ?? []).map(({ rule, message, at }) => ({ level: 'note' as const, rule, text: message, at }))
  ]
}

const errorAt = (at: Place, rule: string, text: string): Message => ({ level: 'error', rule, text, at })

export const otherRules: Readonly<Record<string, string>> = {
  ...complaintRules,
  'not-answered': 'something cannot be loaded or reached',
  'generated-stale': 'a generated file is stale',
  'routes-differ': 'a registered route differs from the contract',
  'server-differs': 'the server differs from the contract'
}

/** The file at the start of a text, `generated/types.ts: is stale`, and the first line that differs, if the text names it. */
const fileOf = (text: string): Place | undefined => {
  const [, file] = /^([^\s:]+): /.exec(text) ?? []
  const [, line = '1'] = /^@@ line (\d+) @@$/m.exec(text) ?? []
  return file === undefined ? undefined : { file, line: Number(line), column: 1 }
}

const messageOf = (cause: Cause, contract: string, detail: Detail): Message => {
  const { finding, others } = cause
  const { rule, message, fingerprint, level, before, after, parent } = finding
  const fingerprints = [finding, ...others].map(each => each.fingerprint)
  const { states, witness, proven, hits, more, users, approval } = factsOf(cause)
  const lines = present(
    `${placeOf(finding)}: ${message}`,
    states?.join(' → '),
    witness !== undefined && `${detail.value(witness)} ${proven}`,
    hits,
    more,
    users && `used by ${detail.names(users)}`,
    approval,
    level !== 'compatible' && `fingerprint ${fingerprints.join(', ')}`
  )
  return {
    level: levels[severityOf(finding)],
    rule,
    text: lines.join('\n'),
    at: after ?? parent ?? { file: contract, line: 1, column: 1 },
    ...(before !== undefined && { before }),
    fingerprint,
    ...(approval !== undefined && { approval })
  }
}

const levels = { breaking: 'error', undecided: 'warning', sdk: 'warning', compatible: 'note', none: 'note' } as const
