import type { Json } from '../../document/src/json.ts'
import { check, integer, narrowed, number, type Row, silent, string } from './schema-pairs.ts'

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

const nullables: [string, Json, '3.0.3' | '3.1.0'][] = [
  ['nullable', { type: 'string', nullable: true }, '3.0.3'],
  ['a type list', { type: ['string', 'null'] }, '3.1.0'],
  ['anyOf', { anyOf: [string, { type: 'null' }] }, '3.1.0'],
  ['oneOf', { oneOf: [{ type: 'null' }, string] }, '3.1.0'],
  ['nullable as an alternative', { anyOf: [string, { nullable: true, title: 'Nothing' }] }, '3.0.3'],
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
    'nullable beside allOf',
    { before: { nullable: true, allOf: [string] }, after: string, versions: ['3.0.3', '3.0.3'] },
    ['request-type-narrowed null'],
    []
  ],
  [
    'nullable beside anyOf',
    { before: { nullable: true, anyOf: [string] }, after: { anyOf: [string] }, versions: ['3.0.3', '3.0.3'] },
    ['request-type-narrowed null'],
    []
  ],
  [
    'nullable beside a type and allOf',
    { before: { ...string, nullable: true, allOf: [string] }, after: string, versions: ['3.0.3', '3.0.3'] },
    ['request-type-narrowed null'],
    []
  ],
  [
    'nullable as a part of an allOf',
    { before: { allOf: [string, { nullable: true }] }, after: string, versions: ['3.0.3', '3.0.3'] },
    ['request-type-narrowed null'],
    []
  ],
  [
    'nullable beside an enum without null',
    {
      before: { ...string, nullable: true, enum: ['cat'] },
      after: { ...string, enum: ['cat'] },
      versions: ['3.0.3', '3.0.3']
    },
    ['request-enum-narrowed null'],
    []
  ],
  [
    'nullable beside an enum without null, rewritten by the letter',
    { before: { ...string, nullable: true, enum: ['cat'] }, after: { enum: ['cat'] }, versions: ['3.0.3', '3.1.0'] },
    [],
    []
  ]
])

const int64 = { type: 'integer', format: 'int64' }

const meantNull = { nullable: true, allOf: [string] }
check('nullable beside allOf, rewritten for 3.1', [
  ['as it is meant', { before: meantNull, after: { type: ['string', 'null'] }, versions: ['3.0.3', '3.1.0'] }, [], []],
  ['by the letter', { before: meantNull, after: string, versions: ['3.0.3', '3.1.0'] }, [], []]
])

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
  ...silent('int64, where nothing bounded the integer', integer, int64),
  ...narrowed(
    'int64',
    { ...integer, minimum: 0, maximum: 18446744073709551615n },
    { ...int64, minimum: 0 },
    'format',
    '',
    9223372036854775808n
  ),
  ...narrowed(
    'an enum',
    { enum: [9007199254740993n, 9007199254740992n] },
    { enum: [9007199254740992n] },
    'enum',
    '',
    9007199254740993n
  )
])
