import type { Place } from '@contract-first/document'

/** A problem other than a finding: the version number, the approvals, the releases. It cannot be approved. */
export interface Complaint {
  rule: ComplaintRule
  message: string
  at: Place
}

export const complaintRules = {
  'version-too-low': 'info.version does not follow from the changes',
  'approval-invalid': 'an approval is malformed or a duplicate',
  'approval-expired': 'an approval has expired',
  'approval-unused': 'an approval matches no finding; a note, which fails nothing',
  'release-changed': 'a release was changed, removed, or added by hand, or is missing',
  'draft-outdated': 'the frozen draft differs from the contract'
} as const
type ComplaintRule = keyof typeof complaintRules
