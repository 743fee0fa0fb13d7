import type { Rule, Rules } from './rule.ts'
import { rulesOfLifecycle } from './rules-of-lifecycle.ts'
import { rulesOfMessages } from './rules-of-messages.ts'
import { rulesOfOperations } from './rules-of-operations.ts'
import { rulesOfSchemas } from './rules-of-schemas.ts'
import { rulesOfSecurity } from './rules-of-security.ts'

const all = { ...rulesOfOperations, ...rulesOfMessages, ...rulesOfSecurity, ...rulesOfLifecycle, ...rulesOfSchemas }

export type RuleId = keyof typeof all
export const rulesById: Readonly<Rules<RuleId>> = all

/** All rules, as `contract rules` lists them. */
export const rules: readonly (Rule & { id: string })[] = Object.entries(all).map(([id, rule]) => ({ id, ...rule }))
