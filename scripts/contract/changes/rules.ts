import type { Rule } from './rule.ts'
import { rulesOfDocuments } from './rules-of-documents.ts'
import { rulesOfSchemas } from './rules-of-schemas.ts'

export type { Example, Rule } from './rule.ts'

/** All that can be found, as `contract rules` lists it. */
export const rules: readonly (Rule & { id: string })[] = [rulesOfDocuments, rulesOfSchemas].flatMap(list =>
  Object.entries(list).map(([id, rule]) => ({ id, ...rule }))
)
