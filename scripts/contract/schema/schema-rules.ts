import type { Json } from '../../document/json.ts'
import type { Node } from '../../document/node.ts'
import type { Direction, Keywords } from './schema.ts'

export interface SchemaFinding {
  rule: SchemaRule
  level: 'breaking' | 'undecided' | 'compatible'
  /** `Pet.kind`, or `.kind` below something that has no name of its own; empty for that itself. */
  place: string
  before?: Node
  after?: Node
  was: string
  is: string
  /** A value of the whole that was compared, valid for its sender and not for its receiver. */
  witness?: Json
  message: string
}

/** What the rules about a keyword are called. */
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

// What is said part by part, of properties and items, has its causes in the parts: the whole is to blame for the rest.

type Subject = (typeof subjects)[keyof typeof subjects] | 'schema'
export type SchemaRule =
  | `request-${Subject}-narrowed`
  | `response-${Subject}-widened`
  | 'request-property-refused'
  | 'response-property-sent'
  | 'request-property-added'
  | 'request-property-removed'
  | 'response-property-added'
  | 'response-property-removed'
  | 'request-schema-changed'
  | 'response-schema-changed'

/** The rule that is broken when a request may no longer say what it could, or a response says what it could not. */
export const ruleOf = (direction: Direction, keyword: keyof Keywords | undefined, isProperty = false): SchemaRule => {
  if (isProperty) return direction === 'request' ? 'request-property-refused' : 'response-property-sent'
  const subject: Subject =
    (keyword !== undefined && (subjects as { [K in keyof Keywords]?: Subject })[keyword]) || 'schema'
  return direction === 'request' ? `request-${subject}-narrowed` : `response-${subject}-widened`
}
