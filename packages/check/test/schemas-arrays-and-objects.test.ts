import { array, check, integer, narrowed, number, object, silent, string } from './schema-pairs.ts'

check('arrays', [
  ...narrowed('items', array({ items: number }), array({ items: integer }), 'type', '[]', [0.5]),
  ...narrowed('minItems', array({ items: string }), array({ items: string, minItems: 1 }), 'min-items', '', []),
  ...narrowed('maxItems', array({ items: string }), array({ items: string, maxItems: 0 }), 'max-items', '', ['a']),
  ...narrowed(
    'uniqueItems',
    array({ items: string }),
    array({ items: string, uniqueItems: true }),
    'unique-items',
    '',
    ['a', 'a']
  ),
  ...narrowed(
    'uniqueItems of a tuple',
    array({ prefixItems: [string, string], items: integer, minItems: 2 }),
    array({ prefixItems: [string, string], items: integer, minItems: 2, uniqueItems: true }),
    'unique-items',
    '',
    ['a', 'a']
  ),
  ...narrowed(
    'prefixItems',
    array({ prefixItems: [string, number] }),
    array({ prefixItems: [string, integer] }),
    'type',
    '[1]',
    ['a', 0.5]
  ),
  ...narrowed(
    'contains',
    array({ items: string }),
    array({ items: string, contains: { const: 'a' } }),
    'contains',
    '',
    []
  ),
  [
    'contains, which is not decided',
    {
      before: array({ contains: { const: 'a' }, maxContains: 2 }),
      after: array({ contains: { enum: ['a'] }, maxContains: 1 })
    },
    ['undecided request-contains-narrowed -'],
    ['undecided response-contains-widened -']
  ],
  ...silent(
    'unevaluatedItems after prefixItems',
    array({ prefixItems: [string], unevaluatedItems: false }),
    array({ prefixItems: [string], maxItems: 1 })
  ),
  ...silent(
    'unique booleans are two',
    array({ items: { type: 'boolean' }, uniqueItems: true }),
    array({ items: { type: 'boolean' }, uniqueItems: true, maxItems: 2 })
  )
])

check('objects', [
  ...narrowed('a property', object({ a: number }), object({ a: integer }), 'type', '.a', { a: 0.5 }),
  ...narrowed('required', object({ a: string }), object({ a: string }, { required: ['a'] }), 'required', '.a', {}),
  ...narrowed(
    'minProperties',
    object({ a: string }),
    object({ a: string }, { minProperties: 1 }),
    'min-properties',
    '',
    {}
  ),
  ...narrowed(
    'maxProperties',
    object({ a: string }),
    object({ a: string }, { maxProperties: 0 }),
    'max-properties',
    '',
    { a: 'a' }
  ),
  ...narrowed(
    'additionalProperties',
    object({}, { additionalProperties: number }),
    object({}, { additionalProperties: integer }),
    'type',
    '{}',
    { a: 0.5 }
  ),
  ...narrowed(
    'patternProperties',
    { patternProperties: { '^x-': number } },
    { patternProperties: { '^x-': integer } },
    'pattern-properties',
    '',
    { 'x-': 0.5 }
  ),
  ...narrowed('propertyNames', object({}), object({}, { propertyNames: { maxLength: 1 } }), 'property-names', '', {
    aa: 'a'
  }),
  ...narrowed(
    'dependentRequired',
    object({ a: string, b: string }),
    object({ a: string, b: string }, { dependentRequired: { a: ['b'] } }),
    'dependent-required',
    '',
    { a: 'a' }
  ),
  [
    'dependentSchemas, which is not decided',
    {
      before: object({ a: string, b: string }),
      after: object({ a: string, b: string }, { dependentSchemas: { a: { required: ['b'] } } })
    },
    ['undecided request-other-assertion-narrowed -'],
    []
  ]
])

check('what is declared', [
  ['a new property', { before: object({ a: string }), after: object({ a: string, b: string }) }, [], []],
  ['a property that went', { before: object({ a: string, b: string }), after: object({ a: string }) }, [], []],
  [
    'a property that went, and is refused now',
    { before: object({ a: string, b: string }), after: object({ a: string }, { additionalProperties: false }) },
    ['request-property-refused .b {"b":"a"}'],
    []
  ],
  [
    'strictly, clients may have sent anything by a new name',
    { before: object({ a: string }), after: object({ a: string, b: integer }), strict: true },
    ['request-type-narrowed .b {"b":"a"}'],
    []
  ],
  [
    'strictly, a closed object is one that nothing is added to',
    {
      before: object({ a: string }, { additionalProperties: false }),
      after: object({ a: string, b: integer }, { additionalProperties: false }),
      strict: true
    },
    [],
    ['response-property-sent .b {"b":0}']
  ],
  [
    'where a schema for all others is there, all names are declared',
    {
      before: object({ a: string }, { additionalProperties: number }),
      after: object({ a: string, b: integer }, { additionalProperties: number })
    },
    ['request-type-narrowed .b {"b":0.5}'],
    []
  ],
  [
    'an object without properties holds anything',
    { before: { type: 'object' }, after: object({ a: integer }) },
    ['request-type-narrowed .a {"a":"a"}'],
    []
  ],
  [
    'what is required is declared',
    {
      before: object({ a: string }, { required: ['b'] }),
      after: object({ a: string, b: integer }, { required: ['b'] })
    },
    ['request-type-narrowed .b {"b":"a"}'],
    []
  ],
  [
    'parts of an allOf declare together, at every depth',
    {
      before: { allOf: [object({ a: object({ x: number }) }), object({ a: object({ y: string }) })] },
      after: { allOf: [object({ a: object({ x: integer }) }), object({ a: object({ y: string }) })] }
    },
    ['request-type-narrowed .a.x {"a":{"x":0.5}}'],
    []
  ]
])
