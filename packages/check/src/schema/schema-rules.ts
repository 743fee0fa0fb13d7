import type { Json, Node } from '@contract-first/document'
import type { Verdict } from './accepts.ts'
import type { Direction, Keywords } from './schema.ts'

/** How certain it is that a client breaks: it does, it may, it does not. */
export type Level = 'breaking' | 'undecided' | 'compatible'

/** Whether a receiver rejects a value for one reason; it is given as it is written, with texts where types do not show. */
export type Rejects = (written: Json) => Verdict

export interface Change {
  before?: Node | undefined
  after?: Node | undefined
  was?: string | undefined
  is?: string | undefined
  /** Of a list of values or alternatives: those that it has no longer, and new ones. */
  lost?: string | undefined
  gained?: string | undefined
  identity?: string | undefined
  /** A complete value that is valid for its sender, but not for its receiver. */
  witness?: Json | undefined
  rejects?: Rejects | undefined
  message: string
}

export interface SchemaFinding extends Change {
  rule: SchemaRule
  level: Level
  /** `Pet.kind`, or `.kind` within a schema without a name; empty for that schema itself. */
  place: string
}

/** The names of a keyword's rules. */
const subjects = {
  types: 'type',
  values: 'enum',
  minimum: 'minimum',
  maximum: 'maximum',
  multipleOf: 'multiple-of',
  minLength: 'min-length',
  maxLength: 'max-length',
  pattern: 'pattern',
  format: 'format',
  minItems: 'min-items',
  maxItems: 'max-items',
  uniqueItems: 'unique-items',
  contains: 'contains',
  patternProperties: 'pattern-properties',
  additionalProperties: 'additional-properties',
  required: 'required',
  minProperties: 'min-properties',
  maxProperties: 'max-properties',
  propertyNames: 'property-names',
  dependentRequired: 'dependent-required',
  dependentSchemas: 'other-assertion',
  anyOf: 'variant',
  oneOf: 'variant',
  not: 'not',
  if: 'condition',
  opaque: 'other-assertion',
  dynamic: 'other-assertion'
} as const satisfies { [K in keyof Keywords]: string }

// Keywords for properties and items are not listed: those are compared part by part.

export type SubjectName = (typeof subjects)[keyof typeof subjects] | 'schema'
export type SubjectRule = `request-${SubjectName}-narrowed` | `response-${SubjectName}-widened`
export type SchemaRule =
  | SubjectRule
  | 'request-property-refused'
  | 'response-property-sent'
  | `${Direction}-property-${'added' | 'removed'}`
  | `${Direction}-schema-changed`

/** The rule for a request that can no longer send what it could, or a response that can send what it could not. */
export const ruleOf = (direction: Direction, keyword: keyof Keywords | undefined, isProperty = false): SchemaRule => {
  if (isProperty) return direction === 'request' ? 'request-property-refused' : 'response-property-sent'
  const subject: SubjectName =
    (keyword !== undefined && (subjects as { [K in keyof Keywords]?: SubjectName })[keyword]) || 'schema'
  return direction === 'request' ? `request-${subject}-narrowed` : `response-${subject}-widened`
}
