import type { Place } from '../../document/node.ts'

/** What is wrong around a comparison: with the version number, the approvals, the releases. No approval helps it. */
export interface Complaint {
  rule: ComplaintRule
  message: string
  at: Place
}

export const complaintRules = {
  'version-too-low': 'info.version does not follow from the changes',
  'approval-invalid': 'an approval is malformed or a duplicate',
  'approval-expired': 'an approval has expired',
  'approval-unused': 'an approval matches no finding',
  'release-changed': 'a release was changed, removed, or added by hand, or is missing',
  'draft-outdated': 'the frozen draft differs from the contract'
} as const
export type ComplaintRule = keyof typeof complaintRules
