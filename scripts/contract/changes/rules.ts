import type { Rule, Rules } from './rule.ts'
import { rulesOfLifecycle } from './rules-of-lifecycle.ts'
import { rulesOfMessages } from './rules-of-messages.ts'
import { rulesOfOperations } from './rules-of-operations.ts'
import { rulesOfSchemas } from './rules-of-schemas.ts'
import { rulesOfSecurity } from './rules-of-security.ts'

const ofDocuments = { ...rulesOfOperations, ...rulesOfMessages, ...rulesOfSecurity, ...rulesOfLifecycle }

/** A rule about anything except the values that a schema allows. */
export type RuleId = keyof typeof ofDocuments
export const rulesOfDocuments: Readonly<Rules<RuleId>> = ofDocuments

/** All rules, as `contract rules` lists them. */
export const rules: readonly (Rule & { id: string })[] = Object.entries({ ...rulesOfDocuments, ...rulesOfSchemas }).map(
  ([id, rule]) => ({ id, ...rule })
)
