import t from 'tap'
import { SchemaComparer } from '../../../scripts/contract/schema/comparer.ts'
import type { Direction } from '../../../scripts/contract/schema/schema.ts'
import type { SchemaFinding } from '../../../scripts/contract/schema/schema-rules.ts'
import type { Json, JsonObject } from '../../../scripts/document/json.ts'
import { bodyOf, documentWith } from './inclusion.ts'

interface Example {
  before: Json
  after: Json
  /** The components of both sides, or of each. */
  schemas?: JsonObject | [JsonObject, JsonObject]
  versions?: [string, string]
  strict?: true
}

/** `rule place witness` of each finding that is not compatible. */
type Told = string

const compare = ({ before, after, schemas = {}, versions, strict }: Example, direction: Direction): SchemaFinding[] => {
  const [olds, news] = Array.isArray(schemas) ? schemas : [schemas, schemas]
  const [one, other] = [documentWith(before, olds, versions?.[0]), documentWith(after, news, versions?.[1])]
  return new SchemaComparer(one, other, { strict: strict === true }).compare(bodyOf(one), bodyOf(other), direction)
}

const textOf = (value: Json | undefined): string =>
  value === undefined
    ? '-'
    : JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? JSON.rawJSON(String(each)) : each))

const told = (findings: SchemaFinding[]): Told[] =>
  findings
    .filter(({ level }) => level !== 'compatible')
    .map(({ level, rule, place, witness }) =>
      [...(level === 'undecided' ? ['undecided'] : []), rule, ...(place === '' ? [] : [place]), textOf(witness)].join(
        ' '
      )
    )

type Row = [title: string, example: Example, request: Told[], response: Told[]]

const check = (title: string, rows: Row[]) =>
  t.test(title, async t => {
    for (const [name, example, request, response] of rows) {
      t.strictSame(told(compare(example, 'request')), request, `${name}, in a request`)
      t.strictSame(told(compare(example, 'response')), response, `${name}, in a response`)
    }
  })

const string = { type: 'string' }
const integer = { type: 'integer' }
const number = { type: 'number' }
const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...rest })
const array = (rest: JsonObject): JsonObject => ({ type: 'array', ...rest })
const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })

/** In both directions: from the wider to the narrower, and back. */
const narrowed = (
  title: string,
  wide: Json,
  narrow: Json,
  rule: string,
  place: string,
  witness: Json,
  more: Partial<Example> = {}
): Row[] => {
  const end = `${place === '' ? '' : ` ${place}`} ${textOf(witness)}`
  return [
    [`${title} narrowed`, { ...more, before: wide, after: narrow }, [`request-${rule}-narrowed${end}`], []],
    [`${title} widened`, { ...more, before: narrow, after: wide }, [], [`response-${rule}-widened${end}`]]
  ]
}

const silent = (title: string, one: Json, other: Json, more: Partial<Example> = {}): Row[] => [
  [title, { ...more, before: one, after: other }, [], []],
  [`${title}, the other way`, { ...more, before: other, after: one }, [], []]
]

check('types and values', [
  ...narrowed('a type', number, integer, 'type', '', 0.5),
  ...narrowed('a type list', { type: ['string', 'null'] }, string, 'type', '', null),
  ...narrowed('no type', {}, string, 'type', '', 0),
  ...narrowed('true', true, false, 'type', '', 'a'),
  ...narrowed('an enum', { enum: ['cat', 'dog'] }, { enum: ['cat'] }, 'enum', '', 'dog'),
  ...narrowed('an enum to a const', { enum: ['cat', 1] }, { const: 1 }, 'enum', '', 'cat'),
  ...narrowed('an enum of objects', { enum: [{ a: 1 }, { a: 2 }] }, { enum: [{ a: 1.0 }] }, 'enum', '', { a: 2 }),
  ...narrowed('an enum to an empty one', { enum: ['cat'] }, { enum: [] }, 'enum', '', 'cat'),
  ...silent('an empty enum is like false', { enum: [] }, false),
  ...silent('a const and an enum of one', { const: 'cat' }, { enum: ['cat'] }),
  ...silent('the order of an enum', { enum: ['cat', 'dog'] }, { enum: ['dog', 'cat'] }),
  ...silent('an enum that the type narrows', { type: 'string', enum: ['cat', 7] }, { enum: ['cat'] }),
  ...silent('booleans, one by one', { type: 'boolean' }, { enum: [true, false] })
])

check('numbers', [
  ...narrowed('maximum', { ...integer, maximum: 100 }, { ...integer, maximum: 50 }, 'maximum', '', 51),
  ...narrowed('minimum', { ...number, minimum: 1 }, { ...number, minimum: 1.5 }, 'minimum', '', 1),
  ...narrowed('an exclusive bound', { ...number, maximum: 5 }, { ...number, exclusiveMaximum: 5 }, 'maximum', '', 5),
  ...narrowed('multipleOf', { ...integer, multipleOf: 2 }, { ...integer, multipleOf: 4 }, 'multiple-of', '', 2),
  ...narrowed(
    'multipleOf of decimals',
    { ...number, multipleOf: 0.01 },
    { ...number, multipleOf: 0.1 },
    'multiple-of',
    '',
    0.01
  ),
  ...narrowed(
    'a format of integers',
    { ...integer, format: 'int64' },
    { ...integer, format: 'int32' },
    'format',
    '',
    2147483648
  ),
  ...silent('exclusive bounds of integers', { ...integer, minimum: 1 }, { ...integer, exclusiveMinimum: 0 }),
  ...silent('a bound between two integers', { ...integer, maximum: 5 }, { ...integer, exclusiveMaximum: 5.5 }),
  ...silent('float and double say nothing', { ...number, format: 'float' }, number),
  ...silent(
    'exclusive bounds in both spellings',
    { ...number, minimum: 0, exclusiveMinimum: true },
    { ...number, exclusiveMinimum: 0 },
    { versions: ['3.0.3', '3.1.0'] }
  )
])

check('strings', [
  ...narrowed('minLength', { ...string, minLength: 1 }, { ...string, minLength: 2 }, 'min-length', '', 'a'),
  ...narrowed('maxLength', string, { ...string, maxLength: 1 }, 'max-length', '', 'aa'),
  ...narrowed(
    'a pattern',
    { ...string, pattern: '^[a-z]+$' },
    { ...string, pattern: '^[a-z]{2,}$' },
    'pattern',
    '',
    'a'
  ),
  ...narrowed('a format', string, { ...string, format: 'date' }, 'format', '', 'a'),
  ...silent('a pattern spelled otherwise', { ...string, pattern: '^[0-9]{1,}$' }, { ...string, pattern: '^\\d+$' }),
  ...silent(
    'a pattern that is a length',
    { ...string, pattern: '^[\\s\\S]{2}$' },
    { ...string, minLength: 2, maxLength: 2 }
  ),
  ...silent('a pattern that is an enum', { ...string, pattern: '^(cat|dog)$' }, { enum: ['cat', 'dog'] })
])

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
    'prefixItems',
    array({ prefixItems: [string, number] }),
    array({ prefixItems: [string, integer] }),
    'type',
    '[]',
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
  ...narrowed(
    'maxContains',
    array({ items: string, contains: { const: 'a' }, maxContains: 2 }),
    array({ items: string, contains: { const: 'a' }, maxContains: 1 }),
    'contains',
    '',
    ['a', 'a']
  ),
  ...silent(
    'contains counts as evaluated',
    array({ contains: string, unevaluatedItems: string }),
    array({ items: string, minItems: 1 })
  ),
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
  ...narrowed(
    'dependentSchemas',
    object({ a: string, b: string }),
    object({ a: string, b: string }, { dependentSchemas: { a: { required: ['b'] } } }),
    'dependent-schemas',
    '',
    { a: 'a' }
  )
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
    ['request-type-narrowed .b {"b":0.5}'],
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
    ['request-type-narrowed .a {"a":0.5}'],
    []
  ],
  [
    'what is required is declared',
    {
      before: object({ a: string }, { required: ['b'] }),
      after: object({ a: string, b: integer }, { required: ['b'] })
    },
    ['request-type-narrowed .b {"b":0.5}'],
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

check('alternatives and conditions', [
  ...narrowed('anyOf', { anyOf: [string, integer] }, { anyOf: [string] }, 'type', '', 0),
  ...narrowed(
    'alternatives that exclude each other',
    {
      anyOf: [
        { ...integer, minimum: 0 },
        { ...integer, maximum: 5 }
      ]
    },
    {
      oneOf: [
        { ...integer, minimum: 0 },
        { ...integer, maximum: 5 }
      ]
    },
    'variant',
    '',
    0
  ),
  ...silent('oneOf and anyOf of disjoint alternatives', { oneOf: [string, integer] }, { anyOf: [integer, string] }),
  ...silent(
    'oneOf and anyOf, distinguished by a tag',
    { oneOf: ['cat', 'dog'].map(kind => object({ kind: { const: kind }, a: string }, { required: ['kind'] })) },
    { anyOf: ['cat', 'dog'].map(kind => object({ kind: { const: kind }, a: string }, { required: ['kind'] })) }
  ),
  ...silent('an alternative that adds nothing', { anyOf: [number, integer] }, number),
  ...silent(
    'allOf, merged',
    { allOf: [object({ a: string }), object({ b: string }, { required: ['a'] })] },
    object({ a: string, b: string }, { required: ['a'] })
  ),
  ...silent(
    'allOf of bounds',
    { allOf: [{ ...integer, minimum: 1 }, { maximum: 5 }] },
    { ...integer, minimum: 1, maximum: 5 }
  ),
  ...narrowed('not', string, { ...string, not: { const: 'a' } }, 'not', '', 'a'),
  ...silent('not not', { not: { not: string } }, string),
  ...narrowed(
    'if',
    object({ kind: string, age: integer }),
    object(
      { kind: string, age: integer },
      // biome-ignore lint/suspicious/noThenProperty: the keyword's name
      { if: { properties: { kind: { const: 'cat' } }, required: ['kind'] }, then: { required: ['age'] } }
    ),
    'condition',
    '',
    { kind: 'cat' }
  ),
  ...silent(
    'if, said by anyOf',
    // biome-ignore lint/suspicious/noThenProperty: the keyword's name
    { type: ['string', 'integer'], if: string, then: { maxLength: 2 } },
    { anyOf: [{ ...string, maxLength: 2 }, integer] }
  ),
  ...silent(
    'unevaluatedProperties over allOf',
    { allOf: [object({ a: string }), object({ b: string })], unevaluatedProperties: false },
    object({ a: string, b: string }, { additionalProperties: false }),
    { strict: true }
  ),
  [
    'unevaluatedProperties over anyOf',
    {
      before: { type: 'object', properties: { a: string, b: string }, additionalProperties: false },
      after: {
        type: 'object',
        anyOf: [{ required: ['a'], properties: { a: string } }, { properties: { b: string } }],
        unevaluatedProperties: false
      },
      strict: true
    },
    [],
    []
  ]
])

const tree = (value: Json) => object({ value, left: ref('Tree'), right: ref('Tree') })
const mutual = (value: Json) => ({
  Pet: object({ owner: ref('Owner') }),
  Owner: object({ pets: array({ items: ref('Pet') }), value })
})
const endless = (value: Json) => ({ Endless: object({ value, next: ref('Endless') }, { required: ['next'] }) })
const deep = (value: Json) => ({ A: object({ b: object({ c: object({ d: object({ value, a: ref('A') }) }) }) }) })

check('recursion', [
  ['a tree', { before: ref('Tree'), after: ref('Tree'), schemas: { Tree: tree(integer) } }, [], []],
  [
    'a tree whose values change',
    { before: ref('Tree'), after: ref('Tree'), schemas: [{ Tree: tree(number) }, { Tree: tree(integer) }] },
    ['request-type-narrowed Tree.value {"value":0.5}'],
    []
  ],
  [
    'schemas that hold each other',
    { before: ref('Pet'), after: ref('Pet'), schemas: [mutual(number), mutual(integer)] },
    ['request-type-narrowed Owner.value {"owner":{"value":0.5}}'],
    []
  ],
  [
    'a change further down than one can see at once',
    { before: ref('A'), after: ref('A'), schemas: [deep(number), deep(integer)] },
    ['request-type-narrowed A.b.c.d.value {"b":{"c":{"d":{"value":0.5}}}}'],
    []
  ],
  [
    'what has no end has no value that could break',
    { before: ref('Endless'), after: ref('Endless'), schemas: [endless(string), endless(integer)] },
    [],
    []
  ],
  [
    'what has an end now',
    { before: ref('Endless'), after: string, schemas: endless(string) },
    [],
    ['response-type-widened "a"']
  ],
  ...silent('one level written out', ref('Tree'), object({ value: integer, left: ref('Tree'), right: tree(integer) }), {
    schemas: { Tree: tree(integer) }
  }),
  [
    'one that applies to itself',
    { before: ref('Loop'), after: ref('Loop'), schemas: { Loop: { anyOf: [string, { allOf: [ref('Loop')] }] } } },
    [],
    []
  ]
])

const cat = object({ kind: string, lives: integer }, { required: ['kind'] })
const dog = object({ kind: string, lives: string }, { required: ['kind'] })
const pets = (mapping?: JsonObject, more: Json[] = []): JsonObject => ({
  Pet: {
    oneOf: [ref('Cat'), ref('Dog'), ...more],
    discriminator: { propertyName: 'kind', ...(mapping && { mapping }) }
  },
  Cat: cat,
  Dog: dog,
  Fish: object({ kind: string }, { required: ['kind'] })
})
const asPet = { before: ref('Pet'), after: ref('Pet') }

check('discriminators', [
  [
    'the names of components',
    { ...asPet, schemas: [pets(), pets({ Cat: 'Cat', Dog: '#/components/schemas/Dog' })] },
    [],
    []
  ],
  [
    'another name in the mapping',
    { ...asPet, schemas: [pets(), pets({ cat: '#/components/schemas/Cat', Dog: '#/components/schemas/Dog' })] },
    ['request-enum-narrowed Pet.kind {"kind":"Cat"}'],
    ['response-enum-widened Pet.kind {"kind":"cat"}']
  ],
  [
    'one more alternative',
    { ...asPet, schemas: [pets(), pets(undefined, [ref('Fish')])] },
    [],
    ['response-variant-widened Pet {"kind":"Fish"}']
  ]
])

const nullables: [string, Json, '3.0.3' | '3.1.0'][] = [
  ['nullable', { type: 'string', nullable: true }, '3.0.3'],
  ['a type list', { type: ['string', 'null'] }, '3.1.0'],
  ['anyOf', { anyOf: [string, { type: 'null' }] }, '3.1.0'],
  ['oneOf', { oneOf: [{ type: 'null' }, string] }, '3.1.0'],
  ['a const', { anyOf: [{ const: null }, string] }, '3.1.0'],
  ['not another type', { not: { type: ['boolean', 'number', 'array', 'object'] } }, '3.1.0']
]

check(
  'null',
  nullables.flatMap(([one, before, from]) =>
    nullables.map(([other, after, to]): Row => [`${one} and ${other}`, { before, after, versions: [from, to] }, [], []])
  )
)

check('null, no longer', [
  ...nullables.map(
    ([title, before, from]): Row => [
      title,
      { before, after: string, versions: [from, '3.1.0'] },
      ['request-type-narrowed null'],
      []
    ]
  ),
  [
    'nullable without a type, which has no effect',
    { before: { nullable: true, allOf: [string] }, after: string, versions: ['3.0.3', '3.0.3'] },
    [],
    []
  ],
  [
    'an enum without null, whatever nullable says',
    { before: { ...string, nullable: true, enum: ['cat'] }, after: { enum: ['cat'] }, versions: ['3.0.3', '3.1.0'] },
    [],
    []
  ]
])

const int64 = { type: 'integer', format: 'int64' }

check('integers beyond 2^53', [
  ...narrowed(
    'the last of int64',
    { ...int64, maximum: 9223372036854775807n },
    { ...int64, maximum: 9223372036854775806n },
    'maximum',
    '',
    9223372036854775807n
  ),
  ...silent('the bounds of int64, written out', int64, {
    ...integer,
    minimum: -9223372036854775808n,
    maximum: 9223372036854775807n
  }),
  ...narrowed('int64', integer, int64, 'format', '', 9223372036854775808n),
  ...narrowed(
    'an enum',
    { enum: [9007199254740993n, 9007199254740992n] },
    { enum: [9007199254740992n] },
    'enum',
    '',
    9007199254740993n
  )
])

const account = (flags: JsonObject, required: string[] = []) =>
  object({ name: string, secret: { ...string, ...flags } }, required.length > 0 ? { required } : {})

check('readOnly and writeOnly', [
  [
    'required, and readOnly: of no concern in a request',
    { before: account({ readOnly: true }), after: account({ readOnly: true }, ['secret']) },
    [],
    []
  ],
  [
    'optional now, and readOnly',
    { before: account({ readOnly: true }, ['secret']), after: account({ readOnly: true }) },
    [],
    ['response-required-widened .secret {}']
  ],
  [
    'required, and writeOnly: of no concern in a response',
    { before: account({ writeOnly: true }), after: account({ writeOnly: true }, ['secret']) },
    ['request-required-narrowed .secret {}'],
    []
  ],
  [
    'no longer writeOnly: it arrives, and is required of requests as before',
    { before: account({ writeOnly: true }, ['secret']), after: account({}, ['secret']) },
    [],
    []
  ],
  [
    'no longer readOnly, and required: clients had to omit it, and must send it now',
    { before: account({ readOnly: true }, ['secret']), after: account({}, ['secret']) },
    ['request-required-narrowed .secret {}'],
    []
  ],
  [
    'readOnly by what a reference leads to',
    {
      before: object({ id: ref('Id') }, { required: ['id'] }),
      after: object({ id: ref('Id') }),
      schemas: { Id: { ...string, readOnly: true } }
    },
    [],
    ['response-required-widened .id {}']
  ]
])

const Pet = (kind: Json, rest: JsonObject = {}) => object({ kind, tags: array({ items: kind }) }, rest)

check('places', [
  [
    'below a component',
    { before: ref('Pet'), after: ref('Pet'), schemas: [{ Pet: Pet(number) }, { Pet: Pet(integer) }] },
    ['request-type-narrowed Pet.kind {"kind":0.5}', 'request-type-narrowed Pet.tags[] {"tags":[0.5]}'],
    []
  ],
  [
    'below the last component on the way',
    {
      before: object({ pets: array({ items: ref('Pet') }) }),
      after: object({ pets: array({ items: ref('Pet') }) }),
      schemas: [{ Pet: object({ kind: number }) }, { Pet: object({ kind: integer }) }]
    },
    ['request-type-narrowed Pet.kind {"pets":[{"kind":0.5}]}'],
    []
  ],
  [
    'one cause that is met in several places, once',
    {
      before: object({ first: ref('Kind'), second: ref('Kind'), all: array({ items: ref('Kind') }) }),
      after: object({ first: ref('Kind'), second: ref('Kind'), all: array({ items: ref('Kind') }) }),
      schemas: [{ Kind: { enum: ['cat', 'dog'] } }, { Kind: { enum: ['cat'] } }]
    },
    ['request-enum-narrowed Kind {"first":"dog"}'],
    []
  ],
  [
    'inside what was a component and is written out now: where it was referred to',
    { before: ref('Pet'), after: object({ kind: integer }), schemas: { Pet: object({ kind: number }) } },
    ['request-type-narrowed .kind {"kind":0.5}'],
    []
  ],
  [
    'several causes',
    {
      before: object({ a: number, b: { ...string, maxLength: 5 } }),
      after: object({ a: integer, b: { ...string, maxLength: 3 }, c: string }, { required: ['c'] })
    },
    [
      'request-type-narrowed .a {"a":0.5}',
      'request-max-length-narrowed .b {"b":"aaaa"}',
      'request-required-narrowed .c {}'
    ],
    []
  ],
  [
    'an alternative',
    {
      before: { oneOf: [ref('Cat'), ref('Dog')] },
      after: { oneOf: [ref('Cat'), ref('Dog')] },
      schemas: [
        {
          Cat: object({ kind: { const: 'cat' }, lives: number }, { required: ['kind'] }),
          Dog: object({ kind: { const: 'dog' } }, { required: ['kind'] })
        },
        {
          Cat: object({ kind: { const: 'cat' }, lives: integer }, { required: ['kind'] }),
          Dog: object({ kind: { const: 'dog' } }, { required: ['kind'] })
        }
      ]
    },
    ['request-type-narrowed Cat.lives {"lives":0.5,"kind":"cat"}'],
    []
  ]
])
