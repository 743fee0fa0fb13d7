import type { Json, JsonObject } from '@contract-first/document'
import { violation } from './package/mock-check.ts'
import type { Schema } from './package/schema-check.ts'

/** Whether a schema allows a value. `flat` gives the target of a reference. */
export const fits = (schema: Json, value: Json, flat: (schema: JsonObject) => JsonObject): boolean =>
  violation(schema as Schema, value, '', $ref => flat({ $ref })) === undefined
