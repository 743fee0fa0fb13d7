import type { SchemaRule } from '../schema/schema-rules.ts'
import type { Rules } from './rule.ts'

/** Rules about the values that a schema allows. */
export const rulesOfSchemas: Rules<SchemaRule> = {
  'request-type-narrowed': {
    title: 'A request accepts fewer types',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: { in: 'request', before: 'type: [string, "null"]', after: 'type: string' }
  },
  'response-type-widened': {
    title: 'A response may have more types',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: { in: 'response', before: 'type: string', after: 'type: [string, "null"]' }
  },
  'request-enum-narrowed': {
    title: 'A request accepts fewer of the listed values',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: { in: 'request', before: 'enum: [cat, dog]', after: 'enum: [cat]' }
  },
  'response-enum-widened': {
    title: 'A response may have a value that was not listed',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: { in: 'response', before: 'enum: [cat]', after: 'enum: [cat, dog]' }
  },
  'request-minimum-narrowed': {
    title: 'The minimum of a request is greater',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: { in: 'request', before: 'type: number\nminimum: 1', after: 'type: number\nminimum: 2' }
  },
  'response-minimum-widened': {
    title: 'The minimum of a response is smaller',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: { in: 'response', before: 'type: number\nminimum: 2', after: 'type: number\nminimum: 1' }
  },
  'request-maximum-narrowed': {
    title: 'The maximum of a request is smaller',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: { in: 'request', before: 'type: number\nmaximum: 2', after: 'type: number\nmaximum: 1' }
  },
  'response-maximum-widened': {
    title: 'The maximum of a response is greater',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: { in: 'response', before: 'type: number\nmaximum: 1', after: 'type: number\nmaximum: 2' }
  },
  'request-multiple-of-narrowed': {
    title: 'A request accepts multiples of another number',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: { in: 'request', before: 'type: number\nmultipleOf: 2', after: 'type: number\nmultipleOf: 4' }
  },
  'response-multiple-of-widened': {
    title: 'A response may have numbers other than the declared multiples',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: { in: 'response', before: 'type: number\nmultipleOf: 4', after: 'type: number\nmultipleOf: 2' }
  },
  'request-min-length-narrowed': {
    title: 'The minimum length of a request string is greater',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: { in: 'request', before: 'type: string\nminLength: 1', after: 'type: string\nminLength: 2' }
  },
  'response-min-length-widened': {
    title: 'The minimum length of a response string is smaller',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: { in: 'response', before: 'type: string\nminLength: 2', after: 'type: string\nminLength: 1' }
  },
  'request-max-length-narrowed': {
    title: 'The maximum length of a request string is smaller',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: { in: 'request', before: 'type: string\nmaxLength: 2', after: 'type: string\nmaxLength: 1' }
  },
  'response-max-length-widened': {
    title: 'The maximum length of a response string is greater',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: { in: 'response', before: 'type: string\nmaxLength: 1', after: 'type: string\nmaxLength: 2' }
  },
  'request-pattern-narrowed': {
    title: 'The pattern of a request allows fewer strings',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: { in: 'request', before: "type: string\npattern: '^[a-z0-9]$'", after: "type: string\npattern: '^[a-z]$'" }
  },
  'response-pattern-widened': {
    title: 'The pattern of a response allows more strings',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: {
      in: 'response',
      before: "type: string\npattern: '^[a-z]$'",
      after: "type: string\npattern: '^[a-z0-9]$'"
    }
  },
  'request-format-narrowed': {
    title: 'The format of a request allows fewer values',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: { in: 'request', before: 'type: integer\nformat: int64', after: 'type: integer\nformat: int32' }
  },
  'response-format-widened': {
    title: 'The format of a response allows more values',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: { in: 'response', before: 'type: integer\nformat: int32', after: 'type: integer\nformat: int64' }
  },
  'request-min-items-narrowed': {
    title: 'A request array must have more items',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: { in: 'request', before: 'type: array\nminItems: 1', after: 'type: array\nminItems: 2' }
  },
  'response-min-items-widened': {
    title: 'A response array may have fewer items',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: { in: 'response', before: 'type: array\nminItems: 2', after: 'type: array\nminItems: 1' }
  },
  'request-max-items-narrowed': {
    title: 'A request array accepts fewer items',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: { in: 'request', before: 'type: array\nmaxItems: 2', after: 'type: array\nmaxItems: 1' }
  },
  'response-max-items-widened': {
    title: 'A response array may have more items',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: { in: 'response', before: 'type: array\nmaxItems: 1', after: 'type: array\nmaxItems: 2' }
  },
  'request-unique-items-narrowed': {
    title: 'The items of a request must be unique',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: { in: 'request', before: 'type: array', after: 'type: array\nuniqueItems: true' }
  },
  'response-unique-items-widened': {
    title: 'The items of a response need not be unique',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: { in: 'response', before: 'type: array\nuniqueItems: true', after: 'type: array' }
  },
  'request-contains-narrowed': {
    title: 'A request array must contain a certain item',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: { in: 'request', before: 'type: array', after: 'type: array\ncontains: { const: 1 }' }
  },
  'response-contains-widened': {
    title: 'A response array may lack an item that it contained',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: { in: 'response', before: 'type: array\ncontains: { const: 1 }', after: 'type: array' }
  },
  'request-pattern-properties-narrowed': {
    title: 'Request properties whose names match a pattern accept fewer values',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: {
      in: 'request',
      before: "type: object\npatternProperties: { '^x': { type: [string, 'null'] } }",
      after: "type: object\npatternProperties: { '^x': { type: string } }"
    }
  },
  'response-pattern-properties-widened': {
    title: 'Response properties whose names match a pattern may have other values',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: {
      in: 'response',
      before: "type: object\npatternProperties: { '^x': { type: string } }",
      after: "type: object\npatternProperties: { '^x': { type: [string, 'null'] } }"
    }
  },
  'request-additional-properties-narrowed': {
    title: 'A request no longer accepts properties of other names',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: {
      in: 'request',
      before: 'type: object\nadditionalProperties: { type: string }',
      after: 'type: object\nadditionalProperties: false'
    }
  },
  'response-additional-properties-widened': {
    title: 'A response may have properties of other names',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: {
      in: 'response',
      before: 'type: object\nadditionalProperties: false',
      after: 'type: object\nadditionalProperties: { type: string }',
      strict: true
    }
  },
  'request-required-narrowed': {
    title: 'A request property became required',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: {
      in: 'request',
      before: 'type: object\nproperties: { name: true }',
      after: 'type: object\nproperties: { name: true }\nrequired: [name]'
    }
  },
  'response-required-widened': {
    title: 'A response property became optional',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: {
      in: 'response',
      before: 'type: object\nproperties: { name: true }\nrequired: [name]',
      after: 'type: object\nproperties: { name: true }'
    }
  },
  'request-min-properties-narrowed': {
    title: 'A request must have more properties',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: { in: 'request', before: 'type: object\nminProperties: 1', after: 'type: object\nminProperties: 2' }
  },
  'response-min-properties-widened': {
    title: 'A response may have fewer properties',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: { in: 'response', before: 'type: object\nminProperties: 2', after: 'type: object\nminProperties: 1' }
  },
  'request-max-properties-narrowed': {
    title: 'A request accepts fewer properties',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: { in: 'request', before: 'type: object\nmaxProperties: 2', after: 'type: object\nmaxProperties: 1' }
  },
  'response-max-properties-widened': {
    title: 'A response may have more properties',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: { in: 'response', before: 'type: object\nmaxProperties: 1', after: 'type: object\nmaxProperties: 2' }
  },
  'request-property-names-narrowed': {
    title: 'A request accepts fewer property names',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: {
      in: 'request',
      before: 'type: object\npropertyNames: { maxLength: 2 }',
      after: 'type: object\npropertyNames: { maxLength: 1 }'
    }
  },
  'response-property-names-widened': {
    title: 'A response may have more property names',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: {
      in: 'response',
      before: 'type: object\npropertyNames: { maxLength: 1 }',
      after: 'type: object\npropertyNames: { maxLength: 2 }'
    }
  },
  'request-dependent-required-narrowed': {
    title: 'A request property requires another',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: {
      in: 'request',
      before: 'type: object\nproperties: { card: true, name: true }',
      after: 'type: object\nproperties: { card: true, name: true }\ndependentRequired: { card: [name] }'
    }
  },
  'response-dependent-required-widened': {
    title: 'A response property no longer requires another',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: {
      in: 'response',
      before: 'type: object\nproperties: { card: true, name: true }\ndependentRequired: { card: [name] }',
      after: 'type: object\nproperties: { card: true, name: true }'
    }
  },
  'request-dependent-schemas-narrowed': {
    title: 'With a certain property, a request must satisfy more',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: {
      in: 'request',
      before: 'type: object\nproperties: { card: true, name: true }',
      after: 'type: object\nproperties: { card: true, name: true }\ndependentSchemas: { card: { required: [name] } }'
    }
  },
  'response-dependent-schemas-widened': {
    title: 'With a certain property, a response must satisfy less',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: {
      in: 'response',
      before: 'type: object\nproperties: { card: true, name: true }\ndependentSchemas: { card: { required: [name] } }',
      after: 'type: object\nproperties: { card: true, name: true }'
    }
  },
  'request-variant-narrowed': {
    title: 'A request accepts fewer alternatives',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: {
      in: 'request',
      before: 'anyOf: [{ type: string }, { type: boolean }, { type: number }]',
      after: 'anyOf: [{ type: string }, { type: boolean }]'
    }
  },
  'response-variant-widened': {
    title: 'A response may have more alternatives',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: {
      in: 'response',
      before: 'anyOf: [{ type: string }, { type: boolean }]',
      after: 'anyOf: [{ type: string }, { type: boolean }, { type: number }]'
    }
  },
  'request-not-narrowed': {
    title: 'The `not` of a request excludes more',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: { in: 'request', before: 'type: integer', after: 'type: integer\nnot: { minimum: 5 }' }
  },
  'response-not-widened': {
    title: 'The `not` of a response excludes less',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: { in: 'response', before: 'type: integer\nnot: { minimum: 5 }', after: 'type: integer' }
  },
  'request-condition-narrowed': {
    title: 'Under a condition, a request must satisfy more',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: {
      in: 'request',
      before: 'type: integer',
      after: 'type: integer\nif: { minimum: 5 }\nthen: { multipleOf: 2 }'
    }
  },
  'response-condition-widened': {
    title: 'Under a condition, a response must satisfy less',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: {
      in: 'response',
      before: 'type: integer\nif: { minimum: 5 }\nthen: { multipleOf: 2 }',
      after: 'type: integer'
    }
  },
  'request-other-assertion-narrowed': {
    title: 'An assertion of a request changed that the check cannot decide',
    level: 'undecided',
    category: 'wire',
    why: 'You decide whether every value is still accepted.',
    example: { in: 'request', before: 'type: string', after: 'type: string\ncontentEncoding: base64' }
  },
  'response-other-assertion-widened': {
    title: 'An assertion of a response changed that the check cannot decide',
    level: 'undecided',
    category: 'wire',
    why: 'You decide whether clients expect every value.',
    example: { in: 'response', before: 'type: string\ncontentEncoding: base64', after: 'type: string' }
  },
  'request-schema-narrowed': {
    title: 'A request accepts fewer values, by several assertions together',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is rejected.',
    example: {
      in: 'request',
      before:
        'type: object\nproperties: { a: true, b: {} }\nif: { required: [a] }\nthen: { properties: { b: { const: long } } }\nelse: { properties: { b: { const: longer } } }',
      after:
        'type: object\nproperties: { a: true, b: { maxLength: 3 } }\nif: { required: [a] }\nthen: { properties: { b: { const: long } } }\nelse: { properties: { b: { const: longer } } }'
    }
  },
  'response-schema-widened': {
    title: 'A response may have more values, by several assertions together',
    level: 'breaking',
    category: 'wire',
    why: 'Clients may receive a value that was ruled out.',
    example: {
      in: 'response',
      before:
        'type: object\nproperties: { a: true, b: { maxLength: 3 } }\nif: { required: [a] }\nthen: { properties: { b: { const: long } } }\nelse: { properties: { b: { const: longer } } }',
      after:
        'type: object\nproperties: { a: true, b: {} }\nif: { required: [a] }\nthen: { properties: { b: { const: long } } }\nelse: { properties: { b: { const: longer } } }'
    }
  },
  'request-property-refused': {
    title: 'A request property is rejected',
    level: 'breaking',
    category: 'wire',
    why: 'Clients that send it are rejected.',
    example: {
      in: 'request',
      before: 'type: object\nproperties: { name: true, kind: true }',
      after: 'type: object\nproperties: { name: true }\nadditionalProperties: false'
    }
  },
  'response-property-sent': {
    title: 'A response has a property that was ruled out',
    level: 'breaking',
    category: 'wire',
    why: 'Strict clients reject what they do not know.',
    example: {
      in: 'response',
      before: 'type: object\nproperties: { name: true }\nadditionalProperties: false',
      after: 'type: object\nproperties: { name: true, kind: true }\nadditionalProperties: false',
      strict: true
    }
  },
  'request-property-added': {
    title: 'A request accepts a new property',
    level: 'compatible',
    category: 'wire',
    why: 'Clients need not send it.',
    example: {
      in: 'request',
      before: 'type: object\nproperties: { name: true }',
      after: 'type: object\nproperties: { name: true, kind: true }'
    }
  },
  'request-property-removed': {
    title: 'A request property is no longer declared',
    level: 'compatible',
    category: 'wire',
    why: 'It is still accepted, perhaps without effect.',
    example: {
      in: 'request',
      before: 'type: object\nproperties: { name: true, kind: true }',
      after: 'type: object\nproperties: { name: true }'
    }
  },
  'response-property-added': {
    title: 'A response has a new property',
    level: 'compatible',
    category: 'wire',
    why: 'Clients ignore what they do not know.',
    example: {
      in: 'response',
      before: 'type: object\nproperties: { name: true }',
      after: 'type: object\nproperties: { name: true, kind: true }'
    }
  },
  'response-property-removed': {
    title: 'A response property is no longer declared',
    level: 'compatible',
    category: 'wire',
    why: 'Clients were told that it may be missing.',
    example: {
      in: 'response',
      before: 'type: object\nproperties: { name: true, kind: true }',
      after: 'type: object\nproperties: { name: true }'
    }
  },
  'request-schema-changed': {
    title: 'A request accepts more, or the same written differently',
    level: 'compatible',
    category: 'wire',
    why: 'Every value that clients send is still accepted.',
    example: { in: 'request', before: 'type: string\nmaxLength: 1', after: 'type: string\nmaxLength: 2' }
  },
  'response-schema-changed': {
    title: 'A response has fewer values, or the same written differently',
    level: 'compatible',
    category: 'wire',
    why: 'Clients expect every value that arrives.',
    example: { in: 'response', before: 'type: string\nmaxLength: 2', after: 'type: string\nmaxLength: 1' }
  }
}
