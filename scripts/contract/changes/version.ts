import { isDeepStrictEqual } from 'node:util'
import type { OpenApiDocument } from '../../document/document.ts'
import type { Complaint } from './complaint.ts'
import type { Finding } from './finding.ts'
import type { RuleId } from './rules-of-documents.ts'
import { gravestOf } from './severity.ts'
import { sourcesOf } from './sources.ts'

/** A version number of semver.org; what comes after `+` says nothing about order. */
export interface Version {
  core: readonly [major: number, minor: number, patch: number]
  prerelease: readonly string[]
}

const form = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/

/** Undefined if it is no semantic version, as `v1` or a date. */
export const parseVersion = (text: string): Version | undefined => {
  const match = form.exec(text)
  if (match === null) return undefined
  const [, major, minor, patch, prerelease] = match
  return { core: [Number(major), Number(minor), Number(patch)], prerelease: prerelease?.split('.') ?? [] }
}

/** Below 0 if the first is the earlier one. */
export const compareVersions = (a: Version, b: Version): number => {
  const core = compareCores(a, b)
  if (core !== 0) return core
  // 1.0.0-beta comes before 1.0.0.
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length
  for (const [index, part] of a.prerelease.entries()) {
    const order = comparePart(part, b.prerelease[index])
    if (order !== 0) return order
  }
  return a.prerelease.length - b.prerelease.length
}

const compareCores = ({ core: a }: Version, { core: b }: Version) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]

const isNumber = (part: string) => /^\d+$/.test(part)

const comparePart = (a: string, b: string | undefined): number => {
  if (b === undefined) return 1
  if (isNumber(a) && isNumber(b)) return Number(a) - Number(b)
  // Numbers come before words.
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1
  return a < b ? -1 : Number(a > b)
}

/** Which part of a version number has to grow. */
export type Step = 'major' | 'minor' | 'patch' | 'none'

/** What the changes call for, and whether `info.version` has it. */
export interface VersionVerdict {
  step: Step
  before: string
  after: string
  /** The least that would do; absent where `before` is no semantic version. */
  next?: string
  /** True also where nothing can be said, since one of the two is no semantic version. */
  follows: boolean
}

// These say what is wrong with the contract by itself, of which some comes about by time alone.
const standingRules: readonly string[] = [
  'lifecycle-contradictory',
  'sunset-date-invalid',
  'sunset-date-missing',
  'sunset-date-passed'
] satisfies RuleId[]

/** Whether something would be found also if nothing had changed. */
export const isStanding = ({ rule }: Finding) => standingRules.includes(rule)

/** What the findings call for. */
export const verdictOf = (
  findings: readonly Finding[],
  before: OpenApiDocument,
  after: OpenApiDocument
): VersionVerdict => verdict(stepOf(findings, before, after), versionOf(before), versionOf(after))

/**
 * What is undecided counts as what it may be. Code that is generated is no part of the interface that the number speaks
 * of, so that what breaks only this is an addition; and so is what has been approved.
 */
const stepOf = (findings: readonly Finding[], before: OpenApiDocument, after: OpenApiDocument): Step => {
  const gravest = gravestOf(findings.filter(each => !isStanding(each)))
  if (gravest === 'breaking' || gravest === 'undecided') return 'major'
  if (gravest === 'sdk' || gravest === 'compatible') return 'minor'
  return before === after || isDeepStrictEqual(valuesOf(before), valuesOf(after)) ? 'none' : 'patch'
}

const valuesOf = (document: OpenApiDocument) => sourcesOf(document).map(({ root }) => root.value)

const versionOf = ({ root }: OpenApiDocument): string => String(root.get('info')?.get('version')?.value ?? '')

export const verdict = (wanted: Step, before: string, after: string): VersionVerdict => {
  const [from, to] = [parseVersion(before), parseVersion(after)]
  if (from === undefined) return { step: wanted, before, after, follows: true }
  // Before 1.0.0 nothing is promised yet, and the second number says what breaks.
  const step = wanted === 'major' && from.core[0] === 0 ? 'minor' : wanted
  const next = nextAfter(from, step)
  const follows =
    to === undefined ||
    (step === 'none'
      ? compareVersions(to, from) >= 0
      : compareVersions(to, from) > 0 && compareCores(to, { core: next, prerelease: [] }) >= 0)
  return { step, before, after, next: step === 'none' ? before : next.join('.'), follows }
}

const nextAfter = ({ core: [major, minor, patch], prerelease }: Version, step: Step): Version['core'] => {
  // 2.0.0-beta.1 has announced a major change already, 1.1.0-beta.1 a minor one.
  const announced =
    prerelease.length === 0 ? 'none' : minor === 0 && patch === 0 ? 'major' : patch === 0 ? 'minor' : 'patch'
  const steps: Step[] = ['none', 'patch', 'minor', 'major']
  if (step === 'none' || steps.indexOf(step) <= steps.indexOf(announced)) return [major, minor, patch]
  if (step === 'patch') return [major, minor, patch + 1]
  return step === 'minor' ? [major, minor + 1, 0] : [major + 1, 0, 0]
}

/** What is wrong with the number in the contract, if anything. */
export const versionComplaints = (contract: OpenApiDocument, verdict: VersionVerdict, against: string): Complaint[] => {
  if (verdict.follows) return []
  const { step, after, next } = verdict
  const message =
    step === 'none'
      ? `info.version is ${after}, which is less than the ${next} of ${against}.`
      : `info.version is ${after}, but the changes since ${against} call for ${next} or later (${step}).`
  const node = contract.root.get('info')?.get('version') ?? contract.root
  return [{ rule: 'version-too-low', message, at: node.place }]
}
