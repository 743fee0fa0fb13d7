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
    {
      title: 'null becomes possible where no variant allows it',
      in: 'response',
      before: union(x, y),
      after: orNull(`{ allOf: [${union(x, y)}, { type: object }] }`),
      breaks: ['breaking response-variant-widened: POST /pets response 200']
    },
    {
      title: 'a property of the same variant',
      in: 'request',
      before: union(x, y),
      after: union(x, variant('y', ', b: { type: string, maxLength: 5 }')),
      breaks: ['breaking request-max-length-narrowed: POST /pets request body.b']
    }
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
      {
        title: 'narrower',
        in: 'request',
        before: wide,
        after: narrow,
        breaks: ['breaking request-max-length-narrowed: POST /pets request body.n']
      },
      { title: 'narrower', in: 'response', before: wide, after: narrow },
      { title: 'wider', in: 'request', before: narrow, after: wide },
      {
        title: 'wider',
        in: 'response',
        before: narrow,
        after: wide,
        breaks: ['breaking response-max-length-widened: POST /pets response 200.n']
      }
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
  {
    title: 'it gets another type',
    in: 'request',
    before: partlyReadOnly('{ type: integer }'),
    after: partlyReadOnly('{ type: string }'),
    breaks: ['breaking request-type-narrowed: POST /pets request body.b']
  },
  {
    title: 'it becomes required',
    in: 'request',
    before: partlyReadOnly('{ type: integer }'),
    after: partlyReadOnly('{ type: integer }', 'k, b'),
    breaks: ['breaking request-required-narrowed: POST /pets request body.b']
  },
  {
    title: 'a schema beside it says so',
    in: 'request',
    before: orNull(`{ allOf: [${field('{ type: integer }')}, ${field('{ readOnly: true }')}] }`),
    after: orNull(`{ allOf: [${field('{ type: string }')}, ${field('{ readOnly: true }')}] }`)
  }
])

group('what is marked as readOnly without a name is not sent', [
  {
    title: 'of every other name',
    in: 'request',
    before: '{ type: object, additionalProperties: { type: integer } }',
    after: '{ type: object, additionalProperties: { type: integer, readOnly: true } }',
    breaks: ['breaking request-additional-properties-narrowed: POST /pets request body']
  },
  {
    title: 'it gets another type, and a name that is required',
    in: 'request',
    before: `{ type: object, patternProperties: { '^a': { type: integer, readOnly: true } } }`,
    after: `{ type: object, required: [a], patternProperties: { '^a': { type: string, readOnly: true } } }`
  },
  {
    title: 'it is ignored in responses',
    in: 'response',
    before: '{ type: object, additionalProperties: { type: integer, writeOnly: true } }',
    after: '{ type: object, additionalProperties: { type: string, writeOnly: true } }'
  }
])

group('what is declared beside alternatives', [
  {
    title: 'one of several alternatives is split further',
    in: 'response',
    before: kinds(variant('cat', ', p: { enum: [v0, v1, v2] }, b: { type: string }')),
    after: kinds(`{ anyOf: [${split.join(', ')}] }`)
  },
  ...inBoth(
    'those that are neither objects nor arrays do not count',
    nested(variant('x')),
    nested(variant('x', ', n: { type: string }'))
  ),
  {
    title: 'alternatives of one property do not apply to another that matches the same pattern',
    in: 'request',
    before: `{ type: object, properties: { a-1: { oneOf: [${x}, ${y}] }, a-2: { type: number } }, patternProperties: { '-': {} } }`,
    after: `{ type: object, properties: { a-1: { oneOf: [${x}, ${y}] }, a-2: { type: number, maximum: 5 } }, patternProperties: { '-': {} } }`,
    breaks: ['breaking request-maximum-narrowed: POST /pets request body.a-2']
  },
  {
    title: 'the property that tells variants apart is declared by its discriminator',
    in: 'document',
    before: named(variant('dog')),
    after: named('{ type: object, properties: { n: {} } }'),
    breaks: ['breaking response-enum-widened: Dog.k']
  },
  {
    title: 'an object whose list of properties is empty may have any',
    in: 'response',
    before: `{ oneOf: [${variant('x')}, { type: object, properties: { n: { type: number } } }] }`,
    after: '{ oneOf: [{ type: object, properties: {} }, { type: object, properties: { n: { type: number } } }] }',
    breaks: [
      'breaking response-type-widened: POST /pets response 200.k',
      'breaking response-required-widened: POST /pets response 200.k'
    ]
  },
  {
    title: 'one that no value can match declares nothing',
    in: 'response',
    before: `{ oneOf: [${variant('x', ', n: { const: 1 }')}, ${variant('y', ', n: { type: object }')}] }`,
    after: `{ oneOf: [{ anyOf: [${variant('x', ', n: { const: 1 }')}, ${variant('y')}] }, { allOf: [${variant('y', ', n: {}')}, { type: integer }] }] }`
  },
  {
    title: 'alternatives under a condition that is not met do not restrict',
    in: 'request',
    before: `{ type: object, required: [t], properties: { t: { enum: [a, b] } }, if: { properties: { t: { const: a } } }, else: { properties: { p: { oneOf: [${x}, ${y}] } } } }`,
    after: `{ type: object, required: [t], properties: { t: { enum: [a, b] }, p: { type: object } }, if: { properties: { t: { const: a } } }, else: { properties: { p: { oneOf: [${x}, ${y}] } } } }`,
    breaks: ['breaking request-type-narrowed: POST /pets request body.p']
  },
  {
    title: 'the only alternative under a condition that is not met declares nothing',
    in: 'response',
    before: field('{ type: string }'),
    after: `{ type: object, properties: { m: {} }, if: { required: [m] }, then: { anyOf: [${field('{ type: string }')}, { type: string }] } }`
  },
  {
    title: 'a value of two nested alternatives has what these declare',
    in: 'response',
    before: field('{ type: string }'),
    after: `{ anyOf: [{ anyOf: [${variant('x', ', n: { type: string }')}, { anyOf: [${variant('x')}, ${variant('y')}] }] }, ${variant('y')}] }`
  },
  {
    title: 'so has a value of several',
    in: 'response',
    before: field('{ type: string }'),
    after: `{ anyOf: [{ oneOf: [${x}, ${yWithN}] }, ${yWithN}, { anyOf: [${x}, ${yWithN}] }] }`
  },
  {
    title: 'only objects lack a required property',
    in: 'response',
    before: '{ type: object, required: [n], properties: { n: { type: number } } }',
    after:
      "{ oneOf: [{ type: object, required: [n], properties: { n: { allOf: [{ type: number }, { type: string }] } } }, { type: 'null' }] }",
    breaks: ['breaking response-type-widened: POST /pets response 200']
  }
])

const open = (rest: string) => `{ type: object, properties: { a: { type: string } }, additionalProperties: ${rest} }`
const silent = '{ type: object, properties: { a: { type: string } } }'
const closed = ['breaking request-additional-properties-narrowed: POST /pets request body']

group('what was expressly open', [
  { title: 'true is closed', in: 'request', before: open('true'), after: open('false'), breaks: closed },
  { title: '{} is closed', in: 'request', before: open('{}'), after: open('false'), breaks: closed },
  {
    title: 'a schema is closed',
    in: 'request',
    before: open('{ type: string }'),
    after: open('false'),
    breaks: closed
  },
  { title: 'true is restricted', in: 'request', before: open('true'), after: open('{ type: string }'), breaks: closed },
  { title: 'nothing was said', in: 'request', before: silent, after: open('false') },
  {
    title: 'another property is declared',
    in: 'request',
    before: open('true'),
    after: '{ type: object, properties: { a: { type: string }, b: {} } }'
  },
  {
    title: 'other properties had a type',
    in: 'response',
    before: open('{ type: string }'),
    after: open('true'),
    breaks: ['breaking response-additional-properties-widened: POST /pets response 200']
  },
  { title: 'other properties were ignored', in: 'response', before: open('false'), after: open('true') }
])

const path = (parameters: string) =>
  `{ paths: { '/pets/{id}': { get: { ${parameters}responses: { '200': { description: Fine } } } } } }`
const id = (schema: string) => path(`parameters: [{ name: id, in: path, required: true, schema: ${schema} }], `)
const matrix = (schema: string, explode: boolean) => id(`${schema}, style: matrix, explode: ${explode}`)

group('a single value after ;id= becomes a list', [
  ...[true, false].map(
    (explode): Pair => ({
      title: `exploded: ${explode}`,
      in: 'document',
      before: matrix('{ type: integer }', explode),
      after: matrix('{ type: array, items: { type: integer } }', explode)
    })
  ),
  {
    title: 'of others',
    in: 'document',
    before: matrix('{ type: string }', false),
    after: matrix('{ type: array, items: { type: integer } }', false),
    breaks: ['breaking request-type-narrowed: GET /pets/{id} path parameter id']
  }
])

const node = "{ $ref: '#/components/schemas/Node' }"
const withNode = (schema: string) =>
  `{ paths: { /pets: { post: { ${body('application/json', schema)}, responses: {} } } }, components: { schemas: { Node: { type: array } } } }`

group('alternatives', [
  {
    title: 'one of two equal ones is never the only one',
    in: 'document',
    before: withNode(node),
    after: withNode(`{ oneOf: [${node}, ${node}] }`),
    breaks: ['breaking request-variant-narrowed: POST /pets request body']
  }
])

group('values that were not listed', [
  {
    title: 'a path parameter that is not in the path',
    in: 'document',
    before: path('parameters: [{ name: petId, in: path, required: true }], '),
    after: path('parameters: [{ name: petId, in: path, required: true }], ').replaceAll('{id}', '{petId}')
  },
  {
    title: 'a path parameter that is not in the path is narrowed',
    in: 'document',
    before: path('parameters: [{ name: petId, in: path, required: true, schema: {} }], '),
    after: path('parameters: [{ name: petId, in: path, required: true, schema: { enum: [a] } }], '),
    breaks: ['breaking request-enum-narrowed: GET /pets/{id} path parameter petId']
  },
  { title: 'a path parameter is declared', in: 'document', before: path(''), after: id('{ type: string }') },
  {
    title: 'a path parameter gets an enum',
    in: 'document',
    before: path(''),
    after: id('{ enum: [a, b] }'),
    breaks: ['breaking request-enum-narrowed: GET /pets/{id} path parameter id']
  },
  {
    title: 'float becomes double',
    in: 'response',
    before: '{ type: number, format: float }',
    after: '{ type: number, format: double }',
    breaks: ['breaking response-format-widened: POST /pets response 200']
  },
  {
    title: 'double becomes float',
    in: 'request',
    before: '{ type: number, format: double }',
    after: '{ type: number, format: float }',
    breaks: ['breaking request-format-narrowed: POST /pets request body']
  },
  {
    title: 'float becomes double',
    in: 'request',
    before: '{ type: number, format: float }',
    after: '{ type: number, format: double }'
  },
  {
    title: 'an extensible list loses a value',
    in: 'request',
    before: '{ type: string, x-extensible-enum: [a, b] }',
    after: '{ type: string, x-extensible-enum: [a] }',
    breaks: ['breaking request-enum-narrowed: POST /pets request body']
  },
  {
    title: 'an extensible list gets a value',
    in: 'response',
    before: '{ type: string, x-extensible-enum: [a] }',
    after: '{ type: string, x-extensible-enum: [a, b] }'
  },
  {
    title: 'a list becomes extensible',
    in: 'response',
    before: '{ type: string, enum: [a] }',
    after: '{ type: string, x-extensible-enum: [a] }',
    breaks: ['breaking response-enum-widened: POST /pets response 200']
  }
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
  {
    title: 'a text becomes base64',
    in: 'request',
    before: '{ type: string }',
    after: encoded('base64'),
    breaks: formats.slice(0, 1)
  },
  { title: 'base64 becomes any text', in: 'request', before: encoded('base64'), after: '{ type: string }' },
  {
    title: 'another encoding',
    in: 'request',
    before: encoded('base64'),
    after: encoded('quoted-printable'),
    breaks: ['undecided request-other-assertion-narrowed: POST /pets request body']
  },
  {
    title: 'another encoding',
    in: 'response',
    before: encoded('base64'),
    after: encoded('quoted-printable'),
    breaks: formats.slice(1)
  },
  {
    title: 'another media type',
    in: 'request',
    before: holding('image/png'),
    after: holding('image/jpeg'),
    breaks: media.slice(0, 1)
  },
  {
    title: 'another media type',
    in: 'response',
    before: holding('image/png'),
    after: holding('image/jpeg'),
    breaks: media.slice(1)
  },
  {
    title: 'a text becomes JSON',
    in: 'request',
    before: '{ type: string }',
    after: holding('application/json'),
    breaks: media.slice(0, 1)
  },
  { title: 'JSON becomes any text', in: 'request', before: holding('application/json'), after: '{ type: string }' }
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
  {
    title: 'is implied for an object',
    in: 'operation',
    before: part('object'),
    after: part('object', 'application/json')
  },
  { title: 'is implied for a text', in: 'operation', before: part('string', 'text/plain'), after: part('string') },
  {
    title: 'is implied for a list',
    in: 'operation',
    before: part('array, items: { type: integer }'),
    after: part('array, items: { type: integer }', 'text/plain')
  },
  {
    title: 'is not what is implied',
    in: 'operation',
    before: part('object'),
    after: part('object', 'application/xml'),
    breaks: otherType
  },
  {
    title: 'is restricted for bytes',
    in: 'operation',
    before: part(bytes),
    after: part(bytes, 'image/png'),
    breaks: otherType
  },
  {
    title: 'is not restricted any more for bytes',
    in: 'operation',
    before: part(bytes, 'image/png'),
    after: part(bytes)
  },
  ...['string, contentMediaType: TYPE', 'array, items: { type: string, contentMediaType: TYPE }'].flatMap(
    (type): Pair[] => {
      const [png, jpeg, any] = ['image/png', 'image/jpeg', 'image/*'].map(each => part(type.replace('TYPE', each)))
      return [
        {
          title: `is another one in the schema: ${type}`,
          in: 'operation',
          before: png ?? '',
          after: jpeg ?? '',
          breaks: otherType
        },
        { title: `is wider in the schema: ${type}`, in: 'operation', before: png ?? '', after: any ?? '' }
      ]
    }
  )
])

group('what is not written in a value', [
  {
    title: 'reserved characters in a number',
    in: 'operation',
    before: query('{ type: integer }', ', allowReserved: true'),
    after: query('{ type: integer }')
  },
  {
    title: 'a header of a part',
    in: 'operation',
    before: body('multipart/form-data', field('{ type: string }')),
    after: body(
      'multipart/form-data',
      field('{ type: string }'),
      ', encoding: { n: { headers: { X-Sum: { required: true } } } }'
    ),
    breaks: [
      'breaking request-header-added-required: POST /pets request body (multipart/form-data) field n header X-Sum'
    ]
  }
])

group('integers of 64 bits', [
  ...inBoth('said of any integer', '{ type: integer, minimum: 0 }', '{ type: integer, format: int64, minimum: 0 }'),
  ...['minimum: -9223372036854775808', 'maximum: 9223372036854775807', 'minimum: -1e30, maximum: 1e30'].flatMap(
    bounds => inBoth('written as bounds', '{ type: integer }', `{ type: integer, ${bounds} }`)
  ),
  {
    title: 'less than written',
    in: 'request',
    before: '{ type: integer }',
    after: '{ type: integer, maximum: 9223372036854774000 }',
    breaks: ['breaking request-maximum-narrowed: POST /pets request body']
  },
  {
    title: 'not said of larger ones',
    in: 'request',
    before: '{ type: integer, format: uint64 }',
    after: '{ type: integer, format: int64 }',
    breaks: formats.slice(0, 1)
  },
  {
    title: 'said of numbers that may have fractions now',
    in: 'response',
    before: '{ type: number, format: int64 }',
    after: '{ type: number }',
    breaks: formats.slice(1)
  },
  {
    title: 'not said of numbers',
    in: 'request',
    before: '{ type: number }',
    after: '{ type: integer, format: int64 }',
    breaks: ['breaking request-type-narrowed: POST /pets request body']
  },
  {
    title: 'said inside a keyword that is compared as a whole',
    in: 'request',
    before: "{ patternProperties: { '^x': { type: integer } } }",
    after: "{ patternProperties: { '^x': { type: integer, format: int64 } } }",
    breaks: ['undecided request-pattern-properties-narrowed: POST /pets request body']
  }
])

group('an empty name', [
  {
    title: 'is required',
    in: 'request',
    before: '{ type: object, properties: { a: {} } }',
    after: "{ type: object, properties: { a: {} }, required: [''] }",
    breaks: ['breaking request-required-narrowed: POST /pets request body.""']
  }
])

group('an alternative without values', [
  {
    title: 'is not null',
    in: 'response',
    before: '{ anyOf: [{ type: string }, { enum: [] }] }',
    after: "{ type: [string, 'null'] }",
    breaks: ['breaking response-type-widened: POST /pets response 200']
  }
])
