import { existsSync, realpathSync } from 'node:fs'
import { relative } from 'node:path'
import {
  atRevision,
  byPlace,
  exists,
  isDraft,
  type JsonObject,
  jsonText,
  LoadError,
  type OpenApiDocument,
  type Place,
  readDocument,
  releasesAndDraft,
  sourcesOf
} from '@contract-first/document'
import { entriesAt } from '../attributes.ts'
import { loadContract, withinStack } from '../shape.ts'
import { approvalComplaints, approve, readApprovals, removeApprovals } from './approvals.ts'
import { type CompareOptions, compareDocuments } from './compare.ts'
import { byGravity, type Complaint, type Finding, failing, type Severity } from './finding.ts'
import type { Impact, Traffic } from './impact.ts'
import { operationsOf } from './operation.ts'
import type { lastRelease } from './releases.ts'
import { addEdition, addRelease, draftComplaints, prepareRelease, releaseComplaints } from './releases.ts'
import { Scope, type ScopeSettings } from './scope.ts'
import { isStanding, type VersionVerdict, verdictOf, versionComplaints } from './version.ts'

export const defaultGraceDays = 180
export const todayInUtc = () => new Date().toISOString().slice(0, 10)

export interface ChangesSettings extends Omit<CompareOptions, 'scope'>, ScopeSettings {
  contract: string
  /** A file, `REF:PATH`, or a git revision of the contract; the newest release by default. */
  against: string | undefined
  /** The folder of releases; without one, two files are compared and nothing else. */
  releases: string | undefined
  /** What git knows of releases in any folder, if several contracts ask for it. */
  lastRelease?: ReturnType<typeof lastRelease> | undefined
  /** Whether the configuration names that folder, so that a contract without a release is about to get its first. */
  expectsRelease: boolean
  /** Whether `info.version` must follow from the changes; by default, once there is a release. */
  checksVersion: boolean | undefined
  /** Whether documents with flaws are refused; by default, all else in them is compared. A flawed contract is never frozen. */
  strictDocuments: boolean
  /** Whether the contract is about to be frozen: then it is not compared with the draft that it replaces. */
  isRelease: boolean
  approvals: string
  failOn: Severity
  countHits?: CountHits | undefined
  /** Whether the contract is gone: all operations of `against` are. */
  isGone?: boolean
  /** Whether a version that is high enough for breaking changes makes approvals of them unnecessary. */
  majorMayBreak: boolean
}

export interface Compared {
  before: OpenApiDocument
  after: OpenApiDocument
  findings: readonly Finding[]
  impacts: ReadonlyMap<Finding, Impact[]>
}

type CountHits = (
  compared: Compared,
  show: ChangesSettings['show']
) => Promise<{
  /** In the same order, with their hits. */
  findings: Finding[]
  traffic: Traffic
  /** Why no finding passes for being unused; undefined if that is not asked for, or possible. */
  whyNonePasses: string | undefined
}>

export interface ChangesOutcome {
  contract: string
  /** Absent if there is nothing to compare with yet. */
  against: string | undefined
  /** Whether there is nothing to compare with because the configured folder waits for its first release. */
  awaitsRelease?: true
  findings: Finding[]
  /** The number of operations of the earlier contract, if it is proven that no client of it breaks. */
  proven?: number
  /** The paths that were compared as if they had not moved: `/v1 as /api/v1`. */
  moved?: string[]
  excluded?: number
  complaints: Complaint[]
  traffic?: Traffic
  /** What may be tidied up, or has no effect; it fails nothing. */
  notes: Complaint[]
  version: VersionVerdict
  /** YYYY-MM-DD: the day that dates were compared with. */
  today: string
  checksVersion: boolean
  fails: boolean
}

/** @throws LoadError */
export const checkChanges = async (settings: ChangesSettings): Promise<ChangesOutcome> => {
  const { contract, releases, expectsRelease, isRelease, today, failOn, majorMayBreak } = settings
  const loaded = loadContract(contract, { isLenient: !settings.strictDocuments && !isRelease })
  const after = settings.isGone ? withoutOperations(loaded) : loaded
  const scope = new Scope(settings)
  const { published, draft } = releases === undefined ? { published: [] } : releasesAndDraft(releases, contract)
  // A draft promises nothing; until something is published, it shows what a change would break.
  const newest = published.at(-1)?.file ?? (isRelease ? undefined : draft?.file)
  const against = settings.against === undefined ? newest : whereIs(settings.against, contract)
  const compared = compare(against, after, settings, scope)
  // A branch may already differ much from the last release: the version number must reflect all of it.
  const measuredBy = isRevision(settings.against) ? (newest ?? against) : against
  const measured = measuredBy === against ? compared : compare(measuredBy, after, settings, scope)

  const { approvals, complaints: invalid } = readApprovals(settings.approvals)
  const counted = against === undefined ? undefined : await settings.countHits?.(compared, settings.show)
  const findings = byGravity(approve(counted?.findings ?? compared.findings, approvals, today))
  const verdict = verdictOf(measured.findings, measured.before, after)
  const version: VersionVerdict =
    draft !== undefined && measuredBy === draft.file ? { ...verdict, step: 'none', follows: true } : verdict
  const { checksVersion = published.length > 0 } = settings
  const ofApprovals = approvalComplaints(approvals, [...compared.findings, ...measured.findings], today)
  const isUnused = ({ rule }: Complaint) => rule === 'approval-unused'
  const ofReleases = releases === undefined ? [] : releaseComplaints(releases, settings.lastRelease)
  const isUnknown = ({ rule }: Complaint) => rule === 'release-unknown'
  const noteAt = (rule: Complaint['rule'], message: string): Complaint => ({ rule, message, at: after.root.place })
  const notes = [
    ...(against === undefined ? [] : ofApprovals.filter(isUnused)),
    ...(expectsRelease && !isRelease ? ofReleases.filter(isUnknown) : []),
    ...flawNotes(after, findings),
    ...(against === undefined ? [] : scope.unused()).map(each =>
      noteAt('setting-unused', `${each} matches no operation of either contract.`)
    ),
    ...(counted?.whyNonePasses === undefined ? [] : [noteAt('traffic-too-short', counted.whyNonePasses)])
  ]
  const isDraftKept = releases === undefined || draft === undefined || isRelease
  const complaints = [
    ...ofReleases.filter(each => !isUnknown(each)),
    ...(isDraftKept ? [] : draftComplaints(releases, draft, version.after, filesOf(after))),
    ...invalid,
    ...ofApprovals.filter(each => !isUnused(each)),
    ...(checksVersion ? versionComplaints(after, version, measuredBy ?? contract) : [])
  ]
  // Its number tells clients of all that breaks in this version; it says nothing of generated code.
  const mayBreak = majorMayBreak && version.next !== undefined && version.follows
  const unannounced = mayBreak ? findings.filter(each => isStanding(each) || each.category === 'sdk') : findings
  const fails = failing(unannounced, failOn).length > 0 || (complaints.length > 0 && failOn !== 'none')
  const isHarmless = (each: Finding) => each.level === 'compatible' && !each.rule.endsWith('-after-sunset')
  const isProven =
    against !== undefined &&
    !scope.isMoved &&
    !Object.values(settings.policy ?? {}).some(level => level !== 'breaking') &&
    findings.every(each => isStanding(each) || each.category === 'sdk' || isHarmless(each))
  const { before } = compared
  const earlierOnes = isProven ? operationsOf(before, 'operation', entriesAt(before.root, 'paths')) : []
  const moved = (settings.movedPrefixes ?? []).map(({ from, to }) => `${from || '/'} as ${to || '/'}`)
  return {
    ...{ contract, against, findings, complaints, notes, version, today, checksVersion, fails },
    ...(against === undefined && expectsRelease && { awaitsRelease: true as const }),
    ...(against !== undefined && scope.isMoved && { moved }),
    ...(scope.excluded.size > 0 && { excluded: scope.excluded.size }),
    ...(counted && { traffic: counted.traffic }),
    ...(isProven && { proven: earlierOnes.filter(({ node }) => !scope.isExcluded(node)).length })
  }
}

const flawNotes = ({ problems }: OpenApiDocument, findings: readonly Finding[]): Complaint[] => {
  const lineAt = ({ file, line }: Place) => `${file}:${line}`
  const told = new Set(findings.flatMap(({ after }) => (after === undefined ? [] : lineAt(after))))
  const alike = [...Map.groupBy(problems.toSorted(byPlace), ({ message }) => message)]
  const notes = alike.flatMap(([message, [first, ...others]]): Complaint[] => {
    if (first === undefined || [first, ...others].some(({ place }) => told.has(lineAt(place)))) return []
    const more = others.length === 0 ? '' : ` (and in ${others.length} more place${others.length === 1 ? '' : 's'})`
    return [{ rule: 'document-flawed', message: `${message}${more}.`, at: first.place }]
  })
  const message = `${notes.length - maxFlaws} more flaws like these; --strict-documents lists them.`
  return notes.slice(0, maxFlaws + 1).map((each, index) => (index === maxFlaws ? { ...each, message } : each))
}

const maxFlaws = 20

/**
 * Releases a contract whose check has passed, or freezes it as a draft; returns the copies. What `tell` tells of a release is
 * added to the changelog, and approvals that no longer apply are removed from their file.
 * @throws ReleaseError
 */
export const release = (
  { contract, releases, approvals }: ChangesSettings & { releases: string },
  { findings, version }: ChangesOutcome,
  tell: () => string
) => {
  const prepared = prepareRelease(releases, version.after, filesOf(loadContract(contract)))
  if (isDraft(contract)) return { copied: addRelease(prepared), isDraft: true }
  // In this order, each step can be repeated if the next one fails: the reasons of approvals are in the changelog first.
  addEdition(prepared, tell())
  const copied = addRelease(prepared)
  const spent = findings.filter(each => each.approved !== undefined && !isStanding(each))
  if (spent.length > 0) removeApprovals(approvals, spent)
  return { copied, isDraft: false }
}

const filesOf = (document: OpenApiDocument) => sourcesOf(document).map(({ path }) => relative('', path))

const compare = (against: string | undefined, after: OpenApiDocument, settings: ChangesSettings, scope: Scope) => {
  const before = against === undefined ? after : earlier(against, settings)
  const impacts = new Map<Finding, Impact[]>()
  const options = { ...settings, scope, ...(settings.countHits !== undefined && { impacts }) }
  return { before, after, impacts, findings: withinStack(() => compareDocuments(before, after, options)) }
}

export const nothingToCompare = (contract: string, reason: string) =>
  `there is nothing to compare ${contract} with: ${reason}`
const nameEarlier = 'name an earlier version with --against'

/** A contract without releases must not pass for an unchanged one. @throws LoadError if nothing was compared */
export const mustCompare = ({ contract, against, awaitsRelease }: ChangesOutcome, releases: string): void => {
  const reason = `${releases} has no release; make the first with \`contract release\`, or ${nameEarlier}`
  if (against === undefined && !awaitsRelease) throw new LoadError([nothingToCompare(contract, reason)])
}

/** There is no such file at the revision. */
export class NoEarlier extends LoadError {}

const earlier = (against: string, { against: ref, contract, strictDocuments, isGone }: ChangesSettings) => {
  try {
    const document = loadContract(against, { isLenient: !strictDocuments })
    if (isGone || !isSameFile(against, contract)) return document
    throw new LoadError([nothingToCompare(contract, `${against} is the contract itself; ${nameEarlier}`)])
  } catch (error) {
    if (!(error instanceof LoadError) || error.message !== `${against}: there is no such file in ${ref}`) throw error
    throw new NoEarlier([`${error.message}; if it was elsewhere, --against ${ref}:PATH names it`])
  }
}

const withoutOperations = ({ root }: OpenApiDocument): OpenApiDocument => {
  const { paths: _, webhooks: __, ...rest } = root.value as JsonObject
  return readDocument(jsonText({ ...rest, paths: {} }, 2), root.source.path)
}

const isSameFile = (...[one, other]: [string, string]) =>
  existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other)

/** What looks like a file name is treated as one, even if the file does not exist. */
const isRevision = (against: string | undefined) =>
  against !== undefined && !exists(against) && !/^[^:]*\.(?:ya?ml|json)$/i.test(against)

const whereIs = (against: string, contract: string): string =>
  !isRevision(against) || against.includes(':') ? against : atRevision(against, contract)
