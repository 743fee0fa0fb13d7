import type { Rules } from './rule.ts'
import { rulesOfLifecycle } from './rules-of-lifecycle.ts'
import { rulesOfMessages } from './rules-of-messages.ts'
import { rulesOfOperations } from './rules-of-operations.ts'
import { rulesOfSecurity } from './rules-of-security.ts'

const all = { ...rulesOfOperations, ...rulesOfMessages, ...rulesOfSecurity, ...rulesOfLifecycle }

/** A rule about anything except the values that a schema allows. */
export type RuleId = keyof typeof all
export const rulesOfDocuments: Readonly<Rules<RuleId>> = all
