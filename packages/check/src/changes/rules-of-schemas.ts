import type { SchemaRule, SubjectName, SubjectRule } from '../schema/schema-rules.ts'
import { breaking, compatible, type Examples, exampleIn, type Rules, undecided } from './rule.ts'

/** Titles for a request that allows less, and a response that allows more. */
const titles: Record<SubjectName, [request: string, response: string]> = {
  type: ['A request accepts fewer types', 'A response may have more types'],
  enum: ['A request accepts fewer of the listed values', 'A response may have a value that was not listed'],
  minimum: ['The minimum of a request is greater', 'The minimum of a response is smaller'],
  maximum: ['The maximum of a request is smaller', 'The maximum of a response is greater'],
  'multiple-of': ['A request accepts multiples of another number', 'A response may have multiples of another number'],
  'min-length': ['A request string must be longer', 'A response string may be shorter'],
  'max-length': ['A request string must be shorter', 'A response string may be longer'],
  pattern: ['The pattern of a request allows fewer strings', 'The pattern of a response allows more strings'],
  format: ['The format of a request allows fewer values', 'The format of a response allows more values'],
  'min-items': ['A request array must have more items', 'A response array may have fewer items'],
  'max-items': ['A request array accepts fewer items', 'A response array may have more items'],
  'unique-items': ['The items of a request must be unique', 'The items of a response need not be unique'],
  contains: ['A request array must contain a certain item', 'A response array may lack an item that it contained'],
  'pattern-properties': ['Request properties by pattern accept less', 'Response properties by pattern may have more'],
  'additional-properties': ['A request no longer accepts other properties', 'A response may have other properties'],
  required: ['A request property became required', 'A response property became optional'],
  'min-properties': ['A request must have more properties', 'A response may have fewer properties'],
  'max-properties': ['A request accepts fewer properties', 'A response may have more properties'],
  'property-names': ['A request accepts fewer property names', 'A response may have more property names'],
  'dependent-required': ['A request property requires another', 'A response property no longer requires another'],
  variant: ['A request accepts fewer alternatives', 'A response may have more alternatives'],
  not: ['The `not` of a request excludes more', 'The `not` of a response excludes less'],
  condition: ['Under a condition, a request must satisfy more', 'Under a condition, a response must satisfy less'],
  'other-assertion': ['A request has another undecidable assertion', 'A response has another undecidable assertion'],
  schema: ['A request accepts fewer values for several reasons', 'A response may have more values for several reasons']
}

const rulesOf = (name: string, [request, response]: readonly [string, string]) =>
  name === 'other-assertion'
    ? [
        undecided(request, 'You decide whether every value is still accepted.'),
        undecided(response, 'You decide whether clients expect every value.')
      ]
    : [
        breaking(request, 'A value that clients may send is rejected.'),
        breaking(response, 'Clients may receive a value that was ruled out.')
      ]

const ofBoth = <T>(subjects: typeof titles, bothOf: (name: string, each: readonly [string, string]) => readonly T[]) =>
  Object.fromEntries(
    Object.entries(subjects).flatMap(([name, each]) => {
      const [narrowed, widened] = bothOf(name, each)
      return [
        [`request-${name}-narrowed`, narrowed],
        [`response-${name}-widened`, widened]
      ]
    })
  ) as Record<SubjectRule, T>

export const rulesOfSchemas: Rules<SchemaRule> = {
  ...ofBoth(titles, rulesOf),
  'request-property-refused': breaking('A request property is rejected', 'Clients that send it are rejected.'),
  'response-property-sent': breaking('A response has a property that was ruled out', 'Strict clients reject it.'),
  'request-property-added': compatible('A request accepts a new property', 'Clients need not send it.'),
  'request-property-removed': compatible('A request property is no longer declared', 'It may have no effect now.'),
  'response-property-added': compatible('A response has a new property', 'Clients ignore what they do not know.'),
  'response-property-removed': compatible('A response property is no longer declared', 'It was optional.'),
  'request-schema-changed': compatible('A request accepts more, or the same in other words', 'All is still accepted.'),
  'response-schema-changed': compatible('A response has fewer values, or the same in other words', 'Clients know them.')
}

const [inRequest, inResponse] = [exampleIn('request'), exampleIn('response')]
const one = 'type: object\nproperties: { name: true }'
const two = 'type: object\nproperties: { name: true, kind: true }'
const closed = '\nadditionalProperties: false'
const card = 'type: object\nproperties: { card: true, name: true }'
const embedded = 'type: string\ncontentMediaType: application/json'
const conditional = (b: string) =>
  `type: object\nproperties: { a: true, b: ${b} }\nif: { required: [a] }\nthen: { properties: { b: { const: long } } }\nelse: { properties: { b: { const: longer } } }`

const schemas: Record<SubjectName, [wide: string, narrow: string]> = {
  type: ['type: [string, "null"]', 'type: string'],
  enum: ['enum: [cat, dog]', 'enum: [cat]'],
  minimum: ['type: number\nminimum: 1', 'type: number\nminimum: 2'],
  maximum: ['type: number\nmaximum: 2', 'type: number\nmaximum: 1'],
  'multiple-of': ['type: number\nmultipleOf: 2', 'type: number\nmultipleOf: 4'],
  'min-length': ['type: string\nminLength: 1', 'type: string\nminLength: 2'],
  'max-length': ['type: string\nmaxLength: 2', 'type: string\nmaxLength: 1'],
  pattern: ["type: string\npattern: '^[a-z0-9]$'", "type: string\npattern: '^[a-z]$'"],
  format: ['type: integer\nformat: int64', 'type: integer\nformat: int32'],
  'min-items': ['type: array\nminItems: 1', 'type: array\nminItems: 2'],
  'max-items': ['type: array\nmaxItems: 2', 'type: array\nmaxItems: 1'],
  'unique-items': ['type: array', 'type: array\nuniqueItems: true'],
  contains: ['type: array', 'type: array\ncontains: { const: 1 }'],
  'pattern-properties': [
    "type: object\npatternProperties: { '^x': { type: [string, 'null'] } }",
    "type: object\npatternProperties: { '^x': { type: string } }"
  ],
  'additional-properties': ['type: object\nadditionalProperties: { type: string }', `type: object${closed}`],
  required: [one, `${one}\nrequired: [name]`],
  'min-properties': ['type: object\nminProperties: 1', 'type: object\nminProperties: 2'],
  'max-properties': ['type: object\nmaxProperties: 2', 'type: object\nmaxProperties: 1'],
  'property-names': ['type: object\npropertyNames: { maxLength: 2 }', 'type: object\npropertyNames: { maxLength: 1 }'],
  'dependent-required': [card, `${card}\ndependentRequired: { card: [name] }`],
  variant: [
    'anyOf: [{ type: string }, { type: boolean }, { type: number }]',
    'anyOf: [{ type: string }, { type: boolean }]'
  ],
  not: ['type: integer', 'type: integer\nnot: { minimum: 5 }'],
  condition: ['type: integer', 'type: integer\nif: { minimum: 5 }\nthen: { multipleOf: 2 }'],
  'other-assertion': [embedded, `${embedded}\ncontentSchema: { type: object }`],
  schema: [conditional('{}'), conditional('{ maxLength: 3 }')]
}

export const examplesOfSchemas: Examples<SchemaRule> = {
  ...ofBoth(schemas, (name, [wide, narrow]) => [
    inRequest(wide, narrow),
    // Only strict clients break when a response has properties of other names.
    inResponse(narrow, wide, name === 'additional-properties' ? { strict: true } : {})
  ]),
  'request-property-refused': inRequest(two, one + closed),
  'response-property-sent': inResponse(one + closed, two + closed, { strict: true }),
  'request-property-added': inRequest(one, two),
  'request-property-removed': inRequest(two, one),
  'response-property-added': inResponse(one, two),
  'response-property-removed': inResponse(two, one),
  'request-schema-changed': inRequest('type: string\nmaxLength: 1', 'type: string\nmaxLength: 2'),
  'response-schema-changed': inResponse('type: string\nmaxLength: 2', 'type: string\nmaxLength: 1')
}
