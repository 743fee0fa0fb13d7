import type { Place } from '../../document/node.ts'

/** What is wrong around a comparison: with the version number, the approvals, the releases. No approval helps it. */
export interface Complaint {
  rule: ComplaintRule
  message: string
  at: Place
}

export const complaintRules = {
  'version-too-low': 'info.version does not follow from the changes',
  'approval-invalid': 'an approval is not of the form that is wanted, or is there twice',
  'approval-expired': 'an approval has run out',
  'approval-unused': 'an approval approves nothing that is found',
  'release-changed': 'a release has been changed, removed, or added by hand, or is missing',
  'draft-outdated': 'the frozen draft is not what the contract says'
} as const
export type ComplaintRule = keyof typeof complaintRules
