import { body, field, inBoth, orNull, type Pair, query } from './minimal-pair.ts'
import { pairsOfOperations } from './minimal-pairs-of-operations.ts'
import { pairsOfParameters } from './minimal-pairs-of-parameters.ts'
import { pairsOfSchemas } from './minimal-pairs-of-schemas.ts'
import { pairsOfTexts } from './minimal-pairs-of-texts.ts'

/** Each pair is the smallest in which one change is easily misjudged. */
export const minimalPairs = new Map<string, readonly Pair[]>([
  ...pairsOfTexts,
  ...pairsOfParameters,
  ...pairsOfSchemas,
  ...pairsOfOperations
])

const group = (title: string, pairs: readonly Pair[]) => minimalPairs.set(title, pairs)

const variant = (kind: string, properties = '') =>
  `{ type: object, required: [k], properties: { k: { const: ${kind} }${properties} } }`
export const [x, y] = [variant('x'), variant('y', ', b: { type: string }')]
export const xWithB = variant('x', ', b: { type: string }')
export const whole = '{ type: object, required: [k], properties: { k: { enum: [x, y] }, b: { type: string } } }'

for (const keyword of ['oneOf', 'anyOf']) {
  const union = (...variants: string[]) => `{ ${keyword}: [${variants.join(', ')}] }`
  group(`${keyword}: what one variant declares is not declared by the others`, [
    ...inBoth('one gets a property of the other', union(x, y), union(xWithB, y)),
    ...inBoth('one loses a property of the other', union(xWithB, y), union(x, y)),
    ...inBoth('an object is split into variants', whole, union(x, y)),
    ...inBoth('variants are merged', union(x, y), whole),
    ...inBoth('where null is allowed, too', orNull(union(x, y)), orNull(union(xWithB, y))),
    ...inBoth(
      'a property inside a property',
      union(
        variant('x', ', p: { properties: { a: {} } }'),
        variant('y', ', p: { properties: { b: { type: string } } }')
      ),
      union(
        variant('x', ', p: { properties: { a: {}, b: { type: string } } }'),
        variant('y', ', p: { properties: { b: { type: string } } }')
      )
    ),
    [
      'null becomes possible where no variant allows it',
      'response',
      union(x, y),
      orNull(`{ allOf: [${union(x, y)}, { type: object }] }`),
      ['breaking response-variant-widened: POST /pets response 200']
    ],
    [
      'a property of the same variant',
      'request',
      union(x, y),
      union(x, variant('y', ', b: { type: string, maxLength: 5 }')),
      ['breaking request-max-length-narrowed: POST /pets request body.b']
    ]
  ])
}

for (const tag of ['const: v', 'type: string, enum: [v'])
  for (const keyword of ['oneOf', 'anyOf']) {
    const ten = (fourth: string) => {
      const variants = Array.from({ length: 10 }, (_, index) => {
        const own = index === 4 ? `, n: ${fourth}` : ''
        return `{ type: object, required: [k], properties: { k: { ${tag}${index}${tag.includes('[') ? ']' : ''} }${own} } }`
      })
      return `{ ${keyword}: [${variants.join(', ')}] }`
    }
    const [wide, narrow] = ['9', '5'].map(length => ten(`{ type: string, maxLength: ${length} }`)) as [string, string]
    group(`one of ten variants with a tag changes, ${keyword}, ${tag}`, [
      ['narrower', 'request', wide, narrow, ['breaking request-max-length-narrowed: POST /pets request body.n']],
      ['narrower', 'response', wide, narrow, []],
      ['wider', 'request', narrow, wide, []],
      ['wider', 'response', narrow, wide, ['breaking response-max-length-widened: POST /pets response 200.n']]
    ])
  }

const nested = (first: string) => {
  const variants = Array.from({ length: 8 }, (_, index) => variant(`v${index}`, `, n: { maxLength: ${index} }`))
  const scalars = "{ oneOf: [{ type: string }, { type: 'null' }] }"
  return `{ anyOf: [{ anyOf: [{ oneOf: [${first}, ${variants.join(', ')}] }, ${scalars}] }, { type: boolean }] }`
}
const named = (dog: string) =>
  `{ paths: { /pets: { post: { responses: { '200': { description: Fine, content: { application/json: { schema: { oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }], discriminator: { propertyName: k } } } } } } } } }, components: { schemas: { Cat: ${variant('cat')}, Dog: ${dog} } } }`

const kinds = (cat: string) =>
  `{ anyOf: [${variant('hen')}, ${cat}, { oneOf: [${variant('cow')}] }, ${variant('dog', ', p: { type: integer }')}] }`
const split = [', b: { type: string }', '', ''].map(
  (rest, index) =>
    `{ type: object, required: [k, p], properties: { k: { const: cat }, p: { const: v${index} }${rest} } }`
)

const yWithN = variant('y', ', n: { type: string }')

const partlyReadOnly = (b: string, required = 'k') =>
  `{ oneOf: [${variant('x', ', b: { type: string, readOnly: true }')}, { type: object, required: [${required}], properties: { k: { const: y }, b: ${b} } }] }`

group('what one variant marks as readOnly is sent with the others', [
  [
    'it gets another type',
    'request',
    partlyReadOnly('{ type: integer }'),
    partlyReadOnly('{ type: string }'),
    ['breaking request-type-narrowed: POST /pets request body.b']
  ],
  [
    'it becomes required',
    'request',
    partlyReadOnly('{ type: integer }'),
    partlyReadOnly('{ type: integer }', 'k, b'),
    ['breaking request-required-narrowed: POST /pets request body.b']
  ],
  [
    'a schema beside it says so',
    'request',
    orNull(`{ allOf: [${field('{ type: integer }')}, ${field('{ readOnly: true }')}] }`),
    orNull(`{ allOf: [${field('{ type: string }')}, ${field('{ readOnly: true }')}] }`),
    []
  ]
])

group('what is marked as readOnly without a name is not sent', [
  [
    'of every other name',
    'request',
    '{ type: object, additionalProperties: { type: integer } }',
    '{ type: object, additionalProperties: { type: integer, readOnly: true } }',
    ['breaking request-additional-properties-narrowed: POST /pets request body']
  ],
  [
    'it gets another type, and a name that is required',
    'request',
    `{ type: object, patternProperties: { '^a': { type: integer, readOnly: true } } }`,
    `{ type: object, required: [a], patternProperties: { '^a': { type: string, readOnly: true } } }`,
    []
  ],
  [
    'it is ignored in responses',
    'response',
    '{ type: object, additionalProperties: { type: integer, writeOnly: true } }',
    '{ type: object, additionalProperties: { type: string, writeOnly: true } }',
    []
  ]
])

group('what is declared beside alternatives', [
  [
    'one of several alternatives is split further',
    'response',
    kinds(variant('cat', ', p: { enum: [v0, v1, v2] }, b: { type: string }')),
    kinds(`{ anyOf: [${split.join(', ')}] }`),
    []
  ],
  ...inBoth(
    'those that are neither objects nor arrays do not count',
    nested(variant('x')),
    nested(variant('x', ', n: { type: string }'))
  ),
  [
    'alternatives of one property do not apply to another that matches the same pattern',
    'request',
    `{ type: object, properties: { a-1: { oneOf: [${x}, ${y}] }, a-2: { type: number } }, patternProperties: { '-': {} } }`,
    `{ type: object, properties: { a-1: { oneOf: [${x}, ${y}] }, a-2: { type: number, maximum: 5 } }, patternProperties: { '-': {} } }`,
    ['breaking request-maximum-narrowed: POST /pets request body.a-2']
  ],
  [
    'the property that tells variants apart is declared by its discriminator',
    'document',
    named(variant('dog')),
    named('{ type: object, properties: { n: {} } }'),
    ['breaking response-enum-widened: Dog.k']
  ],
  [
    'an object whose list of properties is empty may have any',
    'response',
    `{ oneOf: [${variant('x')}, { type: object, properties: { n: { type: number } } }] }`,
    '{ oneOf: [{ type: object, properties: {} }, { type: object, properties: { n: { type: number } } }] }',
    [
      'breaking response-type-widened: POST /pets response 200.k',
      'breaking response-required-widened: POST /pets response 200.k'
    ]
  ],
  [
    'one that no value can match declares nothing',
    'response',
    `{ oneOf: [${variant('x', ', n: { const: 1 }')}, ${variant('y', ', n: { type: object }')}] }`,
    `{ oneOf: [{ anyOf: [${variant('x', ', n: { const: 1 }')}, ${variant('y')}] }, { allOf: [${variant('y', ', n: {}')}, { type: integer }] }] }`,
    []
  ],
  [
    'alternatives under a condition that is not met do not restrict',
    'request',
    `{ type: object, required: [t], properties: { t: { enum: [a, b] } }, if: { properties: { t: { const: a } } }, else: { properties: { p: { oneOf: [${x}, ${y}] } } } }`,
    `{ type: object, required: [t], properties: { t: { enum: [a, b] }, p: { type: object } }, if: { properties: { t: { const: a } } }, else: { properties: { p: { oneOf: [${x}, ${y}] } } } }`,
    ['breaking request-type-narrowed: POST /pets request body.p']
  ],
  [
    'the only alternative under a condition that is not met declares nothing',
    'response',
    field('{ type: string }'),
    `{ type: object, properties: { m: {} }, if: { required: [m] }, then: { anyOf: [${field('{ type: string }')}, { type: string }] } }`,
    []
  ],
  [
    'a value of two nested alternatives has what these declare',
    'response',
    field('{ type: string }'),
    `{ anyOf: [{ anyOf: [${variant('x', ', n: { type: string }')}, { anyOf: [${variant('x')}, ${variant('y')}] }] }, ${variant('y')}] }`,
    []
  ],
  [
    'so has a value of several',
    'response',
    field('{ type: string }'),
    `{ anyOf: [{ oneOf: [${x}, ${yWithN}] }, ${yWithN}, { anyOf: [${x}, ${yWithN}] }] }`,
    []
  ],
  [
    'only objects lack a required property',
    'response',
    '{ type: object, required: [n], properties: { n: { type: number } } }',
    "{ oneOf: [{ type: object, required: [n], properties: { n: { allOf: [{ type: number }, { type: string }] } } }, { type: 'null' }] }",
    ['breaking response-type-widened: POST /pets response 200']
  ]
])

const open = (rest: string) => `{ type: object, properties: { a: { type: string } }, additionalProperties: ${rest} }`
const silent = '{ type: object, properties: { a: { type: string } } }'
const closed = ['breaking request-additional-properties-narrowed: POST /pets request body']

group('what was expressly open', [
  ['true is closed', 'request', open('true'), open('false'), closed],
  ['{} is closed', 'request', open('{}'), open('false'), closed],
  ['a schema is closed', 'request', open('{ type: string }'), open('false'), closed],
  ['true is restricted', 'request', open('true'), open('{ type: string }'), closed],
  ['nothing was said', 'request', silent, open('false'), []],
  [
    'another property is declared',
    'request',
    open('true'),
    '{ type: object, properties: { a: { type: string }, b: {} } }',
    []
  ],
  [
    'other properties had a type',
    'response',
    open('{ type: string }'),
    open('true'),
    ['breaking response-additional-properties-widened: POST /pets response 200']
  ],
  ['other properties were ignored', 'response', open('false'), open('true'), []]
])

const path = (parameters: string) =>
  `{ paths: { '/pets/{id}': { get: { ${parameters}responses: { '200': { description: Fine } } } } } }`
const id = (schema: string) => path(`parameters: [{ name: id, in: path, required: true, schema: ${schema} }], `)
const matrix = (schema: string, explode: boolean) => id(`${schema}, style: matrix, explode: ${explode}`)

group('a single value after ;id= becomes a list', [
  ...[true, false].map(
    (explode): Pair => [
      `exploded: ${explode}`,
      'document',
      matrix('{ type: integer }', explode),
      matrix('{ type: array, items: { type: integer } }', explode),
      []
    ]
  ),
  [
    'of others',
    'document',
    matrix('{ type: string }', false),
    matrix('{ type: array, items: { type: integer } }', false),
    ['breaking request-type-narrowed: GET /pets/{id} path parameter id']
  ]
])

const node = "{ $ref: '#/components/schemas/Node' }"
const withNode = (schema: string) =>
  `{ paths: { /pets: { post: { ${body('application/json', schema)}, responses: {} } } }, components: { schemas: { Node: { type: array } } } }`

group('alternatives', [
  [
    'one of two equal ones is never the only one',
    'document',
    withNode(node),
    withNode(`{ oneOf: [${node}, ${node}] }`),
    ['breaking request-variant-narrowed: POST /pets request body']
  ]
])

group('values that were not listed', [
  [
    'a path parameter that is not in the path',
    'document',
    path('parameters: [{ name: petId, in: path, required: true }], '),
    path('parameters: [{ name: petId, in: path, required: true }], ').replaceAll('{id}', '{petId}'),
    []
  ],
  [
    'a path parameter that is not in the path is narrowed',
    'document',
    path('parameters: [{ name: petId, in: path, required: true, schema: {} }], '),
    path('parameters: [{ name: petId, in: path, required: true, schema: { enum: [a] } }], '),
    ['breaking request-enum-narrowed: GET /pets/{id} path parameter petId']
  ],
  ['a path parameter is declared', 'document', path(''), id('{ type: string }'), []],
  [
    'a path parameter gets an enum',
    'document',
    path(''),
    id('{ enum: [a, b] }'),
    ['breaking request-enum-narrowed: GET /pets/{id} path parameter id']
  ],
  [
    'float becomes double',
    'response',
    '{ type: number, format: float }',
    '{ type: number, format: double }',
    ['breaking response-format-widened: POST /pets response 200']
  ],
  [
    'double becomes float',
    'request',
    '{ type: number, format: double }',
    '{ type: number, format: float }',
    ['breaking request-format-narrowed: POST /pets request body']
  ],
  ['float becomes double', 'request', '{ type: number, format: float }', '{ type: number, format: double }', []],
  [
    'an extensible list loses a value',
    'request',
    '{ type: string, x-extensible-enum: [a, b] }',
    '{ type: string, x-extensible-enum: [a] }',
    ['breaking request-enum-narrowed: POST /pets request body']
  ],
  [
    'an extensible list gets a value',
    'response',
    '{ type: string, x-extensible-enum: [a] }',
    '{ type: string, x-extensible-enum: [a, b] }',
    []
  ],
  [
    'a list becomes extensible',
    'response',
    '{ type: string, enum: [a] }',
    '{ type: string, x-extensible-enum: [a] }',
    ['breaking response-enum-widened: POST /pets response 200']
  ]
])

const encoded = (encoding: string) => `{ type: string, contentEncoding: ${encoding} }`
const holding = (media: string) => `{ type: string, contentMediaType: ${media} }`
const formats = [
  'breaking request-format-narrowed: POST /pets request body',
  'breaking response-format-widened: POST /pets response 200'
]
const media = [
  'breaking request-other-assertion-narrowed: POST /pets request body',
  'breaking response-other-assertion-widened: POST /pets response 200'
]

group('what texts contain', [
  ...inBoth('base64 as 3.0 says it', '{ type: string, format: byte }', encoded('base64')),
  ...inBoth('any text', '{ type: string }', encoded('8bit')),
  ...inBoth('text of a media type', '{ type: string }', holding('text/html')),
  ['a text becomes base64', 'request', '{ type: string }', encoded('base64'), formats.slice(0, 1)],
  ['base64 becomes any text', 'request', encoded('base64'), '{ type: string }', []],
  ['another encoding', 'request', encoded('base64'), encoded('quoted-printable'), formats.slice(0, 1)],
  ['another encoding', 'response', encoded('base64'), encoded('quoted-printable'), formats.slice(1)],
  ['another media type', 'request', holding('image/png'), holding('image/jpeg'), media.slice(0, 1)],
  ['another media type', 'response', holding('image/png'), holding('image/jpeg'), media.slice(1)],
  ['a text becomes JSON', 'request', '{ type: string }', holding('application/json'), media.slice(0, 1)],
  ['JSON becomes any text', 'request', holding('application/json'), '{ type: string }', []]
])

const part = (type: string, contentType = '') =>
  body(
    'multipart/form-data',
    field(`{ type: ${type} }`),
    contentType && `, encoding: { n: { contentType: ${contentType} } }`
  )
const bytes = 'string, format: binary'
const otherType = ['breaking request-encoding-type-changed: POST /pets request body (multipart/form-data) field n']

group('the media type of a part', [
  ['is implied for an object', 'operation', part('object'), part('object', 'application/json'), []],
  ['is implied for a text', 'operation', part('string', 'text/plain'), part('string'), []],
  [
    'is implied for a list',
    'operation',
    part('array, items: { type: integer }'),
    part('array, items: { type: integer }', 'text/plain'),
    []
  ],
  ['is not what is implied', 'operation', part('object'), part('object', 'application/xml'), otherType],
  ['is restricted for bytes', 'operation', part(bytes), part(bytes, 'image/png'), otherType],
  ['is not restricted any more for bytes', 'operation', part(bytes, 'image/png'), part(bytes), []],
  ...['string, contentMediaType: TYPE', 'array, items: { type: string, contentMediaType: TYPE }'].flatMap(
    (type): Pair[] => {
      const [png, jpeg, any] = ['image/png', 'image/jpeg', 'image/*'].map(each => part(type.replace('TYPE', each)))
      return [
        [`is another one in the schema: ${type}`, 'operation', png ?? '', jpeg ?? '', otherType],
        [`is wider in the schema: ${type}`, 'operation', png ?? '', any ?? '', []]
      ]
    }
  )
])

group('what is not written in a value', [
  [
    'reserved characters in a number',
    'operation',
    query('{ type: integer }', ', allowReserved: true'),
    query('{ type: integer }'),
    []
  ],
  [
    'a header of a part',
    'operation',
    body('multipart/form-data', field('{ type: string }')),
    body(
      'multipart/form-data',
      field('{ type: string }'),
      ', encoding: { n: { headers: { X-Sum: { required: true } } } }'
    ),
    ['breaking request-header-added-required: POST /pets request body (multipart/form-data) field n header X-Sum']
  ]
])

group('integers of 64 bits', [
  ...inBoth('said of any integer', '{ type: integer, minimum: 0 }', '{ type: integer, format: int64, minimum: 0 }'),
  ...['minimum: -9223372036854775808', 'maximum: 9223372036854775807', 'minimum: -1e30, maximum: 1e30'].flatMap(
    bounds => inBoth('written as bounds', '{ type: integer }', `{ type: integer, ${bounds} }`)
  ),
  [
    'less than written',
    'request',
    '{ type: integer }',
    '{ type: integer, maximum: 9223372036854774000 }',
    ['breaking request-maximum-narrowed: POST /pets request body']
  ],
  [
    'not said of larger ones',
    'request',
    '{ type: integer, format: uint64 }',
    '{ type: integer, format: int64 }',
    formats.slice(0, 1)
  ],
  [
    'said of numbers that may have fractions now',
    'response',
    '{ type: number, format: int64 }',
    '{ type: number }',
    formats.slice(1)
  ],
  [
    'not said of numbers',
    'request',
    '{ type: number }',
    '{ type: integer, format: int64 }',
    ['breaking request-type-narrowed: POST /pets request body']
  ],
  ...[
    (schema: string) => `{ patternProperties: { '^x': ${schema} } }`,
    (schema: string) => `{ type: array, contains: ${schema} }`,
    (schema: string) => `{ type: array, contains: { type: object, required: [a], properties: { a: ${schema} } } }`,
    (schema: string) => `{ type: object, dependentSchemas: { a: { properties: { n: ${schema} } } } }`,
    (schema: string) => `{ if: { type: object }, then: { properties: { n: ${schema} } } }`,
    (schema: string) => `{ if: { properties: { n: ${schema} } }, else: { required: [a] } }`,
    (schema: string) => `{ not: ${schema} }`
  ].flatMap(within => [
    ...inBoth('said inside keywords', within('{ type: integer }'), within('{ type: integer, format: int64 }')),
    ...inBoth('not said inside keywords', within('{ type: number, format: float }'), within('{ type: number }'))
  ]),
  ...['{ type: integer, format: uint64 }', '{ type: integer, maximum: 1e30 }'].map(
    (larger): Pair => [
      'not said of larger ones inside keywords',
      'request',
      `{ patternProperties: { '^x': ${larger} } }`,
      "{ patternProperties: { '^x': { type: integer, format: int64 } } }",
      ['breaking request-pattern-properties-narrowed: POST /pets request body']
    ]
  )
])

group('an empty name', [
  [
    'is required',
    'request',
    '{ type: object, properties: { a: {} } }',
    "{ type: object, properties: { a: {} }, required: [''] }",
    ['breaking request-required-narrowed: POST /pets request body.""']
  ]
])

group('an alternative without values', [
  [
    'is not null',
    'response',
    '{ anyOf: [{ type: string }, { enum: [] }] }',
    "{ type: [string, 'null'] }",
    ['breaking response-type-widened: POST /pets response 200']
  ]
])
