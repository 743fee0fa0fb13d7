import { isDeepStrictEqual } from 'node:util'
import type { OpenApiDocument, Version } from '@contract-first/document'
import { compareCores, compareVersions, parseVersion, sourcesOf } from '@contract-first/document'
import { type Complaint, type Finding, gravestOf } from './finding.ts'
import type { RuleId } from './rules.ts'

/** Which part of a version number must increase. */
export type Step = 'major' | 'minor' | 'patch' | 'none'

/** The version that the changes require, and whether `info.version` satisfies it. */
export interface VersionVerdict {
  step: Step
  before: string
  after: string
  /** The lowest sufficient version; absent if `before` is not a semantic version. */
  next?: string
  /** Also true if one of the two is not a semantic version, so that nothing can be said. */
  follows: boolean
}

// These concern the contract itself rather than a change; some apply merely because time passes.
const standingRules: readonly string[] = [
  'lifecycle-contradictory',
  'sunset-date-invalid',
  'sunset-date-missing',
  'sunset-date-passed'
] satisfies RuleId[]

/** Whether the finding would exist even if nothing had changed. */
export const isStanding = ({ rule }: Finding) => standingRules.includes(rule)

export const verdictOf = (
  findings: readonly Finding[],
  before: OpenApiDocument,
  after: OpenApiDocument
): VersionVerdict => verdict(stepOf(findings, before, after), versionOf(before), versionOf(after))

/** An undecided or an approved finding counts as breaking; what breaks only generated code counts as an addition. */
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
  // Before 1.0.0 nothing is promised, and breaking changes increase the second number.
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
  // 2.0.0-beta.1 has already announced a major change, 1.1.0-beta.1 a minor one.
  const announced =
    prerelease.length === 0 ? 'none' : minor === 0 && patch === 0 ? 'major' : patch === 0 ? 'minor' : 'patch'
  const steps: Step[] = ['none', 'patch', 'minor', 'major']
  if (step === 'none' || steps.indexOf(step) <= steps.indexOf(announced)) return [major, minor, patch]
  if (step === 'patch') return [major, minor, patch + 1]
  return step === 'minor' ? [major, minor + 1, 0] : [major + 1, 0, 0]
}

export const versionComplaints = (contract: OpenApiDocument, verdict: VersionVerdict, against: string): Complaint[] => {
  if (verdict.follows) return []
  const { step, after, next } = verdict
  const needed = `but the changes since ${against} call for ${next} or later (${step})`
  const message = `info.version is ${after}, ${step === 'none' ? `less than the ${next} of ${against}` : needed}.`
  const { place } = contract.root.get('info')?.get('version') ?? contract.root
  return [{ rule: 'version-too-low', message, at: place }]
}
