import type { Examples, Rules } from './rule.ts'
import { examplesOfLifecycle, rulesOfLifecycle } from './rules-of-lifecycle.ts'
import { examplesOfMessages, rulesOfMessages } from './rules-of-messages.ts'
import { examplesOfOperations, rulesOfOperations } from './rules-of-operations.ts'
import { examplesOfSchemas, rulesOfSchemas } from './rules-of-schemas.ts'
import { examplesOfSecurity, rulesOfSecurity } from './rules-of-security.ts'

const all = { ...rulesOfOperations, ...rulesOfMessages, ...rulesOfSecurity, ...rulesOfLifecycle, ...rulesOfSchemas }

export type RuleId = keyof typeof all
export const rulesById: Readonly<Rules<RuleId>> = all

const examples: Examples<RuleId> = {
  ...examplesOfOperations,
  ...examplesOfMessages,
  ...examplesOfSecurity,
  ...examplesOfLifecycle,
  ...examplesOfSchemas
}

export const rules = (Object.keys(all) as RuleId[]).map(id => ({ id, ...rulesById[id], example: examples[id] }))
