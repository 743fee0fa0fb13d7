import type { SchemaRule } from '../schema/schema-rules.ts'
import type { Rules } from './rule.ts'

/** Rules about the values that a schema allows. */
export const rulesOfSchemas: Rules<SchemaRule> = {
  'request-type-narrowed': {
    title: 'A request takes fewer types',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: { in: 'request', before: 'type: [string, "null"]', after: 'type: string' }
  },
  'response-type-widened': {
    title: 'A response may be of more types',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: { in: 'response', before: 'type: string', after: 'type: [string, "null"]' }
  },
  'request-enum-narrowed': {
    title: 'A request takes fewer of the listed values',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: { in: 'request', before: 'enum: [cat, dog]', after: 'enum: [cat]' }
  },
  'response-enum-widened': {
    title: 'A response may be a value that was not listed',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: { in: 'response', before: 'enum: [cat]', after: 'enum: [cat, dog]' }
  },
  'request-minimum-narrowed': {
    title: 'The least number that a request takes is greater',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: { in: 'request', before: 'type: number\nminimum: 1', after: 'type: number\nminimum: 2' }
  },
  'response-minimum-widened': {
    title: 'The least number of a response is smaller',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: { in: 'response', before: 'type: number\nminimum: 2', after: 'type: number\nminimum: 1' }
  },
  'request-maximum-narrowed': {
    title: 'The greatest number that a request takes is smaller',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: { in: 'request', before: 'type: number\nmaximum: 2', after: 'type: number\nmaximum: 1' }
  },
  'response-maximum-widened': {
    title: 'The greatest number of a response is greater',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: { in: 'response', before: 'type: number\nmaximum: 1', after: 'type: number\nmaximum: 2' }
  },
  'request-multiple-of-narrowed': {
    title: 'A request takes multiples of another number',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: { in: 'request', before: 'type: number\nmultipleOf: 2', after: 'type: number\nmultipleOf: 4' }
  },
  'response-multiple-of-widened': {
    title: 'A response may be other than the multiples of a number',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: { in: 'response', before: 'type: number\nmultipleOf: 4', after: 'type: number\nmultipleOf: 2' }
  },
  'request-min-length-narrowed': {
    title: 'The shortest string that a request takes is longer',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: { in: 'request', before: 'type: string\nminLength: 1', after: 'type: string\nminLength: 2' }
  },
  'response-min-length-widened': {
    title: 'The shortest string of a response is shorter',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: { in: 'response', before: 'type: string\nminLength: 2', after: 'type: string\nminLength: 1' }
  },
  'request-max-length-narrowed': {
    title: 'The longest string that a request takes is shorter',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: { in: 'request', before: 'type: string\nmaxLength: 2', after: 'type: string\nmaxLength: 1' }
  },
  'response-max-length-widened': {
    title: 'The longest string of a response is longer',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: { in: 'response', before: 'type: string\nmaxLength: 1', after: 'type: string\nmaxLength: 2' }
  },
  'request-pattern-narrowed': {
    title: 'The pattern of a request takes fewer strings',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: { in: 'request', before: "type: string\npattern: '^[a-z0-9]$'", after: "type: string\npattern: '^[a-z]$'" }
  },
  'response-pattern-widened': {
    title: 'The pattern of a response allows more strings',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: {
      in: 'response',
      before: "type: string\npattern: '^[a-z]$'",
      after: "type: string\npattern: '^[a-z0-9]$'"
    }
  },
  'request-format-narrowed': {
    title: 'The format of a request takes fewer values',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: { in: 'request', before: 'type: integer\nformat: int64', after: 'type: integer\nformat: int32' }
  },
  'response-format-widened': {
    title: 'The format of a response allows more values',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: { in: 'response', before: 'type: integer\nformat: int32', after: 'type: integer\nformat: int64' }
  },
  'request-min-items-narrowed': {
    title: 'The shortest array that a request takes is longer',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: { in: 'request', before: 'type: array\nminItems: 1', after: 'type: array\nminItems: 2' }
  },
  'response-min-items-widened': {
    title: 'The shortest array of a response is shorter',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: { in: 'response', before: 'type: array\nminItems: 2', after: 'type: array\nminItems: 1' }
  },
  'request-max-items-narrowed': {
    title: 'The longest array that a request takes is shorter',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: { in: 'request', before: 'type: array\nmaxItems: 2', after: 'type: array\nmaxItems: 1' }
  },
  'response-max-items-widened': {
    title: 'The longest array of a response is longer',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: { in: 'response', before: 'type: array\nmaxItems: 1', after: 'type: array\nmaxItems: 2' }
  },
  'request-unique-items-narrowed': {
    title: 'The items of a request have to be different',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: { in: 'request', before: 'type: array', after: 'type: array\nuniqueItems: true' }
  },
  'response-unique-items-widened': {
    title: 'The items of a response may be equal',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: { in: 'response', before: 'type: array\nuniqueItems: true', after: 'type: array' }
  },
  'request-contains-narrowed': {
    title: 'A request has to contain some item',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: { in: 'request', before: 'type: array', after: 'type: array\ncontains: { const: 1 }' }
  },
  'response-contains-widened': {
    title: 'A response may lack an item that it contained',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: { in: 'response', before: 'type: array\ncontains: { const: 1 }', after: 'type: array' }
  },
  'request-pattern-properties-narrowed': {
    title: 'Properties of a request whose names match a pattern take fewer values',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: {
      in: 'request',
      before: "type: object\npatternProperties: { '^x': { type: [string, 'null'] } }",
      after: "type: object\npatternProperties: { '^x': { type: string } }"
    }
  },
  'response-pattern-properties-widened': {
    title: 'Properties of a response whose names match a pattern may have other values',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: {
      in: 'response',
      before: "type: object\npatternProperties: { '^x': { type: string } }",
      after: "type: object\npatternProperties: { '^x': { type: [string, 'null'] } }"
    }
  },
  'request-additional-properties-narrowed': {
    title: 'A request takes no properties of other names any more',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
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
    why: 'A value may arrive that clients were told would not.',
    example: {
      in: 'response',
      before: 'type: object\nadditionalProperties: false',
      after: 'type: object\nadditionalProperties: { type: string }',
      strict: true
    }
  },
  'request-required-narrowed': {
    title: 'A property of a request has to be there',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: {
      in: 'request',
      before: 'type: object\nproperties: { name: true }',
      after: 'type: object\nproperties: { name: true }\nrequired: [name]'
    }
  },
  'response-required-widened': {
    title: 'A property of a response may be missing',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: {
      in: 'response',
      before: 'type: object\nproperties: { name: true }\nrequired: [name]',
      after: 'type: object\nproperties: { name: true }'
    }
  },
  'request-min-properties-narrowed': {
    title: 'A request has to have more properties',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: { in: 'request', before: 'type: object\nminProperties: 1', after: 'type: object\nminProperties: 2' }
  },
  'response-min-properties-widened': {
    title: 'A response may have fewer properties',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: { in: 'response', before: 'type: object\nminProperties: 2', after: 'type: object\nminProperties: 1' }
  },
  'request-max-properties-narrowed': {
    title: 'A request may have fewer properties',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: { in: 'request', before: 'type: object\nmaxProperties: 2', after: 'type: object\nmaxProperties: 1' }
  },
  'response-max-properties-widened': {
    title: 'A response may have more properties',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: { in: 'response', before: 'type: object\nmaxProperties: 1', after: 'type: object\nmaxProperties: 2' }
  },
  'request-property-names-narrowed': {
    title: 'A request takes properties of fewer names',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: {
      in: 'request',
      before: 'type: object\npropertyNames: { maxLength: 2 }',
      after: 'type: object\npropertyNames: { maxLength: 1 }'
    }
  },
  'response-property-names-widened': {
    title: 'A response may have properties of more names',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: {
      in: 'response',
      before: 'type: object\npropertyNames: { maxLength: 1 }',
      after: 'type: object\npropertyNames: { maxLength: 2 }'
    }
  },
  'request-dependent-required-narrowed': {
    title: 'With one property a request has to have another',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: {
      in: 'request',
      before: 'type: object\nproperties: { card: true, name: true }',
      after: 'type: object\nproperties: { card: true, name: true }\ndependentRequired: { card: [name] }'
    }
  },
  'response-dependent-required-widened': {
    title: 'One property of a response may come without another',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: {
      in: 'response',
      before: 'type: object\nproperties: { card: true, name: true }\ndependentRequired: { card: [name] }',
      after: 'type: object\nproperties: { card: true, name: true }'
    }
  },
  'request-dependent-schemas-narrowed': {
    title: 'With one property a request has to satisfy more',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: {
      in: 'request',
      before: 'type: object\nproperties: { card: true, name: true }',
      after: 'type: object\nproperties: { card: true, name: true }\ndependentSchemas: { card: { required: [name] } }'
    }
  },
  'response-dependent-schemas-widened': {
    title: 'With one property a response has to satisfy less',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: {
      in: 'response',
      before: 'type: object\nproperties: { card: true, name: true }\ndependentSchemas: { card: { required: [name] } }',
      after: 'type: object\nproperties: { card: true, name: true }'
    }
  },
  'request-variant-narrowed': {
    title: 'A request takes fewer alternatives',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: {
      in: 'request',
      before: 'anyOf: [{ type: string }, { type: boolean }, { type: number }]',
      after: 'anyOf: [{ type: string }, { type: boolean }]'
    }
  },
  'response-variant-widened': {
    title: 'A response may be of more alternatives',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: {
      in: 'response',
      before: 'anyOf: [{ type: string }, { type: boolean }]',
      after: 'anyOf: [{ type: string }, { type: boolean }, { type: number }]'
    }
  },
  'request-not-narrowed': {
    title: 'A request must not be what it might be',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: { in: 'request', before: 'type: integer', after: 'type: integer\nnot: { minimum: 5 }' }
  },
  'response-not-widened': {
    title: 'A response may be what it was not',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: { in: 'response', before: 'type: integer\nnot: { minimum: 5 }', after: 'type: integer' }
  },
  'request-condition-narrowed': {
    title: 'Under a condition a request has to satisfy more',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
    example: {
      in: 'request',
      before: 'type: integer',
      after: 'type: integer\nif: { minimum: 5 }\nthen: { multipleOf: 2 }'
    }
  },
  'response-condition-widened': {
    title: 'Under a condition a response has to satisfy less',
    level: 'breaking',
    category: 'wire',
    why: 'A value may arrive that clients were told would not.',
    example: {
      in: 'response',
      before: 'type: integer\nif: { minimum: 5 }\nthen: { multipleOf: 2 }',
      after: 'type: integer'
    }
  },
  'request-other-assertion-narrowed': {
    title: 'An assertion of a request that is never decided changes',
    level: 'undecided',
    category: 'wire',
    why: 'Whether every value is still taken is left to you.',
    example: { in: 'request', before: 'type: string', after: 'type: string\ncontentEncoding: base64' }
  },
  'response-other-assertion-widened': {
    title: 'An assertion of a response that is never decided changes',
    level: 'undecided',
    category: 'wire',
    why: 'Whether every value was to be expected is left to you.',
    example: { in: 'response', before: 'type: string\ncontentEncoding: base64', after: 'type: string' }
  },
  'request-schema-narrowed': {
    title: 'A request takes fewer values, by several assertions together',
    level: 'breaking',
    category: 'wire',
    why: 'A value that clients may send is refused.',
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
    why: 'A value may arrive that clients were told would not.',
    example: {
      in: 'response',
      before:
        'type: object\nproperties: { a: true, b: { maxLength: 3 } }\nif: { required: [a] }\nthen: { properties: { b: { const: long } } }\nelse: { properties: { b: { const: longer } } }',
      after:
        'type: object\nproperties: { a: true, b: {} }\nif: { required: [a] }\nthen: { properties: { b: { const: long } } }\nelse: { properties: { b: { const: longer } } }'
    }
  },
  'request-property-refused': {
    title: 'A property of a request is refused',
    level: 'breaking',
    category: 'wire',
    why: 'Clients who send the property are refused.',
    example: {
      in: 'request',
      before: 'type: object\nproperties: { name: true, kind: true }',
      after: 'type: object\nproperties: { name: true }\nadditionalProperties: false'
    }
  },
  'response-property-sent': {
    title: 'A response has a property that it was told not to have',
    level: 'breaking',
    category: 'wire',
    why: 'Strict clients refuse what they do not know.',
    example: {
      in: 'response',
      before: 'type: object\nproperties: { name: true }\nadditionalProperties: false',
      after: 'type: object\nproperties: { name: true, kind: true }\nadditionalProperties: false',
      strict: true
    }
  },
  'request-property-added': {
    title: 'A request takes a new property',
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
    title: 'A property of a request is not declared any more',
    level: 'compatible',
    category: 'wire',
    why: 'It is still taken, if perhaps to no effect.',
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
    title: 'A property of a response is not declared any more',
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
    title: 'A request takes more, or the same said otherwise',
    level: 'compatible',
    category: 'wire',
    why: 'Every value that clients send is still taken.',
    example: { in: 'request', before: 'type: string\nmaxLength: 1', after: 'type: string\nmaxLength: 2' }
  },
  'response-schema-changed': {
    title: 'A response has fewer values, or the same said otherwise',
    level: 'compatible',
    category: 'wire',
    why: 'Every value that arrives was to be expected.',
    example: { in: 'response', before: 'type: string\nmaxLength: 2', after: 'type: string\nmaxLength: 1' }
  }
}
