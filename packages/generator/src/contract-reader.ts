import type { Json, JsonObject } from '@contract-first/document'
import type { Report } from './problems.ts'

/** What the readers of a contract's parts share. */
export interface ContractReader {
  /** A schema in the form that everything is generated from; one of any value for `undefined`. */
  readSchema: (written: Json | undefined) => JsonObject
  /** What such a schema refers to, or the schema itself. */
  follow: (schema: JsonObject) => JsonObject
  /** What a reference to something else refers to, or the object itself. */
  resolve: (value: Json | undefined) => JsonObject
  report: Report
}
