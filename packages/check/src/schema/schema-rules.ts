import type { Json, Node } from '@contract-first/document'
import type { Direction, Keywords } from './schema.ts'

export interface SchemaFinding {
  rule: SchemaRule
  level: 'breaking' | 'undecided' | 'compatible'
  /** `Pet.kind`, or `.kind` within a schema without a name; empty for that schema itself. */
  place: string
  before?: Node
  after?: Node
  was?: string | undefined
  is?: string | undefined
  /** What identifies the change, instead of both texts. */
  identity?: string
  /** A complete value that is valid for its sender, but not for its receiver. */
  witness?: Json
  message: string
}

/** The places of a finding, if there are any. */
export const sides = (before: Node | undefined, after: Node | undefined): Pick<SchemaFinding, 'before' | 'after'> => ({
  ...(before && { before }),
  ...(after && { after })
})

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
  dependentSchemas: 'dependent-schemas',
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
