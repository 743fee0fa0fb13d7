import { matchesPath } from './path-pattern.ts'
import type { RuleId } from './rules.ts'

/** The changes whose level a team may choose, and the rules that report them. */
export const policies = {
  'removed-servers': ['server-removed'],
  'removed-deprecated': ['operation-removed-undated'],
  'removed-parameters': ['request-parameter-removed'],
  'removed-properties': ['request-property-removed', 'response-property-removed'],
  'removed-success-statuses': ['response-status-removed'],
  'new-enum-values': ['response-enum-widened'],
  'new-success-statuses': ['response-status-added'],
  defaults: ['parameter', 'property'].flatMap(subject =>
    ['added', 'changed', 'removed'].map(change => `request-${subject}-default-${change}` as RuleId)
  )
} satisfies Record<string, RuleId[]>

export type PolicyName = keyof typeof policies
export const policyLevels = ['breaking', 'undecided', 'compatible'] as const
export type PolicyLevel = (typeof policyLevels)[number]
/**
 * The level of some changes, where it differs from the rule's: those of a policy or a single rule, everywhere or below some
 * paths, `response-enum-widened@/internal/**`.
 */
export type Policy = Partial<Record<PolicyName | RuleId | `${PolicyName | RuleId}@/${string}`, PolicyLevel>>

/** The level in an operation, `GET /pets`; one that is set for its path wins, and of several the last. */
export const levelUnder = (policy: Policy, rule: string, operation?: string): PolicyLevel | undefined => {
  const [, path] = /^\S+ (\/\S*)/.exec(operation ?? '') ?? []
  let general: PolicyLevel | undefined
  let ofPath: PolicyLevel | undefined
  for (const [key, level] of Object.entries(policy)) {
    const [name = '', pattern] = key.split(/@(.*)/s)
    const rules: readonly string[] = Object.hasOwn(policies, name) ? policies[name as PolicyName] : [name]
    if (!rules.includes(rule)) continue
    if (pattern === undefined) general = level
    else if (path !== undefined && matchesPath(pattern, path)) ofPath = level
  }
  return ofPath ?? general
}
