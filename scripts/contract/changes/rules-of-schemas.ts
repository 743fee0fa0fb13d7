import type { SchemaRule, SubjectName, SubjectRule } from '../schema/schema-rules.ts'
import { breaking, compatible, type Example, type Rule, type Rules, undecided } from './rule.ts'

/** What a schema says about a subject: narrowing it breaks requests, widening it breaks responses. */
interface Subject {
  /** The titles of the two rules. */
  request: string
  response: string
  /** YAML of a schema that allows more, and of one that allows less. */
  wide: string
  narrow: string
  /** Only strict clients break when a response has more. */
  strict?: true
}

const subjects: Record<SubjectName, Subject> = {
  type: {
    request: 'A request accepts fewer types',
    response: 'A response may have more types',
    wide: 'type: [string, "null"]',
    narrow: 'type: string'
  },
  enum: {
    request: 'A request accepts fewer of the listed values',
    response: 'A response may have a value that was not listed',
    wide: 'enum: [cat, dog]',
    narrow: 'enum: [cat]'
  },
  minimum: {
    request: 'The minimum of a request is greater',
    response: 'The minimum of a response is smaller',
    wide: 'type: number\nminimum: 1',
    narrow: 'type: number\nminimum: 2'
  },
  maximum: {
    request: 'The maximum of a request is smaller',
    response: 'The maximum of a response is greater',
    wide: 'type: number\nmaximum: 2',
    narrow: 'type: number\nmaximum: 1'
  },
  'multiple-of': {
    request: 'A request accepts multiples of another number',
    response: 'A response may have numbers other than the declared multiples',
    wide: 'type: number\nmultipleOf: 2',
    narrow: 'type: number\nmultipleOf: 4'
  },
  'min-length': {
    request: 'The minimum length of a request string is greater',
    response: 'The minimum length of a response string is smaller',
    wide: 'type: string\nminLength: 1',
    narrow: 'type: string\nminLength: 2'
  },
  'max-length': {
    request: 'The maximum length of a request string is smaller',
    response: 'The maximum length of a response string is greater',
    wide: 'type: string\nmaxLength: 2',
    narrow: 'type: string\nmaxLength: 1'
  },
  pattern: {
    request: 'The pattern of a request allows fewer strings',
    response: 'The pattern of a response allows more strings',
    wide: "type: string\npattern: '^[a-z0-9]$'",
    narrow: "type: string\npattern: '^[a-z]$'"
  },
  format: {
    request: 'The format of a request allows fewer values',
    response: 'The format of a response allows more values',
    wide: 'type: integer\nformat: int64',
    narrow: 'type: integer\nformat: int32'
  },
  'min-items': {
    request: 'A request array must have more items',
    response: 'A response array may have fewer items',
    wide: 'type: array\nminItems: 1',
    narrow: 'type: array\nminItems: 2'
  },
  'max-items': {
    request: 'A request array accepts fewer items',
    response: 'A response array may have more items',
    wide: 'type: array\nmaxItems: 2',
    narrow: 'type: array\nmaxItems: 1'
  },
  'unique-items': {
    request: 'The items of a request must be unique',
    response: 'The items of a response need not be unique',
    wide: 'type: array',
    narrow: 'type: array\nuniqueItems: true'
  },
  contains: {
    request: 'A request array must contain a certain item',
    response: 'A response array may lack an item that it contained',
    wide: 'type: array',
    narrow: 'type: array\ncontains: { const: 1 }'
  },
  'pattern-properties': {
    request: 'Request properties whose names match a pattern accept fewer values',
    response: 'Response properties whose names match a pattern may have other values',
    wide: "type: object\npatternProperties: { '^x': { type: [string, 'null'] } }",
    narrow: "type: object\npatternProperties: { '^x': { type: string } }"
  },
  'additional-properties': {
    request: 'A request no longer accepts properties of other names',
    response: 'A response may have properties of other names',
    wide: 'type: object\nadditionalProperties: { type: string }',
    narrow: 'type: object\nadditionalProperties: false',
    strict: true
  },
  required: {
    request: 'A request property became required',
    response: 'A response property became optional',
    wide: 'type: object\nproperties: { name: true }',
    narrow: 'type: object\nproperties: { name: true }\nrequired: [name]'
  },
  'min-properties': {
    request: 'A request must have more properties',
    response: 'A response may have fewer properties',
    wide: 'type: object\nminProperties: 1',
    narrow: 'type: object\nminProperties: 2'
  },
  'max-properties': {
    request: 'A request accepts fewer properties',
    response: 'A response may have more properties',
    wide: 'type: object\nmaxProperties: 2',
    narrow: 'type: object\nmaxProperties: 1'
  },
  'property-names': {
    request: 'A request accepts fewer property names',
    response: 'A response may have more property names',
    wide: 'type: object\npropertyNames: { maxLength: 2 }',
    narrow: 'type: object\npropertyNames: { maxLength: 1 }'
  },
  'dependent-required': {
    request: 'A request property requires another',
    response: 'A response property no longer requires another',
    wide: 'type: object\nproperties: { card: true, name: true }',
    narrow: 'type: object\nproperties: { card: true, name: true }\ndependentRequired: { card: [name] }'
  },
  'dependent-schemas': {
    request: 'With a certain property, a request must satisfy more',
    response: 'With a certain property, a response must satisfy less',
    wide: 'type: object\nproperties: { card: true, name: true }',
    narrow: 'type: object\nproperties: { card: true, name: true }\ndependentSchemas: { card: { required: [name] } }'
  },
  variant: {
    request: 'A request accepts fewer alternatives',
    response: 'A response may have more alternatives',
    wide: 'anyOf: [{ type: string }, { type: boolean }, { type: number }]',
    narrow: 'anyOf: [{ type: string }, { type: boolean }]'
  },
  not: {
    request: 'The `not` of a request excludes more',
    response: 'The `not` of a response excludes less',
    wide: 'type: integer',
    narrow: 'type: integer\nnot: { minimum: 5 }'
  },
  condition: {
    request: 'Under a condition, a request must satisfy more',
    response: 'Under a condition, a response must satisfy less',
    wide: 'type: integer',
    narrow: 'type: integer\nif: { minimum: 5 }\nthen: { multipleOf: 2 }'
  },
  'other-assertion': {
    request: 'An assertion of a request changed that the check cannot decide',
    response: 'An assertion of a response changed that the check cannot decide',
    wide: 'type: string\ncontentMediaType: application/json',
    narrow: 'type: string\ncontentMediaType: application/json\ncontentSchema: { type: object }'
  },
  schema: {
    request: 'A request accepts fewer values, by several assertions together',
    response: 'A response may have more values, by several assertions together',
    wide: 'type: object\nproperties: { a: true, b: {} }\nif: { required: [a] }\nthen: { properties: { b: { const: long } } }\nelse: { properties: { b: { const: longer } } }',
    narrow:
      'type: object\nproperties: { a: true, b: { maxLength: 3 } }\nif: { required: [a] }\nthen: { properties: { b: { const: long } } }\nelse: { properties: { b: { const: longer } } }'
  }
}

/** The two rules of a subject. */
const rulesOf = (name: string, { request, response, wide, narrow, strict }: Subject): [id: string, rule: Rule][] => {
  const isDecided = name !== 'other-assertion'
  const rule = isDecided ? breaking : undecided
  const [rejected, received] = isDecided
    ? ['A value that clients may send is rejected.', 'Clients may receive a value that was ruled out.']
    : ['You decide whether every value is still accepted.', 'You decide whether clients expect every value.']
  const inRequest: Example = { in: 'request', before: wide, after: narrow }
  const inResponse: Example = { in: 'response', before: narrow, after: wide, ...(strict && { strict }) }
  return [
    [`request-${name}-narrowed`, rule(request, rejected, inRequest)],
    [`response-${name}-widened`, rule(response, received, inResponse)]
  ]
}

const one = 'type: object\nproperties: { name: true }'
const two = 'type: object\nproperties: { name: true, kind: true }'
const closed = '\nadditionalProperties: false'

const rulesOfSubjects = Object.fromEntries(Object.entries(subjects).flatMap(each => rulesOf(...each)))

/** Rules about the values that a schema allows. */
export const rulesOfSchemas: Rules<SchemaRule> = {
  ...(rulesOfSubjects as Rules<SubjectRule>),
  'request-property-refused': breaking('A request property is rejected', 'Clients that send it are rejected.', {
    in: 'request',
    before: two,
    after: one + closed
  }),
  'response-property-sent': breaking(
    'A response has a property that was ruled out',
    'Strict clients reject what they do not know.',
    { in: 'response', before: one + closed, after: two + closed, strict: true }
  ),
  'request-property-added': compatible('A request accepts a new property', 'Clients need not send it.', {
    in: 'request',
    before: one,
    after: two
  }),
  'request-property-removed': compatible(
    'A request property is no longer declared',
    'It is still accepted, perhaps without effect.',
    { in: 'request', before: two, after: one }
  ),
  'response-property-added': compatible('A response has a new property', 'Clients ignore what they do not know.', {
    in: 'response',
    before: one,
    after: two
  }),
  'response-property-removed': compatible(
    'A response property is no longer declared',
    'Clients were told that it may be missing.',
    { in: 'response', before: two, after: one }
  ),
  'request-schema-changed': compatible(
    'A request accepts more, or the same written differently',
    'Every value that clients send is still accepted.',
    { in: 'request', before: 'type: string\nmaxLength: 1', after: 'type: string\nmaxLength: 2' }
  ),
  'response-schema-changed': compatible(
    'A response has fewer values, or the same written differently',
    'Clients expect every value that arrives.',
    { in: 'response', before: 'type: string\nmaxLength: 2', after: 'type: string\nmaxLength: 1' }
  )
}
