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
export type PolicyLevel = 'breaking' | 'compatible'
/** The level of these changes, where it differs from the rule's. */
export type Policy = Partial<Record<PolicyName, PolicyLevel>>

export const levelUnder = (policy: Policy, rule: string): PolicyLevel | undefined => {
  const name = (Object.keys(policies) as PolicyName[]).find(each => (policies[each] as string[]).includes(rule))
  return name && policy[name]
}
