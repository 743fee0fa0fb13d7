import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { dayOf, type Place, textIn, yamlDocument } from '@contract-first/document'
import { type Document, isMap, isScalar, isSeq, LineCounter, parseDocument, type Node as YamlNode } from 'yaml'
import type { Complaint, Finding } from './finding.ts'

/** An entry of the approvals file: this finding is accepted up to and including `until`. */
export interface Approval {
  fingerprint: string
  /** Copied from the finding for readers of the file, as is `place`. */
  rule: string
  place: string
  reason: string
  /** YYYY-MM-DD */
  until: string
  at: Place
}

const fields = ['fingerprint', 'rule', 'place', 'reason', 'until'] as const

/** The approvals in a file, and what is wrong with it. A missing file approves nothing. */
export const readApprovals = (file: string): { approvals: Approval[]; complaints: Complaint[] } => {
  const text = textIn(file)
  if (text === undefined) return { approvals: [], complaints: [] }
  const lines = new LineCounter()
  const document = yamlDocument(text, { lineCounter: lines })
  const placeAt = (offset = 0): Place => {
    const { line, col } = lines.linePos(offset)
    return { file, line, column: col }
  }
  const approvals: Approval[] = []
  const complaints: Complaint[] = []
  const complain = (message: string, at: Place) => complaints.push({ rule: 'approval-invalid', message, at })

  const [error] = document.errors
  if (error !== undefined) {
    const [message = ''] = error.message.split(/ at line |\n/)
    complain(`This is not YAML: ${message}.`, placeAt(Math.min(error.pos[0], text.trimEnd().length)))
  } else if (isSeq<YamlNode>(document.contents)) {
    for (const item of document.contents.items) {
      const at = placeAt(item.range?.[0])
      const entry = entryOf(item)
      const known = approvals.find(each => each.fingerprint === entry.values.fingerprint)
      for (const message of entry.faults) complain(message, at)
      if (entry.faults.length > 0) continue
      if (known !== undefined) complain(`${known.fingerprint} is already approved in line ${known.at.line}.`, at)
      else approvals.push({ ...(entry.values as Omit<Approval, 'at'>), at })
    }
  } else if (document.contents !== null) complain('This is not a list of approvals.', placeAt())
  return { approvals, complaints }
}

const entryOf = (item: YamlNode): { values: Partial<Record<string, string>>; faults: string[] } => {
  if (!isMap(item)) return { values: {}, faults: [`An approval has ${fields.join(', ')}.`] }
  // As written: a fingerprint may look like a number.
  const values = Object.fromEntries(
    item.items.map(({ key, value }) => [String(key), isScalar(value) ? String(value.source ?? value.value).trim() : ''])
  )
  const { fingerprint, until } = values
  const unknown = Object.keys(values).filter(name => !fields.some(field => field === name))
  const missing = fields.filter(field => !values[field])
  const faults = unknown.map(name => `Unknown field ${name}: an approval has ${fields.join(', ')}.`)
  if (missing.length > 0) faults.push(`${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing.`)
  if (fingerprint && !/^[0-9a-f]{12}$/.test(fingerprint))
    faults.push(`${fingerprint} is not a fingerprint, 12 hexadecimal digits.`)
  if (until && !isDate(until)) faults.push(`${until} is not a date, YYYY-MM-DD.`)
  return { values, faults }
}

export const isDate = (text: string): boolean => dayOf(text) === text

export const approve = (findings: readonly Finding[], approvals: readonly Approval[], today: string): Finding[] =>
  findings.map(finding => {
    const { reason, until } = approvals.find(each => approves(each, finding) && each.until >= today) ?? {}
    return reason === undefined || until === undefined ? finding : { ...finding, approved: { reason, until } }
  })

/** Only findings that could fail a check need an approval. */
const approves = ({ fingerprint }: Approval, finding: Finding) =>
  finding.level !== 'compatible' && finding.fingerprint === fingerprint

export const approvalComplaints = (approvals: readonly Approval[], findings: readonly Finding[], today: string) =>
  approvals
    .map((approval): Complaint | undefined => {
      const { fingerprint, rule, place, until, at } = approval
      const finding = findings.find(each => approves(approval, each))
      if (finding === undefined) {
        // A note, since the author of the next change is not to blame for it.
        const message = `${fingerprint} matches no finding: remove the entry, unless another branch needs it.`
        return { rule: 'approval-unused', message, at }
      }
      if (until < today) {
        const message = `The approval of ${fingerprint} has expired: ${until} was its last day.`
        return { rule: 'approval-expired', message, at }
      }
      if (finding.rule === rule && finding.place === place) return undefined
      const message = `${fingerprint} is ${finding.rule} at ${finding.place}, not ${rule} at ${place}.`
      return { rule: 'approval-invalid', message, at }
    })
    .filter(each => each !== undefined)

/** Adds an entry for each finding, in place of the one that it may have; other entries and comments are kept. */
export const approveIn = (file: string, findings: readonly Finding[], given: { reason: string; until: string }): void =>
  edit(file, findings, document => {
    for (const { fingerprint, rule, place } of findings) document.add({ fingerprint, rule, place, ...given })
    if (isSeq(document.contents)) document.contents.flow = false
  })

export const removeApprovals = (file: string, findings: readonly Finding[]): void => edit(file, findings, () => {})

/** Changes the file, once the entries of these findings are removed. */
const edit = (file: string, findings: readonly Finding[], change: (document: Document) => void): void => {
  const text = textIn(file)
  const document = parseDocument(text ?? '') as Document
  if (text === undefined) document.commentBefore = ' Accepted findings, each until a date: contract approve --help'
  if (document.contents === null) document.contents = document.createNode([]) as never
  const isLeft = (item: YamlNode) => findings.every(each => each.fingerprint !== entryOf(item).values.fingerprint)
  if (isSeq<YamlNode>(document.contents)) document.contents.items = document.contents.items.filter(isLeft)
  change(document)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, document.toString({ lineWidth: 0 }))
}
