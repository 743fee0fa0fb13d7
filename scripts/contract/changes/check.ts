import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { atRevision, loadDocument, type OpenApiDocument } from '../../document/document.ts'
import { isDraft, releasesAndDraft } from '../../document/releases.ts'
import { approvalComplaints, approve, readApprovals, removeApprovals } from './approvals.ts'
import { compareDocuments } from './compare.ts'
import type { Complaint } from './complaint.ts'
import type { Finding } from './finding.ts'
import { addRelease, draftComplaints, releaseComplaints } from './releases.ts'
import { byGravity, failing, type Severity } from './severity.ts'
import { sourcesOf } from './sources.ts'
import { isStanding, type VersionVerdict, verdictOf, versionComplaints } from './version.ts'

export const defaultGraceDays = 180
export const todayInUtc = () => new Date().toISOString().slice(0, 10)

export interface ChangesSettings {
  contract: string
  /** A file, `REF:PATH`, or a revision, at which the contract is taken; else the newest release. */
  against: string | undefined
  /** Where the releases are. */
  releases: string
  /** Whether there has to be one. */
  expectsRelease: boolean
  /** Whether the contract is about to be frozen: then the draft, which is replaced, is compared with nothing. */
  isRelease: boolean
  /** The file of approvals, which may be missing. */
  approvals: string
  strict: boolean
  graceDays: number
  /** YYYY-MM-DD */
  today: string
  failOn: Severity
}

/** What has changed in a contract, and whether that may be. */
export interface ChangesOutcome {
  contract: string
  /** Absent where there is nothing yet to be compared with. */
  against: string | undefined
  findings: Finding[]
  complaints: Complaint[]
  version: VersionVerdict
  fails: boolean
}

/** @throws LoadError */
export const checkChanges = (settings: ChangesSettings): ChangesOutcome => {
  const { contract, releases, expectsRelease, isRelease, today, failOn } = settings
  const after = loadDocument(contract)
  const { published, draft } = releasesAndDraft(releases, contract)
  // A draft promises nothing; while nothing is published it shows what a change would break.
  const newest = published.at(-1)?.file ?? (isRelease ? undefined : draft?.file)
  const against = settings.against === undefined ? newest : whereIs(settings.against, contract)
  const compared = compare(against, after, settings)
  // A branch may have come far since a release already: the number has to follow from all of it.
  const measuredBy = isRevision(settings.against) ? (newest ?? against) : against
  const measured = measuredBy === against ? compared : compare(measuredBy, after, settings)

  const { approvals, complaints: invalid } = readApprovals(settings.approvals)
  const findings = byGravity(approve(compared.findings, approvals, today))
  const verdict = verdictOf(approve(measured.findings, approvals, today), measured.before, after)
  const version: VersionVerdict =
    draft !== undefined && measuredBy === draft.file ? { ...verdict, step: 'none', follows: true } : verdict
  const complaints = [
    ...releaseComplaints(releases, { expected: expectsRelease && !isRelease }),
    ...(draft === undefined || isRelease ? [] : draftComplaints(releases, draft, version.after, filesOf(after))),
    ...invalid,
    ...approvalComplaints(approvals, [...compared.findings, ...measured.findings], today),
    ...versionComplaints(after, version, measuredBy ?? contract)
  ]
  const fails = failing(findings, failOn).length > 0 || (complaints.length > 0 && failOn !== 'none')
  return { contract, against, findings, complaints, version, fails }
}

/**
 * Releases a contract whose check has not failed, or freezes it as a draft; gives what it was copied to. Approvals of what
 * is history by that are removed from their file.
 * @throws ReleaseError
 */
export const release = ({ contract, releases, approvals }: ChangesSettings, { findings, version }: ChangesOutcome) => {
  const copied = addRelease(releases, version.after, filesOf(loadDocument(contract)))
  if (isDraft(contract)) return { copied, isDraft: true }
  const spent = findings.filter(each => each.approved !== undefined && !isStanding(each))
  if (spent.length > 0) removeApprovals(approvals, new Set(spent.map(({ fingerprint }) => fingerprint)))
  return { copied, isDraft: false }
}

/** All files of a contract, from the current folder, its own first. */
const filesOf = (document: OpenApiDocument) => sourcesOf(document).map(({ path }) => relative('', path))

const compare = (against: string | undefined, after: OpenApiDocument, settings: ChangesSettings) => {
  const before = against === undefined ? after : loadDocument(against)
  return { before, findings: compareDocuments(before, after, settings) }
}

const isRevision = (against: string | undefined) => against !== undefined && !existsSync(against)

const whereIs = (against: string, contract: string): string =>
  !isRevision(against) || against.includes(':') ? against : atRevision(against, contract)
