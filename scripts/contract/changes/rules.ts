import type { Rule } from './rule.ts'
import { rulesOfDocuments } from './rules-of-documents.ts'
import { rulesOfSchemas } from './rules-of-schemas.ts'

export type { Example, Rule } from './rule.ts'

/** All rules, as `contract rules` lists them. */
export const rules: readonly (Rule & { id: string })[] = [rulesOfDocuments, rulesOfSchemas].flatMap(list =>
  Object.entries(list).map(([id, rule]) => ({ id, ...rule }))
)
